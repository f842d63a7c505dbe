//! Packets of a wire, and what the kernel has in their place.

use etherparse::{IpSlice, PacketBuilder, TcpHeader, TransportSlice};
use proptest::prelude::*;
use windtunnel_packets::offload::{
    Coalescer, InvalidOffload, OFFLOAD_HEADER, OffloadHeader, Segmented, for_each_segment,
};

/// The bytes of data in a segment.
const SIZE: usize = 100;

/// What of a packet is varied.
#[derive(Clone, Debug)]
struct Kind {
    is_v6: bool,
    is_udp: bool,
    options: bool,
    sequence: u32,
    flags: u8,
    /// The field of DSCP and ECN.
    class: u8,
}

fn kinds() -> impl Strategy<Value = Kind> {
    (any::<[bool; 3]>(), any::<u32>(), any::<u8>(), any::<u8>()).prop_map(
        |([is_v6, is_udp, options], sequence, flags, class)| Kind {
            is_v6,
            is_udp,
            options,
            sequence,
            flags,
            class,
        },
    )
}

/// A packet of that kind with right checksums, whose data is that far in the stream.
fn packet(kind: &Kind, identification: u16, skipped: usize, data: &[u8]) -> Vec<u8> {
    let mut tcp = TcpHeader::new(7000, 8000, kind.sequence.wrapping_add(skipped as u32), 9000);
    (tcp.acknowledgment_number, tcp.ack) = (77, true);
    let [fin, psh, ece, cwr] = [0x01, 0x08, 0x40, 0x80].map(|it| kind.flags & it != 0);
    (tcp.fin, tcp.psh, tcp.ece, tcp.cwr) = (fin, psh, ece, cwr);
    if kind.options {
        tcp.set_options_raw(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]).unwrap();
    }
    let mut bytes = Vec::new();
    let ip = if kind.is_v6 {
        PacketBuilder::ipv6([1; 16], [2; 16], 64)
    } else {
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
    };
    if kind.is_udp {
        ip.udp(7000, 8000).write(&mut bytes, data).unwrap();
    } else {
        ip.tcp_header(tcp).write(&mut bytes, data).unwrap();
    }
    if kind.is_v6 {
        bytes[0] = 0x60 | kind.class >> 4;
        bytes[1] = kind.class << 4;
    } else {
        bytes[1] = kind.class;
        bytes[4..6].copy_from_slice(&identification.to_be_bytes());
        set_ipv4_checksum(&mut bytes);
    }
    bytes
}

fn set_ipv4_checksum(bytes: &mut [u8]) {
    let header = etherparse::Ipv4Header::from_slice(bytes).unwrap().0;
    bytes[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
}

/// Whether the checksums of a packet are right, by another implementation.
fn is_right(bytes: &[u8]) -> bool {
    let ip = IpSlice::from_slice(bytes).unwrap();
    if let Some(it) = ip.ipv4()
        && it.header().to_header().calc_header_checksum() != it.header().header_checksum()
    {
        return false;
    }
    let sliced = etherparse::SlicedPacket::from_ip(bytes).unwrap();
    match (sliced.transport, ip) {
        (Some(TransportSlice::Tcp(it)), IpSlice::Ipv4(ip)) => {
            let (source, destination) = (ip.header().source(), ip.header().destination());
            it.calc_checksum_ipv4(source, destination) == Ok(it.checksum())
        }
        (Some(TransportSlice::Tcp(it)), IpSlice::Ipv6(ip)) => {
            let (source, destination) = (ip.header().source(), ip.header().destination());
            it.calc_checksum_ipv6(source, destination) == Ok(it.checksum())
        }
        (Some(TransportSlice::Udp(it)), IpSlice::Ipv4(ip)) => {
            let header = it.to_header();
            header.calc_checksum_ipv4_raw(
                ip.header().source(),
                ip.header().destination(),
                it.payload(),
            ) == Ok(it.checksum())
        }
        (Some(TransportSlice::Udp(it)), IpSlice::Ipv6(ip)) => {
            let header = it.to_header();
            header.calc_checksum_ipv6_raw(
                ip.header().source(),
                ip.header().destination(),
                it.payload(),
            ) == Ok(it.checksum())
        }
        _ => false,
    }
}

/// What a wire carries of what was given to the kernel.
fn on_wire(written: &[u8]) -> Vec<Vec<u8>> {
    let mut written = written.to_vec();
    let (header, packet) = written.split_first_chunk_mut::<OFFLOAD_HEADER>().unwrap();
    let mut all = Vec::new();
    let offload = OffloadHeader::read(header).unwrap();
    for_each_segment(&offload, packet, |it| all.push(it.to_vec())).unwrap();
    all
}

/// What is written of packets that leave together.
fn coalesced(packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut coalescer = Coalescer::new(true);
    let mut written = Vec::new();
    for packet in packets {
        if !coalescer.push(packet) {
            written.push(coalescer.take(<[u8]>::to_vec));
            assert!(coalescer.push(packet));
        }
    }
    if coalescer.packets() > 0 {
        written.push(coalescer.take(<[u8]>::to_vec));
    }
    written
}

/// The packets of a stream of data of that kind.
fn stream(kind: &Kind, data: &[u8]) -> Vec<Vec<u8>> {
    let parts: Vec<&[u8]> = data.chunks(SIZE).collect();
    let of = |(place, part): (usize, &&[u8])| {
        let is_last = place + 1 == parts.len();
        let flags = kind.flags & if is_last { 0xff } else { !0x09 };
        let flags = flags & if place == 0 { 0xff } else { !0x80 };
        let kind = Kind { flags, ..kind.clone() };
        packet(&kind, 65_530_u16.wrapping_add(place as u16), place * SIZE, part)
    };
    parts.iter().enumerate().map(of).collect()
}

/// A stream as the kernel hands it over: one packet, whose checksum is still to be computed.
fn offloaded(kind: &Kind, data: &[u8]) -> (OffloadHeader, Vec<u8>) {
    let mut bytes = packet(kind, 65_530, 0, data);
    let network = if kind.is_v6 { 40 } else { 20 };
    let offset = if kind.is_udp { 6 } else { 16 };
    // The pseudo-header: addresses, protocol and length.
    let addresses = if kind.is_v6 { 8..40 } else { 12..20 };
    let words = bytes[addresses].chunks(2).map(|it| u32::from(it[0]) << 8 | u32::from(it[1]));
    let protocol = if kind.is_udp { 17 } else { 6 };
    let mut sum = words.sum::<u32>() + protocol + (bytes.len() - network) as u32;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    bytes[network + offset..network + offset + 2].copy_from_slice(&(sum as u16).to_be_bytes());
    let segmented = match (kind.is_udp, kind.is_v6) {
        (true, _) => Segmented::Udp,
        (false, false) => Segmented::TcpV4,
        (false, true) => Segmented::TcpV6,
    };
    let header = OffloadHeader {
        checksum: Some((network, offset)),
        segments: Some((segmented, SIZE)),
        header: 0,
    };
    (header, bytes)
}

proptest! {
    #[test]
    fn segments_are_the_packets_of_the_stream(
        kind in kinds(),
        data in prop::collection::vec(any::<u8>(), SIZE + 1..20 * SIZE),
    ) {
        let (header, mut bytes) = offloaded(&kind, &data);
        let mut segments = Vec::new();
        for_each_segment(&header, &mut bytes, |it| segments.push(it.to_vec())).unwrap();
        prop_assert!(segments.iter().all(|it| is_right(it)));
        prop_assert_eq!(segments, stream(&kind, &data));
    }

    #[test]
    fn a_stream_is_written_as_one_packet(
        kind in kinds(),
        data in prop::collection::vec(any::<u8>(), SIZE + 1..20 * SIZE),
    ) {
        let kind = Kind { flags: kind.flags & !0xc1, ..kind };
        let packets = stream(&kind, &data);
        let written = coalesced(&packets);
        prop_assert_eq!(written.len(), 1);
        prop_assert_eq!(on_wire(&written[0]), packets);
    }

    #[test]
    fn whatever_leaves_is_on_the_wire_as_it_was(
        kind in kinds(),
        data in prop::collection::vec(any::<u8>(), SIZE + 1..10 * SIZE),
        changes in prop::collection::vec((0..10_usize, 0..120_usize, any::<u8>(), any::<bool>()), 0..4),
        swap in any::<Option<(u8, u8)>>(),
    ) {
        let mut packets = stream(&kind, &data);
        let count = packets.len();
        if let Some((one, other)) = swap {
            packets.swap(usize::from(one) % count, usize::from(other) % count);
        }
        for (place, at, value, is_cut) in changes {
            let packet = &mut packets[place % count];
            if is_cut {
                packet.truncate(at);
            } else if let Some(byte) = packet.get_mut(at) {
                *byte = value;
            }
        }
        let written = coalesced(&packets);
        let wire: Vec<Vec<u8>> = written.iter().flat_map(|it| on_wire(it)).collect();
        prop_assert_eq!(wire, packets);
    }

    #[test]
    fn any_header_is_refused_or_gives_packets(
        header in any::<[u8; OFFLOAD_HEADER]>(),
        kind in kinds(),
        mut bytes in prop::collection::vec(any::<u8>(), 0..400),
        is_packet in any::<bool>(),
    ) {
        if is_packet {
            bytes = packet(&kind, 1, 0, &bytes);
        }
        if let Some(offload) = OffloadHeader::read(&header) {
            let mut count = 0;
            let done = for_each_segment(&offload, &mut bytes, |_| count += 1);
            prop_assert_eq!(done.is_ok(), count > 0);
        }
    }
}

#[test]
fn a_checksum_that_is_left_to_do_is_computed() {
    for is_udp in [false, true] {
        let kind = Kind { is_v6: true, is_udp, options: false, sequence: 1, flags: 0, class: 0 };
        let (header, mut bytes) = offloaded(&kind, b"data");
        let whole = packet(&kind, 65_530, 0, b"data");
        let header = OffloadHeader { segments: None, ..header };
        for_each_segment(&header, &mut bytes, |it| assert_eq!(it, whole)).unwrap();
    }
}

#[test]
fn a_checksum_of_udp_is_never_zero() {
    // Zero would mean that there is none (RFC 768), which IPv6 does not allow (RFC 8200, section 8.1).
    let kind = Kind { is_v6: true, is_udp: true, options: false, sequence: 0, flags: 0, class: 0 };
    let sum = |data: &[u8]| {
        let bytes = packet(&kind, 0, 0, data);
        u16::from_be_bytes([bytes[46], bytes[47]])
    };
    // Data that brings the checksum to zero: what is added to the sum is taken from its complement.
    let data = sum(&[0, 0]).to_be_bytes();
    assert_eq!(sum(&data), 0xffff);
    let (header, mut bytes) = offloaded(&kind, &data);
    let header = OffloadHeader { segments: None, ..header };
    for_each_segment(&header, &mut bytes, |it| assert_eq!(it[46..48], [0xff; 2])).unwrap();
}

#[test]
fn marks_of_one_packet_alone_are_kept() {
    let kind = Kind { is_v6: false, is_udp: false, options: true, sequence: 5, flags: 0, class: 2 };
    let mut packets = stream(&kind, &[7; 5 * SIZE]);
    packets[2][1] = 3;
    set_ipv4_checksum(&mut packets[2]);
    let written = coalesced(&packets);
    assert_eq!(written.len(), 3);
    let wire: Vec<Vec<u8>> = written.iter().flat_map(|it| on_wire(it)).collect();
    assert_eq!(wire, packets);
}

#[test]
fn packets_in_another_order_stay_in_it() {
    let kind = Kind { is_v6: true, is_udp: false, options: true, sequence: 5, flags: 0, class: 0 };
    let mut packets = stream(&kind, &[7; 4 * SIZE]);
    packets.reverse();
    let wire: Vec<Vec<u8>> = coalesced(&packets).iter().flat_map(|it| on_wire(it)).collect();
    assert_eq!(wire, packets);
}

#[test]
fn a_header_that_does_not_fit_its_packet_is_refused() {
    let kind =
        Kind { is_v6: false, is_udp: false, options: false, sequence: 5, flags: 0, class: 0 };
    let (right, bytes) = offloaded(&kind, &[1; 500]);
    let wrong = [
        OffloadHeader { checksum: None, ..right },
        OffloadHeader { checksum: Some((19, 16)), ..right },
        OffloadHeader { checksum: Some((20, 6)), ..right },
        OffloadHeader { checksum: Some((2000, 16)), ..right },
        OffloadHeader { segments: Some((Segmented::TcpV4, 0)), ..right },
        OffloadHeader { segments: Some((Segmented::TcpV6, SIZE)), ..right },
        OffloadHeader { segments: None, checksum: Some((538, 2)), header: 0 },
    ];
    for header in wrong {
        let result = for_each_segment(&header, &mut bytes.clone(), |_| panic!("it was cut"));
        assert_eq!(result, Err(InvalidOffload));
    }
}
