//! The link service: fragments, and packets from them, whatever the link does.

use crate::common::{data, interest, interest_packet, milliseconds, nack_packet};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_networks::ndn::link_service::{LinkService, LinkServiceSettings};
use windtunnel_packets::ndn::wire::{Interest as WireInterest, LpPacket, Name as WireName};
use windtunnel_packets::ndn::{LinkPacket, NackReason, encode_link_packet};
use windtunnel_packets::{Body, Packet, PacketStore};

const MTU: u16 = 500;

fn service(mtu: Option<u16>, pit_token: u8) -> LinkService {
    LinkService::new(LinkServiceSettings { mtu, pit_token }).expect("the link needs it")
}

/// A Data of a segment, of this many bytes.
fn data_packet(segment: u64, size: u16) -> Packet {
    Packet::ndn(Body::Data(data(segment)), size)
}

/// What a packet becomes on the link.
fn sent(service: &mut LinkService, packet: Packet, packets: &mut PacketStore) -> Vec<Packet> {
    let mut out = Vec::new();
    service.send(&packet, packets, &mut out);
    out
}

fn link_packet(packet: &Packet) -> LinkPacket {
    match packet.body {
        Body::LinkPacket(it) => it,
        _ => panic!("a link packet, not {packet:?}"),
    }
}

#[test]
fn a_link_that_asks_nothing_has_no_link_service() {
    assert!(LinkService::new(LinkServiceSettings::default()).is_none());
}

#[test]
fn what_fits_with_room_for_a_mark_goes_bare() {
    let mut packets = PacketStore::default();
    // In an `LpPacket` (4 bytes) with a mark (5) and a `Fragment` (4).
    for (size, count) in [(MTU - 13, 1), (MTU - 12, 2)] {
        let packet = data_packet(0, size);
        let out = sent(&mut service(Some(MTU), 0), packet, &mut packets);
        assert_eq!(out.len(), count);
        assert_eq!(out[0] == packet, count == 1);
    }
}

/// Each has `LpPacket` (4 bytes), `Sequence` (10), `FragIndex` (3), `FragCount` (3) and
/// `Fragment` (4), and leaves room for a mark (5).
#[test]
fn fragments_fill_the_mtu_but_for_a_mark() {
    let mut packets = PacketStore::default();
    let out = sent(&mut service(Some(MTU), 0), data_packet(0, 1100), &mut packets);
    let sizes: Vec<_> = out.iter().map(|it| (it.network_size, it.size())).collect();
    // The lengths of the last take a byte each.
    assert_eq!(sizes, [(471, 495), (471, 495), (158, 178)]);
    assert_eq!(out[0].marked_if(true).size(), u32::from(MTU));
}

/// Frames of 1,464 and about 63 bytes, PPP's 2 included, are ndnSIM's for a payload of 1,448
/// bytes at an MTU of 1,500. It sets 12 bytes aside for a mark and 50 for headers, which
/// take 24 and 5; its hop count is as large as a PIT token of one byte.
#[test]
fn the_fragments_of_ndnsim_have_their_sizes() {
    let mut packets = PacketStore::default();
    for network_size in [1475, 1476, 1478] {
        let mtu = 1500 - (12 - 5) - (50 - 24);
        let out = sent(&mut service(Some(mtu), 1), data_packet(0, network_size), &mut packets);
        let frames: Vec<_> = out.iter().map(|it| it.size() + 2).collect();
        assert_eq!(frames[0], 1464);
        assert!(frames.len() == 2 && frames[1].abs_diff(63) <= 2, "{frames:?}");
    }
}

#[test]
fn a_fragment_is_as_long_as_its_encoding_and_they_hold_the_whole_packet() {
    let mut packets = PacketStore::default();
    let prefix: WireName<'_> = format!("/{}", "long/".repeat(40)).parse().expect("a name");
    let whole = WireInterest::new(prefix).encode().expect("an Interest");
    let size = whole.len() as u16;
    let reason = NackReason::CONGESTION;
    for packet in [
        Packet { network_size: size, ..interest_packet(interest(0, 1)) },
        Packet { network_size: size, ..nack_packet(interest(0, 1), reason) },
    ] {
        let nack = matches!(packet.body, Body::Nack(_)).then_some(reason);
        let out = sent(&mut service(Some(127), 7), packet, &mut packets);
        assert!(out.len() > 2);
        let mut together = Vec::new();
        for (index, fragment) in (0..).zip(&out) {
            for marked in [false, true] {
                let (of, length) = (link_packet(fragment), fragment.network_size);
                let bytes = encode_link_packet(&of, &whole, length, nack, marked).expect("bytes");
                assert_eq!(bytes.len() as u32, fragment.marked_if(marked).size());
                let decoded = LpPacket::decode(&bytes).expect("a link packet");
                assert_eq!(decoded.sequence, Some(index));
                assert_eq!(decoded.fragment_index, Some(index));
                assert_eq!(decoded.fragment_count, Some(out.len() as u64));
                assert_eq!(decoded.pit_token.map(<[u8]>::len), (index == 0).then_some(7));
                assert_eq!(decoded.nack, nack.filter(|_| index == 0));
                if marked {
                    together.extend_from_slice(decoded.fragment.expect("a fragment"));
                }
            }
        }
        assert_eq!(together, whole);
    }
}

#[test]
fn a_packet_with_a_pit_token_alone_is_no_fragment() {
    let mut packets = PacketStore::default();
    let packet = data_packet(0, 1100);
    let [it] = sent(&mut service(None, 4), packet, &mut packets)[..] else { panic!("one packet") };
    // `LpPacket` (4), `PitToken` (6) and `Fragment` (4).
    assert_eq!((it.size(), it.marked_if(true).size()), (1114, 1119));
    let mut far = service(None, 4);
    let received = far.receive(milliseconds(0), &link_packet(&it), true, &mut packets);
    assert_eq!(received, Some(packet.marked_if(true)));
    assert!(packets.is_empty());
    assert_eq!(far.counters().fragments_in, 0);
}

#[test]
fn a_mark_on_any_fragment_marks_the_packet() {
    for marked in 0..3 {
        let (mut packets, mut far) = (PacketStore::default(), service(Some(MTU), 0));
        let out = sent(&mut service(Some(MTU), 0), data_packet(0, 1100), &mut packets);
        let received = (0..).zip(&out).filter_map(|(index, it)| {
            far.receive(milliseconds(0), &link_packet(it), index == marked, &mut packets)
        });
        assert_eq!(received.collect::<Vec<_>>(), [data_packet(0, 1100).marked_if(true)]);
    }
}

#[test]
fn a_packet_waits_for_half_a_second_after_its_last_fragment() {
    for (later, whole) in [(499, true), (500, false)] {
        let (mut packets, mut far) = (PacketStore::default(), service(Some(MTU), 0));
        let out = sent(&mut service(Some(MTU), 0), data_packet(0, 1100), &mut packets);
        let mut receive = |time, it: &Packet| {
            far.receive(milliseconds(time), &link_packet(it), false, &mut packets)
        };
        receive(0, &out[0]);
        receive(300, &out[1]);
        assert_eq!(receive(300 + later, &out[2]).is_some(), whole, "{later} ms");
        assert_eq!(far.counters().reassembly_timeouts, u64::from(!whole));
    }
}

#[test]
fn a_packet_of_too_many_fragments_is_dropped_and_counted() {
    let mut packets = PacketStore::default();
    let mut near = service(Some(LinkService::MINIMUM_MTU), 0);
    assert_eq!(sent(&mut near, data_packet(0, u16::MAX), &mut packets), []);
    assert_eq!((near.counters().too_large, packets.len()), (1, 0));
}

/// What the link does to a packet on it.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Twice,
    /// After those behind it.
    Late,
}

proptest! {
    /// A packet arrives if and only if all its fragments do, and every fragment is of one
    /// that arrived, of one given up, of one that still waits, or came before.
    #[test]
    fn nothing_is_lost_unaccounted(
        sizes in vec(1_u16..3000, 1..20),
        mtu in LinkService::MINIMUM_MTU..1500,
        pit_token in 0_u8..=32,
        fates in vec(
            prop_oneof![
                6 => Just(Fate::Arrives),
                1 => Just(Fate::Lost),
                1 => Just(Fate::Twice),
                1 => Just(Fate::Late),
            ],
            1..50,
        ),
        gap_ms in 0_u64..400,
    ) {
        let (mut packets, mut near, mut far) =
            (PacketStore::default(), service(Some(mtu), pit_token), service(Some(mtu), pit_token));
        let (mut arriving, mut late, mut fates) = (Vec::new(), Vec::new(), fates.iter().cycle());
        let mut whole = Vec::new();
        let mut fragments = 0;
        for (segment, size) in (0..).zip(&sizes) {
            let out = sent(&mut near, data_packet(segment, *size), &mut packets);
            let carried: u32 = out.iter().map(|it| u32::from(it.network_size)).sum();
            prop_assert_eq!(carried, u32::from(*size));
            let (count, mut arrived) = (out.len(), 0);
            for packet in out {
                prop_assert!(packet.marked_if(true).size() <= u32::from(mtu));
                fragments += u64::from(count > 1);
                match fates.next().expect("they repeat") {
                    Fate::Arrives => arriving.push(packet),
                    Fate::Twice => {
                        let copy = packets.duplicate(&packet);
                        arriving.extend([packet, copy]);
                    }
                    Fate::Late => late.push(packet),
                    Fate::Lost => {
                        packets.discard(&packet);
                        continue;
                    }
                }
                arrived += 1;
            }
            whole.extend((arrived == count).then_some(segment));
            arriving.append(&mut late);
        }
        let (mut received, mut in_fragments, mut now) = (Vec::new(), 0, milliseconds(0));
        let mut fragments_in = 0;
        for packet in arriving {
            now += Duration::from_millis(gap_ms);
            let Body::LinkPacket(it) = packet.body else {
                received.push(packet);
                continue;
            };
            fragments_in += u64::from(it.count > 1);
            if let Some(packet) = far.receive(now, &it, false, &mut packets) {
                in_fragments += if it.count > 1 { u64::from(it.count) } else { 0 };
                received.push(packet);
            }
        }
        let segments = received.iter().map(|it| match it.body {
            Body::Data(data) => data.name.segment,
            _ => panic!("Data was sent"),
        });
        let mut segments: Vec<u64> = segments.collect();
        segments.dedup();
        prop_assert_eq!(segments, whole);
        prop_assert!(packets.is_empty(), "nothing inside is left over");
        let (near, counted) = (near.counters(), far.counters());
        prop_assert_eq!(near.fragments_out, fragments);
        prop_assert_eq!(counted.fragments_in, fragments_in);
        prop_assert!(counted.reassembled <= fragments_in);
        prop_assert!(fragments_in >= in_fragments + counted.duplicates);
        let others = fragments_in - in_fragments - counted.duplicates;
        let partial = counted.reassembly_timeouts + far.waiting() as u64;
        prop_assert!(partial <= others && (others == 0) == (partial == 0));
    }
}
