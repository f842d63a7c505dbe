//! Agile-SD against its closed forms.

use crate::drive::{Drive, close};
use windtunnel_controllers::{Signal, Value};

/// From `beta w` to `w`: `(1 - beta) w (1 + ln lambda) / lambda` round trips,
/// 0.6995 of the gap for the default agility of 3.
#[test]
fn agile_sd_climbs_back_in_seven_tenths_of_the_gap() {
    for (beta, window) in [(0.9, 1000.0), (0.95, 1000.0), (0.9, 5000.0)] {
        let settings = [("beta", Value::Number(beta)), ("beta-slow-start", Value::Number(beta))];
        let rounds = Drive::after_loss("agile-sd", window, &settings).rounds_to(window);
        close(rounds, 0.6995 * (1.0 - beta) * window, 0.02);
    }
}

#[test]
fn agile_sd_grows_most_right_after_a_decrease_and_then_like_reno() {
    let mut drive = Drive::after_loss("agile-sd", 1000.0, &[]);
    let mut growth = vec![];
    for _ in 0..100 {
        let before = drive.cwnd();
        drive.round();
        growth.push(drive.cwnd() - before);
    }
    close(growth[0], 3.0, 0.03);
    close(growth[99], 1.0, 0.001);
    assert!(growth.windows(2).all(|pair| pair[1] <= pair[0] + 0.001));
}

#[test]
fn agile_sd_follows_its_response_function() {
    for loss in [1e-3, 1e-4, 1e-5] {
        let saw = Drive::new("agile-sd", 100.0).sawtooth(loss, 200);
        close(saw.maximum, 3.858 / f64::sqrt(loss), 0.002);
        close(saw.mean, 3.705 / f64::sqrt(loss), 0.002);
    }
}

/// With an agility of 1 it is AIMD.
#[test]
fn agile_sd_without_agility_is_aimd() {
    let settings = [("lambda-max", Value::Number(1.0))];
    let mut agile = Drive::with("agile-sd", 10.0, &settings);
    let mut aimd = Drive::with("aimd", 10.0, &[("beta", Value::Number(0.9))]);
    for signal in [Signal::Loss, Signal::Mark, Signal::Timeout, Signal::Nack] {
        for drive in [&mut agile, &mut aimd] {
            drive.rounds(5);
            drive.congest(signal);
            drive.rounds(5);
        }
        close(agile.cwnd(), aimd.cwnd(), 1e-12);
    }
}

#[test]
fn agile_sd_keeps_different_shares_in_its_phases() {
    let settings = [("beta-slow-start", Value::Number(0.8)), ("beta", Value::Number(0.95))];
    let mut drive = Drive::after_loss("agile-sd", 100.0, &settings);
    close(drive.cwnd(), 80.0, 1e-12);
    drive.congest(Signal::Loss);
    close(drive.cwnd(), 76.0, 1e-12);
}
