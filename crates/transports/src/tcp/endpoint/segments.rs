//! The segments that are sent, in their IP packets.

use windtunnel_engine::Time;
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Body, Ecn, Packet, Route};

use crate::tcp::receiver::Receiver;
use crate::tcp::sender::{Transmission, clock};
use crate::tcp::settings::{EcnMode, TcpSettings};

/// What is to be sent. Callers keep one and empty it, so that sending allocates
/// nothing once warm.
pub type TcpOutbox = Vec<Packet>;

/// What all segments sent at one moment have in common.
pub(in crate::tcp) struct Template {
    segment: Segment,
    /// The bytes of the headers, the same for all.
    headers: u16,
}

impl Template {
    #[inline]
    pub(in crate::tcp) fn new(
        now: Time,
        connection: u32,
        settings: &TcpSettings,
        receiver: &mut Receiver,
    ) -> Self {
        let flags = Flags::default().with_if(Flags::TIMESTAMPS, settings.timestamps);
        let mut segment = Segment::new(connection, 0, flags);
        // A segment with data has no room for SACK blocks.
        segment.length = 1;
        if settings.timestamps {
            segment.timestamp = clock(now);
        }
        receiver.acknowledge(&mut segment, settings);
        segment.length = 0;
        segment.dscp = settings.dscp;
        Self { segment, headers: settings.ip.header() + segment.size() }
    }

    #[inline]
    pub(in crate::tcp) fn packet(
        &self,
        sequence: u64,
        flags: Flags,
        length: u16,
        ecn: Ecn,
    ) -> Packet {
        let mut segment = self.segment;
        segment.sequence = sequence as u32;
        segment.flags = segment.flags.with(flags);
        segment.length = length;
        in_packet(segment, ecn, self.headers + length)
    }

    #[inline]
    pub(super) fn emit(&self, it: Transmission, ecn: EcnMode, outbox: &mut TcpOutbox) {
        let flags = (Flags::ACK.with_if(Flags::FIN, it.fin))
            .with_if(Flags::PSH, it.push)
            .with_if(Flags::CWR, it.reduced);
        let field = match ecn {
            // RFC 3168, section 6.1.5: a retransmission is not ECN-capable.
            EcnMode::Classic | EcnMode::SomeCongestion if it.retransmission => Ecn::NotCapable,
            _ => ecn.field(),
        };
        outbox.push(self.packet(it.sequence, flags, it.length, field));
    }
}

/// A segment in its IP packet.
#[inline]
pub(super) fn packet(mut segment: Segment, ecn: Ecn, settings: &TcpSettings) -> Packet {
    segment.dscp = settings.dscp;
    in_packet(segment, ecn, settings.ip.header() + segment.size())
}

#[inline]
fn in_packet(segment: Segment, ecn: Ecn, network_size: u16) -> Packet {
    Packet { body: Body::Segment(segment), ecn, network_size, hops: 0, route: Route::default() }
}

/// The answer to a segment for which there is no connection (RFC 9293, section 3.10.7.1); none
/// to a reset.
#[must_use]
pub fn refuse(segment: &Segment, settings: &TcpSettings) -> Option<Packet> {
    if segment.flags.has(Flags::RST) {
        return None;
    }
    let mut answer = Segment::new(segment.connection, 0, Flags::RST);
    if segment.flags.has(Flags::ACK) {
        answer.sequence = segment.acknowledgement;
    } else {
        let is_counted = |flag| u32::from(segment.flags.has(flag));
        let counted = is_counted(Flags::SYN) + is_counted(Flags::FIN) + u32::from(segment.length);
        answer.acknowledgement = segment.sequence.wrapping_add(counted);
        answer.flags = answer.flags.with(Flags::ACK);
    }
    Some(packet(answer, Ecn::NotCapable, settings))
}

/// The acknowledgement of a segment that was sent again to an end that is closed
/// already, from what the segment says alone.
#[must_use]
pub fn acknowledge_again(now: Time, segment: &Segment, settings: &TcpSettings) -> Packet {
    let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, settings.timestamps);
    let mut answer = Segment::new(segment.connection, segment.acknowledgement, flags);
    let counted = u32::from(segment.length) + u32::from(segment.flags.has(Flags::FIN));
    answer.acknowledgement = segment.sequence.wrapping_add(counted);
    if settings.timestamps {
        (answer.timestamp, answer.echo) = (clock(now), segment.timestamp);
    }
    packet(answer, Ecn::NotCapable, settings)
}
