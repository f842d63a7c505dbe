//! Linux's HyStart in CUBIC's slow start.

use crate::drive::{Drive, SECOND};
use windtunnel_controllers::{Controller, Nanoseconds, Value};

const MILLISECOND: Nanoseconds = SECOND / 1000;
const LINUX: (&str, Value<'_>) = ("hystart-variant", Value::Choice("linux"));

/// A round trip of `rtt` whose acknowledgements come `spacing` apart; whether slow start is
/// over after it.
fn ends(drive: &mut Drive, rtt: Nanoseconds, spacing: Nanoseconds, count: u64) -> bool {
    drive.rtt = rtt;
    drive.now += rtt;
    let begun = drive.now;
    drive.begin_round();
    for number in 0..count {
        drive.now = begun + number * spacing;
        drive.acknowledge(1.0);
    }
    drive.now = begun;
    drive.controller.ssthresh().is_finite()
}

/// Half the round trip: 50 acknowledgements 1 ms apart in 100 ms.
#[test]
fn a_train_of_acknowledgements_as_long_as_half_the_path_ends_slow_start() {
    for (count, over) in [(51, false), (52, true)] {
        let mut drive = Drive::with("cubic", 64.0, &[LINUX]);
        assert_eq!(ends(&mut drive, 100 * MILLISECOND, MILLISECOND, count), over, "{count}");
    }
}

/// Hosts have a millisecond: 50 ms and half of one. Where two windows of 321 segments go in a round
/// trip of 1 ms, 181 segments take 0.282 ms: half of both is 0.641 ms.
#[test]
fn a_train_may_be_longer_by_half_of_what_hosts_take() {
    for (window, rtt, spacing, count, over) in [
        (64.0, 100 * MILLISECOND, MILLISECOND / 2, 102, false),
        (64.0, 100 * MILLISECOND, MILLISECOND / 2, 103, true),
        (256.0, MILLISECOND, MILLISECOND / 100, 65, false),
        (256.0, MILLISECOND, MILLISECOND / 100, 66, true),
    ] {
        let mut drive = Drive::with("cubic", window, &[LINUX]);
        assert_eq!(ends(&mut drive, rtt, spacing, count), over, "{window}, {count}");
    }
}

/// A train begins with its round: where the window is below 16 segments at first, there is none.
#[test]
fn a_train_that_begins_before_the_window_is_watched_is_none() {
    for (window, over) in [(10.0, false), (16.0, true)] {
        let mut drive = Drive::with("cubic", window, &[LINUX]);
        assert_eq!(ends(&mut drive, 20 * MILLISECOND, MILLISECOND, 18), over, "{window}");
    }
}

#[test]
fn acknowledgements_more_than_two_milliseconds_apart_are_no_train() {
    for (spacing, over) in [(2 * MILLISECOND, true), (2 * MILLISECOND + 1, false)] {
        let mut drive = Drive::with("cubic", 64.0, &[LINUX]);
        assert_eq!(ends(&mut drive, 100 * MILLISECOND, spacing, 30), over);
    }
}

/// An eighth of the least round trip, within 4 ms and 16 ms, from the ninth sample of a round on.
#[test]
fn a_longer_round_trip_ends_slow_start() {
    for (rtt, increase) in [(10, 4), (80, 10), (128, 16), (500, 16)] {
        for (more, samples, over) in
            [(increase, 9, false), (increase + 1, 9, true), (100, 8, false)]
        {
            let mut drive = Drive::with("cubic", 64.0, &[LINUX]);
            assert!(!ends(&mut drive, rtt * MILLISECOND, 0, 8));
            let ended = ends(&mut drive, (rtt + more) * MILLISECOND, 0, samples);
            assert_eq!(ended, over, "{rtt} ms and {more} ms, {samples} samples");
        }
    }
}

#[test]
fn a_window_below_sixteen_segments_is_not_watched() {
    for (window, over) in [(7.0, false), (8.0, true)] {
        let mut drive = Drive::with("cubic", window, &[LINUX]);
        assert!(!ends(&mut drive, 10 * MILLISECOND, 0, 8));
        drive.rtt = 50 * MILLISECOND;
        drive.begin_round();
        (0..9).for_each(|_| drive.acknowledge(1e-9));
        assert_eq!(drive.controller.ssthresh().is_finite(), over, "{window}");
    }
}

/// A window that no congestion has shown grows by 5 % a round trip or faster; by RFC 9438 it would
/// be flat there.
#[test]
fn after_slow_start_the_window_grows_by_a_segment_in_twenty_until_congestion() {
    let growth = |drive: &mut Drive| {
        let before = drive.cwnd();
        drive.now += drive.rtt;
        (0..before as u64).for_each(|_| drive.acknowledge(1.0));
        drive.cwnd() - before
    };
    for (variant, at_least) in [("linux", 5.0), ("plus-plus", 0.0)] {
        let mut drive = Drive::with("cubic", 100.0, &[("hystart-variant", Value::Choice(variant))]);
        drive.controller.lower_window(100.0, 100.0);
        for _ in 0..3 {
            let grown = growth(&mut drive);
            assert!(grown >= at_least - 1e-9 && grown < at_least + 2.0, "{variant}: {grown}");
        }
    }
}

#[test]
fn after_congestion_both_variants_grow_alike() {
    let grown = |variant: &str| {
        let variant = ("hystart-variant", Value::Choice(variant));
        let mut drive = Drive::after_loss("cubic", 1000.0, &[variant]);
        drive.now += drive.rtt;
        (0..100).for_each(|_| drive.acknowledge(1.0));
        drive.cwnd()
    };
    assert_eq!(grown("linux"), grown("plus-plus"));
}
