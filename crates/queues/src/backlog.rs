//! What waits in a queue, and how much may.

use windtunnel_reading::units::{Bytes, PacketCount, Quantity};

/// How much may wait: whichever limit is reached first. The packet under
/// transmission does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// At most this many packets.
    Packets(u32),
    /// At most this many bytes.
    Bytes(u64),
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u32,
    /// Their bytes on the link.
    pub bytes: u64,
}

impl QueueLimit {
    /// Whether one more packet of `size` bytes finds room beside `backlog`.
    #[inline]
    #[must_use]
    pub fn admits(self, backlog: Backlog, size: u32) -> bool {
        match self {
            Self::Packets(most) => backlog.packets < most,
            Self::Bytes(most) => backlog.bytes + u64::from(size) <= most,
        }
    }

    /// How much may wait beside that `backlog`.
    #[must_use]
    pub fn beside(self, backlog: Backlog) -> Self {
        match self {
            Self::Packets(most) => Self::Packets(most.saturating_sub(backlog.packets)),
            Self::Bytes(most) => Self::Bytes(most.saturating_sub(backlog.bytes)),
        }
    }

    /// Whether `backlog` is more than may wait.
    #[inline]
    #[must_use]
    pub fn is_exceeded_by(self, backlog: Backlog) -> bool {
        match self {
            Self::Packets(most) => backlog.packets > most,
            Self::Bytes(most) => backlog.bytes > most,
        }
    }
}

impl Backlog {
    /// Counts a packet in.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// The larger of two backlogs, packets and bytes each by itself.
    #[inline]
    #[must_use]
    pub fn or_more(self, other: Self) -> Self {
        Self { packets: self.packets.max(other.packets), bytes: self.bytes.max(other.bytes) }
    }

    /// Counts a packet out.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
    }
}

impl Quantity for QueueLimit {
    const NAME: &'static str = "a queue limit";
    const EXAMPLE: &'static str = "100 packets";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("packets", 1.0),
        ("packet", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];

    fn from_base(base: f64, unit: &str) -> Result<Self, &'static str> {
        if base < 1.0 {
            return Err("is zero");
        }
        if !unit.starts_with("packet") {
            return Bytes::from_base(base, unit).map(|it| Self::Bytes(it.0));
        }
        PacketCount::from_base(base, unit).map(|it| Self::Packets(it.0 as u32))
    }

    fn base(&self) -> f64 {
        match self {
            Self::Packets(it) => f64::from(*it),
            Self::Bytes(it) => *it as f64,
        }
    }

    fn units(&self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Packets(_) => PacketCount::UNITS,
            Self::Bytes(_) => Bytes::UNITS,
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_reading::units::{parse, written};

    use super::*;

    #[test]
    fn a_limit_is_a_number_of_packets_or_a_size() {
        assert_eq!(parse("200 packets"), Ok(QueueLimit::Packets(200)));
        assert_eq!(parse("200 kB"), Ok(QueueLimit::Bytes(200_000)));
        assert_eq!(written(&QueueLimit::Packets(10_240)), "10240 packets");
        for text in ["0 packets", "1.5 packets", "4294967296 packets", "0 B"] {
            assert!(parse::<QueueLimit>(text).is_err(), "{text}");
        }
        proptest::proptest!(|(text in "\\PC{0,12}")| {
            let _ = parse::<QueueLimit>(&text);
        });
    }
}
