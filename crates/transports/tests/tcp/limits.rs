//! What limits a connection, and for how long.

use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::tcp::{
    Buffers, Endpoint, Limit, LimitTimes, Offload, Reading, Socket, TcpSettings,
};

use crate::path::{Path, settings};

const RATE: u64 = 100_000_000;
const DELAY: Duration = Duration::from_millis(50);
const ROUND: Duration = Duration::from_millis(100);

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// The limits of data without end over 100 Mbps and 100 ms, which hold 1.25 MB, in 20 s.
fn without_end(settings: TcpSettings) -> LimitTimes {
    let mut path = Path::new(settings, RATE, DELAY, 10_000);
    path.open(u64::MAX);
    path.run_until(at(20));
    path.ends[0].limits(at(20))
}

fn total(times: &LimitTimes) -> Duration {
    Limit::ALL.iter().fold(Duration::ZERO, |sum, it| sum + times.of(*it))
}

#[test]
fn what_is_smallest_limits_a_connection_once_its_window_has_grown() {
    let small = 400_000;
    let usual = settings("cubic").buffers;
    let with = |buffers| TcpSettings { buffers, ..settings("cubic") };
    let all = [
        (with(Buffers { send: small, ..usual }), Limit::SendBuffer),
        (with(Buffers { receive: Some(small), ..usual }), Limit::ReceiveWindow),
        (settings("fixed"), Limit::CongestionWindow),
        (settings("bbr3"), Limit::Pacing),
    ];
    for (settings, expected) in all {
        let times = without_end(settings);
        // Slow start takes five round trips, and BBR's probing of the minimum round trip 200 ms
        // and a round trip each 5 s.
        let share = times.of(expected).as_seconds() / 20.0;
        assert!(share > 0.9, "{expected:?}: {times:?}");
        assert_eq!(times.of(Limit::Handshake), ROUND + first_packet());
        assert_eq!(total(&times), Duration::from_secs(20));
    }
}

/// What sending a SYN takes at the rate of the path.
fn first_packet() -> Duration {
    // IPv4, TCP, and the options of a SYN: maximum segment, SACK, timestamps, scale.
    Duration::from_nanos((20 + 20 + 20) * 8 * 10)
}

#[test]
fn a_receiver_that_reads_nothing_limits_from_when_its_buffer_is_full() {
    let buffers = Buffers { receive: Some(20_000), ..settings("reno").buffers };
    let socket = Socket { reading: Reading::AsTaken, ..Socket::default() };
    let times = without_end(TcpSettings { buffers, socket, ..settings("reno") });
    // The handshake, two rounds of data, and the last acknowledgement.
    let open = total(&times) - times.of(Limit::ReceiveWindow);
    assert!(open > ROUND && open < ROUND * 4, "{times:?}");
}

#[test]
fn a_connection_without_data_is_idle_and_one_whose_data_is_in_flight_waits_for_its_application() {
    let mut path = Path::new(settings("reno"), RATE, DELAY, 100);
    path.open(100);
    path.run_until(at(3));
    let acknowledged = path.ends[0].limits(at(3));
    // The handshake, then the segment and its acknowledgement, which is delayed by 40 ms.
    let busy = acknowledged.of(Limit::Application);
    let waits = ROUND + Duration::from_millis(40);
    assert!(busy > waits && busy < waits + Duration::from_millis(1), "{acknowledged:?}");
    let idle = Duration::from_secs(3) - acknowledged.of(Limit::Handshake) - busy;
    assert_eq!(acknowledged.of(Limit::Idle), idle);
    assert_eq!(path.ends[0].limits(at(5)).of(Limit::Idle), idle + Duration::from_secs(2));
}

#[test]
fn a_connection_that_is_closed_counts_no_more() {
    let mut path = Path::new(settings("reno"), RATE, DELAY, 100);
    path.open(100_000);
    path.act(0, Endpoint::close);
    path.act(1, Endpoint::close);
    path.run_until(at(10));
    assert!(path.ends.iter().all(Endpoint::is_closed));
    let times = path.ends[0].limits(at(10));
    assert!(total(&times) < Duration::from_secs(1), "{times:?}");
    assert_eq!(path.ends[0].limits(at(20)), times);
}

#[test]
fn a_connection_that_is_reset_counts_no_more() {
    let mut path = Path::new(settings("reno"), RATE, DELAY, 100);
    path.open(u64::MAX);
    path.run_until(at(1));
    path.act(1, Endpoint::reset);
    let ended = path.now.since(Time::ZERO) + DELAY;
    path.run_until(at(2));
    assert_eq!(total(&path.ends[0].limits(at(2))), ended);
    assert_eq!(total(&path.ends[0].limits(at(3))), ended);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever limits a connection, and whatever is lost: each moment has one limit.
    #[test]
    fn the_times_of_all_limits_are_the_connections_time(
        send_buffer in 3_000_u64..2_000_000,
        receive_buffer in 3_000_u64..2_000_000,
        pacing: bool,
        segmentation: bool,
        every in 10_u64..1_000,
        writes in prop::collection::vec((0_u64..2_000_000, 1_u64..1_000), 1..8),
    ) {
        let buffers = Buffers { send: send_buffer, ..Buffers::with_receive(receive_buffer) };
        let offload = Offload { segmentation, ..Offload::default() };
        let settings = TcpSettings {
            buffers, pacing, offload, ..settings("cubic")
        };
        let mut sent = 0;
        let mut path = Path::new(settings, RATE, DELAY, 100).with(|_, _, _| {
            sent += 1;
            if sent % every == 0 { vec![] } else { vec![Duration::ZERO] }
        });
        path.open(0);
        for (bytes, milliseconds) in writes {
            path.act(0, |it, now, outbox| it.write(now, bytes, outbox));
            let until = path.now + Duration::from_millis(milliseconds);
            path.run_until(until);
            path.now = until;
            let now = path.now;
            prop_assert_eq!(total(&path.ends[0].limits(now)), now.since(Time::ZERO));
        }
    }
}
