//! Westwood+ against what its path holds.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Controller, Signal, TransmissionStart};

const EMPTY: u64 = SECOND / 10;

/// In avoidance over a path that holds 100 segments, with this window.
fn settled(window: f64) -> Drive {
    let mut drive = Drive::after_loss("westwood", 80.0, &[]);
    while drive.cwnd() < window {
        drive.round_over(100.0, EMPTY);
    }
    drive
}

/// Half while the loss is repaired; then what the path holds, however large the
/// window was.
#[test]
fn westwood_after_a_loss_has_the_window_that_fills_the_path() {
    for window in [130.0, 150.0, 200.0] {
        let mut drive = settled(window);
        close(drive.kept(), 0.5, 1e-12);
        drive.recover();
        close(drive.cwnd(), 100.0, 0.05);
        assert_eq!(drive.cwnd(), drive.controller.ssthresh());
    }
}

/// Where there is no queue the window is what the path was measured to carry: a
/// random loss costs no more than the filters' lag.
#[test]
fn westwood_loses_little_by_a_random_loss() {
    let mut drive = settled(90.0);
    drive.congest(Signal::Loss);
    drive.recover();
    assert!((75.0..91.0).contains(&drive.cwnd()), "{}", drive.cwnd());
}

/// Utilisation stays whole with any buffer, where Reno needs one as large as the
/// path.
#[test]
fn westwood_fills_a_path_with_a_small_buffer() {
    let mut drive = settled(100.0);
    for _ in 0..20 {
        while drive.cwnd() < 120.0 {
            drive.round_over(100.0, EMPTY);
        }
        drive.congest(Signal::Loss);
        drive.recover();
        close(drive.cwnd(), 100.0, 0.03);
    }
}

#[test]
fn westwood_after_a_timeout_ends_slow_start_at_what_the_path_holds() {
    let mut drive = settled(150.0);
    drive.congest(Signal::Timeout);
    assert_eq!(drive.cwnd(), 80.0, "the restart window of this test");
    close(drive.controller.ssthresh(), 100.0, 0.05);
    // The path is another one now, and its first round trip is the minimum.
    drive.show_round_trip(SECOND / 5);
    drive.congest(Signal::Timeout);
    close(drive.controller.ssthresh(), 200.0, 0.05);
}

/// As in Linux: the first sample counts from the handshake, not from the first acknowledgement.
#[test]
fn westwood_measures_from_the_beginning_of_the_connection() {
    let mut drive = Drive::over_tcp("westwood", 40.0, &[]);
    let start = TransmissionStart { now: 0, application_limited: false, smoothed_rtt: None };
    drive.controller.on_transmission_start(&start);
    drive.now = SECOND * 11 / 100;
    drive.acknowledge(20.0);
    drive.congest(Signal::Loss);
    drive.recover();
    // 20 segments in 110 ms, where a round trip is 100 ms.
    close(drive.cwnd(), 20.0 / 1.1, 1e-9);
}

#[test]
fn westwood_is_reno_before_it_has_measured() {
    let mut drives = ["westwood", "reno"].map(|name| Drive::over_tcp(name, 10.0, &[]));
    for signal in [Signal::Loss, Signal::Mark, Signal::Timeout] {
        for drive in &mut drives {
            drive.acknowledge(1.0);
            drive.congest(signal);
            drive.recover();
        }
        assert_eq!(drives[0].cwnd(), drives[1].cwnd());
        assert_eq!(drives[0].controller.ssthresh(), drives[1].controller.ssthresh());
    }
}
