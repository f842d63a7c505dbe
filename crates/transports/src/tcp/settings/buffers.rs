//! How much both ends of a connection hold.

#[cfg(feature = "serde")]
use windtunnel_units::{As, Bytes, Quantity};

/// The most bytes that a buffer holds: the largest window is just below 1 GiB (RFC 7323, section
/// 2.2).
pub const MOST_BUFFER: u64 = 1 << 30;

/// How much both ends of a connection hold, in bytes of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Buffers {
    /// What the receiver can hold, always; default: 64 KiB at first, and with what is taken
    /// in a round trip more, up to `maximum_receive`.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<BufferSize>>", skip_serializing_if = "Option::is_none")
    )]
    pub receive: Option<u64>,
    /// How far the receive buffer grows. The default is Linux's.
    #[cfg_attr(feature = "serde", serde(with = "As::<BufferSize>"))]
    pub maximum_receive: u64,
    /// What the sender can hold until it is acknowledged. The default is Linux's.
    #[cfg_attr(feature = "serde", serde(with = "As::<BufferSize>"))]
    pub send: u64,
}

impl Default for Buffers {
    fn default() -> Self {
        Self { receive: None, maximum_receive: 6 << 20, send: 4 << 20 }
    }
}

impl Buffers {
    /// What receivers in Linux hold at first: what a window says that is not scaled.
    const FIRST_RECEIVE: u64 = 65_535;

    /// With a receive buffer that always has this size.
    #[must_use]
    pub fn with_receive(size: u64) -> Self {
        Self { receive: Some(size), ..Self::default() }
    }

    /// The size of the receive buffer at first.
    #[must_use]
    pub fn initial_receive_size(&self) -> u64 {
        self.receive.unwrap_or(self.maximum_receive.min(Self::FIRST_RECEIVE))
    }

    /// The greatest size of the receive buffer.
    #[inline]
    #[must_use]
    pub fn maximum_receive_size(&self) -> u64 {
        self.receive.unwrap_or(self.maximum_receive)
    }

    /// The same with a receive buffer of at most that size.
    #[must_use]
    pub fn receiving_at_most(&self, size: u64) -> Self {
        Self {
            receive: self.receive.map(|it| it.min(size)),
            maximum_receive: self.maximum_receive.min(size),
            ..*self
        }
    }
}

/// The size of a buffer, or of a part of what is in it.
#[cfg(feature = "serde")]
pub(super) struct BufferSize(u64);

#[cfg(feature = "serde")]
impl Quantity for BufferSize {
    const NAME: &'static str = Bytes::NAME;
    const EXAMPLE: &'static str = Bytes::EXAMPLE;
    const UNITS: &'static [(&'static str, f64)] = Bytes::UNITS;

    fn from_base(base: f64, unit: &str) -> Result<Self, &'static str> {
        match Bytes::from_base(base, unit)? {
            Bytes(it @ 1..=MOST_BUFFER) => Ok(Self(it)),
            Bytes(_) => Err("must be between 1 B and 1 GiB"),
        }
    }

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

#[cfg(feature = "serde")]
impl From<BufferSize> for u64 {
    fn from(size: BufferSize) -> Self {
        size.0
    }
}

#[cfg(feature = "serde")]
impl From<u64> for BufferSize {
    fn from(size: u64) -> Self {
        Self(size)
    }
}
