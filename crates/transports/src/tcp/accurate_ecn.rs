//! Accurate ECN (RFC 9768): what the receiver counts and reports of marks, and what the
//! sender concludes from it.
//!
//! - The field ACE on every segment: CE-marked packets modulo 8 (section 3.2.2).
//! - The option on acknowledgements without data: bytes with each codepoint modulo 2²⁴
//!   (section 3.2.3). Segments with data have no room for it, as for SACK blocks.

use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::{ByteCounters, Segment};

/// The first count of marked packets: ACE is not zero unless something clears it
/// (section 3.2.2).
const FIRST_PACKETS: u8 = 5;
/// The first counts of bytes with ECT(0) and ECT(1), for the same reason (section 3.2.1);
/// that of bytes with CE is 0.
const FIRST_BYTES: u32 = 1;
/// How many values ACE has: a power of two, so that the counters may wrap.
const ACE_VALUES: u64 = 8;
/// After this many marked packets an acknowledgement goes at once (section 3.2.2.5.1).
const MARKS_PER_ACKNOWLEDGEMENT: u8 = 2;

/// What the receiver counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarksReceived {
    /// Packets with CE (`r.cep`), of which ACE shows three bits.
    packets: u8,
    /// Bytes with ECT(0), CE and ECT(1) (`r.e0b`, `r.ceb`, `r.e1b`).
    capable: u32,
    congestion: u32,
    scalable: u32,
    /// Whether the last data that came was marked.
    marked: bool,
    /// Packets with CE that no acknowledgement has reported yet.
    unreported: u8,
    /// Whether the bytes have changed since the last option.
    changed: bool,
}

impl MarksReceived {
    /// Before the handshake; that ends with a first option (section 3.2.3.2.1).
    pub(super) const fn new() -> Self {
        Self {
            packets: FIRST_PACKETS,
            capable: FIRST_BYTES,
            congestion: 0,
            scalable: FIRST_BYTES,
            marked: false,
            unreported: 0,
            changed: true,
        }
    }

    /// Counts packets that came with that field, with this many bytes of data together. Whether
    /// an acknowledgement must go at once: marks begin, or two of them wait (section 3.2.2.5.1).
    #[inline]
    pub(super) fn count(&mut self, field: Ecn, length: u16, packets: u16) -> bool {
        let marked = field == Ecn::Congestion;
        let more = if marked { packets } else { 0 };
        // It is used modulo eight.
        self.packets = self.packets.wrapping_add(more as u8);
        self.unreported = self.unreported.saturating_add(more.min(255) as u8);
        if length == 0 {
            return false;
        }
        let bytes = match field {
            Ecn::NotCapable => None,
            Ecn::Capable => Some(&mut self.capable),
            Ecn::Scalable => Some(&mut self.scalable),
            Ecn::Congestion => Some(&mut self.congestion),
        };
        if let Some(bytes) = bytes {
            *bytes = bytes.wrapping_add(u32::from(length));
            self.changed = true;
        }
        let begins = marked && !self.marked;
        self.marked = marked;
        begins || self.unreported >= MARKS_PER_ACKNOWLEDGEMENT
    }

    /// Reports on a segment: ACE, and the option where there is room and something new.
    #[inline]
    pub(super) fn report(&mut self, segment: &mut Segment) {
        segment.flags = segment.flags.with_ace(self.packets);
        self.unreported = 0;
        if self.changed && segment.length == 0 {
            self.changed = false;
            segment.set_byte_counters(self.bytes());
        }
    }

    /// The option, with the counters that have changed in this connection.
    fn bytes(&self) -> ByteCounters {
        let Self { capable, congestion, scalable, .. } = *self;
        match (capable != FIRST_BYTES, scalable != FIRST_BYTES) {
            (_, false) => ByteCounters::Capable { capable, congestion },
            (false, true) => ByteCounters::Scalable { scalable, congestion },
            (true, true) => ByteCounters::All { capable, congestion, scalable },
        }
    }
}

/// What the sender knows of the receiver's counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarksReported {
    /// Packets with CE (`s.cep`), of which three bits matter.
    packets: u8,
    /// How many those are.
    delivered: u32,
    /// Bytes with CE (`s.ceb`), as far as no option says better.
    bytes: u32,
    /// Bytes with ECT(0) and ECT(1) (`s.e0b`, `s.e1b`), as the last options had them.
    capable: u32,
    scalable: u32,
}

impl MarksReported {
    /// At the end of the handshake, in which the first packet may have come marked
    /// (section 3.2.2.2).
    pub(super) const fn new(marked: bool) -> Self {
        Self {
            packets: FIRST_PACKETS + marked as u8,
            delivered: marked as u32,
            bytes: 0,
            capable: FIRST_BYTES,
            scalable: FIRST_BYTES,
        }
    }

    /// How many packets came marked, says the receiver.
    pub(super) const fn delivered(&self) -> u32 {
        self.delivered
    }

    /// How many bytes of data came with each ECN field, modulo 2²⁴, says the receiver.
    pub(super) fn delivered_bytes(&self) -> [(Ecn, u32); 3] {
        let since_first = |it: u32| it.wrapping_sub(FIRST_BYTES) % ByteCounters::MODULUS;
        [
            (Ecn::Capable, since_first(self.capable)),
            (Ecn::Scalable, since_first(self.scalable)),
            (Ecn::Congestion, self.bytes),
        ]
    }

    /// How many bytes of data were newly marked, says a segment that newly delivers so
    /// many packets, at least one, with this many bytes.
    #[inline]
    pub(super) fn update(&mut self, segment: &Segment, packets: u64, bytes: u64) -> u64 {
        let more = u64::from(segment.flags.ace().wrapping_sub(self.packets)) % ACE_VALUES;
        let marked = most_likely(more, packets);
        self.packets = self.packets.wrapping_add(marked as u8);
        let counters = segment.byte_counters();
        self.capable = counters.and_then(ByteCounters::capable).unwrap_or(self.capable);
        self.scalable = counters.and_then(ByteCounters::scalable).unwrap_or(self.scalable);
        let option = counters.map(|it| since(self.bytes, it.congestion()));
        // ACE did not turn round if as many packets have as many bytes (appendix A.2.2).
        let is_enough = option.is_some_and(|it| it * packets <= more * bytes);
        self.delivered = self.delivered.wrapping_add(if is_enough { more } else { marked } as u32);
        let marked = match option {
            Some(counted) => counted,
            None if marked == 0 => return 0,
            // Each packet as large as the mean.
            None => (marked * bytes / packets).min(bytes),
        };
        self.bytes = self.bytes.wrapping_add(marked as u32) % ByteCounters::MODULUS;
        marked
    }
}

/// How many of this many packets were marked of which ACE says `more`, modulo 8. Where the
/// counter may have turned round, as many as possible: that is safe (RFC 9768, section
/// 3.2.2.5.2 and appendix A.2.1).
#[inline]
fn most_likely(more: u64, packets: u64) -> u64 {
    if packets < ACE_VALUES { more } else { packets - (packets - more) % ACE_VALUES }
}

/// How much a counter has grown; not at all if it is behind what was assumed.
fn since(before: u32, counter: u32) -> u64 {
    let more = counter.wrapping_sub(before) % ByteCounters::MODULUS;
    if more < ByteCounters::MODULUS / 2 { u64::from(more) } else { 0 }
}
