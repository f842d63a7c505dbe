//! ECN with the kernel: RFC 3168 and accurate ECN (RFC 9768).

use crate::exchange::{Exchange, Opener, exchange};
use crate::impaired::Marking;
use crate::network::Network;

const SIZE: u64 = 10_000_000;

/// Marks instead of losses reach the sender through the kernel's echo, if its controller wants
/// them. Kernels without accurate ECN agree to RFC 3168.
#[test]
fn the_kernel_echoes_marks_as_it_agreed_to() {
    for (named, opener) in [
        ("dctcp", Opener::Us),
        ("dctcp", Opener::Kernel),
        ("prague", Opener::Us),
        ("prague", Opener::Kernel),
        ("cubic", Opener::Us),
    ] {
        let Some(network) = Network::new() else { return };
        network.set("tcp_ecn", "1");
        let mut host = network.host(named, 1500);
        let mut marked = 0;
        let wire = Marking::new(&network.interface, 50, &mut marked);
        let it = Exchange { opener, to_kernel: SIZE, to_us: SIZE, ..Exchange::default() };
        let counters = exchange(&network, &mut host, wire, it).counters;
        let wants_marks = named != "cubic";
        assert_eq!(marked > 0, wants_marks, "{named}");
        assert_eq!(counters.marks > 0, wants_marks, "{named}");
        assert_eq!(counters.decreases > 0, wants_marks, "{named}");
    }
}
