//! BALIA's decrease; its increase is among those of `coupled`.

use crate::coupled::{informed, subflow};
use crate::drive::close;
use windtunnel_controllers::{Controller, Signal, Value};

/// Windows and round trips of two subflows, and the fraction of its window that the first loses:
/// `min(alpha, 3/2) / 2`, as it is and with Linux's integer `alpha`.
#[test]
fn balia_loses_more_on_the_slower_path() {
    for ((own, own_rtt), (other, other_rtt), exact, truncated) in [
        ((20.0, 20), (10.0, 100), 0.5, 0.5),
        ((10.0, 100), (20.0, 20), 0.75, 0.75),
        ((50.0, 100), (20.0, 20), 0.75, 0.75),
        ((10.0, 50), (10.0, 50), 0.5, 0.5),
        ((10.0, 50), (12.0, 50), 0.6, 0.5),
        ((10.0, 50), (19.9, 50), 0.75, 0.5),
    ] {
        for (decrease, expected) in [("exact", exact), ("truncated", truncated)] {
            let values = [("decrease", Value::Choice(decrease))];
            let (own, other) = (subflow(own, own_rtt), subflow(other, other_rtt));
            let mut drive = informed("balia", &own, &[other], &values);
            close(1.0 - drive.kept(), expected, 1e-12);
            let mut drive = informed("balia", &own, &[other], &values);
            drive.congest(Signal::Timeout);
            close(1.0 - drive.controller.ssthresh() / own.cwnd, expected, 1e-12);
        }
    }
}
