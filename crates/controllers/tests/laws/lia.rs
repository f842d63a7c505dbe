//! LIA's reading of Linux; its equations are among those of `coupled`.

use crate::coupled::{informed, subflow};
use crate::drive::{Drive, close};
use windtunnel_controllers::{Controller, Value};

/// Windows of 10 on two paths alike: `max(20 / 0.5, 10)` = 40 acknowledgements, and the one that
/// exceeds them, add one segment. Fractions add up to the same in 40.
#[test]
fn lia_in_whole_segments_grows_by_one_with_the_acknowledgement_after_the_count() {
    let own = subflow(10.0, 50);
    let values = [("increase", Value::Choice("whole-segments"))];
    let mut drive = informed("lia", &own, &[own], &values);
    (0..40).for_each(|_| drive.acknowledge(1.0));
    assert_eq!(drive.cwnd(), 10.0);
    drive.acknowledge(1.0);
    assert_eq!(drive.cwnd(), 11.0);
    let mut fractional = informed("lia", &own, &[own], &[]);
    (0..40).for_each(|_| fractional.acknowledge(1.0));
    // The second equation's alpha changes with the window: by 2 % at most until 11.
    close(fractional.cwnd(), 11.0, 0.02);
}

/// Slow start counts the data, and an acknowledgement of nothing counts nowhere.
#[test]
fn lia_in_whole_segments_counts_acknowledgements_in_avoidance_alone() {
    let own = subflow(10.0, 50);
    let values = [("increase", Value::Choice("whole-segments"))];
    let mut drive = informed("lia", &own, &[own], &values);
    (0..100).for_each(|_| drive.acknowledge(0.0));
    assert_eq!(drive.cwnd(), 10.0);
    let mut drive = Drive::with("lia", 10.0, &values);
    drive.controller.on_siblings(&own, &[own]);
    drive.acknowledge(2.5);
    assert_eq!(drive.cwnd(), 12.5);
}
