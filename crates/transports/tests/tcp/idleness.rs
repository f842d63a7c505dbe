//! What becomes of the window when the application pauses, or does not use it: RFC 5681,
//! section 4.1; RFC 2861; RFC 7661.

use windtunnel_controllers::Controller;
use windtunnel_engine::Duration;
use windtunnel_transports::tcp::{Idleness, Recovery, TcpSettings};

use crate::path::{self, Path};
use crate::script::{Script, ack, at, controller, with_window};

/// The smallest timeout; round trips are 100 ms and constant, so that it is the timeout.
const TIMEOUT: u64 = 1_000;

fn keeping(after_idleness: Idleness) -> TcpSettings {
    let mut settings = with_window(Recovery::Rack, 10.0);
    settings.window.after_idleness = after_idleness;
    settings
}

/// A sender whose window has grown to 80 segments; all is acknowledged at 500 ms.
fn grown(settings: &TcpSettings) -> Script {
    let mut it = Script::connected(settings, 100, 10 + 20 + 40);
    for (round, acknowledged) in [(2, 10), (3, 30), (4, 70)] {
        it.receive(100 * round, ack(acknowledged));
    }
    it.all();
    assert_eq!(it.cwnd(), 80.0);
    it
}

/// What it sends at once if it writes again after so long.
fn burst_after(settings: &TcpSettings, milliseconds: u64) -> (usize, f64, f64) {
    let mut it = grown(settings);
    // The last segment was sent at 300 ms.
    it.until(300 + milliseconds);
    it.write(1_000_000);
    (it.sent().len(), it.cwnd(), it.ssthresh())
}

#[test]
fn a_window_restarts_after_a_timeout_of_idleness() {
    let settings = keeping(Idleness::Restart);
    assert_eq!(burst_after(&settings, TIMEOUT), (80, 80.0, f64::INFINITY), "not longer");
    assert_eq!(burst_after(&settings, TIMEOUT + 1), (10, 10.0, f64::INFINITY));
    assert_eq!(burst_after(&settings, 100 * TIMEOUT), (10, 10.0, f64::INFINITY));
}

#[test]
fn a_window_decays_by_half_for_each_timeout_of_idleness() {
    let settings = keeping(Idleness::Decay);
    for (timeouts, window) in [(1, 40), (2, 20), (3, 10), (4, 10), (1_000, 10)] {
        let (burst, cwnd, _) = burst_after(&settings, timeouts * TIMEOUT + 1);
        assert_eq!((burst, cwnd), (window, window as f64), "after {timeouts} timeouts");
    }
}

/// RFC 2861: the threshold remembers three quarters of the window.
#[test]
fn a_decayed_window_returns_in_slow_start() {
    let mut it = grown(&keeping(Idleness::Decay));
    it.write(120_000);
    // One of 80 is lost: the window is 40, and grows to 41 in a round trip.
    it.receive(500, ack(70).sack(71..150));
    it.receive(600, ack(150));
    it.receive(700, ack(190));
    let (before, threshold) = (it.cwnd(), it.ssthresh());
    assert!(before > 40.0 && before <= 42.0 && threshold == 40.0, "{before}");
    it.until(60_000);
    it.write(1_000_000);
    assert_eq!((it.cwnd(), it.ssthresh()), (10.0, threshold.max(0.75 * before)));
}

#[test]
fn a_window_that_is_kept_is_kept() {
    assert_eq!(burst_after(&keeping(Idleness::Keep), 3_600_000).1, 80.0);
}

#[test]
fn a_window_that_never_grew_does_not_shrink() {
    for after_idleness in [Idleness::Restart, Idleness::Decay, Idleness::Validate] {
        let mut it = Script::connected(&keeping(after_idleness), 100, 4);
        it.receive(200, ack(4));
        it.until(60_000);
        it.write(1_000_000);
        assert_eq!(it.cwnd(), 10.0);
    }
}

/// A model of the path does not depend on the window.
#[test]
fn bbr_goes_on_with_its_window() {
    for name in ["bbr1", "bbr3"] {
        let settings = TcpSettings { controller: controller(name), ..keeping(Idleness::Restart) };
        let mut it = Script::connected(&settings, 100, 70);
        for (round, acknowledged) in [(2, 10), (3, 30), (4, 70)] {
            it.receive(100 * round, ack(acknowledged));
            it.until(100 * round + 99);
        }
        let before = it.cwnd();
        it.until(60_000);
        it.write(1_000_000);
        assert!(before > 10.0);
        assert_eq!(it.cwnd(), before, "{name}");
    }
}

/// RFC 7661, section 4.4: kept for five minutes, then halved, not below the initial window.
#[test]
fn a_window_that_is_validated_lasts_five_minutes() {
    let settings = keeping(Idleness::Validate);
    let mut it = grown(&settings);
    for (minute, window) in [(1, 80.0), (4, 80.0), (7, 40.0), (11, 40.0), (13, 20.0), (50, 10.0)] {
        // A segment now and then shows that the window is not in use.
        it.until(60_000 * minute);
        let next = 70 + it.end.counters().segments - 70;
        it.write(1_000);
        it.receive(60_000 * minute + 100, ack(next + 1));
        it.write(1_000);
        it.receive(60_000 * minute + 200, ack(next + 2));
        if minute != 50 {
            assert_eq!(it.cwnd(), window, "at {minute} minutes");
        }
        assert!(it.cwnd() >= 10.0);
    }
}

/// RFC 7661, section 4.4.1: a decrease is one of what was in use.
#[test]
fn a_loss_where_little_of_the_window_is_in_use_leaves_half_of_that() {
    let windows = [Idleness::Keep, Idleness::Validate].map(|after_idleness| {
        let mut it = grown(&keeping(after_idleness));
        let mut next = 70;
        for round in 0..50 {
            it.write(10_000);
            it.receive(500 + 100 * round, ack(next + 10));
            next += 10;
        }
        it.write(10_000);
        it.receive(5_500, ack(next).sack(next + 1..next + 10));
        it.receive(5_600, ack(next + 10));
        it.cwnd().floor()
    });
    assert_eq!(windows, [40.0, 5.0]);
}

/// A path of 100 Mbps and 40 ms, over which a server answers with this many bytes every two
/// seconds.
fn answers(name: &str, bytes: u64, count: usize) -> Path<'static> {
    answers_over(40, name, bytes, count)
}

/// The same over a path of this many milliseconds, whose queue holds what it carries in them.
fn answers_over(rtt: u64, name: &str, bytes: u64, count: usize) -> Path<'static> {
    let settings = path::settings(name);
    let room = (RATE * rtt as f64 / 1_000.0) as usize;
    let mut path = Path::new(settings, 100_000_000, Duration::from_millis(rtt / 2), room);
    path.open(bytes);
    for answered in 1..=count as u64 {
        path.run_until(at(2_000 * answered));
        assert_eq!(path.ends[1].counters().received_bytes, answered * bytes);
        if answered < count as u64 {
            path.now = at(2_000 * answered);
            path.act(0, |it, now, outbox| it.write(now, bytes, outbox));
        }
    }
    path
}

/// Segments of 1,500 bytes that the path carries a second.
const RATE: f64 = 100_000_000.0 / 8.0 / 1_500.0;

/// The end of each answer is limited by the application, its middle is not: the model learns
/// what the path carries.
#[test]
fn bbr_leaves_startup_after_a_few_answers_of_3_mb() {
    for name in ["bbr1", "bbr3"] {
        let path = answers(name, 3_000_000, 4);
        let controller = path.ends[0].controller().expect("it sent data");
        let rate = controller.pacing_rate().expect("it paces");
        assert!((0.7 * RATE..1.3 * RATE).contains(&rate), "{name}: {rate} of {RATE}");
        assert!(controller.cwnd() < 3.5 * RATE * 0.04 + 100.0, "{name}: {}", controller.cwnd());
    }
}

/// What startup loses at the end of an answer is sent again at the rate of the path, although
/// the application has written its last byte: startup ends, and later answers lose nothing.
#[test]
fn bbr_leaves_startup_on_answers_whose_end_is_lost() {
    for name in ["bbr1", "bbr3"] {
        let few = answers_over(100, name, 3_000_000, 3).drops;
        let many = answers_over(100, name, 3_000_000, 8).drops;
        assert!(few > 0, "{name}: startup overflows the queue");
        assert_eq!(many, few, "{name}: lost in eight answers and in three");
    }
}

/// What was idle for longer than a probe for the round trip is due has measured it as well as
/// the probe would: sending goes on at the bandwidth.
#[test]
fn bbr_does_not_probe_for_the_round_trip_after_idleness() {
    for name in ["bbr1", "bbr3"] {
        let mut path = answers(name, 3_000_000, 6);
        path.now = at(32_000);
        path.act(0, |it, now, outbox| it.write(now, 3_000_000, outbox));
        let mut milliseconds = 0;
        while path.ends[0].unacknowledged() > 0 {
            milliseconds += 1;
            path.run_until(at(32_000 + milliseconds));
            let cwnd = path.ends[0].controller().expect("it sends").cwnd();
            assert!(cwnd > 100.0, "{name}: a window of {cwnd} after {milliseconds} ms");
            assert!(milliseconds < 10_000);
        }
        let took = milliseconds as f64 * 1e-3;
        let least = 3_000_000.0 / (RATE * 1_448.0) + 0.04;
        assert!(took < 1.15 * least, "{name}: {took} s, at least {least}");
    }
}
