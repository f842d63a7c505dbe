//! The packets of a flow by numbers, as QUIC's packets have: each transmission has its own.

use std::collections::{BTreeMap, VecDeque};

use windtunnel_world::{PacketEvent, PacketEventKind, PacketEventLocation};

/// A connection or a subflow, and one of its ends.
type Path = (Option<u64>, Option<u32>, bool);

/// Whether an event is at the end from which a flow's data comes, or that asks for it.
fn is_at_sender(event: &PacketEvent) -> bool {
    matches!(event.place, PacketEventLocation::Sender | PacketEventLocation::Consumer)
}

fn path(event: &PacketEvent, sent_by_sender: bool) -> Path {
    (event.connection, event.subflow, sent_by_sender)
}

/// The bytes that a segment takes: none of one that only acknowledges.
fn takes(event: &PacketEvent) -> u64 {
    match event.kind {
        PacketEventKind::AcknowledgementSent | PacketEventKind::AcknowledgementReceived => 0,
        // A SYN or a FIN takes one as well.
        _ => event.bytes.max(1),
    }
}

/// What both ends have sent.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// The number of the next packet of each end.
    next: [u64; 2],
    /// What is on its way, in the order of sending: by its first byte, and how many it has.
    under_way: BTreeMap<(Path, u64, u64), VecDeque<u64>>,
    /// What is not acknowledged: by its first byte the one behind its last, and the number of
    /// the packet in which it was sent last.
    outstanding: BTreeMap<(Path, u64), (u64, u64)>,
}

impl Exchange {
    /// Numbers a packet that is sent; the other one is that of what it sends again.
    pub(super) fn send(&mut self, event: &PacketEvent) -> (u64, Option<u64>) {
        let by_sender = is_at_sender(event);
        let next = &mut self.next[usize::from(by_sender)];
        let (packet, path) = (*next, path(event, by_sender));
        *next += 1;
        let number = event.number.unwrap_or_default();
        self.under_way.entry((path, number, takes(event))).or_default().push_back(packet);
        let is_acknowledged = event.connection.is_some() && takes(event) > 0;
        let is_asked = event.place == PacketEventLocation::Consumer;
        let before = (is_acknowledged || is_asked)
            .then(|| self.outstanding.insert((path, number), (number + takes(event), packet)));
        let is_again = event.kind == PacketEventKind::Retransmitted;
        (packet, before.flatten().map(|it| it.1).filter(|_| is_again))
    }

    /// A packet does not arrive.
    pub(super) fn drop(&mut self, event: &PacketEvent) {
        let number = event.number.unwrap_or_default();
        for by_sender in [true, false] {
            for takes in [0, event.bytes.max(1)] {
                if self.end_of((path(event, by_sender), number, takes)).is_some() {
                    return;
                }
            }
        }
    }

    /// The number of a packet that arrives, and those of the packets that it acknowledges.
    pub(super) fn arrive(&mut self, event: &PacketEvent) -> (u64, Vec<u64>) {
        let at_sender = is_at_sender(event);
        let number = event.number.unwrap_or_default();
        if event.place == PacketEventLocation::Consumer {
            // Data has the number of the Interest that it answers.
            let asked = self.outstanding.remove(&(path(event, true), number));
            let packet = asked.map_or_else(|| self.fresh(false), |it| it.1);
            return (packet, asked.map(|it| it.1).into_iter().collect());
        }
        let packet = self.end_of((path(event, !at_sender), number, takes(event)));
        let packet = packet.unwrap_or_else(|| self.fresh(!at_sender));
        let acknowledged = event.acknowledgement.unwrap_or_default();
        (packet, self.acknowledge(path(event, at_sender), 0, acknowledged))
    }

    /// The numbers of packets whose bytes an event reports as received.
    pub(super) fn sack(&mut self, event: &PacketEvent) -> Vec<u64> {
        let start = event.number.unwrap_or_default();
        self.acknowledge(path(event, is_at_sender(event)), start, start + event.bytes)
    }

    fn acknowledge(&mut self, path: Path, start: u64, end: u64) -> Vec<u64> {
        let known = self.outstanding.range((path, start)..(path, end));
        let known = known.filter(|(_, (last, _))| *last <= end);
        let known: Vec<(u64, u64)> = known.map(|((_, first), (_, it))| (*first, *it)).collect();
        for (first, _) in &known {
            self.outstanding.remove(&(path, *first));
        }
        known.into_iter().map(|it| it.1).collect()
    }

    /// A number that no packet has had: of one that a link has delivered twice.
    fn fresh(&mut self, by_sender: bool) -> u64 {
        let next = &mut self.next[usize::from(by_sender)];
        *next += 1;
        *next - 1
    }

    /// The packet under way of that kind that was sent first.
    fn end_of(&mut self, of: (Path, u64, u64)) -> Option<u64> {
        let waiting = self.under_way.get_mut(&of)?;
        let packet = waiting.pop_front();
        if waiting.is_empty() {
            self.under_way.remove(&of);
        }
        packet
    }
}
