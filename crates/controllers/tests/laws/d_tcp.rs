//! D-TCP against its throughput law, and each of its readings.

use crate::drive::{Drive, SECOND, close};
use crate::tcp_fit::flows;
use proptest::prelude::*;
use windtunnel_controllers::{Controller, Signal, Value};

const AS_ALGORITHM_1: (&str, Value<'_>) = ("reading", Value::Choice("literal-alg1"));
const AS_EQUATION_12: (&str, Value<'_>) = ("reading", Value::Choice("literal-eq12"));
const WITH_SINR: (&str, Value<'_>) = ("sinr", Value::Flag(true));
/// Seconds for which the number of flows stays as it is.
const EPOCH: f64 = 0.5;
const ALPHA: f64 = 0.2;

fn with_at_most(flows: f64) -> [(&'static str, Value<'static>); 2] {
    [AS_ALGORITHM_1, ("most-flows", Value::Number(flows))]
}

/// Every hundredth of a second that much is acknowledged.
fn deliver(drive: &mut Drive, each: f64, hundredths: u64) {
    for _ in 0..hundredths {
        drive.now += SECOND / 100;
        drive.acknowledge(each);
    }
}

/// Just longer than an epoch.
fn deliver_an_epoch(drive: &mut Drive) {
    deliver(drive, 1.0, (100.0 * EPOCH) as u64 + 2);
}

/// Shannon's bits per second and hertz, for decibels.
fn efficiency(sinr: f64) -> f64 {
    (1.0 + f64::powf(10.0, sinr / 10.0)).log2()
}

/// It starts with twice the initial window; except for that, step by step, however
/// many epochs pass.
#[test]
fn d_tcp_with_one_flow_is_reno() {
    let mut flow = Drive::with("d-tcp", 2.0, &with_at_most(1.0));
    let mut reno = Drive::new("new-reno", 4.0);
    for signal in [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Loss] {
        for _ in 0..200 {
            for drive in [&mut flow, &mut reno] {
                drive.now += SECOND / 100;
                drive.acknowledge(1.0);
            }
            assert_eq!(flow.cwnd(), reno.cwnd());
        }
        flow.congest(signal);
        reno.congest(signal);
        assert_eq!(flow.cwnd(), reno.cwnd());
        assert_eq!(flow.controller.ssthresh(), reno.controller.ssthresh());
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Acknowledge(f64),
    Congest(Signal),
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    /// There is one flow until the first epoch ends. Reno is given the window that
    /// D-TCP starts from, and starts again from: twice the initial one.
    #[test]
    fn d_tcp_in_its_first_epoch_is_reno_in_each_reading(
        reading in prop::sample::select(&["envelope", "literal-alg1", "literal-eq12"]),
        window in 1.0..20.0,
        steps in prop::collection::vec(prop_oneof![
            20 => (0.0..=1.0).prop_map(Step::Acknowledge),
            1 => prop::sample::select(&[Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout])
                .prop_map(Step::Congest),
        ], 1..400),
    ) {
        let mut flow = Drive::with("d-tcp", window, &[("reading", Value::Choice(reading))]);
        let mut reno = Drive::new("new-reno", 2.0 * window);
        for step in steps {
            // Algorithm 1 leaves the threshold as it is on a timeout, where Reno does not.
            let own = matches!(step, Step::Congest(Signal::Timeout)) && reading == "literal-alg1";
            if own {
                continue;
            }
            for drive in [&mut flow, &mut reno] {
                drive.now += SECOND / 1000;
                match step {
                    Step::Acknowledge(segments) => drive.acknowledge(segments),
                    Step::Congest(signal) => drive.congest(signal),
                }
            }
            prop_assert_eq!(flow.cwnd(), reno.cwnd());
            prop_assert_eq!(flow.controller.ssthresh(), reno.controller.ssthresh());
        }
    }
}

/// Frozen at `n`, in avoidance.
fn of_flows(n: f64) -> Drive {
    let mut drive = Drive::with("d-tcp", 10.0, &with_at_most(n));
    drive.congest(Signal::Loss);
    drive.run_until(20 * SECOND);
    drive
}

/// Equations 14 to 16: `n` segments per round trip, and `2 / (3 n + 1)` less.
#[test]
fn d_tcp_grows_and_falls_as_its_flows_together() {
    for n in [1.0, 2.0, 4.0, 8.0] {
        let mut drive = of_flows(n);
        close(drive.growth(), n, 1e-9);
        close(drive.kept(), 1.0 - 2.0 / (3.0 * n + 1.0), 1e-12);
    }
}

/// Equation 27: `n / rtt * sqrt(3 / 2p)`; where losses are frequent, steps of `n`
/// segments are large beside the window.
#[test]
fn d_tcp_has_the_throughput_of_its_flows() {
    for n in [1.0, 2.0, 4.0, 8.0] {
        for (loss, tolerance) in [(1e-2, 0.1), (1e-3, 0.03), (1e-4, 0.01)] {
            for rtt in [SECOND / 100, SECOND / 10] {
                let mut drive = of_flows(n).on_path(rtt);
                let seconds = rtt as f64 / SECOND as f64;
                let throughput = drive.sawtooth(loss, 100).mean / seconds;
                close(throughput, n / seconds * f64::sqrt(1.5 / loss), tolerance);
            }
        }
    }
}

/// Equation 13, where `delta B` is frozen: the envelope remembers 100 segments a
/// second, and from then on five of them are missing.
#[test]
fn d_tcp_has_flows_inverse_to_the_unused_bandwidth() {
    for (alpha, missing, n) in
        [(0.2, 0.05, 4.0), (0.2, 0.02, 10.0), (0.2, 0.5, 1.0), (0.1, 0.05, 2.0), (0.5, 0.05, 10.0)]
    {
        let alpha = [("alpha", Value::Number(alpha))];
        let mut drive = Drive::after_loss("d-tcp", 1000.0, &alpha).on_path(10 * SECOND);
        deliver(&mut drive, 1.0, 1000);
        deliver(&mut drive, 1.0 - missing, 5000);
        close(flows(&mut drive), n, 0.02);
    }
}

/// Equations 6, 7 and 13: of 100 segments a second that pass, and half of what the
/// channel has above its average, which is taken over two reports, however many
/// acknowledgements bring the second.
#[test]
fn d_tcp_with_sinr_has_flows_inverse_to_what_the_channel_has_above_its_average() {
    for n in [2.0, 4.0, 10.0] {
        let available = 100.0 / (1.0 - ALPHA / n);
        let surplus = 2.0 * (available - 100.0);
        let bandwidth = surplus / (efficiency(20.0) - efficiency(10.0));
        let mut drive = Drive::after_loss("d-tcp", 1000.0, &[WITH_SINR]).on_path(SECOND / 100);
        drive.hear(0.0, bandwidth);
        deliver(&mut drive, 1.0, 100);
        drive.hear(20.0, bandwidth);
        deliver(&mut drive, 1.0, 5000);
        close(flows(&mut drive), n, 0.02);
    }
}

/// Equation 10 at the end of the epoch in which the channel changes.
#[test]
fn d_tcp_with_sinr_follows_a_channel_that_jumps_at_once() {
    for sinr in [-10.0, 0.0, 20.0, 30.0] {
        let bandwidth = 3.0;
        let mut drive = Drive::after_loss("d-tcp", 1000.0, &[WITH_SINR]).on_path(SECOND / 100);
        drive.hear(10.0, bandwidth);
        deliver(&mut drive, 1.0, 1030);
        let before = flows(&mut drive.clone());
        close(before, 21.0, 1e-9);
        drive.hear(sinr, bandwidth);
        deliver_an_epoch(&mut drive);
        let surplus = bandwidth * (efficiency(sinr) - efficiency((10.0 + sinr) / 2.0));
        let unused = 1.0 - 100.0 / (100.0 + surplus / 2.0);
        let n = (before + 1.0 - before * unused / ALPHA).max(1.0);
        close(flows(&mut drive), n, 1e-9);
    }
}

/// Decibels as printed: the bandwidth that the radio reports does not matter.
#[test]
fn d_tcp_by_algorithm_1_with_sinr_doubles_at_once_where_the_channel_is_better_than_on_average() {
    let mut drive = Drive::with("d-tcp", 1000.0, &[AS_ALGORITHM_1, WITH_SINR]);
    let mut n = 1.0;
    for (sinr, average) in [(0.0, 0.0), (20.0, 10.0), (31.0, 17.0), (-40.0, 2.75), (60.0, 14.2)] {
        drive.hear(sinr, 0.0);
        deliver_an_epoch(&mut drive);
        let after = flows(&mut drive.clone());
        if sinr > average {
            close(after, 2.0 * n, 1e-9);
        } else if sinr < average {
            close(after, n + 1.0, 1e-9);
        }
        n = after;
    }
}

/// `n + 1 - w (e - b) / (alpha e)`, `e` being `b` and half of the decibels above the
/// average.
#[test]
fn d_tcp_by_equation_12_with_sinr_adds_decibels_to_segments_a_second() {
    let mut drive = Drive::after_loss("d-tcp", 10.0, &[AS_EQUATION_12, WITH_SINR]);
    drive.hear(10.0, 0.0);
    deliver(&mut drive, 1.0, 1030);
    drive.hear(10.2, 0.0);
    let growth = |drive: &Drive| drive.clone().growth();
    for _ in 0..52 {
        let (window, before) = (drive.cwnd(), growth(&drive));
        deliver(&mut drive, 1.0, 1);
        let after = growth(&drive);
        if (after - before).abs() > 1e-6 {
            let unused = 1.0 - 100.0 / (100.0 + 0.1 / 2.0);
            close(after, before + 1.0 - window * unused / ALPHA, 1e-6);
            return;
        }
    }
    panic!("an epoch passed without a change");
}

#[test]
fn d_tcp_without_a_radio_does_the_same_with_its_flag_and_without() {
    for reading in ["envelope", "literal-alg1", "literal-eq12"] {
        let reading = ("reading", Value::Choice(reading));
        let mut drives = [&[reading][..], &[reading, WITH_SINR]]
            .map(|values| Drive::with("d-tcp", 10.0, values));
        for step in 0..3000 {
            for drive in &mut drives {
                deliver(drive, f64::from(step * step % 17) / 8.0, 1);
                if step % 500 == 499 {
                    drive.congest(Signal::Loss);
                }
            }
            assert_eq!(drives[0].cwnd(), drives[1].cwnd());
        }
    }
}

/// A channel below its average by almost all that passes: next to nothing counts as
/// available, and the flows multiply each epoch.
#[test]
fn d_tcp_of_any_number_of_flows_stands_still_where_nothing_opens_the_window() {
    let mut drive = Drive::after_loss("d-tcp", 1000.0, &[WITH_SINR]).on_path(SECOND / 100);
    let bandwidth = 2.0 * (100.0 - 1e-4) / (efficiency(10.0) - efficiency(0.0));
    drive.hear(20.0, bandwidth);
    deliver(&mut drive, 1.0, 1);
    drive.hear(0.0, bandwidth);
    for _ in 0..100 {
        deliver_an_epoch(&mut drive);
        let before = drive.cwnd();
        drive.acknowledge(0.0);
        assert_eq!(drive.cwnd(), before);
    }
}

/// The envelope forgets an estimate after ten round trips.
#[test]
fn d_tcp_takes_what_it_uses_for_available_after_ten_round_trips() {
    let mut drive = Drive::after_loss("d-tcp", 1000.0, &[]).on_path(10 * SECOND);
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

/// As printed, the reset leaves what `n` is raised by.
#[test]
fn d_tcp_with_its_previous_number_kept_has_its_flows_back_an_epoch_after_a_timeout() {
    for (keeps, expected) in [(false, 2.0), (true, 17.0)] {
        let keeps = ("keep-previous", Value::Flag(keeps));
        let mut drive = Drive::with("d-tcp", 1000.0, &[AS_ALGORITHM_1, keeps]);
        let epoch = |drive: &mut Drive| {
            (0..52).for_each(|step| deliver(drive, 1.0 - 0.01 * f64::from(step), 1));
        };
        (0..4).for_each(|_| epoch(&mut drive));
        close(flows(&mut drive.clone()), 16.0, 1e-9);
        drive.congest(Signal::Timeout);
        close(flows(&mut drive.clone()), 1.0, 1e-9);
        epoch(&mut drive);
        close(flows(&mut drive), expected, 1e-9);
    }
}

/// Equation 16: a half whatever `eta` is, and `1 / 2n` where it is large, as of plain
/// parallel flows.
#[test]
fn d_tcp_with_one_flow_halves_its_window_and_with_a_large_eta_as_parallel_flows() {
    for (eta, epochs, kept) in
        [(1.0, 0, 0.5), (2.0, 0, 0.5), (50.0, 0, 0.5), (1.0, 2, 0.8), (1000.0, 2, 0.875)]
    {
        let values = [AS_ALGORITHM_1, ("eta", Value::Number(eta))];
        let mut drive = Drive::with("d-tcp", 1000.0, &values);
        for _ in 0..epochs {
            (0..52).for_each(|step| deliver(&mut drive, 1.0 - 0.01 * f64::from(step), 1));
        }
        let before = drive.cwnd();
        drive.congest(Signal::Loss);
        close(drive.cwnd() / before, kept, 1e-3);
    }
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
