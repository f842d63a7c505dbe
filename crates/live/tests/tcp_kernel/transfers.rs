//! Whole transfers.

use crate::exchange::{Exchange, Opener, exchange};
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
