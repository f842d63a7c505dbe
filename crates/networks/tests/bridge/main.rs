//! The two edges: what each does by itself, and what they do together over a
//! channel that does anything.

mod destination;
mod duplicates;
mod functions;
mod pair;
mod source;

use windtunnel_engine::{Random, Streams};
use windtunnel_networks::bridge::{
    Clones, Duplicates, Keep, Resend, SourceEdge, SourceSettings, Unmatched,
};
use windtunnel_packets::bridge::EdgeAcknowledgement;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Body, Ecn, Packet, Route};

fn random() -> Random {
    Streams::new(1, 0).stream("edge")
}

/// An edge that selects everything, with room for all.
fn everything() -> SourceSettings {
    SourceSettings {
        selected: 1.0,
        buffer: u64::MAX / 2,
        clones: Clones::Selected,
        resend: Resend::Unchanged,
        keep: Keep::Stalled,
        unmatched: Unmatched::Ignore,
        duplicates: Duplicates::Pass,
        probes: None,
    }
}

fn edge(settings: SourceSettings) -> SourceEdge {
    SourceEdge::new(settings, random())
}

/// An IPv4 packet of a segment.
fn packet(segment: Segment) -> Packet {
    Packet {
        body: Body::Segment(segment),
        ecn: Ecn::NotCapable,
        network_size: IpVersion::V4.header() + segment.size(),
        hops: 0,
        route: Route::default(),
    }
}

/// A packet with this many bytes of a connection's data from `sequence` on.
fn data(connection: u32, sequence: u32, length: u16) -> Packet {
    let mut segment = Segment::new(connection, sequence, Flags::ACK.with(Flags::TIMESTAMPS));
    segment.length = length;
    packet(segment)
}

/// The acknowledgement of a packet with a segment.
fn acknowledgement(packet: &Packet) -> EdgeAcknowledgement {
    EdgeAcknowledgement::of(packet.segment().expect("a segment"))
}

/// Where a packet's data begin.
fn sequence(packet: &Packet) -> u32 {
    packet.segment().expect("a segment").sequence
}
