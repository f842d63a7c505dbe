//! CLTCP, as it was reconstructed.

use crate::drive::{Drive, SECOND, close};
use crate::tcp_fit::flows;
use windtunnel_controllers::{Signal, Value};

#[test]
fn cltcp_gains_a_flow_each_epoch_while_nothing_is_lost() {
    let mut drive = Drive::new("cltcp", 100.0);
    drive.acknowledge(1e-9);
    for n in 2..10 {
        drive.now += 6 * SECOND / 10;
        drive.acknowledge(1e-9);
        close(flows(&mut drive.clone()), f64::from(n), 1e-9);
    }
}

/// `n` comes to rest at `alpha` over the congestions in an epoch.
#[test]
fn cltcp_has_flows_inverse_to_its_congestion() {
    for (congestions, alpha, n) in [(1.0, 0.2, 1.0), (1.0, 4.0, 4.0), (2.0, 8.0, 4.0)] {
        let mut drive = Drive::after_loss("cltcp", 1000.0, &[("alpha", Value::Number(alpha))]);
        let mut measured = 0.0;
        for epoch in 1..200 {
            drive.now = epoch * 6 * SECOND / 10;
            drive.acknowledge(1e-9);
            for _ in 0..congestions as u32 {
                measured = flows(&mut drive);
                drive.acknowledge(drive.cwnd() * 1000.0);
            }
        }
        close(measured, n, 0.01);
    }
}

#[test]
fn cltcp_with_one_flow_is_reno() {
    let alpha = [("alpha", Value::Number(0.001))];
    let mut drives =
        [Drive::after_loss("cltcp", 100.0, &alpha), Drive::after_loss("reno", 100.0, &[])];
    for signal in [Signal::Loss, Signal::Mark, Signal::Timeout, Signal::Nack] {
        for drive in &mut drives {
            drive.rounds(20);
            drive.congest(signal);
        }
        close(drives[0].cwnd(), drives[1].cwnd(), 1e-12);
    }
}
