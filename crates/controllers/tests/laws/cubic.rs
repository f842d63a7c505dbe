//! CUBIC against RFC 9438 and its closed forms.

use crate::drive::{Drive, SECOND, close};
use windtunnel_controllers::{Controller, Nanoseconds, Signal, Value};

const PURE: (&str, Value<'_>) = ("reno-friendly", Value::Flag(false));
const NOW: (&str, Value<'_>) = ("curve", Value::Choice("now"));
const NO_CONVERGENCE: (&str, Value<'_>) = ("fast-convergence", Value::Flag(false));

fn nanoseconds(seconds: f64) -> Nanoseconds {
    (seconds * SECOND as f64) as Nanoseconds
}

#[test]
fn cubic_is_back_at_w_max_after_k_seconds() {
    for (w_max, k) in [(100.0, 4.217), (1000.0, 9.086), (10_000.0, 19.574)] {
        for curve in ["ahead", "now"] {
            let settings = [PURE, ("curve", Value::Choice(curve))];
            let mut drive = Drive::after_loss("cubic", w_max, &settings).on_path(SECOND / 50);
            close(drive.cwnd(), 0.7 * w_max, 1e-12);
            drive.run_until(nanoseconds(k));
            close(drive.cwnd(), w_max, 0.001);
            drive.run_until(nanoseconds(2.0 * k));
            close(drive.cwnd(), 1.3 * w_max, 0.01);
        }
    }
}

/// A sawtooth that begins where the RFC's model has its fixed point, at the
/// maximum `4 mean / (3 + beta)`: the curve is flat there, so that it forgets
/// any other beginning only with the root of the number of losses. And where a
/// cycle ends a segment lower than the last, fast convergence would set in,
/// which the model leaves out.
fn mean_window(rtt: Nanoseconds, loss: f64, mean: f64, settings: &[(&str, Value<'_>)]) -> f64 {
    let maximum = 4.0 * mean / 3.7;
    Drive::after_loss("cubic", maximum, settings).on_path(rtt).sawtooth(loss, 30).mean
}

/// The table of RFC 9438, section 5.2, which rounds down and takes the larger
/// of two closed forms, for p = 1e-2 to 1e-5; where the two are near (0.1 s and
/// 1e-3) the window, the larger of two curves at each instant, beats both by 5 %.
/// Fast convergence, which the table leaves out, costs up to a tenth.
#[test]
fn cubic_has_the_mean_windows_of_the_rfc() {
    for (rtt, means) in
        [(SECOND / 10, [12.0, 38.0, 187.0, 1054.0]), (SECOND / 100, [12.0, 38.0, 120.0, 379.0])]
    {
        for (power, mean) in (2..).zip(means) {
            let loss = f64::powi(0.1, power);
            close(mean_window(rtt, loss, mean, &[NO_CONVERGENCE]), mean, 0.06);
            close(mean_window(rtt, loss, mean, &[]), mean, 0.1);
        }
    }
}

/// `w_mean = (c (3 + beta) / (4 (1 - beta)))^(1/4) (T/p)^(3/4)` (RFC 9438, 5.1).
#[test]
fn cubic_alone_follows_its_response_function() {
    for (rtt, loss) in [(0.1, 1e-3), (0.1, 1e-4), (0.1, 1e-5), (0.01, 1e-5)] {
        let mean = 1.0538 * f64::powf(rtt / loss, 0.75);
        close(mean_window(nanoseconds(rtt), loss, mean, &[PURE, NO_CONVERGENCE]), mean, 0.001);
    }
}

/// As the NDN consumers have it: for each segment, towards the curve now.
#[test]
fn cubic_now_steps_to_the_curve_at_this_moment() {
    let settings = [PURE, NOW, NO_CONVERGENCE, ("beta", Value::Number(0.8))];
    let mut drive = Drive::after_loss("cubic", 50.0, &settings);
    let k = f64::cbrt(50.0 * 0.2 / 0.4);
    let mut expected = 40.0;
    for step in 1..500 {
        drive.now = step * SECOND / 100;
        drive.acknowledge(1.0);
        let curve = 0.4 * (step as f64 / 100.0 - k).powi(3) + 50.0;
        expected += f64::max(curve - expected, 0.0) / expected;
        close(drive.cwnd(), expected, 1e-12);
    }
    assert!(expected > 50.0);
}

/// Equation 2 of RFC 8312, K = ∛(w_max (1 − beta) / c): the window at its minimum of 1 did not
/// fall, and yet the curve begins K = ∛(0.2 / 0.4) s before it is flat. By RFC 9438 it is flat at
/// once. A second later it is at 1 + 0.4 (1 − K)³.
#[test]
fn cubic_at_its_minimum_is_later_flat_by_rfc_8312_than_by_rfc_9438() {
    for (plateau, k) in [("window", 0.0), ("reduction", f64::cbrt(0.2 / 0.4))] {
        let beta = ("beta", Value::Number(0.8));
        let settings = [PURE, NOW, NO_CONVERGENCE, beta, ("plateau", Value::Choice(plateau))];
        let mut drive = Drive::with("cubic", 1.0, &settings);
        drive.congest(Signal::Loss);
        assert_eq!(drive.cwnd(), 1.0);
        drive.now += SECOND;
        drive.acknowledge(1.0);
        close(drive.cwnd(), 1.0 + 0.4 * f64::powi(1.0 - k, 3), 1e-12);
    }
}

/// The two are one where the window fell by the reduction, and before any congestion.
#[test]
fn cubic_has_one_plateau_by_both_rfcs_after_a_whole_reduction() {
    let window = |plateau: &str, loss: bool| {
        let settings = [NO_CONVERGENCE, ("plateau", Value::Choice(plateau))];
        let mut drive = Drive::with("cubic", 10.0, &settings).on_path(SECOND / 50);
        drive.rounds(4);
        drive.congest(if loss { Signal::Loss } else { Signal::Timeout });
        drive.rounds(200);
        drive.cwnd()
    };
    for loss in [true, false] {
        close(window("window", loss), window("reduction", loss), 1e-12);
    }
}

/// ndn-tools: `w_est = beta w_max + alpha t / rtt`.
#[test]
fn cubic_now_keeps_up_with_reno() {
    let mut drive = Drive::after_loss("cubic", 20.0, &[NOW]).on_path(SECOND / 100);
    drive.run_until(SECOND);
    let alpha = 3.0 * 0.3 / 1.7;
    close(drive.cwnd(), 14.0 + alpha * 100.0, 0.02);
}

#[test]
fn cubic_grows_by_half_at_most_in_a_round_trip_unless_it_reads_the_curve_now() {
    for (curve, limit) in [("ahead", 1.5), ("now", 1e9)] {
        let settings = [("curve", Value::Choice(curve))];
        let mut drive = Drive::after_loss("cubic", 1000.0, &settings);
        drive.acknowledge(1.0);
        drive.now += 1000 * SECOND;
        let before = drive.cwnd();
        drive.acknowledge(before);
        close(drive.cwnd(), (before * limit).min(0.4 * 990.914_f64.powi(3) + 1000.0), 1e-3);
    }
}

/// RFC 9438, section 4.8: then the curve begins at its flat point.
#[test]
fn cubic_after_a_timeout_starts_from_its_plateau() {
    let mut drive = Drive::with("cubic", 10.0, &[PURE]).on_path(SECOND / 50);
    drive.rounds(4);
    drive.congest(Signal::Timeout);
    assert_eq!((drive.cwnd(), drive.controller.ssthresh()), (10.0, 112.0));
    drive.rounds(4);
    let (begun, plateau) = (drive.now, drive.cwnd());
    close(plateau, 112.0, 0.01);
    drive.run_until(begun + 3 * SECOND);
    close(drive.cwnd(), plateau + 0.4 * 27.0, 0.01);
}

/// Section 4.7: `w_max = w (1 + beta) / 2` where the maximum was not reached again.
#[test]
fn cubic_converges_fast_by_aiming_lower() {
    for (converge, plateau) in [(true, 70.0 * 0.85), (false, 70.0)] {
        let settings = [PURE, ("fast-convergence", Value::Flag(converge))];
        let mut drive = Drive::after_loss("cubic", 100.0, &settings).on_path(SECOND / 50);
        drive.congest(Signal::Loss);
        close(drive.cwnd(), 49.0, 1e-12);
        drive.run_until(nanoseconds(f64::cbrt((plateau - 49.0) / 0.4)));
        close(drive.cwnd(), plateau, 0.001);
    }
}

/// Section 4.3: where Reno would be faster, `w` grows by `alpha` per round trip,
/// and by one once it is back where it was.
#[test]
fn cubic_is_as_fast_as_reno_on_short_paths() {
    let mut drive = Drive::after_loss("cubic", 40.0, &[]).on_path(SECOND / 1000);
    let back = drive.rounds_to(40.0);
    close(back, 12.0 / (3.0 * 0.3 / 1.7), 0.05);
    drive.rounds(20);
    close(drive.cwnd(), 60.0, 0.02);
}

/// Section 4.2: time in which the window did not limit the sender does not count, whether it
/// was silent or sent less.
#[test]
fn cubic_grows_after_idleness_as_if_there_had_been_none() {
    let usual = {
        let mut drive = Drive::after_loss("cubic", 200.0, &[]);
        drive.rounds(40);
        drive.cwnd()
    };
    let mut silent = Drive::after_loss("cubic", 200.0, &[]);
    silent.rounds(20);
    silent.now += 20 * SECOND;
    silent.begin_again();
    silent.rounds(20);
    close(silent.cwnd(), usual, 1e-3);
    let mut limited = Drive::after_loss("cubic", 200.0, &[]);
    limited.rounds(20);
    limited.rounds_limited_by_the_application(200);
    limited.rounds(20);
    close(limited.cwnd(), usual, 1e-3);
}

/// Section 4.9: everything is as before the decrease.
#[test]
fn cubic_goes_on_along_its_curve_after_a_spurious_decrease() {
    let mut drive = Drive::over_tcp("cubic", 200.0, &[]);
    drive.congest(Signal::Loss);
    drive.rounds(20);
    let mut disturbed = drive.clone();
    for signal in [Signal::Loss, Signal::Timeout] {
        let before = disturbed.controller.clone();
        disturbed.congest(signal);
        assert!(disturbed.cwnd() < drive.cwnd());
        disturbed.controller.on_spurious(&before);
    }
    drive.rounds(30);
    disturbed.rounds(30);
    assert_eq!(disturbed.cwnd(), drive.cwnd());
}

const LINUX: (&str, Value<'_>) = ("curve", Value::Choice("linux"));

/// The same curve in whole segments: within one for each step of the target, and of the growth.
#[test]
fn cubic_of_linux_follows_the_curve_in_whole_segments() {
    for (w_max, k) in [(100.0, 4.217), (1000.0, 9.086)] {
        let mut drive = Drive::after_loss("cubic", w_max, &[PURE, LINUX]).on_path(SECOND / 50);
        close(drive.cwnd(), f64::floor(0.7 * w_max), 1e-12);
        for (time, share) in [(k, 1.0), (2.0 * k, 1.3)] {
            drive.run_until(nanoseconds(time));
            assert_eq!(drive.cwnd().fract(), 0.0);
            close(drive.cwnd(), share * w_max, 0.03);
        }
    }
}

#[test]
fn cubic_of_linux_rounds_what_it_keeps_down() {
    for window in 2..40 {
        let kept = f64::floor(0.7 * f64::from(window)).max(2.0);
        let drive = Drive::after_loss("cubic", window.into(), &[LINUX]);
        close(drive.cwnd(), kept, 1e-12);
    }
}

/// What the curve is below the greatest window is rounded towards it: so the first round trip after a decrease
/// has a segment more, where in bytes it has a small part of one.
#[test]
fn cubic_of_linux_never_shrinks_and_grows_by_half_at_most() {
    for window in 4..60 {
        let mut drive = Drive::after_loss("cubic", window.into(), &[LINUX]).on_path(SECOND / 25);
        let mut before = drive.cwnd();
        for round in 1..200 {
            drive.run_until(round * SECOND / 25);
            let cwnd = drive.cwnd();
            assert_eq!(cwnd.fract(), 0.0);
            assert!(before <= cwnd && cwnd <= before + f64::floor(before / 2.0) + 1.0);
            before = cwnd;
        }
        assert!(before > f64::from(window));
    }
}
