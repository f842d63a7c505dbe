//! Receivers that do not comply, to get their data sooner.

use windtunnel_packets::Ecn;

/// What a receiver does against the rules so that it is sent more (RFC 9743, section 7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Misbehaviour {
    /// Acknowledges in ten parts what one acknowledgement would (ACK division: Savage, Cardwell,
    /// Wetherall and Anderson, "TCP Congestion Control with a Misbehaving Receiver", 1999): a
    /// window that grows with each acknowledgement, and not with what it acknowledges, grows ten
    /// times as fast.
    DividedAcknowledgements,
    /// Reports what fills a gap as received twice (RFC 2883): a sender that concludes that its
    /// retransmissions were for nothing takes its decreases back (RFC 3708).
    InventedDuplicates,
    /// Reports no marks of congestion (RFC 3168, section 18.1.2).
    HiddenMarks,
}

impl Misbehaviour {
    /// Into how many parts an acknowledgement is divided.
    pub(crate) const PARTS: u64 = 10;

    /// The ECN field that a receiver reports for one that came.
    pub(crate) fn reported(self, ecn: Ecn) -> Ecn {
        match (self, ecn) {
            (Self::HiddenMarks, Ecn::Congestion) => Ecn::Capable,
            _ => ecn,
        }
    }
}
