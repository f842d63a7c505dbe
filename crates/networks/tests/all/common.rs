//! Packets, times and a node for the tests of the NDN protocols.

use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::content_store::{ContentStore, ReplacementPolicy};
use windtunnel_networks::ndn::fib::NextHop;
use windtunnel_networks::ndn::forwarder::{
    Forwarder, ForwarderCounters, ForwarderMarks, ForwarderOutbox,
};
use windtunnel_networks::ndn::strategy::Strategy;
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Packet};

pub(crate) fn milliseconds(time: u64) -> Time {
    Time::ZERO + Duration::from_millis(time)
}

pub(crate) fn random(name: &str) -> Random {
    Streams::new(1, 0).stream(name)
}

pub(crate) fn face(number: u16) -> FaceId {
    FaceId(number)
}

/// A segment of the first prefix.
pub(crate) fn name(segment: u64) -> Name {
    Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment }
}

pub(crate) fn interest(segment: u64, nonce: u32) -> Interest {
    Interest {
        name: name(segment),
        nonce,
        lifetime_ms: 4000,
        hop_limit: None,
        must_be_fresh: false,
    }
}

pub(crate) fn data(segment: u64) -> Data {
    Data { name: name(segment), content: 1000, freshness_ms: 0 }
}

pub(crate) fn interest_packet(interest: Interest) -> Packet {
    Packet::ndn(Body::Interest(interest), 40)
}

pub(crate) fn data_packet(segment: u64) -> Packet {
    Packet::ndn(Body::Data(data(segment)), 1100)
}

pub(crate) fn nack_packet(interest: Interest, reason: NackReason) -> Packet {
    Packet::ndn(Body::Nack(Nack { interest, reason }), 40)
}

pub(crate) fn marked(packet: Packet) -> Packet {
    packet.marked_if(true)
}

pub(crate) const AS_PCON: ForwarderMarks =
    ForwarderMarks { interest_marks_return: true, cached_marks_stay: false };
pub(crate) const AS_NFD: ForwarderMarks =
    ForwarderMarks { interest_marks_return: false, cached_marks_stay: true };

/// A forwarder with five faces: 0 and 1 lead downstream, 2 and 3 upstream, and 4
/// to an application on the node.
pub(crate) struct Node {
    pub(crate) forwarder: Forwarder,
    outbox: ForwarderOutbox,
}

impl Node {
    pub(crate) fn with(
        strategy: &str,
        cached: usize,
        marks: ForwarderMarks,
        next_hops: &[u16],
    ) -> Self {
        let strategy = Strategy::named(strategy).expect("a strategy of that name");
        let content_store = ContentStore::new(cached, ReplacementPolicy::Lru);
        let mut forwarder = Forwarder::new(content_store, strategy, marks, random("node"));
        for number in 0..5 {
            assert_eq!(forwarder.add_face(number == 4), face(number));
        }
        let prefix = "/data".parse().expect("a name");
        for (cost, upstream) in next_hops.iter().enumerate() {
            let next_hop = NextHop { face: face(*upstream), cost: cost as u64 };
            forwarder.fib().announce(&prefix, next_hop);
        }
        for format in [PacketFormat::Ndn, PacketFormat::Ccnx] {
            forwarder.fib().resolve(PrefixId::new(0, format), &prefix);
        }
        Self { forwarder, outbox: ForwarderOutbox::new() }
    }

    /// One upstream face, nothing cached.
    pub(crate) fn new() -> Self {
        Self::with("best-route", 0, AS_PCON, &[2])
    }

    pub(crate) fn receive(&mut self, now_ms: u64, from: u16, packet: Packet) -> Vec<(u16, Packet)> {
        self.forwarder.receive(milliseconds(now_ms), face(from), &packet, &mut self.outbox);
        self.outbox.drain(..).map(|(face, packet)| (face.0, packet)).collect()
    }

    pub(crate) fn ask(&mut self, now_ms: u64, from: u16, interest: Interest) -> Vec<(u16, Packet)> {
        self.receive(now_ms, from, interest_packet(interest))
    }

    pub(crate) fn counters(&self) -> ForwarderCounters {
        *self.forwarder.counters()
    }
}

pub(crate) fn faces(sent: &[(u16, Packet)]) -> Vec<u16> {
    sent.iter().map(|(face, _)| *face).collect()
}
