//! LEDBAT against RFC 6817.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment, Watched};
use windtunnel_controllers::{Acknowledgement, Controller};

const BASE: u64 = SECOND / 25;

fn watch(late: &[u64], until: u64) -> Watched {
    let mut path = Path::new(1000, 1e9, Treatment::Nothing);
    for begin in late {
        path = path.flow("ledbat", BASE, *begin, &[]);
    }
    path.run_until(until);
    path.watch(30 * SECOND)
}

/// 100 ms are 100 packets here; the one that is being sent waits no more.
#[test]
fn ledbat_adds_its_target_to_the_queue() {
    let watched = watch(&[0], 150 * SECOND);
    close(watched.mean, 101.0, 0.02);
    close(watched.rate(), 1000.0, 0.001);
}

/// It takes the first one's queue for the path's own delay.
#[test]
fn ledbat_starves_before_a_latecomer() {
    let watched = watch(&[0, 60 * SECOND], 240 * SECOND);
    assert!(watched.rates[1] > 20.0 * watched.rates[0], "{:?}", watched.rates);
}

#[test]
fn ledbat_is_no_faster_than_reno() {
    let mut drive = Drive::after_loss("ledbat", 40.0, &[]);
    drive.rounds(10);
    assert!(drive.cwnd() <= 30.0 && drive.cwnd() > 29.0, "{}", drive.cwnd());
}

/// `BASE_HISTORY`: ten minima of a minute each.
#[test]
fn ledbat_forgets_the_base_delay_after_ten_minutes() {
    const MINUTE: u64 = 60 * SECOND;
    let mut drive = Drive::after_loss("ledbat", 200.0, &[]);
    let mut grows = |now: u64, milliseconds: u64| {
        let before = drive.cwnd();
        drive.controller.on_acknowledgement(&Acknowledgement {
            now,
            acknowledged: 1.0,
            delivered: 1.0,
            in_flight: before,
            smoothed_rtt: Some(SECOND / 10),
            one_way_delay: Some(milliseconds * SECOND / 1000),
            ..Acknowledgement::default()
        });
        drive.cwnd() > before
    };
    assert!(grows(0, 50));
    for minute in 1..10 {
        assert!(!grows(minute * MINUTE, 170), "minute {minute}");
    }
    assert!(grows(10 * MINUTE, 170));
}
