//! The ends of a tunnel: RFC 2003 for what is in what, RFC 6040 for the ECN fields.

use windtunnel_engine::Time;
use windtunnel_networks::function::{FunctionActions, LinkState, NetworkFunction};
use windtunnel_networks::tunnel::{ENTER, LEAVE, TunnelCounters, TunnelEnd};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

fn packet(ecn: Ecn, network_size: u16) -> Packet {
    let length = network_size - 28;
    let datagram = Datagram {
        flow: 3,
        length,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    Packet { body: Body::Datagram(datagram), ecn, network_size, hops: 0, route: Route(5) }
}

/// Lets a packet come by an end; what goes on and what is sent through the tunnel.
fn receive(
    end: &mut TunnelEnd,
    entering: bool,
    packet: Packet,
    packets: &mut PacketStore,
) -> (Vec<Packet>, Vec<Packet>) {
    let mut actions = FunctionActions::default();
    let tap = if entering { ENTER } else { LEAVE };
    end.receive(Time::ZERO, tap, packet, packets, &mut actions);
    (actions.forwarded, actions.sent)
}

#[test]
fn what_enters_at_one_end_leaves_at_the_other_as_it_was() {
    for (version, header) in [(IpVersion::V4, 20), (IpVersion::V6, 40)] {
        let mut packets = PacketStore::default();
        let [mut first, mut second] = [[7, 8], [8, 7]].map(|nodes| TunnelEnd::new(nodes, version));
        let original = packet(Ecn::Capable, 1500);
        let (forwarded, sent) = receive(&mut first, true, original, &mut packets);
        assert_eq!((forwarded.len(), sent.len(), packets.len()), (0, 1, 1));
        assert_eq!((sent[0].size(), sent[0].ecn), (1500 + header, Ecn::Capable));
        let (forwarded, sent) = receive(&mut second, false, sent[0], &mut packets);
        assert_eq!((forwarded, sent), (vec![original], vec![]));
        assert!(packets.is_empty());
        let entered_bytes = u64::from(1500 + header);
        let entered = TunnelCounters { entered: 1, entered_bytes, ..Default::default() };
        assert_eq!(*first.counters(), entered);
        assert_eq!(*second.counters(), TunnelCounters { left: 1, ..Default::default() });
    }
}

/// RFC 6040, figure 4.
#[test]
fn a_mark_from_within_the_tunnel_is_carried_out_or_its_packet_is_dropped() {
    for (inner, left, marks, unmarkable) in [
        (Ecn::Capable, Some(Ecn::Congestion), 1, 0),
        (Ecn::Scalable, Some(Ecn::Congestion), 1, 0),
        (Ecn::Congestion, Some(Ecn::Congestion), 0, 0),
        (Ecn::NotCapable, None, 0, 1),
    ] {
        let mut packets = PacketStore::default();
        let mut end = TunnelEnd::new([8, 7], IpVersion::V4);
        let inside = packet(inner, 500);
        let outer = packets.wrap(inside, [7, 8], IpVersion::V4).expect("there is room");
        let marked = outer.marked_if(true);
        let (forwarded, sent) = receive(&mut end, false, marked, &mut packets);
        assert_eq!(forwarded.first().map(|it| it.ecn), left, "{inner:?}");
        assert!(sent.is_empty() && packets.is_empty());
        let counted = end.counters();
        assert_eq!((counted.marks, counted.unmarkable), (marks, unmarkable), "{inner:?}");
        assert_eq!(counted.left, u64::from(left.is_some()));
    }
}

/// An IP packet has at most 65,535 bytes (RFC 791, section 3.1).
#[test]
fn what_is_too_large_with_another_header_is_dropped() {
    for (size, too_large) in [(65_515, 0), (65_516, 1)] {
        let mut packets = PacketStore::default();
        let mut end = TunnelEnd::new([7, 8], IpVersion::V4);
        let (_, sent) = receive(&mut end, true, packet(Ecn::Capable, size), &mut packets);
        assert_eq!(sent.len() as u64, 1 - too_large);
        assert_eq!((end.counters().too_large, end.counters().entered), (too_large, 1 - too_large));
    }
}

/// A tunnel in a tunnel that is too small takes what is inside with it.
#[test]
fn nothing_remains_of_what_is_dropped_with_something_inside() {
    let mut packets = PacketStore::default();
    let mut end = TunnelEnd::new([8, 7], IpVersion::V4);
    let inside = packet(Ecn::Capable, 65_500);
    let outer = packets.wrap(inside, [7, 8], IpVersion::V4).expect("there is room");
    let (forwarded, sent) = receive(&mut end, true, outer, &mut packets);
    assert!(forwarded.is_empty() && sent.is_empty() && packets.is_empty());
}

#[test]
fn a_tunnel_acts_only_on_packets() {
    let end = TunnelEnd::new([7, 8], IpVersion::V4);
    for is_idle in [true, false] {
        assert_eq!(end.next_wake(LinkState { free_from: Time::ZERO, is_idle }), Time::NEVER);
    }
}
