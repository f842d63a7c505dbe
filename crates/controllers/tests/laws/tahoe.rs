//! Tahoe against its closed forms.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Controller, Signal};

/// `log2(32)` round trips from one segment to half of 64, then one per round trip.
#[test]
fn tahoe_starts_again_and_doubles_to_half_of_what_it_had() {
    for signal in [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout] {
        let mut drive = Drive::over_tcp("tahoe", 64.0, &[]);
        drive.congest(signal);
        assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (1.0, 32.0));
        drive.rounds(5);
        assert_eq!(drive.cwnd(), 32.0);
        drive.rounds(10);
        close(drive.cwnd(), 42.0, 0.01);
    }
}

/// A loss costs it the round trips of a slow start, with little delivered in them.
#[test]
fn tahoe_delivers_less_than_reno() {
    for loss in [1e-2, 1e-3, 1e-4] {
        let [tahoe, reno] =
            ["tahoe", "reno"].map(|name| Drive::over_tcp(name, 2.0, &[]).sawtooth(loss, 100).mean);
        assert!(tahoe < reno, "{tahoe} beside {reno}");
    }
}
