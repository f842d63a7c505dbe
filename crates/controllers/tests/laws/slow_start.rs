//! Slow start's threshold before the first congestion signal, for every controller.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Controller, DESCRIPTIONS, Settings, Start,
};

/// Those that have no threshold.
const WITHOUT: [&str; 5] = ["bbr1", "bbr3", "c-mpbbr", "copa", "fixed"];
const THRESHOLD: f64 = 40.0;
const MILLISECOND: u64 = 1_000_000;

fn controller(name: &str, initial_ssthresh: f64) -> AnyController {
    let description = *DESCRIPTIONS.iter().find(|it| it.name == name).expect("a name");
    let start =
        Start { initial_window: 10.0, minimum_window: 2.0, restart_window: 1.0, initial_ssthresh };
    AnyController::new(start, &Settings::defaults(description))
}

/// Delivers a window in each of `rounds` round trips of 100 ms, which no queue prolongs;
/// returns the window after each acknowledgement of a segment.
fn windows(it: &mut AnyController, rounds: u64) -> Vec<f64> {
    let mut windows = Vec::new();
    for round in 1..=rounds {
        let window = it.cwnd();
        for segment in 0..window as u64 {
            it.on_acknowledgement(&Acknowledgement {
                now: round * 100 * MILLISECOND + segment,
                acknowledged: 1.0,
                delivered: 1.0,
                rtt: Some(100 * MILLISECOND),
                smoothed_rtt: Some(100 * MILLISECOND),
                in_flight: window,
                round_ended: segment == 0,
                window_limited: true,
                ..Acknowledgement::default()
            });
            windows.push(it.cwnd());
        }
    }
    windows
}

fn with_threshold() -> impl Iterator<Item = &'static str> {
    DESCRIPTIONS.iter().map(|it| it.name).filter(|it| !WITHOUT.contains(it))
}

#[test]
fn the_first_slow_start_is_as_without_a_threshold_until_it_reaches_the_initial_one() {
    for name in with_threshold() {
        let free = windows(&mut controller(name, f64::INFINITY), 4);
        let bounded = windows(&mut controller(name, THRESHOLD), 4);
        let reached = free.iter().position(|&it| it >= THRESHOLD).unwrap_or(free.len());
        assert_eq!(free[..reached], bounded[..reached], "{name}");
    }
}

#[test]
fn beyond_the_initial_threshold_windows_grow_less_than_in_slow_start() {
    for name in with_threshold() {
        let (mut free, mut bounded) =
            (controller(name, f64::INFINITY), controller(name, THRESHOLD));
        assert_eq!(bounded.ssthresh(), THRESHOLD, "{name}");
        windows(&mut free, 3);
        windows(&mut bounded, 3);
        let (free, bounded) = (free.cwnd(), bounded.cwnd());
        // Some end slow start themselves before.
        assert!(free < 1.5 * THRESHOLD || bounded < free, "{name}: {bounded} of {free}");
    }
}

#[test]
fn beyond_the_initial_threshold_reno_grows_by_a_segment_in_a_round_trip() {
    let mut it = controller("reno", THRESHOLD);
    windows(&mut it, 2);
    assert_eq!(it.cwnd(), THRESHOLD);
    windows(&mut it, 10);
    assert!((it.cwnd() - THRESHOLD - 10.0).abs() < 0.5, "{}", it.cwnd());
}

#[test]
fn a_controller_without_a_threshold_ignores_the_initial_one() {
    for name in WITHOUT {
        let (mut free, mut bounded) =
            (controller(name, f64::INFINITY), controller(name, THRESHOLD));
        assert_eq!(windows(&mut free, 8), windows(&mut bounded, 8), "{name}");
        assert_eq!(bounded.ssthresh(), f64::INFINITY, "{name}");
    }
}

#[test]
fn an_initial_threshold_is_not_below_the_minimum_window() {
    for name in with_threshold() {
        assert!(controller(name, 0.5).ssthresh() >= 2.0, "{name}");
    }
}
