//! Packets, names and times for the tests of the NDN protocols.

#![allow(dead_code, reason = "each test file uses its own part")]

use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_protocols::ndn::{Data, FaceId, Interest, Nack, NackReason, Name, PrefixId};
use windtunnel_protocols::packet::{Body, Packet};

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
    Name { prefix: PrefixId(0), segment }
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
    Packet { body: Body::Interest(interest), marked: false, network_size: 40 }
}

pub(crate) fn data_packet(segment: u64) -> Packet {
    Packet { body: Body::Data(data(segment)), marked: false, network_size: 1100 }
}

pub(crate) fn nack_packet(interest: Interest, reason: NackReason) -> Packet {
    Packet { body: Body::Nack(Nack { interest, reason }), marked: false, network_size: 40 }
}

pub(crate) fn marked(packet: Packet) -> Packet {
    Packet { marked: true, ..packet }
}
