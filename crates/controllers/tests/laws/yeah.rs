//! YeAH-TCP, step by step and by its bounds.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Acknowledgement, Controller, Signal};

/// In avoidance at 800 segments over a path that holds them; a round has measured
/// that it is empty.
fn alone() -> Drive {
    let mut drive = Drive::after_loss("yeah", 800.0 / 0.875, &[]);
    drive.round();
    drive
}

/// One round trip as long as a queue of `segments` makes it, and the beginning of
/// the next, which judges it.
fn queue(drive: &mut Drive, segments: f64) {
    let empty = SECOND as f64 / 10.0;
    drive.rtt = (empty / (1.0 - segments / drive.cwnd())) as u64;
    drive.round();
    drive.begin_round();
    drive.acknowledge(1e-9);
}

/// Scalable: one segment for each hundred.
#[test]
fn yeah_is_scalable_on_an_empty_path() {
    let mut drive = alone();
    let before = drive.cwnd();
    drive.rounds(10);
    close(drive.cwnd(), before * f64::exp(0.1), 0.002);
    close(drive.kept(), 0.875, 1e-9);
}

/// `w_max = 0.08 / p`, as Scalable's.
#[test]
fn yeah_has_scalables_response_function_without_a_queue() {
    for loss in [1e-4, 1e-5] {
        let saw = Drive::new("yeah", 500.0).sawtooth(loss, 60);
        close(saw.maximum, 0.08 / loss, 0.02);
        close(saw.mean, 0.07489 / loss, 0.02);
    }
}

/// A queue of an eighth of the round trip, but fewer than 80 segments.
#[test]
fn yeah_is_reno_once_the_queue_delays() {
    let mut drive = Drive::after_loss("yeah", 400.0 / 0.875, &[]);
    drive.round();
    queue(&mut drive, 60.0);
    close(drive.growth(), 1.0, 1e-6);
}

/// More than 80 segments queued: they are taken out of the window immediately.
#[test]
fn yeah_takes_its_queue_away() {
    let mut drive = alone();
    let before = drive.cwnd() * 1.01; // it grows in the round that builds the queue
    queue(&mut drive, 100.0);
    close(before - drive.cwnd(), 100.0, 0.1);
    assert_eq!(drive.cwnd().floor(), drive.controller.ssthresh().floor());
}

/// Never more than half of the window at once.
#[test]
fn yeah_takes_no_more_than_half_away() {
    let mut drive = alone();
    let before = drive.cwnd() * 1.01;
    queue(&mut drive, 0.9 * before);
    close(drive.cwnd(), before / 2.0, 0.01);
}

/// A loss takes what was queued, within an eighth and half of the window; and
/// half after 16 round trips with a queue that does not go away.
#[test]
fn yeah_gives_up_what_it_had_queued() {
    let mut drive = Drive::after_loss("yeah", 300.0 / 0.875, &[]);
    drive.round();
    queue(&mut drive, 70.0);
    let before = drive.cwnd();
    close(drive.kept(), 1.0 - 70.0 / before, 0.02);
    for _ in 0..16 {
        drive.round();
    }
    close(drive.kept(), 0.5, 1e-9);
}

/// A flow that shares with Reno must not go below what Reno would have.
#[test]
fn yeah_does_not_starve_beside_a_greedy_flow() {
    let mut drive = alone();
    drive.rtt = SECOND / 4;
    drive.rounds(200);
    let [one, two] = [0, 1].map(|_| {
        drive.round();
        drive.cwnd()
    });
    close(two - one, 1.0, 0.05);
    drive.congest(Signal::Loss);
    close(drive.cwnd(), two / 2.0, 1e-9);
}

/// The samples of a recovery are those of the queue that overflowed: as in Linux, the first round trip
/// that counts begins once the window is open again.
#[test]
fn yeah_judges_no_round_that_began_in_a_recovery() {
    let mut drive = alone();
    drive.congest(Signal::Loss);
    let kept = drive.cwnd();
    let mut round = |acknowledged: f64, ends: bool| {
        for sample in 0..4 {
            drive.controller.on_acknowledgement(&Acknowledgement {
                now: drive.now,
                acknowledged,
                delivered: 1.0,
                rtt: Some(SECOND / 5),
                round_ended: ends && sample == 0,
                ..Acknowledgement::default()
            });
        }
        drive.controller.cwnd()
    };
    round(0.0, true);
    round(0.0, false);
    close(round(1e-9, true), kept, 1e-9);
    close(round(1e-9, true), kept / 2.0, 1e-6);
}
