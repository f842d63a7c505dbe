//! The source edge: which packets the network may drop, their clones, and when
//! these are sent.
//!
//! Source: the DCIB paper, section III.A and III.D, figures 5, 7 and 8.
//!
//! - `forward`, for each packet that leaves: a share of them, each by chance, is
//!   *selected*: it leaves not ECN-capable, and a clone goes to the end of the
//!   stalled queue. All others leave ECN-capable: what was not becomes ECT(0), what
//!   was ECT(0) or ECT(1) stays so. A packet that is marked already (CE) keeps
//!   its mark, and is not selected, because the mark would be lost.
//! - The stalled queue holds this many bytes. When it is full, the oldest clone
//!   goes: it has *expired*.
//! - `acknowledge`: if the acknowledged packet's clone is held, it goes, and the
//!   clones before it are to be sent. If it is not, because the acknowledgement
//!   came twice or late, or the clone expired, or the edge was restarted with an
//!   empty queue, nothing happens.
//! - `next_resent`: the clones that are to be sent, one by one, since the link
//!   sends them one after another. Until a clone is taken, an acknowledgement that
//!   was overtaken can still make its sending unnecessary. A clone that was taken is
//!   gone, and never sent again.
//!
//! A packet whose equal is held already is neither selected nor cloned, because an
//! acknowledgement could not distinguish the two: segments without data with the same
//! fields within a millisecond, or a retransmission without timestamps.
//!
//! Nothing is kept of any connection, except with [`Duplicates::Suppress`].

use windtunnel_engine::{Duration, Random, Rate, Time};
use windtunnel_packets::bridge::EdgeAcknowledgement;
use windtunnel_packets::{Ecn, Packet};
use windtunnel_queues::Backlog;

use super::counters::SourceCounters;
use super::duplicates::Memory;
use super::stalled::{FIRST, StalledQueue};
use super::start::Start;

/// The greatest share of packets for which a stalled queue of `buffer` bytes has
/// room until they are acknowledged: `B / (tau C)`, with the round-trip time from
/// edge to edge and back, and the link's capacity (section III.D.a). Above 1 there
/// is room for all.
#[must_use]
pub fn greatest_share(buffer: u64, round_trip: Duration, capacity: Rate) -> f64 {
    let bits = 8.0 * buffer as f64;
    bits / (round_trip.as_seconds() * capacity.bits_per_second() as f64)
}

/// Which packets are cloned. Section III.A and figure 7 contradict each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clones {
    /// The selected ones, as the text says: those that may be dropped.
    #[default]
    Selected,
    /// All others, as figure 7's listing says (`if p.ECN != 0`). The destination
    /// edge acknowledges none of these.
    Others,
}

/// How a clone leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resend {
    /// As its packet left: the clone of a selected one is not ECN-capable, and may
    /// be dropped too. It is not cloned again, so that is its end: figure 8 drops
    /// what it has sent.
    #[default]
    Unchanged,
    /// ECN-capable, whatever its packet was.
    Capable,
}

/// What lets a clone leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The acknowledgement of a packet after its own (section III.A).
    #[default]
    Stalled,
    /// A link with nothing else to send, for edges with small buffers (section
    /// IV.C). An earlier acknowledgement makes its sending unnecessary.
    LowPriority,
}

/// What an acknowledgement does whose packet's clone is not held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// Nothing.
    #[default]
    Ignore,
    /// Sends all clones, as figure 8's listing does, whose loop ends only at a
    /// match: each duplicate and each late acknowledgement empties the queue.
    ResendAll,
}

/// What becomes of duplicate acknowledgements that come back to the hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// They pass.
    #[default]
    Pass,
    /// One is dropped if the edge repairs the loss of the segment that its receiver misses:
    /// the clone is held, and is then sent at once, or was sent less than a round
    /// trip ago (the paper's future work, section VI).
    Suppress {
        /// How long an answer to what is sent again may take: from the edge to the
        /// receiver and back, not only to the other edge.
        round_trip: Duration,
    },
}

/// Packets beyond an agreed rate that are selected in addition, so that the hosts
/// may find out whether there is room for them (the paper's future work, sections
/// III.A and VI).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probes {
    /// The agreed rate. Packets are beyond it that find no tokens in a bucket that
    /// fills at this rate; they take none (RFC 2697).
    pub rate: Rate,
    /// The bucket's size in bytes; at least that of the largest packet.
    pub burst: u32,
    /// The probability that such a packet is selected which was not anyway.
    pub extra: f64,
}

/// The settings of a source edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceSettings {
    /// The share of the packets to select, from 0 to 1; 0.1 in the paper.
    pub selected: f64,
    /// The bytes of the stalled queue.
    pub buffer: u64,
    /// Which packets are cloned.
    pub clones: Clones,
    /// How a clone leaves.
    pub resend: Resend,
    /// What lets a clone leave.
    pub keep: Keep,
    /// What an acknowledgement does whose packet's clone is not held.
    pub unmatched: Unmatched,
    /// What becomes of duplicate acknowledgements.
    pub duplicates: Duplicates,
    /// Packets beyond an agreed rate.
    pub probes: Option<Probes>,
}

/// The source edge.
#[derive(Clone, Debug)]
pub struct SourceEdge {
    settings: SourceSettings,
    random: Random,
    stalled: StalledQueue,
    /// The stalled queue flows up to the clone of this number, without it.
    open: u64,
    bucket: Bucket,
    memory: Option<Memory>,
    counters: SourceCounters,
}

impl SourceEdge {
    /// An edge that holds nothing yet, with its own random stream.
    #[must_use]
    pub fn new(settings: SourceSettings, random: Random) -> Self {
        let memory = match settings.duplicates {
            Duplicates::Pass => None,
            Duplicates::Suppress { round_trip } => Some(Memory::new(round_trip)),
        };
        Self {
            random,
            stalled: StalledQueue::new(settings.buffer),
            open: FIRST,
            bucket: Bucket::default(),
            memory,
            counters: SourceCounters::default(),
            settings,
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &SourceCounters {
        &self.counters
    }

    /// The clones that are held, with those that are to be sent.
    #[must_use]
    pub fn backlog(&self) -> Backlog {
        self.stalled.backlog()
    }

    /// A packet from the hosts leaves for the other edge: sets its ECN field, and
    /// keeps a clone if it is to be cloned.
    #[inline]
    pub fn forward(&mut self, now: Time, packet: &mut Packet) {
        self.counters.forwarded += 1;
        let key = packet.segment().map(EdgeAcknowledgement::of);
        let key = key.filter(|it| !self.stalled.contains(it));
        let choice = self.choose(now, packet).filter(|_| key.is_some() && !packet.marked());
        if !packet.ecn.is_capable() {
            packet.ecn = Ecn::Capable;
        }
        let protected = packet.ecn;
        if let Some(choice) = choice {
            self.counters.selected += 1;
            self.counters.probes += u64::from(choice == Choice::Probe);
            packet.ecn = Ecn::NotCapable;
        }
        let ecn = match self.settings.resend {
            Resend::Unchanged => packet.ecn,
            Resend::Capable => protected,
        };
        let is_cloned = choice.is_some() == (self.settings.clones == Clones::Selected);
        if let Some(key) = key.filter(|_| is_cloned) {
            self.counters.cloned += 1;
            self.counters.expired += self.stalled.push(Packet { ecn, ..*packet }, key);
            self.counters.largest = self.counters.largest.or_more(self.stalled.backlog());
        }
    }

    /// Whether a packet is selected at random, and why.
    fn choose(&mut self, now: Time, packet: &Packet) -> Option<Choice> {
        let is_beyond = |it: &Probes| !self.bucket.admits(now, packet.size(), it);
        let beyond = self.settings.probes.filter(is_beyond);
        if self.random.happens(self.settings.selected) {
            return Some(Choice::Regular);
        }
        beyond.filter(|it| self.random.happens(it.extra)).map(|_| Choice::Probe)
    }

    /// An acknowledgement comes from the other edge.
    #[inline]
    pub fn acknowledge(&mut self, acknowledgement: &EdgeAcknowledgement) {
        let SourceSettings { keep, unmatched, .. } = self.settings;
        let found = self.stalled.remove(acknowledgement);
        let counter = match found {
            Some(_) => &mut self.counters.acknowledged,
            None => &mut self.counters.unmatched,
        };
        *counter += 1;
        let up_to = match (found, unmatched) {
            (None, Unmatched::Ignore) => return,
            (None, Unmatched::ResendAll) => self.stalled.next(),
            (Some(number), _) => number,
        };
        if keep == Keep::Stalled {
            self.open = self.open.max(up_to);
        }
    }

    /// The next clone that is to be sent, if any; it leaves `now`.
    #[inline]
    pub fn next_resent(&mut self, now: Time) -> Option<Packet> {
        if self.stalled.head()? < self.open { self.resend(now) } else { None }
    }

    /// The next clone, if any, for a link that has nothing else to send `now`; always
    /// none with [`Keep::Stalled`].
    #[inline]
    pub fn next_idle(&mut self, now: Time) -> Option<Packet> {
        if self.settings.keep == Keep::LowPriority { self.resend(now) } else { None }
    }

    fn resend(&mut self, now: Time) -> Option<Packet> {
        let (packet, key) = self.stalled.pop()?;
        self.counters.resent += 1;
        if let Some(memory) = &mut self.memory {
            memory.note(now, Start::of(&key));
        }
        Some(packet)
    }

    /// A packet comes back towards the hosts; returns whether it passes. If not, it
    /// is a duplicate acknowledgement to be dropped, and a clone may have to be
    /// sent.
    #[inline]
    #[must_use]
    pub fn returned(&mut self, now: Time, packet: &Packet) -> bool {
        let (Some(memory), Some(segment)) = (&mut self.memory, packet.segment()) else {
            return true;
        };
        if !memory.is_duplicate(segment) {
            return true;
        }
        let missing = Start { connection: segment.connection, sequence: segment.acknowledgement };
        let passes = !self.stalled.move_to_front(missing) && !memory.was_resent(now, missing);
        self.counters.suppressed += u64::from(!passes);
        passes
    }
}

/// Why a packet is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// By its share.
    Regular,
    /// As a probe.
    Probe,
}

/// A token bucket, kept as the time at which it will be full.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    full: Time,
}

impl Bucket {
    /// Whether there are tokens for a packet of that size, which then takes them.
    fn admits(&mut self, now: Time, size: u32, probes: &Probes) -> bool {
        let full = self.full.max(now) + probes.rate.transmission_time(size);
        let admits = full <= now + probes.rate.transmission_time(probes.burst);
        if admits {
            self.full = full;
        }
        admits
    }
}
