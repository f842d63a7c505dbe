//! LEDBAT++ against its draft.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Controller, Signal};

const BASE: u64 = SECOND / 25;

fn path() -> Path {
    Path::new(1000, 1e9, Treatment::Nothing).flow("ledbat-plus-plus", BASE, 0, &[])
}

/// 60 ms are 60 packets here; a slowdown lets the queue run empty.
#[test]
fn ledbat_plus_plus_holds_its_target_between_slowdowns() {
    let mut path = path();
    path.run_until(20 * SECOND);
    let watched = path.watch(60 * SECOND);
    assert!((60.0..=64.0).contains(&watched.most), "{}", watched.most);
    assert_eq!(watched.least, 0.0);
}

/// A slowdown, and nine times as long until the next.
#[test]
fn ledbat_plus_plus_is_slow_for_a_tenth_of_the_time_at_most() {
    let mut path = path();
    path.run_until(10 * SECOND);
    let looks = 300_000;
    let mut slow = 0;
    for _ in 0..looks {
        path.run_until(path.now + SECOND / 1000);
        let controller = &path.flows[0].controller;
        slow += u32::from(controller.cwnd() < controller.ssthresh());
    }
    let share = f64::from(slow) / f64::from(looks);
    assert!((0.05..=0.1).contains(&share), "{share}");
}

#[test]
fn ledbat_plus_plus_is_fair_to_a_latecomer() {
    let mut path = path().flow("ledbat-plus-plus", BASE, 20 * SECOND, &[]);
    path.run_until(120 * SECOND);
    let watched = path.watch(60 * SECOND);
    assert!(watched.jain() > 0.98, "{:?}", watched.rates);
}

#[test]
fn ledbat_plus_plus_yields_to_a_connection_that_fills_the_queue() {
    let mut path = Path::new(1000, 200.0, Treatment::Nothing)
        .flow("ledbat-plus-plus", BASE, 0, &[])
        .flow("aimd", BASE, 20 * SECOND, &[]);
    path.run_until(60 * SECOND);
    let watched = path.watch(60 * SECOND);
    assert!(watched.rates[1] > 5.0 * watched.rates[0], "{:?}", watched.rates);
}

/// `gain = 1 / ceil(2 target / Tb)`.
#[test]
fn ledbat_plus_plus_grows_by_its_gain() {
    for (rtt, gain) in [(SECOND / 5, 1.0), (SECOND / 10, 0.5), (SECOND / 25, 1.0 / 3.0)] {
        let mut drive = Drive::after_loss("ledbat-plus-plus", 80.0, &[]).on_path(rtt);
        drive.round();
        close(drive.cwnd() - 40.0, gain, 0.02);
    }
}

#[test]
fn ledbat_plus_plus_halves_what_a_slowdown_returns_to_when_it_loses_meanwhile() {
    let mut drive = Drive::after_loss("ledbat-plus-plus", 80.0, &[]);
    drive.rounds(4);
    assert_eq!(drive.cwnd(), 2.0);
    let before = drive.controller.ssthresh();
    drive.congest(Signal::Loss);
    assert_eq!(drive.cwnd(), 2.0);
    close(drive.controller.ssthresh(), before / 2.0, 1e-12);
}
