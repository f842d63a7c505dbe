//! Packets inside packets: their ECN fields, and who owns what is inside.

use proptest::prelude::*;
use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tunnel::leaving_tunnel;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

/// RFC 6040, figure 4: by the field of the inner header, then by that of the outer one
/// (Not-ECT, ECT(0), ECT(1), CE).
#[test]
fn a_packet_that_leaves_a_tunnel_has_the_ecn_field_of_rfc_6040() {
    use Ecn::{Capable as Ect0, Congestion as Ce, NotCapable as NotEct, Scalable as Ect1};
    let outer = [NotEct, Ect0, Ect1, Ce];
    for (inner, expected) in [
        (NotEct, [Some(NotEct), Some(NotEct), Some(NotEct), None]),
        (Ect0, [Some(Ect0), Some(Ect0), Some(Ect1), Some(Ce)]),
        (Ect1, [Some(Ect1), Some(Ect1), Some(Ect1), Some(Ce)]),
        (Ce, [Some(Ce), Some(Ce), Some(Ce), Some(Ce)]),
    ] {
        assert_eq!(outer.map(|it| leaving_tunnel(inner, it)), expected, "inside {inner:?}");
    }
}

fn packet(sequence: u64, ecn: Ecn, network_size: u16) -> Packet {
    let body = Body::Datagram(Datagram {
        flow: 1,
        length: 100,
        sequence,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    });
    Packet { body, ecn, network_size, hops: 0, route: Route(7) }
}

/// A packet in as many others as there are versions.
fn wrapped(packet: Packet, versions: &[IpVersion], store: &mut PacketStore) -> Packet {
    let wrap = |packet, (tunnel, version): (u32, &IpVersion)| {
        store.wrap(packet, [tunnel, 0], *version).expect("there is room")
    };
    (0..).zip(versions).fold(packet, wrap)
}

fn unwrapped(mut packet: Packet, store: &mut PacketStore) -> Packet {
    while let Body::Tunnelled(it) = packet.body {
        packet = store.unwrap(it, packet.ecn).expect("no router has marked it");
    }
    packet
}

fn versions() -> impl Strategy<Value = Vec<IpVersion>> {
    proptest::collection::vec(prop_oneof![Just(IpVersion::V4), Just(IpVersion::V6)], 0..5)
}

fn ecn() -> impl Strategy<Value = Ecn> {
    prop_oneof![
        Just(Ecn::NotCapable),
        Just(Ecn::Capable),
        Just(Ecn::Scalable),
        Just(Ecn::Congestion)
    ]
}

proptest! {
    #[test]
    fn what_comes_out_is_what_went_in(versions in versions(), ecn in ecn()) {
        let store = &mut PacketStore::default();
        let packet = packet(3, ecn, 1000);
        let outer = wrapped(packet, &versions, store);
        let headers: u16 = versions.iter().map(|it| it.header()).sum();
        prop_assert_eq!(outer.size(), u32::from(1000 + headers));
        prop_assert_eq!(outer.ecn, if versions.is_empty() { ecn } else { outer.ecn });
        prop_assert_eq!(store.len(), versions.len());
        prop_assert_eq!(unwrapped(outer, store), packet);
        prop_assert!(store.is_empty());
    }

    #[test]
    fn a_packet_discarded_leaves_nothing_and_a_duplicate_is_one_of_its_own(
        versions in versions(),
    ) {
        let store = &mut PacketStore::default();
        let packet = packet(3, Ecn::Capable, 1000);
        let outer = wrapped(packet, &versions, store);
        let copy = store.duplicate(&outer);
        prop_assert_eq!(store.len(), 2 * versions.len());
        store.discard(&outer);
        prop_assert_eq!(unwrapped(copy, store), packet);
        prop_assert!(store.is_empty());
    }

    #[test]
    fn a_packet_goes_from_store_to_store_with_what_is_inside(versions in versions()) {
        let (from, to) = (&mut PacketStore::default(), &mut PacketStore::default());
        // Other handles in the two.
        to.insert(packet(9, Ecn::Capable, 9));
        let packet = packet(3, Ecn::Capable, 1000);
        let outer = wrapped(packet, &versions, from);
        let mut inside = Vec::new();
        let mut next = outer.body.inside();
        while let Some(handle) = next {
            inside.push(from.take(handle));
            next = inside.last().and_then(|it| it.body.inside());
        }
        prop_assert!(from.is_empty());
        let outer = to.restore(outer, inside.into_iter(), std::iter::empty());
        prop_assert_eq!(to.len(), 1 + versions.len());
        prop_assert_eq!(unwrapped(outer, to), packet);
    }
}

#[test]
fn a_packet_without_room_for_a_header_is_given_back() {
    let store = &mut PacketStore::default();
    let large = packet(3, Ecn::Capable, 65_516);
    assert_eq!(store.wrap(large, [0, 1], IpVersion::V4), Err(large));
    assert!(store.is_empty());
    let fits = packet(3, Ecn::Capable, 65_515);
    assert!(store.wrap(fits, [0, 1], IpVersion::V4).is_ok());
}
