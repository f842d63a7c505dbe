//! When subflows acknowledge.

use windtunnel_transports::tcp::{Acknowledgements, Buffers, Offload, TcpSettings};

use crate::paths::{Paths, at, path, settings, tcp};

/// The connection's buffer has 200 kB from the beginning: a subflow's window has grown to it after
/// 48 segments, each of which was acknowledged at once. From then on bursts are acknowledged, of
/// two segments at least.
#[test]
fn a_subflows_window_grows_no_further_than_the_connections_buffer() {
    let of_tcp = TcpSettings {
        acknowledgements: Acknowledgements { quick: true, ..Acknowledgements::default() },
        buffers: Buffers { send: 1 << 22, ..Buffers::with_receive(200_000) },
        offload: Offload { segmentation: true, ..Offload::default() },
        ..tcp("fixed")
    };
    for count in [1, 2] {
        let shapes = vec![path(10, 10, 100); count];
        let mut paths = Paths::new(settings(of_tcp.clone(), "lowest-rtt", count as u8), shapes);
        paths.open(0, u64::MAX);
        paths.run_until(at(10_000));
        let sent = |end| {
            let by_it =
                paths.sent.iter().filter(|(time, from, ..)| *time > at(5_000) && *from == end);
            by_it.count() as f64
        };
        let share = sent(1) / sent(0);
        assert!((0.45..0.55).contains(&share), "{share} over {count} paths");
    }
}
