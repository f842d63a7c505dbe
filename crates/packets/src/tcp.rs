//! TCP segments: the values of their fields on the wire, and their size with their
//! true options (RFC 9293, section 3.1; RFC 2018; RFC 7323; RFC 9768; RFC 8684).

use crate::dscp::Dscp;
use crate::multipath::{Multipath, Version};

/// The length in bytes of a TCP header without options.
const HEADER: u16 = 20;
/// The length in bytes of the timestamps option with its padding (RFC 7323, appendix
/// A).
pub const TIMESTAMPS_SIZE: u16 = 12;
/// The most SACK blocks that fit beside timestamps (RFC 2018, section 3).
const MOST_SACK_BLOCKS: usize = 3;
/// Two for each SACK block.
const OPTION_WORDS: usize = 2 * MOST_SACK_BLOCKS;

/// A TCP segment. Sequence numbers are those of the wire, modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The connection that it belongs to; represents both addresses and ports.
    pub connection: u32,
    /// The number of its first byte; a SYN and a FIN count as one each.
    pub sequence: u32,
    /// The next byte that its sender expects; valid with [`Flags::ACK`].
    pub acknowledgement: u32,
    /// The sender's clock, in milliseconds (TSval); without [`Flags::TIMESTAMPS`] zero, or the
    /// beginning of the last SACK block.
    pub timestamp: u32,
    /// The clock that the sender echoes (TSecr); without [`Flags::TIMESTAMPS`] zero, or the end
    /// of the last SACK block.
    pub echo: u32,
    /// SACK blocks, or the options of a SYN; behind them the counters of
    /// [`ByteCounters`], the first one last, or what [`Multipath`] says: numbers of data with
    /// their high halves first, a data acknowledgement in the last two.
    options: [u32; OPTION_WORDS],
    /// The length of its data in bytes.
    pub length: u16,
    /// The advertised window, scaled down.
    pub window: u16,
    /// Its flags, and which options it has.
    pub flags: Flags,
    /// The class of its IP packet.
    pub dscp: Dscp,
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

/// The option of accurate ECN (RFC 9768, section 3.2.3): how many bytes of data its
/// sender has received with each ECN codepoint, modulo 2²⁴. Of its two orders and
/// lengths, those that report congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCounters {
    /// Kind 172 with two counters.
    Capable {
        /// Bytes with ECT(0).
        capable: u32,
        /// Bytes with CE.
        congestion: u32,
    },
    /// Kind 174 with two counters.
    Scalable {
        /// Bytes with ECT(1).
        scalable: u32,
        /// Bytes with CE.
        congestion: u32,
    },
    /// Kind 172 with all three counters.
    All {
        /// Bytes with ECT(0).
        capable: u32,
        /// Bytes with CE.
        congestion: u32,
        /// Bytes with ECT(1).
        scalable: u32,
    },
}

impl ByteCounters {
    /// What the counters are modulo of.
    pub const MODULUS: u32 = 1 << 24;

    /// The count of bytes with CE.
    #[inline]
    #[must_use]
    pub const fn congestion(self) -> u32 {
        match self {
            Self::Capable { congestion, .. }
            | Self::Scalable { congestion, .. }
            | Self::All { congestion, .. } => congestion,
        }
    }

    /// The count of bytes with ECT(0), if it is there.
    #[inline]
    #[must_use]
    pub const fn capable(self) -> Option<u32> {
        match self {
            Self::Capable { capable, .. } | Self::All { capable, .. } => Some(capable),
            Self::Scalable { .. } => None,
        }
    }

    /// The count of bytes with ECT(1), if it is there.
    #[inline]
    #[must_use]
    pub const fn scalable(self) -> Option<u32> {
        match self {
            Self::Scalable { scalable, .. } | Self::All { scalable, .. } => Some(scalable),
            Self::Capable { .. } => None,
        }
    }

    /// The option's kind, and its counters in their order on the wire.
    pub fn wire(self) -> (u8, impl Iterator<Item = u32>) {
        let (kind, counters, count) = match self {
            Self::Capable { capable, congestion } => (172, [capable, congestion, 0], 2),
            Self::Scalable { scalable, congestion } => (174, [scalable, congestion, 0], 2),
            Self::All { capable, congestion, scalable } => {
                (172, [capable, congestion, scalable], 3)
            }
        };
        (kind, counters.into_iter().take(count))
    }
}

/// The options of a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynOptions {
    /// The maximum segment size that its sender accepts, in bytes.
    pub maximum_segment: u16,
    /// By how many bits its sender's windows are scaled down, if it supports that (RFC 7323,
    /// section 2).
    pub window_scale: Option<u8>,
    /// Whether its sender supports SACK.
    pub sack_permitted: bool,
}

/// The numbers of the kinds of [`Multipath`] among the flags.
const CAPABLE: u16 = 1;
const JOIN: u16 = 2;
const ACKNOWLEDGEMENT: u16 = 3;
const MAPPING: u16 = 4;
const ADD_ADDRESS: u16 = 5;
const PRIORITY: u16 = 6;
/// REMOVE_ADDR, or on a segment that resets MP_TCPRST.
const REMOVAL: u16 = 7;

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
    /// ECN echo (RFC 3168), or the lowest bit of accurate ECN's field ACE.
    pub const ECE: Self = Self(1 << 6);
    /// Congestion window reduced (RFC 3168), or the middle bit of ACE.
    pub const CWR: Self = Self(1 << 7);
    /// The highest bit of ACE, or SCE's echo.
    pub const AE: Self = Self(1 << 8);
    /// Not a flag on the wire: the segment has the timestamps option.
    pub const TIMESTAMPS: Self = Self(1 << 12);
    /// Not a flag on the wire: which [`ByteCounters`] the segment has, if any.
    const BYTE_COUNTERS: Self = Self(0b11 << 13);
    const CAPABLE: Self = Self(0b01 << 13);
    const SCALABLE: Self = Self(0b10 << 13);
    /// Not a flag on the wire: which kind of [`Multipath`] the segment has, if any, and of
    /// which version.
    const MULTIPATH: Self = Self(0b111 << 9);
    const OLD_MULTIPATH: Self = Self(1 << 15);

    /// The kind of [`Multipath`] that the segment has; 0 for none.
    #[inline]
    const fn multipath(self) -> u16 {
        (self.0 & Self::MULTIPATH.0) >> 9
    }

    /// Which byte counters the segment has: none, those of [`ByteCounters::Capable`], those of
    /// [`ByteCounters::Scalable`], or all.
    #[inline]
    const fn byte_counters(self) -> usize {
        ((self.0 & Self::BYTE_COUNTERS.0) >> 13) as usize
    }

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

    /// The field ACE of accurate ECN (RFC 9768, section 3.2.2): AE, CWR and ECE.
    #[inline]
    #[must_use]
    pub const fn ace(self) -> u8 {
        ((self.0 >> 6) & 0b111) as u8
    }

    /// These flags with the lowest three bits of `counter` as ACE.
    #[inline]
    #[must_use]
    pub const fn with_ace(self, counter: u8) -> Self {
        Self(self.0 & !(0b111 << 6) | ((counter & 0b111) as u16) << 6)
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
            options: [0; OPTION_WORDS],
            length: 0,
            window: 0,
            flags,
            dscp: Dscp::DEFAULT,
        }
    }

    /// How many SACK blocks are among its options: three, two beside two counters of accurate
    /// ECN, and one beside three. That is what fits beside timestamps; without them there may be
    /// [one more](Self::has_last_block).
    #[inline]
    const fn sack_room(&self) -> usize {
        if self.flags.0 & Flags::SYN.0 != 0 {
            return 0;
        }
        if self.flags.multipath() != 0 {
            return self.sack_room_beside_multipath();
        }
        MOST_SACK_BLOCKS - self.flags.byte_counters().div_ceil(2)
    }

    /// Whether its last SACK block has the place of the timestamps: without them four fit (RFC
    /// 2018, section 3), three beside two counters of accurate ECN, and two beside three.
    #[inline]
    const fn has_last_block(&self) -> bool {
        self.flags.0 & (Flags::SYN.0 | Flags::TIMESTAMPS.0 | Flags::MULTIPATH.0) == 0
    }

    /// Beside timestamps and a data acknowledgement there is room for one block, or for two
    /// beside the shorter one of version 0. Other options of Multipath TCP take more room, or
    /// are on segments that have nothing to report.
    const fn sack_room_beside_multipath(&self) -> usize {
        let is_old = self.flags.has(Flags::OLD_MULTIPATH);
        match self.flags.multipath() {
            ACKNOWLEDGEMENT if is_old => 2,
            ACKNOWLEDGEMENT => 1,
            _ => 0,
        }
    }

    /// Its SACK blocks, the most recent first.
    #[inline]
    pub fn sack_blocks(&self) -> impl Iterator<Item = SackBlock> {
        let pairs = self.options.chunks_exact(2).take(self.sack_room());
        let last =
            self.has_last_block().then_some(SackBlock { start: self.timestamp, end: self.echo });
        pairs
            .map(|it| SackBlock { start: it[0], end: it[1] })
            .chain(last)
            .take_while(|it| it.start != it.end)
    }

    /// How many SACK blocks it has.
    #[inline]
    fn count_sack_blocks(&self) -> usize {
        let room = self.sack_room();
        let pairs = self.options.chunks_exact(2).take(room);
        let count = pairs.take_while(|it| it[0] != it[1]).count();
        let has_last = count == room && self.has_last_block() && self.timestamp != self.echo;
        count + usize::from(has_last)
    }

    /// Adds a SACK block behind those it has, if there is room.
    #[inline]
    pub fn add_sack_block(&mut self, block: SackBlock) {
        let (room, has_last) = (self.sack_room(), self.has_last_block());
        let mut places = self.options.chunks_exact_mut(2).take(room);
        if let Some(place) = places.find(|it| it[0] == it[1]) {
            place.copy_from_slice(&[block.start, block.end]);
        } else if has_last && self.timestamp == self.echo {
            (self.timestamp, self.echo) = (block.start, block.end);
        }
    }

    /// Moves its numbers to other origins: its own by `sequence`, and those of what it
    /// acknowledges, SACK blocks as well, by `acknowledged`.
    pub fn renumber(&mut self, sequence: u32, acknowledged: u32) {
        self.sequence = self.sequence.wrapping_add(sequence);
        if self.flags.has(Flags::ACK) {
            self.acknowledgement = self.acknowledgement.wrapping_add(acknowledged);
        }
        let (blocks, room) = (self.count_sack_blocks(), self.sack_room());
        for word in &mut self.options[..2 * blocks.min(room)] {
            *word = word.wrapping_add(acknowledged);
        }
        if blocks > room {
            self.timestamp = self.timestamp.wrapping_add(acknowledged);
            self.echo = self.echo.wrapping_add(acknowledged);
        }
    }

    /// Accurate ECN's option, if it has one.
    #[inline]
    #[must_use]
    pub fn byte_counters(&self) -> Option<ByteCounters> {
        let [.., third, congestion, first] = self.options;
        match (self.flags.has(Flags::CAPABLE), self.flags.has(Flags::SCALABLE)) {
            (false, false) => None,
            (true, false) => Some(ByteCounters::Capable { capable: first, congestion }),
            (false, true) => Some(ByteCounters::Scalable { scalable: first, congestion }),
            (true, true) => Some(ByteCounters::All { capable: first, congestion, scalable: third }),
        }
    }

    /// Gives it accurate ECN's option, before any SACK block: they have what room remains
    /// (RFC 9768, section 3.2.3.3).
    #[inline]
    pub fn set_byte_counters(&mut self, counters: ByteCounters) {
        let flags = match counters {
            ByteCounters::Capable { .. } => Flags::CAPABLE,
            ByteCounters::Scalable { .. } => Flags::SCALABLE,
            ByteCounters::All { .. } => Flags::BYTE_COUNTERS,
        };
        self.flags = self.flags.with(flags);
        let places = self.options.iter_mut().rev();
        for (place, counter) in places.zip(counters.wire().1) {
            *place = counter % ByteCounters::MODULUS;
        }
    }

    /// What it says about its multipath connection, if it belongs to one.
    #[must_use]
    pub fn multipath(&self) -> Option<Multipath> {
        let [.., flagged, high, low] = self.options;
        let number = |high, low| u64::from(high) << 32 | u64::from(low);
        let address = high as u8;
        Some(match self.flags.multipath() {
            CAPABLE => Multipath::Capable,
            JOIN => Multipath::Join { address, backup: low != 0 },
            ACKNOWLEDGEMENT => Multipath::Acknowledgement { acknowledgement: number(high, low) },
            MAPPING => Multipath::Mapping {
                sequence: number(self.options[0], self.options[1]),
                acknowledgement: number(high, low),
                fin: flagged != 0,
            },
            ADD_ADDRESS => Multipath::AddAddress { address, echo: low != 0, wide: flagged != 0 },
            PRIORITY => Multipath::Priority { backup: low != 0 },
            REMOVAL if self.flags.has(Flags::RST) => Multipath::Reset,
            REMOVAL => Multipath::RemoveAddress { address },
            _ => return None,
        })
    }

    /// Lets it say that about its multipath connection. Of its SACK blocks those stay that
    /// there is room for; accurate ECN's option goes, as RFC 9768, section 3.2.3.3 allows.
    #[inline]
    pub fn set_multipath(&mut self, multipath: Multipath, version: Version) {
        let halves = |number: u64| [(number >> 32) as u32, number as u32];
        let [start, end, ..] = self.options;
        let (kind, options) = match multipath {
            Multipath::Mapping { sequence, acknowledgement, fin } => {
                let ([high, low], [upper, lower]) = (halves(sequence), halves(acknowledgement));
                (MAPPING, [high, low, 0, fin.into(), upper, lower])
            }
            Multipath::Acknowledgement { acknowledgement } => {
                let [high, low] = halves(acknowledgement);
                let second = match version {
                    Version::V0 if self.sack_room() > 1 => [self.options[2], self.options[3]],
                    _ => [0; 2],
                };
                (ACKNOWLEDGEMENT, [start, end, second[0], second[1], high, low])
            }
            Multipath::Capable => (CAPABLE, self.beside([0; 3])),
            Multipath::Join { address, backup } => {
                (JOIN, self.beside([0, address.into(), backup.into()]))
            }
            Multipath::AddAddress { address, echo, wide } => {
                (ADD_ADDRESS, self.beside([wide.into(), address.into(), echo.into()]))
            }
            Multipath::Priority { backup } => (PRIORITY, self.beside([0, 0, backup.into()])),
            Multipath::RemoveAddress { address } => (REMOVAL, self.beside([0, address.into(), 0])),
            Multipath::Reset => (REMOVAL, self.beside([0; 3])),
        };
        self.options = options;
        let others =
            self.flags.0 & !(Flags::MULTIPATH.0 | Flags::OLD_MULTIPATH.0 | Flags::BYTE_COUNTERS.0);
        self.flags =
            Flags(others | kind << 9).with_if(Flags::OLD_MULTIPATH, version == Version::V0);
    }

    /// These words behind the options of a SYN; without SACK blocks on other segments.
    #[cold]
    fn beside(&self, [first, second, third]: [u32; 3]) -> [u32; OPTION_WORDS] {
        let [size, scale, permitted, ..] = self.options;
        if self.flags.has(Flags::SYN) {
            return [size, scale, permitted, first, second, third];
        }
        [0, 0, 0, first, second, third]
    }

    /// The version of Multipath TCP that it speaks, if it belongs to such a connection.
    #[must_use]
    pub fn multipath_version(&self) -> Version {
        if self.flags.has(Flags::OLD_MULTIPATH) { Version::V0 } else { Version::V1 }
    }

    /// The length of what it says about its multipath connection, in bytes.
    #[inline]
    fn multipath_size(&self) -> u16 {
        let version = self.multipath_version();
        match self.flags.multipath() {
            0 => 0,
            ACKNOWLEDGEMENT => Multipath::acknowledgement_size(version),
            MAPPING => Multipath::mapping_size(version),
            _ => self.greeting_size(version),
        }
    }

    /// The same where connections and subflows begin, and addresses are told.
    #[cold]
    fn greeting_size(&self, version: Version) -> u16 {
        let (syn, answer) = (self.flags.has(Flags::SYN), self.flags.has(Flags::ACK));
        self.multipath().map_or(0, |it| it.size(version, syn, answer, self.length > 0))
    }

    /// The options of a SYN.
    #[must_use]
    pub fn syn_options(&self) -> SynOptions {
        SynOptions {
            maximum_segment: self.options[0] as u16,
            window_scale: self.options[1].checked_sub(1).map(|it| it as u8),
            sack_permitted: self.options[2] != 0,
        }
    }

    /// Sets the options of a SYN.
    pub fn set_syn_options(&mut self, options: SynOptions) {
        let SynOptions { maximum_segment, window_scale, sack_permitted } = options;
        self.options[0] = u32::from(maximum_segment);
        self.options[1] = window_scale.map_or(0, |it| u32::from(it) + 1);
        self.options[2] = u32::from(sack_permitted);
    }

    /// The length of its options in bytes, padded as Linux pads them.
    #[inline]
    #[must_use]
    pub fn options_size(&self) -> u16 {
        let timestamps = if self.flags.has(Flags::TIMESTAMPS) { TIMESTAMPS_SIZE } else { 0 };
        // Two bytes and three for each counter, padded to four.
        let counters = [0, 8, 8, 12][self.flags.byte_counters()] + self.multipath_size();
        if self.flags.has(Flags::SYN) {
            // Maximum segment and window scale take four bytes each. Beside
            // timestamps, SACK-permitted replaces their padding.
            let SynOptions { sack_permitted, window_scale, .. } = self.syn_options();
            let permitted = if sack_permitted && timestamps == 0 { 4 } else { 0 };
            let scale = if window_scale.is_some() { 4 } else { 0 };
            return 4 + scale + timestamps + counters + permitted;
        }
        match self.count_sack_blocks() as u16 {
            0 => timestamps + counters,
            blocks => timestamps + counters + 4 + 8 * blocks,
        }
    }

    /// The length of its header and its data in bytes.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u16 {
        HEADER + self.options_size() + self.length
    }
}
