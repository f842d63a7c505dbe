//! Reno against its closed forms; NewReno, whose window it shares.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Controller, Signal, Value};

/// `w_mean = sqrt(3 / 2p)`, `w_max = sqrt(8 / 3p)`.
#[test]
fn reno_follows_the_square_root_law() {
    for (loss, tolerance) in [(1e-2, 0.08), (1e-3, 0.03), (1e-4, 0.01)] {
        let saw = Drive::new("reno", 2.0).sawtooth(loss, 100);
        close(saw.mean, f64::sqrt(1.5 / loss), tolerance);
        close(saw.maximum, f64::sqrt(8.0 / (3.0 * loss)), tolerance);
    }
}

/// RFC 5681, equations 2 to 4, with the one segment that follows a timeout.
#[test]
fn reno_step_by_step() {
    let mut drive = Drive::over_tcp("reno", 2.0, &[]);
    drive.acknowledge(1.0);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 4.0);
    drive.congest(Signal::Loss);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (2.0, 2.0));
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 2.5);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 2.9);
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (1.0, 2.0));
    drive.acknowledge(0.0);
    assert_eq!(drive.cwnd(), 1.0, "an acknowledgement of nothing does not open the window");
    drive.acknowledge(0.25);
    assert_eq!(drive.cwnd(), 1.25);
    drive.acknowledge(0.75);
    assert_eq!(drive.cwnd(), 2.0);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 2.5);
}

/// A receiver that acknowledges every second segment: the window doubles per round trip
/// where data is counted (RFC 3465), and grows by half where acknowledgements are (RFC 5681,
/// equation 2).
#[test]
fn reno_in_slow_start_counts_data_or_acknowledgements() {
    for name in ["reno", "new-reno", "tahoe"] {
        for (counted, factor) in [("data", 2.0), ("acknowledgements", 1.5)] {
            let values = [("slow-start", Value::Choice(counted))];
            let mut drive = Drive::with(name, 64.0, &values);
            (0..32).for_each(|_| drive.acknowledge(2.0));
            assert_eq!(drive.cwnd(), 64.0 * factor, "{name} counts {counted}");
        }
        let mut usual = Drive::new(name, 64.0);
        (0..32).for_each(|_| usual.acknowledge(2.0));
        assert_eq!(usual.cwnd(), 128.0, "{name} counts data unless it is told");
    }
}

#[test]
fn reno_in_avoidance_counts_every_segment_of_an_acknowledgement() {
    let mut drive = Drive::after_loss("reno", 20.0, &[]);
    drive.acknowledge(2.0);
    assert_eq!(drive.cwnd(), 10.2);
}

#[test]
fn new_reno_has_renos_window() {
    let mut drives = ["reno", "new-reno"].map(|name| Drive::over_tcp(name, 10.0, &[]));
    for signal in [Signal::Loss, Signal::Mark, Signal::Timeout, Signal::Nack] {
        for drive in &mut drives {
            drive.rounds(6);
            drive.congest(signal);
            drive.rounds(6);
        }
        assert_eq!(drives[0].cwnd(), drives[1].cwnd());
        assert_eq!(drives[0].controller.ssthresh(), drives[1].controller.ssthresh());
    }
}

/// As Linux: 7 segments become 3, and fewer than 4 become 2.
#[test]
fn whole_segments_are_kept_rounded_down() {
    for name in ["reno", "new-reno"] {
        for (window, kept) in [(20.0, 10.0), (7.0, 3.0), (7.9, 3.0), (3.0, 2.0), (2.0, 2.0)] {
            let whole = ("window", Value::Choice("whole-segments"));
            close(Drive::after_loss(name, window, &[whole]).cwnd(), kept, 1e-12);
            close(Drive::after_loss(name, window, &[]).cwnd(), window / 2.0, 1e-12);
        }
    }
}

/// As Linux: four segments that are acknowledged make five of four, and five of these make six.
#[test]
fn whole_segments_grow_by_one_for_as_many() {
    let whole = ("window", Value::Choice("whole-segments"));
    let mut drive = Drive::after_loss("new-reno", 8.0, &[whole]);
    let mut seen = Vec::new();
    for _ in 0..9 {
        drive.acknowledge(1.0);
        seen.push(drive.cwnd());
    }
    assert_eq!(seen, [4.0, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0, 6.0]);
}
