//! Applications that do not read: RFC 9293, sections 3.8.6.1 and 3.8.6.2.

use std::time::Duration;

use windtunnel_packets::tcp::Flags;

use crate::exchange::{Exchange, Opener, exchange};
use crate::network::{Network, Version};
use crate::recorder::{Recorded, Recorder};

const SIZE: u64 = 10_000_000;
const WAIT: Duration = Duration::from_secs(2);

/// How often one of the ends said that it has no room.
fn times_closed(packets: &[Recorded], by_us: bool) -> usize {
    let segments = packets.iter().filter(|it| it.is_ours == by_us).filter_map(Recorded::segment);
    segments.filter(|it| it.window == 0 && !it.flags.has(Flags::RST)).count()
}

#[test]
fn we_wait_and_probe_while_the_kernels_application_does_not_read() {
    let Some(network) = Network::new() else { return };
    network.set("tcp_rmem", "4096 65536 65536");
    let mut host = network.host("cubic", 1500);
    let mut packets = Vec::new();
    let it = Exchange { to_kernel: SIZE, kernel_waits: WAIT, ..Exchange::default() };
    exchange(&network, &mut host, Recorder::new(&network.interface, &mut packets), it);
    // The first probe after about a retransmission timeout, then each after twice the time.
    let closed = times_closed(&packets, false);
    assert!((3..12).contains(&closed), "{closed} times no room");
}

#[test]
fn the_kernel_waits_and_probes_while_we_do_not_read() {
    let Some(network) = Network::new() else { return };
    for (version, opener) in [(Version::V4, Opener::Us), (Version::V6, Opener::Kernel)] {
        let mut host = network.host("cubic", 1500);
        let mut packets = Vec::new();
        let it = Exchange { version, opener, to_us: SIZE, we_wait: WAIT, ..Exchange::default() };
        exchange(&network, &mut host, Recorder::new(&network.interface, &mut packets), it);
        let closed = times_closed(&packets, true);
        assert!((3..12).contains(&closed), "{closed} times no room");
    }
}
