//! How the sender of a subflow counts.

/// In what a window, and what is in flight, delivered or lost, is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowUnit {
    /// Bytes (RFC 5681, section 2).
    Bytes,
    /// Packets: each segment with data is as much as a full one (Linux's `tcp_packets_in_flight`).
    Packets,
}

/// How the sender of a subflow counts.
#[derive(Clone, Copy, Debug)]
pub struct Accounting {
    /// Whether a lack of data limits the samples of its delivery rate. In Linux it does not.
    pub application_limited: bool,
    /// What windows are counted in.
    pub unit: WindowUnit,
    /// The bytes by which a segment that rates are computed with is larger than the data of a
    /// full one.
    pub paced_excess: u16,
}
