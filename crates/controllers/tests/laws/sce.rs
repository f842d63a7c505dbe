//! Reno and DCTCP with the milder mark, against their equilibria.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::{Acknowledgement, Controller, Signal};

fn mean_window(name: &str, share: f64) -> f64 {
    let mut path = Path::new(1_000_000, 1e9, Treatment::MarkMildly(share));
    path = path.flow(name, SECOND / 20, 0, &[]);
    path.run_until(50 * SECOND);
    path.watch(300 * SECOND).rate() / 20.0
}

/// Growth `1 - m` per round trip against `m sqrt(w) / 2`.
#[test]
fn reno_sce_settles_where_the_milder_marks_balance_its_growth() {
    for share in [0.1, 0.2, 0.3] {
        let root = 2.0 * (1.0 - share) / share;
        close(mean_window("reno-sce", share), root * root, 0.04);
    }
}

/// Growth `1 - m` per round trip against `m w / 2`.
#[test]
fn dctcp_sce_settles_where_the_milder_marks_balance_its_growth() {
    for share in [0.02, 0.05, 0.1] {
        close(mean_window("dctcp-sce", share), 2.0 * (1.0 - share) / share, 0.05);
    }
}

#[test]
fn a_mark_costs_less_where_milder_ones_told_before() {
    for name in ["reno-sce", "dctcp-sce"] {
        let mut drive = Drive::after_loss(name, 200.0, &[]);
        drive.congest(Signal::Mark);
        close(drive.cwnd(), 75.0, 1e-12);
        drive.controller.on_acknowledgement(&Acknowledgement {
            delivered: 1.0,
            some_congestion: 1.0,
            ..Acknowledgement::default()
        });
        let before = drive.cwnd();
        drive.congest(Signal::Mark);
        close(drive.cwnd(), 0.875 * before, 1e-12);
        drive.congest(Signal::Loss);
        close(drive.cwnd(), 0.4375 * before, 1e-12);
    }
}

#[test]
fn one_milder_mark_ends_slow_start() {
    for name in ["reno-sce", "dctcp-sce"] {
        let mut drive = Drive::new(name, 64.0);
        drive.controller.on_acknowledgement(&Acknowledgement {
            delivered: 1.0,
            some_congestion: 1.0,
            ..Acknowledgement::default()
        });
        assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (32.0, 32.0));
    }
}
