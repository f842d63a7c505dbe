//! Goodput and delay over the bottleneck.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_controllers::Controller as _;
use windtunnel_quinn::WindtunnelFactory;

use crate::bottleneck::{HEADERS, LinkSettings};
use crate::connection::{DELAY, RATE, Run, bottleneck};
use crate::endpoints::{MTU, Sending};
use crate::quic::Controller as _;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The rate without the headers of UDP and IP.
fn most() -> f64 {
    RATE as f64 * f64::from(MTU) / (f64::from(MTU) + HEADERS as f64)
}

#[test]
fn the_link_is_filled_and_no_more() {
    for name in ["cubic", "bbr3", "copa", "bbr1", "new-reno", "vegas"] {
        let mut run = Run::of(name);
        run.until(seconds(5));
        let measured = run.measure(seconds(35));
        let share = measured.goodput / most();
        assert!((0.85..1.0).contains(&share), "{name}: {share}");
    }
}

/// The whole queue takes 39.7 ms: what fills it until it overflows keeps it half full, and what
/// does not wants less than a quarter.
#[test]
fn the_queue_is_full_or_small_as_the_controller_wants_it() {
    for (name, fills) in [("cubic", true), ("bbr3", false), ("copa", false), ("vegas", false)] {
        let mut run = Run::of(name);
        run.until(seconds(5));
        let measured = run.measure(seconds(35));
        let bounds = if fills { 15..40 } else { 0..10 };
        let waited = measured.waited.as_millis();
        assert!(bounds.contains(&waited), "{name}: {:?}", measured.waited);
        assert_eq!(measured.drops > 0, fills, "{name}: {} drops", measured.drops);
    }
}

#[test]
fn models_find_the_rate_and_the_round_trip() {
    for name in ["bbr1", "bbr3"] {
        let mut run = Run::of(name);
        run.until(seconds(20));
        let estimate = run.controller().controller().estimate().expect("it has one by now");
        let rate = 8.0 * f64::from(MTU) * estimate.bandwidth;
        assert!((rate / most() - 1.0).abs() < 0.05, "{name}: {rate}");
        let round_trip = Duration::from_nanos(estimate.round_trip);
        let excess = round_trip.checked_sub(2 * DELAY).expect("none is shorter");
        assert!(excess < Duration::from_millis(3), "{name}: {round_trip:?}");
    }
}

/// A queue that marks before it is full: one signal a round trip, and nothing is lost.
#[test]
fn marks_keep_the_queue_short_without_losses() {
    let link = LinkSettings { mark: Some(20), limit: 1000, ..bottleneck() };
    let factory = WindtunnelFactory::named("new-reno", &[]).expect("it is not refused");
    let mut run = Run::new(Arc::new(factory), link, Sending::Always);
    run.until(seconds(5));
    let measured = run.measure(seconds(35));
    assert_eq!(measured.drops, 0);
    assert!(measured.marks > 0);
    assert!(measured.waited < Duration::from_millis(15), "{:?}", measured.waited);
    assert!(measured.goodput > 0.85 * most(), "{}", measured.goodput);
}

/// A fifth of the rate in bursts with idleness between: all of it arrives, whatever the
/// controller estimates meanwhile.
#[test]
fn what_the_application_sends_in_periods_arrives() {
    for name in ["cubic", "bbr3", "copa"] {
        let period = Duration::from_millis(500);
        let bytes = (RATE / 8 / 10) as usize;
        let factory = WindtunnelFactory::named(name, &[]).expect("it is not refused");
        let sending = Sending::Periods { bytes, period };
        let mut run = Run::new(Arc::new(factory), bottleneck(), sending);
        run.until(seconds(1));
        let measured = run.measure(seconds(21));
        let offered = 8.0 * bytes as f64 / period.as_secs_f64();
        assert!((measured.goodput / offered - 1.0).abs() < 0.06, "{name}: {}", measured.goodput);
    }
}

/// quinn begins with 1200 bytes and finds 1452: a window is then in those, and a model's still
/// in the segments that it has measured in.
#[test]
fn the_link_is_filled_also_when_packets_become_larger() {
    const INITIAL: u16 = 1200;
    for (name, segment) in [("cubic", MTU), ("bbr3", INITIAL)] {
        let factory = Arc::new(WindtunnelFactory::named(name, &[]).expect("it is not refused"));
        let mut run = Run::with_mtu(INITIAL, factory, bottleneck(), Sending::Always);
        run.until(seconds(5));
        let share = run.measure(seconds(20)).goodput / most();
        assert!((0.85..1.0).contains(&share), "{name}: {share}");
        let controller = run.controller();
        let bytes = controller.metrics().congestion_window as f64;
        assert_eq!(bytes, (controller.controller().cwnd() * f64::from(segment)).floor(), "{name}");
    }
}

#[test]
fn two_runs_are_the_same() {
    let run = || {
        let mut run = Run::of("bbr3");
        let measured = run.measure(seconds(10));
        (measured, run.counters())
    };
    assert_eq!(run(), run());
}
