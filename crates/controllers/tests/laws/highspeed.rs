//! HighSpeed TCP against its response function and its table.

use crate::drive::{Drive, close};

/// `w = 0.12 / p^0.835` (RFC 3649, section 5), beside the table of RFC 9438,
/// section 5.2.
#[test]
fn highspeed_follows_its_response_function() {
    let mut means = vec![];
    for (loss, table, cycles) in [(1e-4, 263.0, 40), (1e-5, 1795.0, 20), (1e-6, 12_280.0, 5)] {
        let mut drive = Drive::after_loss("highspeed", 1.2 * table, &[]);
        let mean = drive.sawtooth(loss, cycles).mean;
        close(table, 0.12 / f64::powf(loss, 0.835), 0.01);
        close(mean, table, 0.1);
        means.push(mean);
    }
    let slope = |from: usize| f64::log10(means[from + 1] / means[from]);
    close(slope(0), 0.835, 0.05);
    close(slope(1), 0.835, 0.05);
}

/// Appendix B: from this window on, this growth; and the shares given up, which
/// it rounds to hundredths.
#[test]
fn highspeed_has_the_steps_of_the_rfcs_table() {
    for (window, growth, given_up) in [
        (118.0, 2.0, 0.44),
        (1058.0, 8.0, 0.33),
        (5036.0, 20.0, 0.25),
        (10_661.0, 30.0, 0.21),
        (84_035.0, 71.0, 0.10),
    ] {
        let share = Drive::new("highspeed", window).kept();
        close(1.0 - share, given_up, 0.05);
        let mut drive = Drive::after_loss("highspeed", 0.93 * window / share, &[]);
        while drive.cwnd() < window {
            drive.acknowledge(window / 1000.0);
        }
        close(drive.growth(), growth, 0.01);
    }
}

#[test]
fn highspeed_is_reno_up_to_38_segments() {
    let mut drive = Drive::new("highspeed", 38.0);
    assert_eq!(drive.kept(), 0.5);
    close(drive.growth(), 1.0, 1e-12);
    drive.rounds(18);
    assert!(drive.cwnd() < 38.0);
    close(drive.growth(), 1.0, 1e-9);
    drive.rounds(3);
    close(drive.growth(), 1.0, 0.01);
}

/// Beyond the highest window of the RFC a loss still takes a tenth.
#[test]
fn highspeed_never_gives_up_less_than_a_tenth() {
    close(Drive::new("highspeed", 1e6).kept(), 0.9, 1e-12);
}
