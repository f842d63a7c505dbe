//! The two edges: what each does by itself, what they do together over a channel
//! that does anything, and what their messages look like.

mod destination;
mod duplicates;
mod message;
mod pair;
mod source;

use windtunnel_engine::{Random, Streams};

use super::{Clones, Duplicates, Keep, Resend, SourceEdge, SourceSettings, Unmatched};
use crate::packet::{Body, Ecn, Packet, Route};
use crate::tcp::{Flags, IpVersion, Segment};

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
        route: Route::default(),
    }
}

/// A packet with so many octets of a connection's data from `sequence` on.
fn data(connection: u32, sequence: u32, length: u16) -> Packet {
    let mut segment = Segment::new(connection, sequence, Flags::ACK.with(Flags::TIMESTAMPS));
    segment.length = length;
    packet(segment)
}

/// Where a packet's data begin.
fn sequence(packet: &Packet) -> u32 {
    let Body::Segment(segment) = &packet.body else { panic!("no segment") };
    segment.sequence
}
