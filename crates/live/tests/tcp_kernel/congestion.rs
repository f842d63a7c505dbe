//! ECN with the kernel: RFC 3168 and accurate ECN (RFC 9768).

use crate::exchange::{Exchange, Opener, exchange};
use crate::impaired::Marking;
use crate::network::Network;

const SIZE: u64 = 10_000_000;

/// Marks instead of losses reach the sender through the kernel's echo.
#[test]
fn the_kernel_echoes_marks_as_it_agreed_to() {
    for (named, mode) in [("dctcp", "1"), ("prague", "1"), ("prague", "3")] {
        for opener in [Opener::Us, Opener::Kernel] {
            let Some(network) = Network::new() else { return };
            network.set("tcp_ecn", mode);
            let mut host = network.host(named, 1500);
            let mut marked = 0;
            let wire = Marking::new(&network.interface, 50, &mut marked);
            let it = Exchange { opener, to_kernel: SIZE, to_us: SIZE, ..Exchange::default() };
            let counters = exchange(&network, &mut host, wire, it).counters;
            println!("{named} {mode} {opener:?} {marked}: {counters:?}");
        }
    }
}
