//! D-TCP against its throughput law, and each of its readings.

use crate::drive::{Drive, SECOND, close};
use crate::tcp_fit::flows;
use windtunnel_controllers::{Controller, Signal, Value};

const AS_ALGORITHM_1: (&str, Value<'_>) = ("reading", Value::Choice("literal-alg1"));
const AS_EQUATION_12: (&str, Value<'_>) = ("reading", Value::Choice("literal-eq12"));

fn with_at_most(flows: f64) -> [(&'static str, Value<'static>); 2] {
    [AS_ALGORITHM_1, ("most-flows", Value::Number(flows))]
}

/// Every hundredth of a second that much is acknowledged, on a path of 10 s.
fn deliver(drive: &mut Drive, each: f64, hundredths: u64) {
    drive.rtt = 10 * SECOND;
    for _ in 0..hundredths {
        drive.now += SECOND / 100;
        drive.acknowledge(each);
    }
}

/// It starts with twice the initial window; but for that, step by step.
#[test]
fn d_tcp_with_one_flow_is_reno() {
    let mut flow = Drive::with("d-tcp", 2.0, &with_at_most(1.0));
    let mut reno = Drive::new("reno", 4.0);
    for signal in [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Loss] {
        for _ in 0..200 {
            for drive in [&mut flow, &mut reno] {
                drive.now += SECOND / 100;
                drive.acknowledge(1.0);
            }
            close(flow.cwnd(), reno.cwnd(), 1e-12);
        }
        flow.congest(signal);
        reno.congest(signal);
        close(flow.cwnd(), reno.cwnd(), 1e-12);
        close(flow.controller.ssthresh(), reno.controller.ssthresh(), 1e-12);
    }
}

/// Equation 27: `n / rtt * sqrt(3 / 2p)`.
#[test]
fn d_tcp_has_the_throughput_of_its_flows() {
    for n in [1.0, 2.0, 4.0, 8.0] {
        for loss in [1e-3, 1e-4] {
            let mut drive = Drive::with("d-tcp", 10.0, &with_at_most(n));
            drive.congest(Signal::Loss);
            drive.run_until(20 * SECOND);
            close(flows(&mut drive), n, 1e-9);
            close(drive.sawtooth(loss, 100).mean, n * f64::sqrt(1.5 / loss), 0.03);
        }
    }
}

/// Equation 13, where `delta B` is frozen: the envelope remembers 100 segments a
/// second, and from then on five of them are missing.
#[test]
fn d_tcp_has_flows_inverse_to_the_unused_bandwidth() {
    for (missing, n) in [(0.05, 4.0), (0.02, 10.0), (0.5, 1.0)] {
        let mut drive = Drive::after_loss("d-tcp", 1000.0, &[]);
        deliver(&mut drive, 1.0, 1000);
        deliver(&mut drive, 1.0 - missing, 5000);
        close(flows(&mut drive), n, 0.02);
    }
}

/// The envelope forgets an estimate after ten round trips.
#[test]
fn d_tcp_takes_what_it_uses_for_available_after_ten_round_trips() {
    let mut drive = Drive::after_loss("d-tcp", 1000.0, &[]);
    deliver(&mut drive, 1.0, 500);
    deliver(&mut drive, 0.5, 5000);
    close(flows(&mut drive), 1.0, 1e-9);
    deliver(&mut drive, 0.5, 15_000);
    let n = flows(&mut drive);
    assert!(n > 50.0, "{n}");
}

/// Doubled each half second in which less than the estimate is used.
#[test]
fn d_tcp_by_algorithm_1_rises_to_its_bound_until_a_timeout() {
    let mut drive = Drive::with("d-tcp", 1000.0, &[AS_ALGORITHM_1]);
    for n in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0] {
        close(flows(&mut drive.clone()), n, 1e-9);
        (0..52).for_each(|step| deliver(&mut drive, 1.0 - 0.01 * f64::from(step), 1));
    }
    let threshold = drive.controller.ssthresh();
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (2000.0, threshold));
    close(flows(&mut drive), 1.0, 1e-9);
}

/// `n + 1 - w (e - b) / (alpha e)`; where `b` does not change, `e` is the same,
/// and `n` rises without end.
#[test]
fn d_tcp_by_equation_12_rises_while_the_bandwidth_stays_and_falls_with_it() {
    let mut drive = Drive::with("d-tcp", 1000.0, &[AS_EQUATION_12]);
    drive.congest(Signal::Loss);
    deliver(&mut drive, 1.0, 1030);
    close(flows(&mut drive), 21.0, 0.05);
    deliver(&mut drive, 1.0, 30);
    (0..52).for_each(|step| deliver(&mut drive, 1.0 - 0.01 * f64::from(step), 1));
    close(flows(&mut drive), 1.0, 1e-9);
}

#[test]
fn d_tcp_after_a_timeout_starts_from_twice_its_initial_window() {
    let mut drive = Drive::with("d-tcp", 10.0, &[]);
    assert_eq!(drive.cwnd(), 20.0);
    drive.rounds(3);
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (20.0, 80.0));
}
