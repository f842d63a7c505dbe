//! Laws of whole connections.

use windtunnel_transports::tcp::{Nagle, Recovery, Socket, TcpSettings};

use crate::paths::{Paths, SEGMENT, at, path, settings, tcp};
use crate::spy::spied;

/// The share of a packet of 1500 bytes that is data.
const DATA: f64 = SEGMENT as f64 / 1500.0;

#[test]
fn disjoint_paths_give_the_sum_of_their_rates() {
    for controller in ["reno", "cubic", "bbr1"] {
        for shapes in [
            vec![path(10, 10, 60), path(10, 10, 60)],
            vec![path(10, 10, 60), path(5, 40, 60)],
            vec![path(10, 10, 60), path(4, 20, 60), path(2, 30, 60)],
        ] {
            let sum: u64 = shapes.iter().map(|it| it.rate / 1_000_000).sum();
            let count = shapes.len() as u8;
            let mut paths = Paths::new(settings(tcp(controller), "lowest-rtt", count), shapes);
            paths.open(0, u64::MAX);
            let share = paths.megabits(10_000, 40_000) / (sum as f64 * DATA);
            assert!(share > 0.95 && share < 1.01, "{controller}, {count} paths: {share}");
        }
    }
}

/// Uncoupled, two subflows take two shares of a bottleneck; alone on it, all of it.
#[test]
fn two_subflows_through_one_bottleneck_fill_it() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(10, 20, 60); 2]).through_one_bottleneck();
    paths.open(0, u64::MAX);
    let share = paths.megabits(10_000, 30_000) / (10.0 * DATA);
    assert!(share > 0.97 && share < 1.01, "{share}");
}

#[test]
fn one_path_is_as_fast_as_plain_tcp() {
    let mut paths = Paths::new(settings(tcp("cubic"), "lowest-rtt", 1), vec![path(10, 10, 60)]);
    paths.open(0, u64::MAX);
    let share = paths.megabits(5_000, 20_000) / (10.0 * DATA);
    assert!(share > 0.99 && share < 1.01, "{share}");
}

/// RFC 8684, section 3.3.4: with a buffer of all rates times the longest round trip, all paths
/// are filled; with a tenth of it they cannot be, and nothing breaks.
#[test]
fn the_receive_buffer_bounds_what_is_under_way() {
    for (buffer, least, most) in [(4_000_000, 0.95, 1.01), (30_000, 0.05, 0.8)] {
        let mut of_tcp = tcp("cubic");
        of_tcp.buffers.receive = Some(buffer);
        let shapes = vec![path(10, 10, 60), path(10, 100, 200)];
        let mut paths = Paths::new(settings(of_tcp, "lowest-rtt", 2), shapes);
        paths.open(0, u64::MAX);
        let share = paths.megabits(10_000, 30_000) / (20.0 * DATA);
        assert!(share > least && share < most, "{buffer}: {share}");
        assert!(paths.ends[1].waiting_bytes() <= buffer);
    }
}

/// The buffer grows with what is taken, up to its maximum, and then limits nothing.
#[test]
fn a_receive_buffer_that_grows_lets_all_paths_be_filled() {
    let mut of_tcp = tcp("cubic");
    (of_tcp.buffers.receive, of_tcp.buffers.maximum_receive) = (None, 6 << 20);
    let shapes = vec![path(20, 10, 100), path(20, 40, 100)];
    let mut paths = Paths::new(settings(of_tcp, "lowest-rtt", 2), shapes);
    paths.open(0, u64::MAX);
    let share = paths.megabits(15_000, 30_000) / (40.0 * DATA);
    assert!(share > 0.95, "{share}");
}

/// What the sender gives to the subflows, what they send and what is received agree.
#[test]
fn every_byte_is_given_once_where_nothing_is_lost() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(10, 10, 10_000), path(3, 30, 10_000)]);
    paths.open(0, 3_000_001);
    paths.run_until(at(60_000));
    let sender = &paths.ends[0];
    let given: u64 = sender.subflows().map(|it| it.0.first_bytes).sum();
    assert_eq!((given, paths.received(1)), (3_000_001, 3_000_001));
    assert_eq!(sender.multipath_counters().reinjected_bytes, 0);
    assert_eq!((sender.unacknowledged(), sender.in_flight()), (0, 0));
    assert_eq!(sender.counters().acknowledged_bytes, 3_000_001);
    assert_eq!(paths.ends[1].waiting_bytes(), 0);
}

/// A subflow gets its next segment at the moment when its window has room: of data without end,
/// no sample of the delivery rate is limited by the application.
#[test]
fn subflows_of_data_without_end_are_not_limited_by_the_application() {
    let (of_tcp, heard) = spied(&tcp("reno"));
    let shapes = vec![path(10, 10, 60), path(5, 10, 60)];
    let mut paths = Paths::new(settings(of_tcp, "lowest-rtt", 2), shapes);
    paths.open(0, u64::MAX);
    paths.run_until(at(2_000));
    let heard = heard.lock().unwrap();
    let samples = || heard.acknowledgements.iter().filter_map(|it| it.delivery);
    assert!(samples().count() > 100);
    assert_eq!(samples().filter(|it| it.application_limited).count(), 0);
}

/// The lengths of the segments with data that the client sends in ten seconds, in which it writes
/// twice and closes.
fn lengths_of(tcp: TcpSettings, writes: [u64; 2]) -> Vec<u16> {
    let shapes = vec![path(10, 10, 60), path(10, 20, 60)];
    let mut paths = Paths::new(settings(tcp, "lowest-rtt", 2), shapes);
    paths.open(0, 0);
    paths.run_until(at(1_000));
    for bytes in writes {
        paths.act(0, |it, now, outbox| it.write(now, bytes, outbox));
    }
    paths.run_until(at(10_000));
    assert_eq!(paths.received(1), writes.iter().sum::<u64>());
    let of_client = paths.sent.iter().filter(|(_, from, _, it)| *from == 0 && it.length > 0);
    of_client.map(|(.., it)| it.length).collect()
}

/// Nagle's algorithm is that of the connection, whichever subflow has what is outstanding; and an
/// application writes to the connection, not to a subflow.
#[test]
fn small_writes_wait_for_each_other_on_all_subflows() {
    // Without probes, which would come before the delayed acknowledgements.
    let recovery = Recovery::Sack;
    let with = |nagle, write_size| TcpSettings {
        socket: Socket { nagle, write_size, ..Socket::default() },
        recovery,
        ..tcp("reno")
    };
    let pieces = with(Nagle::Off, Some(100));
    assert_eq!(lengths_of(pieces, [250, 100]), [100, 100, 50, 100]);
    for nagle in [Nagle::Classic, Nagle::Minshall] {
        assert_eq!(lengths_of(with(nagle, Some(100)), [250, 100]), [100, 250], "{nagle:?}");
        assert_eq!(lengths_of(with(nagle, None), [100, 2_000]), [100, 1_420, 580], "{nagle:?}");
    }
}
