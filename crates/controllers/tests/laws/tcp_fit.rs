//! TCP-FIT against its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Nanoseconds, Signal, Value};

/// The number of flows that the window represents: a loss keeps `1 - 2 / (3n + 1)`.
pub(crate) fn flows(drive: &mut Drive) -> f64 {
    (2.0 / (1.0 - drive.kept()) - 1.0) / 3.0
}

/// On a path of 100 ms whose queue always adds what makes `n` come to rest there.
fn at_rest(n: f64) -> Drive {
    let mut drive = Drive::after_loss("tcp-fit", 100.0, &[]);
    let queueing = 0.2 * drive.rtt as f64 / n;
    drive.show_round_trip(drive.rtt - queueing as Nanoseconds);
    drive
}

/// `n = alpha rtt / (rtt - rtt_min)`.
#[test]
fn tcp_fit_has_as_many_flows_as_the_queue_allows() {
    for n in [1.0, 2.0, 4.0, 10.0] {
        let mut drive = at_rest(n);
        drive.run_until(40 * SECOND);
        close(drive.growth(), n, 0.01);
        close(flows(&mut drive), n, 0.01);
    }
}

/// Once in half a second, while there is no queue.
#[test]
fn tcp_fit_gains_a_flow_each_epoch_on_an_empty_path() {
    let mut drive = Drive::after_loss("tcp-fit", 100.0, &[]);
    for n in 1..10 {
        close(drive.growth(), f64::from(n), 1e-9);
        drive.now += 6 * SECOND / 10;
    }
}

/// `w_mean = n sqrt(3 / 2p)`: exactly that many Reno flows.
#[test]
fn tcp_fit_has_the_throughput_of_its_flows() {
    for n in [1.0, 2.0, 4.0] {
        for loss in [1e-3, 1e-4] {
            let mut drive = at_rest(n);
            drive.run_until(40 * SECOND);
            close(drive.sawtooth(loss, 100).mean, n * f64::sqrt(1.5 / loss), 0.03);
        }
    }
}

#[test]
fn tcp_fit_with_one_flow_is_reno() {
    // With hardly any queue allowed no second flow comes.
    let alpha = [("alpha", Value::Number(0.001))];
    let mut drives =
        [Drive::after_loss("tcp-fit", 100.0, &alpha), Drive::after_loss("reno", 100.0, &[])];
    for drive in &mut drives {
        drive.show_round_trip(SECOND / 20);
    }
    for signal in [Signal::Loss, Signal::Mark, Signal::Timeout, Signal::Nack] {
        for drive in &mut drives {
            drive.rounds(20);
            drive.congest(signal);
        }
        close(drives[0].cwnd(), drives[1].cwnd(), 1e-12);
    }
}

#[test]
fn tcp_fit_after_a_timeout_is_one_flow() {
    let mut drive = Drive::after_loss("tcp-fit", 100.0, &[]);
    drive.run_until(10 * SECOND);
    drive.congest(Signal::Timeout);
    close(flows(&mut drive), 1.0, 1e-9);
}
