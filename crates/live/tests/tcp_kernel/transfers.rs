//! Whole transfers.

use crate::exchange::{Exchange, Opener, exchange};
use crate::impaired::Impaired;
use crate::network::{Network, Version};

const MEGABYTES: u64 = 1_000_000;

#[test]
fn a_file_goes_to_the_kernel() {
    let Some(network) = Network::new() else { return };
    let mut host = network.host("cubic", 1500);
    let it = Exchange { to_kernel: MEGABYTES, ..Exchange::default() };
    let outcome = exchange(&network, &mut host, &network.interface, it);
    assert_eq!(outcome.counters.acknowledged_bytes, MEGABYTES);
    assert!(outcome.timestamps);
    assert_eq!(outcome.maximum_segment, 1448);
}

#[test]
fn a_file_comes_from_the_kernel() {
    let Some(network) = Network::new() else { return };
    for version in [Version::V4, Version::V6] {
        for opener in [Opener::Us, Opener::Kernel] {
            let mut host = network.host("cubic", 1500);
            let it = Exchange { version, opener, to_us: MEGABYTES, ..Exchange::default() };
            let outcome = exchange(&network, &mut host, &network.interface, it);
            assert_eq!(outcome.counters.received_bytes, MEGABYTES);
        }
    }
}

/// The largest test: losses, duplicates and packets that are late, both ways at once.
#[test]
fn thirty_megabytes_each_way_arrive_through_losses_and_reordering() {
    let Some(network) = Network::new() else { return };
    // The kernel's own answers to losses would take most of the time.
    network.set("tcp_congestion_control", "bbr");
    let mut host = network.host("bbr3", 1500);
    let wire = Impaired::new(&network.interface, network.clock, 1);
    let size = 30 * MEGABYTES;
    let it = Exchange { to_kernel: size, to_us: size, ..Exchange::default() };
    let counters = exchange(&network, &mut host, wire, it).counters;
    assert_eq!((counters.acknowledged_bytes, counters.received_bytes), (size, size));
    let lost = counters.retransmissions as f64 / counters.segments as f64;
    assert!((0.005..0.1).contains(&lost), "{lost} were sent again");
    assert!(counters.duplicates > 0 && counters.reordered > 0);
}

#[test]
fn every_kind_of_controller_sends_through_losses_and_reordering() {
    for (seed, named) in ["new-reno", "cubic", "copa", "vegas", "bbr3"].into_iter().enumerate() {
        let Some(network) = Network::new() else { return };
        let mut host = network.host(named, 1500);
        let wire = Impaired::new(&network.interface, network.clock, seed as u64);
        let it = Exchange { to_kernel: MEGABYTES * 3, ..Exchange::default() };
        let counters = exchange(&network, &mut host, wire, it).counters;
        assert!(counters.retransmissions > 0, "{named}");
    }
}

/// What the peer does not support is not used: RFC 2018, section 2; RFC 7323, sections 2 and 3.
#[test]
fn peers_without_sack_timestamps_or_scaled_windows_are_talked_to_without_them() {
    for (option, opener) in ["tcp_sack", "tcp_timestamps", "tcp_window_scaling"]
        .into_iter()
        .flat_map(|it| [(it, Opener::Us), (it, Opener::Kernel)])
    {
        let Some(network) = Network::new() else { return };
        network.set(option, "0");
        let mut host = network.host("cubic", 1500);
        let wire = Impaired::new(&network.interface, network.clock, 7);
        let (to_kernel, to_us) = (3 * MEGABYTES, 3 * MEGABYTES);
        let it = Exchange { opener, to_kernel, to_us, ..Exchange::default() };
        let outcome = exchange(&network, &mut host, wire, it);
        let timestamps = option != "tcp_timestamps";
        assert_eq!(outcome.timestamps, timestamps, "{option} = 0, opened by {opener:?}");
        assert_eq!(outcome.maximum_segment, if timestamps { 1448 } else { 1460 });
    }
}

/// Both ends keep to the smaller of the segments that they take.
#[test]
fn small_segments_are_sent_where_either_end_takes_no_larger_ones() {
    for (kernels, ours) in [(600, 1500), (1500, 600), (600, 600)] {
        let Some(network) = Network::new() else { return };
        network.shrink(kernels);
        let mut host = network.host("cubic", ours);
        let (to_kernel, to_us) = (MEGABYTES, MEGABYTES);
        let it = Exchange { to_kernel, to_us, ..Exchange::default() };
        let outcome = exchange(&network, &mut host, &network.interface, it);
        assert_eq!(outcome.maximum_segment, 600 - 52);
        assert!(outcome.counters.received_segments >= to_us / 548, "the kernel as well");
    }
}
