//! The numbers of bytes in the connections of a log: whole, where segments have their low 32
//! bits (RFC 9293, section 3.4).

use std::collections::BTreeMap;

use windtunnel_packets::tcp::{Flags, Segment};

use super::ranges::Ranges;
use crate::packet_events::PacketEventKind;
use crate::side::Side;

/// What one end of a connection has sent.
#[derive(Debug, Default)]
struct Direction {
    /// The number of the next new byte.
    next: u64,
    /// What the other end has reported to have out of order.
    sacked: Ranges,
}

/// All connections of a log, by number: what both ends have sent.
#[derive(Debug, Default)]
pub(super) struct Connections(BTreeMap<u32, [Direction; 2]>);

/// What a segment is, and its numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered {
    pub(super) kind: PacketEventKind,
    pub(super) number: u64,
    pub(super) acknowledgement: Option<u64>,
}

/// How many numbers a segment takes.
fn length(segment: &Segment) -> u64 {
    let flags = segment.flags;
    u64::from(segment.length) + u64::from(flags.has(Flags::SYN)) + u64::from(flags.has(Flags::FIN))
}

/// The number next to `near` whose low bits are those of the wire.
fn extend(near: u64, wire: u32) -> u64 {
    let distance = wire.wrapping_sub(near as u32).cast_signed();
    near.saturating_add_signed(i64::from(distance))
}

impl Connections {
    /// The number and the acknowledgement of a segment that the end at `from` has sent.
    pub(super) fn numbers(&self, from: Side, segment: &Segment) -> (u64, Option<u64>) {
        let known = self.0.get(&segment.connection);
        let next = |side: Side| known.map_or(0, |it| it[side as usize].next);
        let acknowledges = segment.flags.has(Flags::ACK);
        let acknowledgement =
            acknowledges.then(|| extend(next(from.other()), segment.acknowledgement));
        (extend(next(from), segment.sequence), acknowledgement)
    }

    /// The end at `side` sends a segment.
    pub(super) fn send(&mut self, side: Side, segment: &Segment) -> Numbered {
        let (number, acknowledgement) = self.numbers(side, segment);
        let next = &mut self.0.entry(segment.connection).or_default()[side as usize].next;
        let kind = match length(segment) {
            0 => PacketEventKind::AcknowledgementSent,
            _ if number < *next => PacketEventKind::Retransmitted,
            _ => PacketEventKind::Sent,
        };
        *next = (*next).max(number + length(segment));
        Numbered { kind, number, acknowledgement }
    }

    /// A segment that the end at `from` has sent arrives at the other.
    pub(super) fn arrive(&self, from: Side, segment: &Segment) -> Numbered {
        let (number, acknowledgement) = self.numbers(from, segment);
        let kind = match length(segment) {
            0 => PacketEventKind::AcknowledgementReceived,
            _ => PacketEventKind::Received,
        };
        Numbered { kind, number, acknowledgement }
    }

    /// The ranges of what the end at `side` has sent that a segment which arrives there is the
    /// first to report as received out of order. What it reports as received twice (RFC 2883)
    /// lies before its acknowledgement, or in ranges that were reported.
    pub(super) fn newly_sacked(&mut self, side: Side, segment: &Segment) -> Vec<(u64, u64)> {
        let Some(known) = self.0.get_mut(&segment.connection) else { return Vec::new() };
        let Direction { next, sacked } = &mut known[side as usize];
        let acknowledged = extend(*next, segment.acknowledgement);
        sacked.forget(acknowledged);
        let mut newly = Vec::new();
        for block in segment.sack_blocks() {
            let (start, end) = (extend(*next, block.start), extend(*next, block.end));
            if start >= acknowledged && end <= *next {
                sacked.insert(start, end, |from, to| newly.push((from, to)));
            }
        }
        newly
    }
}
