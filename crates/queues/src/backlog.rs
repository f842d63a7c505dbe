//! What waits in a queue, and how much may.

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
