//! H-TCP against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Acknowledgement, Controller, Nanoseconds, Signal, Value};

const MILLISECOND: Nanoseconds = SECOND / 1000;

/// `alpha = 1 + 10 (d - 1) + ((d - 1) / 2)^2` with half of the window kept.
#[test]
fn h_tcp_grows_faster_the_longer_nothing_is_lost() {
    for (tenths, alpha) in [(5, 1.0), (10, 1.0), (20, 11.25), (30, 22.0), (50, 45.0), (100, 111.25)]
    {
        let mut drive = Drive::after_loss("h-tcp", 1000.0, &[]);
        drive.now = tenths * SECOND / 10;
        close(drive.growth(), alpha, 1e-9);
    }
}

#[test]
fn h_tcp_counts_from_the_end_of_the_repair() {
    let mut drive = Drive::after_loss("h-tcp", 1000.0, &[]);
    drive.now = 5 * SECOND;
    drive.recover();
    drive.now = 7 * SECOND;
    close(drive.growth(), 11.25, 1e-9);
}

/// On a path of 10 ms there are ten times the round trips of one of 100 ms, on one
/// of 400 ms a quarter of them, of which the scaling makes good a half.
#[test]
fn h_tcp_scales_with_the_round_trip() {
    for (rtt, scaled) in [(10, 1.125), (50, 5.625), (100, 11.25), (400, 22.5)] {
        for (scaling, alpha) in [(true, scaled), (false, 11.25)] {
            let settings = [("rtt-scaling", Value::Flag(scaling))];
            let mut drive =
                Drive::after_loss("h-tcp", 1000.0, &settings).on_path(rtt * MILLISECOND);
            drive.now = 2 * SECOND;
            close(drive.growth(), alpha, 1e-9);
        }
    }
}

/// Loses when a path's buffer is full, at 1.5 times its capacity.
fn share_kept(drive: &mut Drive, capacity: f64, empty: Nanoseconds) -> f64 {
    while drive.cwnd() < 1.5 * capacity {
        drive.round_over(capacity, empty);
    }
    let share = drive.kept();
    drive.recover();
    share
}

/// `rtt_min / rtt_max = 2/3` drains the buffer and not more. The first loss
/// halves, as there was none before, and so does the first on a path of another
/// rate.
#[test]
fn h_tcp_gives_up_what_the_buffer_holds_while_the_throughput_lasts() {
    let mut drive = Drive::after_loss("h-tcp", 200.0, &[]);
    let kept: Vec<f64> = (0..6).map(|_| share_kept(&mut drive, 200.0, SECOND / 10)).collect();
    close(kept[0], 0.5, 1e-9);
    close(kept[5], 2.0 / 3.0, 0.03);
    let kept: Vec<f64> = (0..6).map(|_| share_kept(&mut drive, 300.0, SECOND / 10)).collect();
    close(kept[0], 0.5, 1e-9);
    close(kept[5], 2.0 / 3.0, 0.03);
}

/// Without the bandwidth switch a path that has become another is no reason.
#[test]
fn h_tcp_need_not_mind_the_throughput() {
    for (switch, kept) in [(true, 0.5), (false, 2.0 / 3.0)] {
        let settings = [("bandwidth-switch", Value::Flag(switch))];
        let mut drive = Drive::after_loss("h-tcp", 200.0, &settings);
        for _ in 0..6 {
            share_kept(&mut drive, 200.0, SECOND / 10);
        }
        close(share_kept(&mut drive, 300.0, SECOND / 10), kept, 0.03);
    }
}

#[test]
fn h_tcp_halves_on_paths_of_ten_milliseconds_and_less() {
    for (rtt, least, most) in [(10, 0.5, 0.5), (20, 0.6, 0.8)] {
        let mut drive = Drive::after_loss("h-tcp", 200.0, &[]).on_path(rtt * MILLISECOND);
        for _ in 0..6 {
            share_kept(&mut drive, 200.0, rtt * MILLISECOND);
        }
        let share = share_kept(&mut drive, 200.0, rtt * MILLISECOND);
        assert!((least..=most).contains(&share), "{share}");
    }
}

/// After each congestion `rtt_max` comes 5 % closer to `rtt_min`: with 100 ms and 150 ms measured
/// once, and no more than 100 ms after, `beta = 100 / (100 + 50 * 0.95^n)`.
#[test]
fn h_tcp_forgets_a_twentieth_of_the_longest_round_trip_with_each_congestion() {
    let settings = [("bandwidth-switch", Value::Flag(false))];
    let mut drive = Drive::with("h-tcp", 1000.0, &settings);
    for milliseconds in [100, 120, 140, 150] {
        drive.show_round_trip(milliseconds * MILLISECOND);
    }
    close(drive.kept(), 0.5, 1e-9);
    for decreases in 1..6 {
        drive.show_round_trip(100 * MILLISECOND);
        close(drive.kept(), 100.0 / (100.0 + 50.0 * f64::powi(0.95, decreases)), 1e-9);
    }
}

/// A sample of more than 20 ms above the longest is an outlier, and so is one in recovery.
#[test]
fn h_tcp_takes_a_longer_round_trip_step_by_step_and_not_in_recovery() {
    let kept_after = |samples: &[(u64, bool)]| {
        let settings = [("bandwidth-switch", Value::Flag(false))];
        let mut drive = Drive::with("h-tcp", 1000.0, &settings);
        drive.show_round_trip(100 * MILLISECOND);
        drive.congest(Signal::Loss);
        for (milliseconds, recovering) in samples {
            drive.controller.on_acknowledgement(&Acknowledgement {
                rtt: Some(milliseconds * MILLISECOND),
                recovering: *recovering,
                ..Acknowledgement::default()
            });
        }
        drive.kept()
    };
    close(kept_after(&[(119, false), (138, false)]), 100.0 / 138.0, 1e-9);
    for outlier in [[(121, false), (100, false)], [(120, true), (120, true)]] {
        close(kept_after(&outlier), 0.8, 1e-9);
    }
    // More than twice the minimum is as good as twice.
    let long: Vec<(u64, bool)> = (10..=30).map(|it| (it * 10, false)).collect();
    close(kept_after(&long), 0.5, 1e-9);
}
