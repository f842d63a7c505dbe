//! Two ends with a path between them: laws of whole connections.

use windtunnel_controllers::Controller;
use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_transports::tcp::{
    Acknowledgements, Buffers, Endpoint, Reading, Recovery, Socket, TcpSettings,
};

use crate::path::{Path, settings};
use crate::script::{Script, at, controller, with_window};

const EVERY: [Recovery; 5] =
    [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack];

fn recovering(recovery: Recovery) -> TcpSettings {
    TcpSettings { recovery, ..settings("aimd") }
}

/// Opens, writes this many bytes, closes, and lets the path run dry.
fn transfer(path: &mut Path<'_>, bytes: u64) {
    path.open(bytes);
    path.act(0, Endpoint::close);
    path.act(1, Endpoint::close);
    path.run_until(Time::NEVER);
    assert!(path.ends.iter().all(Endpoint::is_closed));
    assert_eq!(path.ends[1].counters().received_bytes, bytes);
}

#[test]
fn slow_start_takes_its_rounds_and_the_rest_goes_at_the_rate() {
    for (rate, delay, bytes) in [
        (64_000, Duration::from_millis(50), 200_000_u64),
        (10_000_000, Duration::from_millis(20), 5_000_000),
        (1_000_000_000, Duration::from_nanos(500), 20_000_000),
        (100_000_000_000, Duration::from_micros(5), 20_000_000),
    ] {
        let mut path = Path::new(settings("aimd"), rate, delay, 1 << 20);
        transfer(&mut path, bytes);
        let segments = bytes.div_ceil(1_448);
        let sending = (bytes + segments * 52) as f64 * 8.0 / rate as f64;
        // The window doubles each round trip, from ten; delayed acknowledgements
        // make up to 40 ms of each.
        let rounds = (segments as f64 / 10.0 + 1.0).log2().ceil() + 3.0;
        let round = 2.0 * delay.as_seconds() + 0.04;
        let took = path.now.as_seconds();
        assert!(took > sending, "{rate}: {took} s for {sending}");
        assert!(took < sending * 1.01 + rounds * round, "{rate}: {took} s for {sending}");
        let counters = path.ends[0].counters();
        assert_eq!((counters.timeouts, counters.decreases), (0, 0), "{rate}");
        assert_eq!(counters.segments, segments + counters.retransmissions);
    }
}

#[test]
fn a_round_trip_of_ten_seconds_is_only_slow() {
    for recovery in EVERY {
        let delay = Duration::from_secs(5);
        let mut path = Path::new(recovering(recovery), 10_000_000, delay, 1 << 20);
        transfer(&mut path, 500_000);
        // The first timeout of a second is wrong, and what it sends again may be taken
        // for losses; but no round trip goes by without a segment.
        let took = path.now.as_seconds();
        assert!(took < 10.0 * 500_000.0 / 1_448.0, "{recovery:?}: {took} s");
    }
}

#[test]
fn one_byte_takes_a_round_trip_after_the_handshake() {
    let mut path = Path::new(settings("aimd"), 1_000_000_000, Duration::from_millis(10), 10);
    path.open(1);
    path.run_until(at(25));
    assert_eq!(path.ends[1].counters().received_bytes, 0);
    path.run_until(at(31));
    assert_eq!(path.ends[1].counters().received_bytes, 1);
}

#[test]
fn a_full_buffer_loses_packets_and_the_link_stays_busy() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        // A buffer of one bandwidth-delay product: RFC 5681's halving never empties
        // it, except for the end of slow start.
        let mut path = Path::new(recovering(recovery), 10_000_000, Duration::from_millis(20), 34);
        path.open(u64::MAX);
        path.run_until(at(10_000));
        let before = path.ends[1].counters().received_bytes;
        path.run_until(at(40_000));
        let rate = (path.ends[1].counters().received_bytes - before) as f64 * 8.0 / 30.0;
        let most = 10_000_000.0 * 1_448.0 / 1_500.0;
        // What waited beyond a gap at the beginning counts as well.
        assert!(rate < 1.01 * most && rate > 0.97 * most, "{recovery:?}: {rate} of {most}");
        assert!(path.drops > 0);
        assert_eq!(path.ends[0].counters().timeouts, 0, "{recovery:?}");
    }
}

#[test]
fn after_a_silence_a_connection_goes_on_within_as_long_a_time() {
    for recovery in EVERY {
        for length in [1, 10, 50] {
            let from = at(2_000);
            let until = from + Duration::from_secs(length);
            let mut path =
                Path::new(recovering(recovery), 10_000_000, Duration::from_millis(20), 100).with(
                    move |now, _, _| {
                        let silent = (from..until).contains(&now);
                        if silent { vec![] } else { vec![Duration::ZERO] }
                    },
                );
            path.open(u64::MAX);
            path.run_until(until);
            let before = path.ends[1].counters().received_bytes;
            // Each wait is twice the one before: none is longer than all before it,
            // and a timeout; two more for what is lost besides.
            path.run_until(until + Duration::from_secs(length + 3));
            let after = path.ends[1].counters().received_bytes;
            assert!(after > before + 1_448, "{recovery:?}, {length} s");
        }
    }
}

#[test]
fn a_receiver_that_never_reads_stops_the_sender_when_its_buffer_is_full() {
    for recovery in EVERY {
        let buffer = 100_000;
        let settings = TcpSettings {
            socket: Socket { reading: Reading::AsTaken, ..Socket::default() },
            buffers: Buffers { send: 1 << 30, ..Buffers::with_receive(buffer) },
            ..recovering(recovery)
        };
        let mut path = Path::new(settings, 10_000_000, Duration::from_millis(20), 100);
        path.open(u64::MAX);
        path.run_until(at(10_000));
        let received = path.ends[1].counters().received_bytes;
        assert!(received <= buffer && received + 1_448 > buffer, "{recovery:?}: {received}");
        let sent = path.ends[0].counters().segments;
        path.run_until(at(1_000_000));
        assert_eq!(path.ends[0].counters().segments, sent, "{recovery:?}: only questions");
        assert_eq!(path.ends[0].counters().timeouts, 0);
        assert!(path.ends[0].next_wake().is_some(), "it goes on asking");
    }
}

#[test]
fn packets_that_come_twice_do_no_harm_with_sack() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut path =
            Path::new(recovering(recovery), 10_000_000, Duration::from_millis(20), 1 << 20)
                .with(|_, _, _| vec![Duration::ZERO, Duration::from_micros(100)]);
        transfer(&mut path, 3_000_000);
        let counters = path.ends[0].counters();
        assert_eq!((counters.retransmissions, counters.decreases), (0, 0), "{recovery:?}");
    }
}

#[test]
fn rack_bears_reordering_that_counting_takes_for_losses() {
    // Every tenth packet comes 5 ms late, of a least round trip of 40 ms.
    let reordering = |recovery| {
        let mut number = 0;
        let mut path =
            Path::new(recovering(recovery), 50_000_000, Duration::from_millis(20), 1 << 20).with(
                move |_, there, segment| {
                    number += u64::from(there && segment.length > 0);
                    let late = there && number % 10 == 0;
                    vec![if late { Duration::from_millis(5) } else { Duration::ZERO }]
                },
            );
        path.open(10_000_000);
        path.run_until(at(500));
        let before = path.ends[0].counters().retransmissions;
        path.run_until(at(60_000));
        assert_eq!(path.ends[1].counters().received_bytes, 10_000_000);
        path.ends[0].counters().retransmissions - before
    };
    assert_eq!(reordering(Recovery::Rack), 0);
    assert!(reordering(Recovery::Sack) > 0);
}

#[test]
fn both_directions_repair_their_losses_at_once_without_timeouts() {
    let mut random = random();
    let settings = TcpSettings {
        acknowledgements: Acknowledgements { every: 1, ..Acknowledgements::default() },
        ..recovering(Recovery::Rack)
    };
    let mut path = Path::new(settings, 50_000_000, Duration::from_millis(20), 1 << 20).with(
        move |_, _, segment| {
            // Only data is lost, one in a hundred.
            let lost = segment.length > 0 && random.happens(0.01);
            if lost { vec![] } else { vec![Duration::ZERO] }
        },
    );
    path.open(3_000_000);
    path.act(1, |it, now, outbox| it.write(now, 3_000_000, outbox));
    path.run_until(at(120_000));
    for end in &path.ends {
        assert_eq!(end.counters().received_bytes, 3_000_000);
        assert!(end.counters().timeouts <= 1, "{:?}", end.counters());
    }
}

#[test]
fn sequence_numbers_wrap_in_a_transfer_of_more_than_4_gib() {
    for recovery in [Recovery::NewReno, Recovery::Rack] {
        let mut random = random();
        let settings = TcpSettings { maximum_segment: 60_000, ..recovering(recovery) };
        let mut path = Path::new(settings, 100_000_000_000, Duration::from_micros(50), 1 << 20)
            .with(move |_, _, segment| {
                let lost = segment.length > 0 && random.happens(0.001);
                if lost { vec![] } else { vec![Duration::ZERO] }
            });
        transfer(&mut path, 5 << 30);
        assert!(path.ends[0].counters().retransmissions > 0, "{recovery:?}");
    }
}

#[test]
fn packets_leave_at_the_controllers_rate() {
    for name in ["bbr1", "bbr3"] {
        let mut settings = with_window(Recovery::Rack, 10.0);
        settings.controller = controller(name);
        let mut it = Script::connected(&settings, 100, 1_000);
        let rate = it.end.controller().and_then(Controller::pacing_rate).expect("it paces");
        it.until(180);
        let times: Vec<f64> = it.all().iter().map(|it| it.time.as_seconds()).collect();
        assert!(times.len() > 5, "{name}");
        for pair in times.windows(2) {
            assert!((pair[1] - pair[0] - 1.0 / rate).abs() < 1e-9, "{name}: {times:?}, {rate}");
        }
    }
}

#[test]
fn delivery_rate_samples_tell_the_rate_of_the_bottleneck() {
    // BBR's pacing rate is the largest sample times a gain of at most 1.25 once it
    // has found the rate, and of at least 0.75.
    let mut path = Path::new(settings("bbr1"), 10_000_000, Duration::from_millis(20), 100);
    path.open(u64::MAX);
    path.run_until(at(3_000));
    let most = 10_000_000.0 / 8.0 / 1_500.0;
    for now in (3_000..9_000).step_by(10) {
        path.run_until(at(now));
        let rate = path.ends[0].controller().and_then(Controller::pacing_rate).expect("it paces");
        assert!((0.7 * most..1.3 * most).contains(&rate), "{rate} of {most} at {now} ms");
    }
}

fn random() -> Random {
    Streams::new(1, 0).stream("loss")
}

/// Nanoseconds a segment with this many in flight, one in twenty of which is lost.
fn cost(in_flight: u32) -> f64 {
    let mut random = random();
    let mut settings = settings("fixed");
    let window = windtunnel_controllers::Value::Number(f64::from(in_flight));
    settings.controller.set("window", window).expect("a window");
    let rate = 1_000_000_000;
    let round = f64::from(in_flight) * 1_500.0 * 8.0 / rate as f64;
    let delay = Duration::from_seconds(round / 2.0).expect("a time");
    let mut path = Path::new(settings, rate, delay, 1 << 20).with(move |_, there, segment| {
        let lost = there && segment.length > 0 && random.happens(0.05);
        if lost { vec![] } else { vec![Duration::ZERO] }
    });
    path.open(u64::MAX);
    let mut measured = None;
    // Ten round trips to fill the path, then as many segments for all.
    path.run_until(Time::ZERO + Duration::from_seconds(10.0 * round).expect("a time"));
    let sent = path.ends[0].counters().segments;
    let started = std::time::Instant::now();
    while measured.is_none() {
        let later = path.now + Duration::from_millis(10);
        path.run_until(later);
        let more = path.ends[0].counters().segments - sent;
        if more > 300_000 {
            measured = Some(started.elapsed().as_nanos() as f64 / more as f64);
        }
    }
    measured.expect("measured")
}

#[test]
#[ignore = "takes the time; run by itself, with --release"]
fn an_acknowledgement_costs_as_much_with_ten_thousand_in_flight_as_with_a_hundred() {
    let (few, many) = (cost(100), cost(10_000));
    println!("{few:.0} ns a segment with 100 in flight, {many:.0} ns with 10,000");
    assert!(many < 3.0 * few, "{many} ns against {few}");
}
