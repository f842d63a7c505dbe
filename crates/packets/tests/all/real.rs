//! What a router reads of the packets of real hosts.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV4, SocketAddrV6};

use etherparse::Ipv4HeaderSlice;
use proptest::prelude::*;
use windtunnel_packets::ip::{Addresses, encode_udp};
use windtunnel_packets::real::{RealHeader, set_ecn};
use windtunnel_packets::{Dscp, Ecn};

fn v4(from: (u32, u16), to: (u32, u16)) -> Addresses {
    let end = |(address, port)| SocketAddrV4::new(Ipv4Addr::from(address), port);
    Addresses::V4 { source: end(from), destination: end(to) }
}

fn v6(from: (u128, u16), to: (u128, u16)) -> Addresses {
    let end = |(address, port)| SocketAddrV6::new(Ipv6Addr::from(address), port, 0, 0);
    Addresses::V6 { source: end(from), destination: end(to) }
}

const ECN: [Ecn; 4] = [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion];

fn flow(addresses: &Addresses) -> windtunnel_packets::FlowKey {
    RealHeader::parse(&encode_udp(b"data", Dscp::DEFAULT, Ecn::Capable, addresses)).unwrap().flow
}

#[test]
fn flows_differ_by_addresses_and_ports_and_by_nothing_else() {
    let one = flow(&v4((1, 10), (2, 20)));
    let others =
        [v4((1, 11), (2, 20)), v4((1, 10), (2, 21)), v4((3, 10), (2, 20)), v4((1, 10), (3, 20))];
    others.iter().for_each(|it| assert_ne!(flow(it), one));
    let other_class = encode_udp(b"longer data", Dscp::EF, Ecn::Congestion, &v4((1, 10), (2, 20)));
    assert_eq!(RealHeader::parse(&other_class).unwrap().flow, one);
    let one = flow(&v6((1, 10), (2, 20)));
    let others = [v6((1, 11), (2, 20)), v6((1 << 100, 10), (2, 20)), v6((1, 10), (2 << 80, 20))];
    others.iter().for_each(|it| assert_ne!(flow(it), one));
}

#[test]
fn fragments_have_no_ports() {
    let mut bytes = encode_udp(b"data", Dscp::DEFAULT, Ecn::Capable, &v4((1, 10), (2, 20)));
    let whole = RealHeader::parse(&bytes).unwrap().flow;
    // The flag of more fragments; then the second fragment, with other bytes where ports were.
    bytes[6] |= 0x20;
    let first = RealHeader::parse(&bytes).unwrap().flow;
    bytes[7] = 1;
    bytes[20..24].fill(0xff);
    assert_eq!(RealHeader::parse(&bytes).unwrap().flow, first);
    assert_ne!(whole, first);
}

#[test]
fn what_is_not_one_whole_packet_is_none() {
    let bytes = encode_udp(b"data", Dscp::DEFAULT, Ecn::Capable, &v4((1, 10), (2, 20)));
    assert!(RealHeader::parse(&[]).is_none());
    assert!(RealHeader::parse(&bytes[..bytes.len() - 1]).is_none());
    assert!(RealHeader::parse(&[&bytes[..], &[0]].concat()).is_none());
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(header) = RealHeader::parse(&bytes) {
            prop_assert_eq!(usize::from(header.length), bytes.len());
        }
    }

    #[test]
    fn a_mark_changes_two_bits_and_the_checksum(
        class in 0_u8..64, before in 0_usize..4, after in 0_usize..4, ports: (u16, u16),
        addresses: (u32, u32), is_v6: bool, data in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let encode = |ecn: usize| {
            let ends = if is_v6 {
                let [source, destination] = [addresses.0, addresses.1].map(u128::from);
                v6((source, ports.0), (destination, ports.1))
            } else {
                v4((addresses.0, ports.0), (addresses.1, ports.1))
            };
            encode_udp(&data, Dscp::new(class), ECN[ecn], &ends)
        };
        let mut bytes = encode(before);
        set_ecn(&mut bytes, ECN[after]);
        if !is_v6 {
            let header = Ipv4HeaderSlice::from_slice(&bytes).unwrap();
            prop_assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
        }
        prop_assert_eq!(&bytes, &encode(after));
        let header = RealHeader::parse(&bytes).unwrap();
        prop_assert_eq!((header.ecn, header.dscp), (ECN[after], Dscp::new(class)));
    }
}
