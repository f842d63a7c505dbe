//! Careful Resume against the phases and examples of RFC 9959.

use std::collections::VecDeque;

use proptest::prelude::*;
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, SavedPath, Settings,
    Signal, Start,
};

use crate::drive::{SECOND, close, description};

const RTT: u64 = SECOND / 10;

/// A sender with a controller that resumes, and when what it has in flight was sent.
struct Sender {
    controller: AnyController,
    in_flight: VecDeque<u64>,
    now: u64,
    rtt: u64,
}

impl Sender {
    fn new(name: &str, saved: SavedPath) -> Self {
        let mut settings = Settings::defaults(description(name));
        settings.resume(saved);
        let controller = AnyController::new(Start::default(), &settings);
        Self { controller, in_flight: VecDeque::new(), now: 0, rtt: RTT }
    }

    /// Sends these segments.
    fn send(&mut self, segments: usize) {
        self.in_flight.extend(std::iter::repeat_n(self.now, segments));
    }

    /// The next segments are acknowledged, a round trip after the last of them was sent, or now.
    fn acknowledge(&mut self, segments: usize) {
        self.report(segments, 0);
    }

    fn report(&mut self, delivered: usize, lost: usize) {
        let last = self.in_flight.drain(..delivered + lost).next_back();
        if let Some(sent) = last.filter(|_| delivered > 0) {
            self.now = self.now.max(sent + self.rtt);
        }
        let rtt = last.filter(|_| delivered > 0).map(|it| self.now - it);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: self.now,
            acknowledged: delivered as f64,
            delivered: delivered as f64,
            lost: lost as f64,
            rtt,
            smoothed_rtt: rtt,
            in_flight: self.in_flight.len() as f64,
            window_limited: true,
            ..Acknowledgement::default()
        });
    }

    fn congest(&mut self, signal: Signal) {
        let in_flight = self.in_flight.len() as f64;
        self.controller.on_congestion(&Congestion { now: self.now, signal, in_flight });
    }

    fn cwnd(&self) -> f64 {
        self.controller.cwnd()
    }
}

const SAVED: SavedPath = SavedPath { cwnd: 300.0, rtt: RTT };

/// The beginning of the RFC's examples: 29 packets are in flight when the initial window is
/// acknowledged.
fn confirmed(name: &str, saved: SavedPath) -> Sender {
    let mut sender = Sender::new(name, saved);
    sender.send(10);
    sender.now = 1_000_000;
    sender.send(29);
    sender.acknowledge(10);
    sender.now += 1_000_000;
    sender
}

/// The first example: 150 packets, paced over a round trip; then slow start.
#[test]
fn half_of_the_saved_window_is_taken_up_and_validated() {
    let mut sender = confirmed("reno", SAVED);
    assert_eq!(sender.cwnd(), 150.0);
    close(sender.controller.pacing_rate().unwrap(), 1500.0, 1e-12);
    sender.send(100);
    sender.acknowledge(10);
    assert_eq!(sender.cwnd(), 150.0, "it does not grow while it is unvalidated");
    sender.send(20);
    // One packet more, and all that were sent before are acknowledged.
    sender.acknowledge(20);
    assert_eq!((sender.cwnd(), sender.controller.pacing_rate()), (119.0, None));
    sender.now += 1;
    sender.send(1);
    sender.acknowledge(119);
    assert_eq!(sender.cwnd(), 238.0, "validating, in slow start");
    sender.acknowledge(1);
    assert_eq!(sender.cwnd(), 239.0, "validated");
}

/// The second example: the application has 50 packets; these are what the window becomes.
#[test]
fn what_is_not_used_is_given_back() {
    let mut sender = confirmed("reno", SAVED);
    sender.send(50);
    sender.acknowledge(29);
    assert_eq!(sender.cwnd(), 150.0);
    sender.acknowledge(1);
    assert_eq!(sender.cwnd(), 49.0);
    // With hardly more than before, nothing was resumed, and the window is what was in flight.
    let mut sender = confirmed("reno", SAVED);
    sender.send(5);
    sender.now += RTT;
    sender.acknowledge(6);
    assert_eq!(sender.cwnd(), 29.0);
}

/// The last example: the 35th of the unvalidated packets is lost. 63 were validated then; the window is
/// half of that until all others have arrived, and the threshold half of all.
#[test]
fn after_a_loss_it_retreats_to_half_of_what_was_validated() {
    let mut sender = confirmed("reno", SAVED);
    sender.send(121);
    sender.acknowledge(29);
    sender.acknowledge(34);
    sender.report(0, 1);
    sender.congest(Signal::Loss);
    assert_eq!((sender.cwnd(), sender.controller.ssthresh()), (31.5, 31.5));
    sender.now += 1;
    sender.send(1);
    sender.acknowledge(86);
    assert_eq!(sender.cwnd(), 31.5, "it does not grow");
    sender.acknowledge(1);
    // And one that was sent afterwards.
    assert_eq!((sender.cwnd(), sender.controller.ssthresh()), (31.5, (29.0 + 121.0) / 2.0));
    sender.send(10);
    sender.acknowledge(10);
    assert_eq!(sender.cwnd(), 41.5, "slow start, up to the threshold");
}

/// What congestion, round trips and a small window say against it.
#[test]
fn another_path_is_not_resumed() {
    let saved = |rtt: u64| SavedPath { cwnd: 300.0, rtt };
    for (rtt, is_resumed) in [
        (RTT, true),
        (2 * RTT - 1, true),
        (2 * RTT, false),
        (RTT / 10, true),
        (RTT / 10 - 1, false),
    ] {
        let window = confirmed("reno", saved(rtt)).cwnd();
        assert_eq!(window, if is_resumed { 150.0 } else { 20.0 }, "{rtt}");
    }
    let small = SavedPath { cwnd: 30.0, rtt: RTT };
    assert_eq!(confirmed("reno", small).cwnd(), 20.0);
    for signal in [Signal::Loss, Signal::Mark] {
        let mut sender = Sender::new("reno", SAVED);
        sender.send(20);
        sender.congest(signal);
        sender.acknowledge(10);
        assert!(sender.cwnd() <= 15.0, "{signal:?}: {}", sender.cwnd());
    }
}

/// A shorter round trip on the way ends it as congestion does, and a timeout is one.
#[test]
fn a_path_that_changes_on_the_way_is_left() {
    let mut sender = confirmed("reno", SAVED);
    sender.in_flight.iter_mut().for_each(|it| *it = sender.now);
    sender.rtt = RTT / 2;
    sender.acknowledge(1);
    assert_eq!(sender.cwnd(), 15.0);
    let mut sender = confirmed("reno", SAVED);
    sender.send(50);
    sender.congest(Signal::Timeout);
    assert_eq!((sender.cwnd(), sender.controller.pacing_rate()), (1.0, None));
}

/// A loss that was none: all is as it was before.
#[test]
fn a_spurious_retreat_is_undone() {
    let mut sender = confirmed("cubic", SAVED);
    sender.send(121);
    sender.acknowledge(29);
    sender.acknowledge(11);
    let before = sender.controller.clone();
    sender.congest(Signal::Loss);
    assert!(sender.cwnd() < 30.0);
    sender.controller.on_spurious(&before);
    assert_eq!(sender.cwnd(), before.cwnd());
    sender.acknowledge(1);
    assert!(sender.cwnd() > before.cwnd(), "it is validated further");
}

proptest! {
    /// Whatever comes, with every controller that can: a window that is finite and not below its minimum,
    /// and a rate that is not zero.
    #[test]
    fn any_signals_leave_a_window(
        name in prop::sample::select(
            DESCRIPTIONS
                .iter()
                .filter(|it| Settings::defaults(it).can_resume())
                .map(|it| it.name)
                .collect::<Vec<_>>()
        ),
        saved in 1.0..5000.0_f64,
        steps in prop::collection::vec((0_u8..10, 1_u64..200, 0.0..1.0_f64), 1..200),
    ) {
        let mut sender = Sender::new(name, SavedPath { cwnd: saved, rtt: RTT });
        for (step, milliseconds, share) in steps {
            sender.now += milliseconds * 1_000_000;
            sender.rtt = (20 + milliseconds) * 1_000_000;
            match step {
                0 => sender.congest(Signal::Loss),
                1 => sender.congest(Signal::Mark),
                2 => sender.congest(Signal::Timeout),
                3 => sender.report(0, (share * sender.in_flight.len() as f64) as usize),
                4 => sender.controller.on_recovered(sender.now),
                5..7 => {
                    let room = sender.cwnd().min(1e4) - sender.in_flight.len() as f64;
                    sender.send((share * room).max(0.0) as usize);
                }
                _ => sender.acknowledge((share * sender.in_flight.len() as f64) as usize),
            }
            let window = sender.cwnd();
            prop_assert!(window.is_finite() && window >= 1.0, "{window}");
            prop_assert!(sender.controller.pacing_rate().is_none_or(|it| it > 0.0));
        }
    }
}
