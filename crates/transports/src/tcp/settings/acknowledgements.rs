//! When a receiver acknowledges.

use windtunnel_engine::Duration;
#[cfg(feature = "serde")]
use windtunnel_units::{As, Quantity, Segments};

use super::Misbehaviour;

/// When the receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Acknowledgements {
    /// After how many full segments it acknowledges at the latest. More than two thin out the
    /// acknowledgements.
    #[cfg_attr(feature = "serde", serde(with = "As::<SegmentCount>"))]
    pub every: u8,
    /// How long it waits for them. The default is Linux's.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub within: Duration,
    /// Whether the acknowledgements of segments beyond a gap wait for others, as in Linux: all
    /// except the first three, for 5 % of the round trip, at most 1 ms.
    pub sack_compression: bool,
    /// Whether more is acknowledged at once than the standards ask for, as in Linux (quick
    /// acknowledgements): the answer to the SYN, also where data follows; the first 16 segments, as
    /// many after a silence longer than the retransmission timeout or a segment that came twice, each
    /// with the flag PSH (the last of what was written, and of a burst), and each by which the
    /// advertised window grows. That window then begins with 64 KiB in whole segments, and grows by
    /// two segments with each that comes, up to the receive buffer, which is 85,632 bytes at first.
    pub quick: bool,
    /// What the receiver does against the rules to be sent more; nothing by default.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub misbehaviour: Option<Misbehaviour>,
}

impl Default for Acknowledgements {
    fn default() -> Self {
        Self {
            every: 2,
            within: Duration::from_millis(40),
            sack_compression: false,
            quick: false,
            misbehaviour: None,
        }
    }
}

/// A number of segments.
#[cfg(feature = "serde")]
struct SegmentCount(u8);

#[cfg(feature = "serde")]
impl Quantity for SegmentCount {
    const NAME: &'static str = "a number of segments";
    const EXAMPLE: &'static str = Segments::EXAMPLE;
    const UNITS: &'static [(&'static str, f64)] = Segments::UNITS;

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (1.0..=255.0).contains(&base) && base.fract() == 0.0 {
            Ok(Self(base as u8))
        } else {
            Err("must be 1 to 255 whole segments")
        }
    }

    fn base(&self) -> f64 {
        self.0.into()
    }
}

#[cfg(feature = "serde")]
impl From<SegmentCount> for u8 {
    fn from(count: SegmentCount) -> Self {
        count.0
    }
}

#[cfg(feature = "serde")]
impl From<u8> for SegmentCount {
    fn from(count: u8) -> Self {
        Self(count)
    }
}
