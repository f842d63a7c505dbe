//! The window of a controller over a path that loses a segment whenever more than 100 are in flight.
//!
//! ```console
//! $ cargo run -p windtunnel-controllers --example window -- cubic
//! ```
//!
//! A transport does the same with its own acknowledgements and losses.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Nanoseconds, Settings,
    Signal, Start,
};

const ROUND_TRIP: Nanoseconds = 50_000_000;
const CAPACITY: f64 = 100.0;
const START: Start = Start {
    initial_window: 10.0,
    minimum_window: 2.0,
    restart_window: 1.0,
    initial_ssthresh: f64::INFINITY,
};

/// A round trip: each segment of the window is acknowledged, and at its end one may be lost.
fn round_trip(controller: &mut AnyController, start: Nanoseconds) {
    let segments = controller.cwnd().floor().max(1.0);
    for segment in 1..=segments as u64 {
        controller.on_acknowledgement(&Acknowledgement {
            now: start + ROUND_TRIP * segment / segments as u64,
            acknowledged: 1.0,
            delivered: 1.0,
            rtt: Some(ROUND_TRIP),
            smoothed_rtt: Some(ROUND_TRIP),
            in_flight: segments,
            round_ended: segment == 1,
            window_limited: true,
            ..Acknowledgement::default()
        });
    }
    if controller.cwnd() > CAPACITY {
        let (now, in_flight) = (start + ROUND_TRIP, controller.cwnd());
        controller.on_congestion(&Congestion { now, signal: Signal::Loss, in_flight });
        controller.on_recovered(now);
    }
}

/// The window after each round trip, in segments.
fn windows(settings: &Settings, rounds: u64) -> Vec<f64> {
    let mut controller = AnyController::new(START, settings);
    let mut after = |round| {
        round_trip(&mut controller, round * ROUND_TRIP);
        controller.cwnd()
    };
    (0..rounds).map(&mut after).collect()
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "reno".to_owned());
    let Some(description) = DESCRIPTIONS.iter().find(|it| it.name == name) else {
        let known: Vec<&str> = DESCRIPTIONS.iter().map(|it| it.name).collect();
        eprintln!("unknown controller `{name}`\nhelp: known: {}", known.join(", "));
        std::process::exit(2);
    };
    for (round, window) in windows(&Settings::defaults(description), 100).iter().enumerate() {
        println!("{round:3} {window:6.1} {}", "#".repeat((window / 2.0) as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5681: half the flight size after a loss, then one segment more each round trip.
    #[test]
    fn reno_draws_a_sawtooth() {
        let reno = DESCRIPTIONS.iter().find(|it| it.name == "reno").expect("it is registered");
        let windows = windows(&Settings::defaults(reno), 200);
        let losses: Vec<usize> = (1..200).filter(|it| windows[*it] < windows[it - 1]).collect();
        assert!(losses.len() > 2, "{windows:?}");
        for pair in losses[1..].windows(2) {
            let (first, last) = (windows[pair[0]], windows[pair[1] - 1]);
            assert!((45.0..55.0).contains(&first) && last <= CAPACITY, "{first} to {last}");
            let rounds = (pair[1] - 1 - pair[0]) as f64;
            assert!(((last - first) / rounds - 1.0).abs() < 0.05, "{}", (last - first) / rounds);
        }
    }
}
