//! What lies inside of packets: it is there once, and goes with its packet.

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

fn datagram(flow: u32) -> Packet {
    let datagram = Datagram {
        flow,
        length: 72,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    Packet {
        body: Body::Datagram(datagram),
        ecn: Ecn::Capable,
        network_size: 100,
        hops: 0,
        route: Route::default(),
    }
}

/// A datagram in a packet in a packet.
fn twice_wrapped(packets: &mut PacketStore) -> Packet {
    let once = packets.wrap(datagram(1), [1, 0], IpVersion::V4).expect("there is room");
    packets.wrap(once, [2, 0], IpVersion::V6).expect("there is room")
}

#[test]
fn a_packet_is_what_was_put_in_until_it_is_taken_out() {
    let mut packets = PacketStore::default();
    assert!(packets.is_empty());
    let handles = [3, 4].map(|flow| packets.insert(datagram(flow)));
    assert_eq!((packets.len(), packets.is_empty()), (2, false));
    packets[handles[1]].ecn = Ecn::Congestion;
    assert_eq!(packets[handles[0]], datagram(3));
    assert_eq!(packets.take(handles[1]), datagram(4).marked_if(true));
    assert_eq!(packets.len(), 1);
}

#[test]
fn what_is_dropped_takes_all_that_is_inside_with_it() {
    let mut packets = PacketStore::default();
    let packet = twice_wrapped(&mut packets);
    assert_eq!((packets.len(), packet.network_size), (2, 160));
    packets.discard(&packet);
    assert!(packets.is_empty());
    let packet = twice_wrapped(&mut packets);
    let handle = packets.insert(packet);
    packets.drop_at(handle);
    assert!(packets.is_empty());
}

/// RFC 6040, section 4.2: congestion on the way through the tunnel is congestion.
#[test]
fn a_packet_leaves_its_tunnel_with_the_mark_that_it_got_there() {
    let mut packets = PacketStore::default();
    for (outer, left) in [(Ecn::Capable, Ecn::Capable), (Ecn::Congestion, Ecn::Congestion)] {
        let wrapped = packets.wrap(datagram(1), [1, 0], IpVersion::V4).expect("there is room");
        let Body::Tunnelled(tunnelled) = wrapped.body else { panic!("not tunnelled") };
        let packet = packets.unwrap(tunnelled, outer).expect("it is not dropped");
        assert_eq!(packet, Packet { ecn: left, ..datagram(1) });
    }
    assert!(packets.is_empty());
}
