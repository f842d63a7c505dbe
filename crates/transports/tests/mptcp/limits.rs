//! What limits a connection over several paths, and for how long.

use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::mptcp::Endpoint;
use windtunnel_transports::tcp::{Buffers, Limit, LimitTimes, TcpSettings};

use crate::paths::{Paths, Shape, at, path, settings, tcp};

fn total(times: &LimitTimes) -> Duration {
    Limit::ALL.iter().fold(Duration::ZERO, |sum, it| sum + times.of(*it))
}

fn receiving(buffer: u64, controller: &str) -> TcpSettings {
    let buffers = Buffers { receive: Some(buffer), ..tcp(controller).buffers };
    TcpSettings { buffers, ..tcp(controller) }
}

fn sending(buffer: u64, mut settings: TcpSettings) -> TcpSettings {
    settings.buffers.send = buffer;
    settings
}

/// The limits of data without end, in 20 s.
fn without_end(of_tcp: TcpSettings, shapes: Vec<Shape>) -> LimitTimes {
    let mut paths = Paths::new(settings(of_tcp, "lowest-rtt", shapes.len() as u8), shapes);
    paths.open(0, u64::MAX);
    paths.run_until(at(20_000));
    paths.ends[0].limits(at(20_000))
}

/// Of 100 Mbps and 100 ms, which hold 1.25 MB, what is smallest limits one path or two.
#[test]
fn what_is_smallest_limits_a_connection_over_one_path_as_over_two() {
    let small = 300_000;
    let large = 1 << 26;
    let wide = path(100, 50, 10_000);
    let without_buffers = |controller| sending(large, receiving(large, controller));
    let all = [
        (sending(small, tcp("cubic")), Limit::SendBuffer),
        (receiving(small, "cubic"), Limit::ReceiveWindow),
        (without_buffers("fixed"), Limit::CongestionWindow),
        (without_buffers("bbr3"), Limit::Pacing),
    ];
    for (of_tcp, expected) in all {
        for shapes in [vec![wide], vec![wide, wide]] {
            let count = shapes.len();
            let times = without_end(of_tcp.clone(), shapes);
            let share = times.of(expected).as_seconds() / 20.0;
            assert!(share > 0.9, "{expected:?} of {count}: {times:?}");
            assert_eq!(total(&times), Duration::from_secs(20));
        }
    }
}

/// RFC 8684, section 3.3.4: a receive buffer that holds much less than all rates in the longest
/// round trip keeps the fast path waiting for data of the slow one.
#[test]
fn a_slow_path_fills_the_receive_window_of_a_fast_one() {
    let shapes = || vec![path(20, 10, 100), path(1, 200, 100)];
    let times = without_end(receiving(60_000, "cubic"), shapes());
    assert!(times.of(Limit::ReceiveWindow).as_seconds() > 10.0, "{times:?}");
    let times = without_end(receiving(4_000_000, "cubic"), shapes());
    assert!(times.of(Limit::CongestionWindow).as_seconds() > 15.0, "{times:?}");
}

#[test]
fn a_connection_whose_data_is_acknowledged_is_idle() {
    let mut paths = Paths::new(settings(tcp("reno"), "lowest-rtt", 2), vec![path(100, 50, 60); 2]);
    paths.open(0, 100);
    paths.run_until(at(3_000));
    let times = paths.ends[0].limits(at(3_000));
    // The handshake; then the segment and its acknowledgement, which is delayed by 40 ms.
    let busy = times.of(Limit::Application).as_seconds();
    assert!(busy > 0.1 && busy < 0.15, "{times:?}");
    let idle = times.of(Limit::Idle) + times.of(Limit::Application) + times.of(Limit::Handshake);
    assert_eq!(idle, Duration::from_secs(3));
    let later = paths.ends[0].limits(at(5_000));
    assert_eq!(later.of(Limit::Idle), times.of(Limit::Idle) + Duration::from_secs(2));
}

#[test]
fn a_connection_that_is_closed_counts_no_more() {
    let mut paths = Paths::new(settings(tcp("reno"), "lowest-rtt", 2), vec![path(100, 50, 60); 2]);
    paths.open(0, 100_000);
    paths.act(0, Endpoint::close);
    paths.act(1, Endpoint::close);
    paths.run_until(at(10_000));
    assert!(paths.ends.iter().all(Endpoint::is_closed));
    let times = paths.ends[0].limits(at(10_000));
    assert!(total(&times) < Duration::from_secs(1), "{times:?}");
    assert_eq!(paths.ends[0].limits(at(20_000)), times);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever limits a connection, and whatever is lost: each moment has one limit.
    #[test]
    fn the_times_of_all_limits_are_the_connections_time(
        send_buffer in 3_000_u64..2_000_000,
        receive_buffer in 3_000_u64..2_000_000,
        pacing: bool,
        shapes in prop::collection::vec((1_u64..50, 1_u64..200, 10_usize..200), 1..4),
        every in 10_u64..1_000,
        writes in prop::collection::vec((0_u64..2_000_000, 1_u64..1_000), 1..8),
    ) {
        let of_tcp = sending(send_buffer, receiving(receive_buffer, "cubic"));
        let of_tcp = TcpSettings { pacing, ..of_tcp };
        let shapes: Vec<Shape> = shapes.into_iter().map(|(rate, delay, room)| path(rate, delay, room)).collect();
        let mut sent = 0;
        let it = settings(of_tcp, "lowest-rtt", shapes.len() as u8);
        let mut paths = Paths::new(it, shapes).with(|_, _, _, _| {
            sent += 1;
            sent % every != 0
        });
        paths.open(0, 0);
        for (bytes, milliseconds) in writes {
            paths.act(0, |it, now, outbox| it.write(now, bytes, outbox));
            let until = paths.now + Duration::from_millis(milliseconds);
            paths.run_until(until);
            prop_assert_eq!(total(&paths.ends[0].limits(until)), until.since(Time::ZERO));
        }
    }
}
