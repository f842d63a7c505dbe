//! How large TCP segments are, and what their options hold.

use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::multipath::{Multipath, Version};
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

/// RFC 2018, section 3; the option of accurate ECN takes 8 or 12 bytes of the 40.
#[test]
fn without_timestamps_there_is_room_for_a_further_sack_block() {
    for (counters, blocks, size) in [(None, 4, 36), (Some(CAPABLE), 3, 36), (Some(ALL), 2, 32)] {
        let mut segment = Segment::new(0, 0, Flags::ACK);
        counters.into_iter().for_each(|it| segment.set_byte_counters(it));
        for start in [100, 300, 500, 700, 900] {
            segment.add_sack_block(SackBlock { start, end: start + 100 });
        }
        assert_eq!(segment.options_size(), size);
        segment.renumber(7, 1000);
        let starts: Vec<u32> = segment.sack_blocks().map(|it| it.start).collect();
        assert_eq!(starts, [1100, 1300, 1500, 1700][..blocks]);
        assert_eq!(segment.byte_counters(), counters);
    }
}

#[test]
fn a_syn_has_the_options_of_linux() {
    let mut syn = Segment::new(0, 0, Flags::SYN.with(Flags::TIMESTAMPS));
    syn.set_syn_options(SynOptions {
        maximum_segment: 1460,
        window_scale: Some(7),
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
    let offered = SynOptions { maximum_segment: 1460, window_scale: Some(7), sack_permitted: true };
    syn.set_syn_options(offered);
    syn.set_byte_counters(ALL);
    assert_eq!(syn.options_size(), 20 + 12);
    assert_eq!(syn.syn_options(), offered);
}

/// RFC 9293, section 3.1 (20 bytes and options padded to words), RFC 7323 (timestamps, 10 bytes),
/// RFC 2018 (8 bytes a block and 2), each option aligned as Linux does.
#[test]
fn options_take_the_bytes_of_their_fields_and_of_what_aligns_them() {
    let timestamps = |wanted| Flags::ACK.with_if(Flags::TIMESTAMPS, wanted);
    for (stamped, blocks, options) in
        [(false, 0, 0), (true, 0, 12), (false, 1, 12), (false, 3, 28), (true, 1, 24), (true, 2, 32)]
    {
        let mut segment = Segment::new(0, 0, timestamps(stamped));
        (0..blocks)
            .for_each(|it| segment.add_sack_block(SackBlock { start: 9 * it, end: 9 * it + 1 }));
        segment.length = 100;
        assert_eq!((segment.options_size(), segment.size()), (options, 120 + options));
    }
    for (stamped, sack_permitted, options) in
        [(false, false, 8), (false, true, 12), (true, false, 20), (true, true, 20)]
    {
        let mut syn = Segment::new(0, 0, Flags::SYN.with(timestamps(stamped)));
        let told = SynOptions { maximum_segment: 1460, window_scale: Some(7), sack_permitted };
        syn.set_syn_options(told);
        assert_eq!(syn.options_size(), options);
        let read = syn.syn_options();
        assert_eq!((read.maximum_segment, read.window_scale), (1460, Some(7)));
        assert_eq!(read.sack_permitted, sack_permitted);
    }
}

#[test]
fn a_segment_has_the_flags_that_were_set_and_no_others() {
    let every = [
        Flags::FIN,
        Flags::SYN,
        Flags::RST,
        Flags::PSH,
        Flags::ACK,
        Flags::ECE,
        Flags::CWR,
        Flags::AE,
        Flags::TIMESTAMPS,
    ];
    for one in every {
        for other in every {
            assert_eq!(one.has(other), one == other);
            assert!(one.with(other).has(other) && one.with(other).has(one));
            assert_eq!(one.has(one.with(other)), one == other, "all of them");
            assert_eq!(one.with_if(other, false), one);
        }
    }
    // RFC 9293, section 3.1, RFC 3168 and RFC 9768: from the lowest bit on.
    let wire = every.map(Flags::wire);
    assert_eq!(wire, [0x001, 0x002, 0x004, 0x008, 0x010, 0x040, 0x080, 0x100, 0]);
    assert_eq!(Flags::default().with_ace(5), Flags::AE.with(Flags::ECE));
}

/// RFC 8684, sections 3.1 to 3.4, with what aligns each option to four bytes; version 0 by
/// RFC 6824, with checksums.
#[test]
fn the_options_of_multipath_take_their_bytes() {
    use Multipath::*;
    let syn = Flags::SYN.with(Flags::TIMESTAMPS);
    let answer = syn.with(Flags::ACK);
    let ack = Flags::ACK.with(Flags::TIMESTAMPS);
    let join = Join { address: 2, backup: true };
    let (acknowledgement, sequence) = (1 << 40 | 7, 1 << 33 | 5);
    let mapping = Mapping { sequence, acknowledgement, fin: true };
    let address = AddAddress { address: 3, echo: false, wide: false };
    let cases = [
        (syn, 0, Capable, [12, 4]),
        (answer, 0, Capable, [12, 12]),
        (ack, 0, Capable, [20, 20]),
        (ack, 100, Capable, [24, 24]),
        (syn, 0, join, [12, 12]),
        (answer, 0, join, [16, 16]),
        (ack, 0, join, [24, 24]),
        (ack, 0, Acknowledgement { acknowledgement }, [8, 12]),
        (ack, 100, mapping, [20, 28]),
        (ack, 0, address, [8, 16]),
        (ack, 0, AddAddress { address: 3, echo: true, wide: false }, [8, 8]),
        (ack, 0, AddAddress { address: 3, echo: false, wide: true }, [20, 28]),
        (ack, 0, Priority { backup: true }, [4, 4]),
    ];
    for (flags, length, multipath, sizes) in cases {
        for (version, size) in [Version::V0, Version::V1].into_iter().zip(sizes) {
            let mut segment = Segment::new(0, 0, flags);
            segment.length = length;
            let before = segment.options_size();
            segment.set_multipath(multipath, version);
            assert_eq!(segment.options_size() - before, size, "{multipath:?}, {version:?}");
            assert!(segment.options_size() <= 40, "{multipath:?}, {version:?}");
            assert_eq!(segment.multipath(), Some(multipath));
            assert_eq!(segment.multipath_version(), version);
        }
    }
}

#[test]
fn a_data_acknowledgement_leaves_room_for_one_sack_block_or_two_beside_a_short_one() {
    for (version, blocks, options) in [(Version::V0, 2, 40), (Version::V1, 1, 36)] {
        let mut segment = Segment::new(0, 0, Flags::ACK.with(Flags::TIMESTAMPS));
        for start in [100, 300, 500] {
            segment.add_sack_block(SackBlock { start, end: start + 100 });
        }
        let acknowledgement = u64::MAX - 3;
        segment.set_multipath(Multipath::Acknowledgement { acknowledgement }, version);
        let starts: Vec<u32> = segment.sack_blocks().map(|it| it.start).collect();
        assert_eq!(starts, [100, 300][..blocks]);
        assert_eq!(segment.options_size(), options);
        assert_eq!(segment.multipath(), Some(Multipath::Acknowledgement { acknowledgement }));
    }
}

#[test]
fn a_syn_says_its_own_options_beside_those_of_multipath() {
    let told = SynOptions { maximum_segment: 1460, window_scale: Some(7), sack_permitted: true };
    let mut syn = Segment::new(0, 0, Flags::SYN.with(Flags::TIMESTAMPS));
    syn.set_syn_options(told);
    syn.set_multipath(Multipath::Join { address: 7, backup: false }, Version::V1);
    assert_eq!((syn.syn_options(), syn.options_size()), (told, 32));
}
