//! How large TCP segments are, and what their options hold.

use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{Flags, SackBlock, Segment, SynOptions};

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
fn the_counter_of_accurate_ecn_is_modulo_eight() {
    for counter in 0..20 {
        assert_eq!(u64::from(Flags::from_counter(counter).counter()), counter % 8);
    }
}
