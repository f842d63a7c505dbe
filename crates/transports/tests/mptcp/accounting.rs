//! How subflows count what they send, and where the scheduler of Linux cuts it.

use windtunnel_controllers::Controller;
use windtunnel_packets::tcp::Segment;
use windtunnel_transports::mptcp::MultipathSettings;
use windtunnel_transports::tcp::{Buffers, Offload, Socket, TcpSettings, WindowUnit};

use crate::paths::{Paths, SEGMENT, at, path, settings, tcp};
use crate::spy::spied;

/// The bytes of data in each segment that the client sends.
fn lengths(paths: &Paths<'_>) -> Vec<u64> {
    let data = paths.sent.iter().filter(|(_, from, _, it)| *from == 0 && it.length > 0);
    data.map(|(.., it)| u64::from(it.length)).collect()
}

/// The bytes of data in a fragment of Linux: 32 KiB with a header of 40 bytes. A burst has two.
const FRAGMENT: u64 = 32_728;
const BURST: u64 = 2 * FRAGMENT;

/// As captures show: 46 full segments and one of 136 bytes.
#[test]
fn a_burst_of_linux_ends_with_a_segment_of_its_own() {
    let mut paths =
        Paths::new(settings(tcp("cubic"), "least-linger", 1), vec![path(10, 10, 1_000)]);
    paths.open(0, 10 * BURST);
    paths.run_until(at(10_000));
    let sent = lengths(&paths);
    let bursts: Vec<_> = sent.split_inclusive(|it| *it < SEGMENT).collect();
    // What is last may go once more, as a probe.
    for burst in &bursts[..10] {
        assert_eq!((burst.len(), burst.last()), (47, Some(&136)));
    }
}

/// TCP whose interfaces segment.
fn in_pieces(settings: TcpSettings) -> TcpSettings {
    TcpSettings { offload: Offload { segmentation: true, ..Offload::default() }, ..settings }
}

/// Where two bursts follow one another on a path, the second continues the first, and after a fragment a
/// path may be full.
#[test]
fn pieces_are_whole_fragments() {
    let shapes = vec![path(10, 10, 1_000), path(10, 10, 1_000)];
    let mut paths = Paths::new(settings(in_pieces(tcp("cubic")), "least-linger", 2), shapes);
    paths.open(0, 40 * BURST);
    paths.run_until(at(10_000));
    for place in 0..2 {
        let on_path = |it: &&(_, usize, usize, Segment)| it.1 == 0 && it.2 == place;
        let sent = paths.sent.iter().filter(on_path).map(|it| u64::from(it.3.length));
        let sent: Vec<u64> = sent.filter(|it| *it > 0).collect();
        let runs: Vec<_> = sent.split_inclusive(|it| *it < SEGMENT).collect();
        assert!(runs.len() > 8, "{runs:?}");
        // What is last may go once more, as a probe.
        for run in &runs[..8] {
            assert_eq!(run.iter().sum::<u64>() % FRAGMENT, 0, "{run:?}");
        }
    }
}

#[test]
fn pieces_that_wait_on_one_subflow_are_cut_as_one() {
    let settings = settings(in_pieces(tcp("cubic")), "least-linger", 1);
    let mut paths = Paths::new(settings, vec![path(10, 10, 1_000)]);
    paths.open(0, 10 * BURST);
    paths.run_until(at(10_000));
    let sent = lengths(&paths);
    let full = (10 * BURST / SEGMENT) as usize;
    let small: Vec<_> = sent[..full].iter().enumerate().filter(|it| *it.1 < SEGMENT).collect();
    // At first, while the window is small, the path may send all before the next burst comes.
    assert!(small.len() <= 1, "{small:?}");
}

/// A window of a fraction of a segment more than a whole number of them: Linux sends that too.
#[test]
fn only_the_scheduler_of_linux_fills_the_window_to_the_last_byte() {
    for (scheduler, fills) in [("least-linger", true), ("lowest-rtt", false)] {
        let buffers = Buffers::with_receive(20 * SEGMENT + 500);
        let narrow = TcpSettings { buffers, ..in_pieces(tcp("cubic")) };
        let shapes = vec![path(10, 10, 1_000), path(10, 10, 1_000)];
        let mut paths = Paths::new(settings(narrow, scheduler, 2), shapes);
        paths.open(0, u64::MAX);
        paths.run_until(at(2_000));
        let small = lengths(&paths).iter().filter(|it| **it < SEGMENT).count();
        assert_eq!(small > 10, fills, "{scheduler}: {small}");
    }
}

/// Ten small segments fill a window of ten packets; of bytes, it has room for all.
#[test]
fn where_packets_are_counted_a_small_segment_takes_the_room_of_a_full_one() {
    let in_flight = |unit| {
        let pieces = TcpSettings {
            socket: Socket { write_size: Some(100), ..Socket::default() },
            ..tcp("reno")
        };
        let mut it = settings(pieces, "lowest-rtt", 1);
        it.options.window_unit = unit;
        let mut paths = Paths::new(it, vec![path(10, 100, 60)]);
        paths.open(0, 0);
        paths.run_until(at(1_000));
        paths.act(0, |it, now, outbox| it.write(now, 3_000, outbox));
        lengths(&paths).len()
    };
    assert_eq!(in_flight(WindowUnit::Packets), 10);
    assert_eq!(in_flight(WindowUnit::Bytes), 30);
}

/// The greatest delivery rate of a full path, in segments per second, after slow start.
fn greatest_rate(unit: WindowUnit) -> f64 {
    let (mut of_tcp, heard) = spied(&tcp("reno"));
    of_tcp.window.initial = 40.0;
    let mut it = settings(of_tcp, "least-linger", 1);
    it.options.window_unit = unit;
    let mut paths = Paths::new(it, vec![path(10, 10, 60)]);
    paths.open(0, u64::MAX);
    paths.run_until(at(5_000));
    let heard = heard.lock().unwrap();
    let late = heard.acknowledgements.iter().filter(|it| it.now > 2_000_000_000);
    late.filter_map(|it| it.delivery?.rate).fold(0.0, f64::max)
}

/// Of bytes, no sample is above the path's rate. Of packets, those are that span the small
/// segment at the end of a burst, by at most one packet in those of a round trip.
#[test]
fn where_packets_are_counted_small_segments_raise_the_delivery_rate() {
    let capacity = 10e6 / 8.0 / 1500.0;
    let bytes = greatest_rate(WindowUnit::Bytes) / capacity;
    assert!(bytes > 0.95 && bytes < 1.005, "{bytes}");
    let packets = greatest_rate(WindowUnit::Packets) / capacity;
    assert!(packets > 1.015 && packets < 1.08, "{packets}");
}

/// Between segments is the time that a paced segment takes at the controller's rate.
#[test]
fn a_subflow_is_paced_by_segments_of_plain_tcp_where_options_are_not_counted() {
    let gap = |as_plain| {
        let mut it: MultipathSettings = settings(tcp("bbr1"), "lowest-rtt", 1);
        it.options.paced_as_plain = Some(as_plain);
        let mut paths = Paths::new(it, vec![path(10, 100, 60)]);
        paths.open(0, 0);
        paths.run_until(at(1_000));
        paths.act(0, |it, now, outbox| it.write(now, 10 * SEGMENT, outbox));
        paths.run_until(at(1_150));
        let controller = paths.ends[0].subflows().next().and_then(|(_, it)| it);
        let rate = controller.and_then(Controller::pacing_rate);
        let times: Vec<_> = paths.sent.iter().filter(|it| it.3.length > 0).map(|it| it.0).collect();
        times[1].since(times[0]).as_seconds() * rate.unwrap()
    };
    assert!((gap(false) - 1.0).abs() < 1e-6, "{}", gap(false));
    assert!((gap(true) - 1420.0 / 1448.0).abs() < 1e-6, "{}", gap(true));
}

/// BBR's first rate is 2/ln 2 windows in a round trip. Before there is one, it takes 1 ms for it.
#[test]
fn a_subflow_that_has_not_sent_has_the_rate_of_its_handshake() {
    let shapes = vec![path(10, 10, 1_000), path(10, 100, 1_000)];
    let mut paths = Paths::new(settings(tcp("bbr1"), "least-linger", 2), shapes);
    paths.open(0, SEGMENT);
    paths.run_until(at(1_000));
    assert!(paths.sent.iter().all(|it| it.2 == 0 || it.3.length == 0), "path 2 has sent");
    let (_, second) = paths.ends[0].subflows().nth(1).unwrap();
    let rate = second.and_then(Controller::pacing_rate).unwrap();
    let expected = 2.0 / std::f64::consts::LN_2 * 10.0 / 0.2;
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate}, not {expected}");
}

/// Half of the receive memory, not 167/256 of it, is data for as long as one path has brought none.
#[test]
fn with_quick_acknowledgements_a_subflow_that_has_brought_nothing_takes_room() {
    let offered = |quick, count: u8| {
        let mut of_tcp = TcpSettings { buffers: Buffers::default(), ..tcp("cubic") };
        of_tcp.acknowledgements.quick = quick;
        let shapes = [path(10, 10, 1_000), path(10, 50, 1_000)][..count.into()].to_vec();
        let mut paths = Paths::new(settings(of_tcp, "lowest-rtt", count), shapes);
        paths.open(0, 0);
        for round in 1..=20 {
            paths.run_until(at(200 * round));
            paths.act(0, |it, now, outbox| it.write(now, 5 * SEGMENT, outbox));
        }
        paths.run_until(at(5_000));
        assert!(paths.sent.iter().all(|it| it.2 == 0 || it.3.length == 0), "path 2 has sent");
        let last = paths.sent.iter().rfind(|it| it.1 == 1).unwrap();
        f64::from(last.3.window)
    };
    let share = offered(true, 2) / offered(true, 1);
    assert!((share * 167.0 / 128.0 - 1.0).abs() < 0.01, "{share}");
    assert!((offered(false, 2) / offered(false, 1) - 1.0).abs() < 1e-9);
}
