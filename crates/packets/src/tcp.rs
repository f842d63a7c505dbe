//! TCP segments: the values of their fields on the wire, and their size with their
//! true options (RFC 9293, section 3.1; RFC 2018; RFC 7323).

/// The length in bytes of a TCP header without options.
const HEADER: u16 = 20;
/// The length in bytes of the timestamps option with its padding (RFC 7323, appendix
/// A).
pub const TIMESTAMPS_SIZE: u16 = 12;
/// The most SACK blocks that fit beside timestamps.
const MOST_SACK_BLOCKS: usize = 3;

/// A TCP segment. Sequence numbers are those of the wire, modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The connection that it belongs to; represents both addresses and ports.
    pub connection: u32,
    /// The number of its first byte; a SYN and a FIN count as one each.
    pub sequence: u32,
    /// The next byte that its sender expects; valid with [`Flags::ACK`].
    pub acknowledgement: u32,
    /// The sender's clock, in milliseconds (TSval).
    pub timestamp: u32,
    /// The clock that the sender echoes (TSecr).
    pub echo: u32,
    /// SACK blocks, or the options of a SYN.
    options: [u32; 2 * MOST_SACK_BLOCKS],
    /// The length of its data in bytes.
    pub length: u16,
    /// The advertised window, scaled down.
    pub window: u16,
    /// Its flags, and which options it has.
    pub flags: Flags,
}

/// A range of sequence numbers that the receiver holds: from `start` up to, and
/// without, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// Its first byte.
    pub start: u32,
    /// The one after its last byte.
    pub end: u32,
}

/// The options of a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOptions {
    /// The maximum segment size that its sender accepts, in bytes.
    pub maximum_segment: u16,
    /// By how many bits its sender's windows are scaled down.
    pub window_scale: u8,
    /// Whether its sender supports SACK.
    pub sack_permitted: bool,
}

/// The flags of a segment, and which options it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Self = Self(1);
    /// The first segment of a connection.
    pub const SYN: Self = Self(1 << 1);
    /// The connection is reset.
    pub const RST: Self = Self(1 << 2);
    /// The data should be passed to the application at once.
    pub const PSH: Self = Self(1 << 3);
    /// The acknowledgement number is valid.
    pub const ACK: Self = Self(1 << 4);
    /// ECN echo (RFC 3168), or the lowest bit of accurate ECN's counter.
    pub const ECE: Self = Self(1 << 6);
    /// Congestion window reduced (RFC 3168), or the middle bit of the counter.
    pub const CWR: Self = Self(1 << 7);
    /// Accurate ECN's highest bit, or SCE's echo.
    pub const AE: Self = Self(1 << 8);
    /// Not a flag on the wire: the segment has the timestamps option.
    pub const TIMESTAMPS: Self = Self(1 << 12);

    /// Whether all of `flags` are set.
    #[inline]
    #[must_use]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These flags and `other`.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These flags, and `other` if `wanted`.
    #[inline]
    #[must_use]
    pub const fn with_if(self, other: Self, wanted: bool) -> Self {
        if wanted { self.with(other) } else { self }
    }

    /// The nine bits on the wire, AE first and FIN last.
    #[inline]
    #[must_use]
    pub const fn wire(self) -> u16 {
        self.0 & 0x1ff
    }

    /// Accurate ECN's counter (draft-ietf-tcpm-accurate-ecn, section 3.2.2): AE,
    /// CWR and ECE.
    #[inline]
    #[must_use]
    pub const fn counter(self) -> u8 {
        ((self.0 >> 6) & 0b111) as u8
    }

    /// The flags that hold the counter's lowest three bits.
    #[inline]
    #[must_use]
    pub const fn from_counter(counter: u64) -> Self {
        Self(((counter & 0b111) as u16) << 6)
    }
}

impl Segment {
    /// A segment without data, SACK blocks or timestamps.
    #[inline]
    #[must_use]
    pub const fn new(connection: u32, sequence: u32, flags: Flags) -> Self {
        Self {
            connection,
            sequence,
            acknowledgement: 0,
            timestamp: 0,
            echo: 0,
            options: [0; 2 * MOST_SACK_BLOCKS],
            length: 0,
            window: 0,
            flags,
        }
    }

    /// Its SACK blocks, the most recent first.
    #[inline]
    pub fn sack_blocks(&self) -> impl Iterator<Item = SackBlock> {
        let count = if self.flags.has(Flags::SYN) { 0 } else { MOST_SACK_BLOCKS };
        let pairs = self.options.chunks_exact(2).take(count);
        pairs.map(|it| SackBlock { start: it[0], end: it[1] }).take_while(|it| it.start != it.end)
    }

    /// Adds a SACK block behind those it has; there is no room for a fourth.
    #[inline]
    pub fn add_sack_block(&mut self, block: SackBlock) {
        if let Some(place) = self.options.chunks_exact_mut(2).find(|it| it[0] == it[1]) {
            place.copy_from_slice(&[block.start, block.end]);
        }
    }

    /// The options of a SYN.
    #[must_use]
    pub fn syn_options(&self) -> SynOptions {
        SynOptions {
            maximum_segment: self.options[0] as u16,
            window_scale: self.options[1] as u8,
            sack_permitted: self.options[2] != 0,
        }
    }

    /// Sets the options of a SYN.
    pub fn set_syn_options(&mut self, options: SynOptions) {
        let SynOptions { maximum_segment, window_scale, sack_permitted } = options;
        self.options[0] = u32::from(maximum_segment);
        self.options[1] = u32::from(window_scale);
        self.options[2] = u32::from(sack_permitted);
    }

    /// The length of its options in bytes, padded as Linux pads them.
    #[inline]
    #[must_use]
    pub fn options_size(&self) -> u16 {
        let timestamps = if self.flags.has(Flags::TIMESTAMPS) { TIMESTAMPS_SIZE } else { 0 };
        if self.flags.has(Flags::SYN) {
            // Maximum segment and window scale take four bytes each. Beside
            // timestamps, SACK-permitted replaces their padding.
            let permitted = self.syn_options().sack_permitted && timestamps == 0;
            return 8 + timestamps + if permitted { 4 } else { 0 };
        }
        match self.sack_blocks().count() as u16 {
            0 => timestamps,
            blocks => timestamps + 4 + 8 * blocks,
        }
    }

    /// The length of its header and its data in bytes.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u16 {
        HEADER + self.options_size() + self.length
    }
}
