//! How large TCP segments are, and what their options hold.

use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{ByteCounters, Flags, SackBlock, Segment, SynOptions};

#[test]
fn an_acknowledgement_with_timestamps_is_52_bytes_of_ipv4() {
    let flags = Flags::ACK.with(Flags::TIMESTAMPS);
    let mut segment = Segment::new(0, 0, flags);
    assert_eq!(IpVersion::V4.header() + segment.size(), 52);
    segment.length = 1448;
    assert_eq!(IpVersion::V4.header() + segment.size(), 1500);
}

#[test]
fn three_sack_blocks_fill_the_options() {
    let mut segment = Segment::new(0, 0, Flags::ACK.with(Flags::TIMESTAMPS));
    for start in [100, 300, 500, 700] {
        segment.add_sack_block(SackBlock { start, end: start + 100 });
    }
    assert_eq!(segment.options_size(), 40);
    let starts: Vec<u32> = segment.sack_blocks().map(|it| it.start).collect();
    assert_eq!(starts, [100, 300, 500]);
}

#[test]
fn a_syn_has_the_options_of_linux() {
    let mut syn = Segment::new(0, 0, Flags::SYN.with(Flags::TIMESTAMPS));
    syn.set_syn_options(SynOptions {
        maximum_segment: 1460,
        window_scale: 7,
        sack_permitted: true,
    });
    assert_eq!(syn.options_size(), 20);
    assert_eq!(syn.sack_blocks().count(), 0);
}

#[test]
fn the_ace_field_is_modulo_eight_and_replaces_what_was_there() {
    for counter in 0..20 {
        let flags = Flags::ACK.with(Flags::AE).with_ace(counter);
        assert_eq!(flags.ace(), counter % 8);
        assert!(flags.has(Flags::ACK));
    }
}

const CAPABLE: ByteCounters = ByteCounters::Capable { capable: 1, congestion: 2 };
const SCALABLE: ByteCounters = ByteCounters::Scalable { scalable: 1, congestion: 2 };
const ALL: ByteCounters = ByteCounters::All { capable: 1, congestion: 2, scalable: 3 };

/// Two bytes and three for each counter, and what aligns them to four.
#[test]
fn the_option_of_accurate_ecn_leaves_its_rest_to_sack_blocks() {
    let flags = Flags::ACK.with(Flags::TIMESTAMPS);
    for (counters, alone, blocks, full) in
        [(CAPABLE, 12 + 8, 2, 40), (SCALABLE, 12 + 8, 2, 40), (ALL, 12 + 12, 1, 36)]
    {
        let mut segment = Segment::new(0, 0, flags);
        segment.set_byte_counters(counters);
        assert_eq!(segment.options_size(), alone);
        for start in [100, 300, 500, 700] {
            segment.add_sack_block(SackBlock { start, end: start + 100 });
        }
        assert_eq!(segment.sack_blocks().count(), blocks);
        assert_eq!(segment.options_size(), full);
        assert_eq!(segment.byte_counters(), Some(counters));
    }
}

#[test]
fn the_byte_counters_are_modulo_2_to_the_24th() {
    let mut segment = Segment::new(0, 0, Flags::ACK);
    assert_eq!(segment.byte_counters(), None);
    segment.set_byte_counters(ByteCounters::Capable { capable: 1 << 24, congestion: 0x0312_3456 });
    let expected = ByteCounters::Capable { capable: 0, congestion: 0x12_3456 };
    assert_eq!(segment.byte_counters(), Some(expected));
}

#[test]
fn an_answer_to_a_syn_has_room_for_the_option() {
    let mut syn = Segment::new(0, 0, Flags::SYN.with(Flags::TIMESTAMPS));
    let offered = SynOptions { maximum_segment: 1460, window_scale: 7, sack_permitted: true };
    syn.set_syn_options(offered);
    syn.set_byte_counters(ALL);
    assert_eq!(syn.options_size(), 20 + 12);
    assert_eq!(syn.syn_options(), offered);
}
