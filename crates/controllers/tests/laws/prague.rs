//! TCP Prague against its response to marks.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Acknowledgement, Controller, Signal, Value};

const BOUND: [(&str, Value<'_>); 1] = [("rtt-independence", Value::Flag(false))];

/// The mean rate of a connection whose data is marked at random.
fn rate(share: f64, rtt: u64, values: &[(&str, Value<'_>)]) -> f64 {
    let mut path = Path::new(1_000_000, 1e9, Treatment::Mark(share));
    path = path.flow("prague", rtt, 0, values);
    path.run_until(50 * SECOND);
    path.watch(300 * SECOND).rate()
}

/// A mark costs `w p / 2`; until the next counts, a round trip and `1 / p`
/// segments on average, the window grows by `(1 - p) / w` for each: with
/// `x = w p`, `x^2 / 2 = (1 - p) (1 + x)`. Were every round trip marked, it would be
/// `w = 2 / p`.
#[test]
fn prague_is_inverse_to_the_share_of_marks() {
    for share in [0.005, 0.01, 0.02, 0.05] {
        let unmarked = 1.0 - share;
        let law = unmarked + f64::sqrt(unmarked * unmarked + 2.0 * unmarked);
        close(rate(share, SECOND / 20, &BOUND) / 20.0 * share, law, 0.06);
    }
}

/// Without it, the rate is inverse to the round trip.
#[test]
fn prague_on_short_paths_is_as_fast_as_on_one_of_25_milliseconds() {
    let long = rate(0.02, SECOND / 40, &[]);
    let short = rate(0.02, SECOND / 200, &[]);
    assert!(short / long < 1.5 && short / long > 0.67, "{short} and {long}");
    close(rate(0.02, SECOND / 200, &BOUND) / long, 5.0, 0.05);
}

#[test]
fn prague_grows_by_unmarked_segments_alone_also_after_a_mark() {
    let mut drive = Drive::after_loss("prague", 100.0, &BOUND);
    for (marked, growth) in [(0.0, 1.0), (1.0, 0.0)] {
        let before = drive.cwnd();
        drive.controller.on_acknowledgement(&Acknowledgement {
            delivered: 1.0,
            marked,
            window_limited: true,
            ..Acknowledgement::default()
        });
        close(1.0 + drive.cwnd() - before, 1.0 + growth / before, 1e-12);
    }
}

#[test]
fn prague_paces_a_window_a_round_trip_and_twice_that_far_from_its_threshold() {
    let mut drive = Drive::new("prague", 10.0);
    drive.acknowledge(1.0);
    close(drive.controller.pacing_rate().unwrap(), 2.0 * 11.0 / 0.1, 1e-12);
    drive.congest(Signal::Mark);
    drive.acknowledge(1.0);
    close(drive.controller.pacing_rate().unwrap(), drive.cwnd() / 0.1, 1e-12);
}

/// RTT independence begins 500 rounds after slow start: on a path of 5 ms the growth is then
/// `(5 / 25)^2` segments a round trip. Rounds in slow start do not count.
#[test]
fn prague_becomes_independent_of_the_round_trip_500_rounds_after_slow_start() {
    let mut drive = Drive::with("prague", 100.0, &[]).on_path(SECOND / 200);
    let round = |drive: &mut Drive, segments: f64| {
        drive.begin_round();
        drive.acknowledge(segments);
    };
    (0..600).for_each(|_| round(&mut drive, 1e-9));
    drive.congest(Signal::Loss);
    (0..499).for_each(|_| round(&mut drive, 1e-9));
    close(drive.growth(), 1.0, 1e-6);
    round(&mut drive, 1e-9);
    close(drive.growth(), 0.04, 1e-6);
}

/// Then marks are answered once in 25 ms at most, as on a path as long; before, once in a round
/// trip, which the transport sees to.
#[test]
fn prague_on_short_paths_answers_marks_once_in_25_milliseconds() {
    for (settled, answers) in [(false, 6), (true, 2)] {
        let mut drive = Drive::with("prague", 1000.0, &[]).on_path(SECOND / 200);
        drive.congest(Signal::Loss);
        for _ in 0..if settled { 500 } else { 100 } {
            drive.begin_round();
            drive.acknowledge(1e-9);
        }
        let mut decreases = 0;
        for _ in 0..6 {
            let before = drive.cwnd();
            drive.congest(Signal::Mark);
            decreases += u32::from(drive.cwnd() < before);
            drive.now += SECOND / 200;
        }
        assert_eq!(decreases, answers, "settled: {settled}");
    }
}

const FALLBACK: [(&str, Value<'_>); 1] = [("classic-ecn-fallback", Value::Flag(true))];

/// What a mark leaves of the window after this many round trips of 100 ms. The queue goes from
/// `queue.0` to `queue.1` nanoseconds in each of them, but is empty in the first one, whose
/// first segment is marked: the marked share has come down to nothing since.
fn left(values: &[(&str, Value<'_>)], queue: (f64, f64), rounds: u32) -> f64 {
    let mut drive = Drive::after_loss("prague", 100.0, values);
    for round in 0..rounds {
        for segment in 0..50 {
            let (least, most) = if round == 0 { (0.0, 0.0) } else { queue };
            let waits = least + (most - least) * f64::from(segment) / 49.0;
            drive.now += SECOND / 10 / 50;
            drive.rtt = SECOND / 10 + waits as u64;
            drive.controller.on_acknowledgement(&Acknowledgement {
                now: drive.now,
                delivered: 1.0,
                marked: f64::from(u8::from(round == 0 && segment == 0)),
                rtt: Some(drive.rtt),
                smoothed_rtt: Some(drive.rtt),
                round_ended: segment == 0,
                ..Acknowledgement::default()
            });
        }
    }
    let before = drive.cwnd();
    drive.congest(Signal::Mark);
    drive.cwnd() / before
}

/// The mean deviation is a quarter of the queue's range. Means are over hundreds of
/// segments: a mark costs 5/16 once they have followed.
#[test]
fn prague_falls_back_where_the_queue_is_deep_or_varies() {
    let millisecond = 1e6;
    let classic = 1.0 - 0.625 / 2.0;
    for (queue, falls_back) in [
        // 500 us: an L4S queue, unless it is 11 ms deep.
        ((0.0, 2.0), false),
        ((1.0, 3.0), false),
        ((10.0, 12.0), true),
        // 0.8 and 1 ms: a classic one, however shallow.
        ((0.0, 3.2), true),
        ((0.0, 4.0), true),
        // 250 us, and only 3 ms deep.
        ((2.5, 3.5), false),
    ] {
        let queue = (queue.0 * millisecond, queue.1 * millisecond);
        let left = left(&FALLBACK, queue, 1_000);
        if falls_back {
            close(left, classic, 1e-9);
        } else {
            assert!(left > 0.999, "{queue:?}: {left}");
        }
    }
}

#[test]
fn prague_falls_back_neither_at_once_nor_by_default() {
    let queue = (0.0, 2e7);
    assert_eq!(left(&FALLBACK, queue, 3), left(&[], queue, 3));
    assert!(left(&[], queue, 1_000) > 0.999);
}
