use windtunnel_links::radio::propagation::{
    Antennas, diffraction_parameter, knife_edge_loss, line_of_sight_probability, noise,
};

use crate::CARRIER;

const WAVELENGTH: f64 = 299_792_458.0 / CARRIER;

fn on_the_street(ground: f64) -> Antennas {
    Antennas::new(ground, 10.0, 1.5)
}

#[test]
fn the_street_canyon_has_its_values_at_28_ghz() {
    let values = [
        (10.0, 84.82, 92.69, 1.0),
        (50.0, 97.15, 113.42, 0.520),
        (100.0, 103.38, 123.88, 0.231),
        (200.0, 109.67, 134.46, 0.094),
        (500.0, 118.02, 148.50, 0.036),
    ];
    for (ground, line_of_sight, obstructed, probability) in values {
        let antennas = on_the_street(ground);
        assert!(
            (antennas.line_of_sight_loss(CARRIER) - line_of_sight).abs() <= 0.0051,
            "{ground} m"
        );
        assert!((antennas.obstructed_loss(CARRIER) - obstructed).abs() <= 0.0051, "{ground} m");
        assert!((line_of_sight_probability(ground) - probability).abs() <= 0.00051, "{ground} m");
    }
}

#[test]
fn beyond_the_breakpoint_the_loss_goes_on_without_a_jump_and_falls_by_the_fourth_power() {
    // 4 (10 m - 1 m) (1.5 m - 1 m) 28 GHz / 3e8 m/s.
    let breakpoint = 1680.0;
    let loss = |ground| on_the_street(ground).line_of_sight_loss(CARRIER);
    assert!((loss(breakpoint + 1e-6) - loss(breakpoint - 1e-6)).abs() < 1e-6);
    assert!((loss(1000.0) - loss(100.0) - 21.0).abs() < 0.1);
    assert!((loss(100e3) - loss(10e3) - 40.0).abs() < 1e-3);
}

#[test]
fn without_line_of_sight_the_loss_is_never_less_than_with() {
    for ground in (0..10_000).map(f64::from) {
        let antennas = on_the_street(ground);
        assert!(antennas.obstructed_loss(CARRIER) >= antennas.line_of_sight_loss(CARRIER));
    }
}

#[test]
fn what_is_nearer_than_a_metre_has_the_loss_of_free_space_over_one() {
    let free_space = 20.0 * (4.0 * std::f64::consts::PI / WAVELENGTH).log10();
    let on_top = Antennas::new(0.0, 1.5, 1.5).line_of_sight_loss(CARRIER);
    assert!((on_top - free_space).abs() < 0.1, "{on_top} of {free_space}");
    assert_eq!(on_top, Antennas::new(1.0, 1.5, 1.5).line_of_sight_loss(CARRIER));
}

#[test]
fn noise_is_that_of_the_bandwidth_and_the_receiver() {
    assert!((noise(1e9, 0.0) + 84.0).abs() < 1e-9);
    assert!((noise(1.76e9, 0.0) + 81.54).abs() < 0.0051);
    assert!((noise(1e9, 7.0) + 77.0).abs() < 1e-9);
}

/// The loss by Fresnel's integrals themselves (ITU-R P.526-15, equation 30), by
/// Simpson's rule.
fn exact_knife_edge_loss(parameter: f64) -> f64 {
    let steps = 20_000;
    let width = parameter / f64::from(steps);
    let angle = |it: f64| std::f64::consts::FRAC_PI_2 * it * it;
    let (mut cosines, mut sines) = (0.0, 0.0);
    for step in 0..=steps {
        let weight = match step {
            0 => 1.0,
            _ if step == steps => 1.0,
            _ if step % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let at = angle(width * f64::from(step));
        cosines += weight * at.cos() * width / 3.0;
        sines += weight * at.sin() * width / 3.0;
    }
    -20.0 * ((1.0 - cosines - sines).hypot(cosines - sines) / 2.0).log10()
}

#[test]
fn a_knife_edge_takes_what_fresnels_integrals_say() {
    assert!((exact_knife_edge_loss(0.0) - 20.0 * 2f64.log10()).abs() < 1e-9);
    for step in 0..=100 {
        let parameter = -0.7 + 0.1 * f64::from(step);
        let (loss, exact) = (knife_edge_loss(parameter), exact_knife_edge_loss(parameter));
        assert!((loss - exact).abs() < 0.3, "{parameter}: {loss} of {exact}");
    }
}

#[test]
fn a_knife_edge_takes_six_decibels_at_its_edge_and_nothing_well_off_it() {
    assert!((knife_edge_loss(0.0) - 6.03).abs() < 0.005);
    assert!(knife_edge_loss(-0.7799) < 0.005);
    for clear in [-0.78, -1.0, -1e9, f64::NEG_INFINITY] {
        assert_eq!(knife_edge_loss(clear), 0.0);
    }
    // Deep in the shadow 20 log(√2 π ν).
    let deep = 20.0 * (std::f64::consts::SQRT_2 * std::f64::consts::PI * 1000.0).log10();
    assert!((knife_edge_loss(1000.0) - deep).abs() < 0.05);
}

#[test]
fn the_parameter_of_an_edge_little_off_the_line_is_that_of_its_height() {
    for (height, before, after) in [(0.1, 30.0, 20.0), (0.5, 100.0, 10.0), (1.0, 60.0, 60.0)] {
        let around = f64::hypot(before, height) + f64::hypot(height, after);
        let parameter = diffraction_parameter(around - before - after, CARRIER);
        let expected = height * (2.0 / WAVELENGTH * (1.0 / before + 1.0 / after)).sqrt();
        assert!((parameter / expected - 1.0).abs() < 1e-3, "{parameter} of {expected}");
        assert_eq!(diffraction_parameter(before + after - around, CARRIER), -parameter);
    }
}

/// TR 38.901, table 7.4.1-1, note 1: `4 (h_BS - 1 m) (h_UT - 1 m) f / c`; 21 dB a decade before it,
/// 40 dB behind it.
#[test]
fn the_breakpoint_goes_with_the_heights_of_both_antennas() {
    for (station, user) in [(10.0, 1.5), (10.0, 4.0), (25.0, 1.5), (3.0, 2.0)] {
        let breakpoint = 4.0 * (station - 1.0) * (user - 1.0) * CARRIER / 3e8;
        let loss = |ground: f64| Antennas::new(ground, station, user).line_of_sight_loss(CARRIER);
        let a_decade = |from: f64, to: f64| (loss(to) - loss(from)) / (to / from).log10();
        let before = a_decade(0.9 * breakpoint, breakpoint);
        let behind = a_decade(1.001 * breakpoint, 1.1 * breakpoint);
        assert!((before - 21.0).abs() < 0.1 && (behind - 40.0).abs() < 0.1, "{before}, {behind}");
        let jump = loss(breakpoint * (1.0 + 1e-9)) - loss(breakpoint * (1.0 - 1e-9));
        assert!(jump.abs() < 1e-6, "{jump}");
    }
}

/// TR 38.901, table 7.4.1-1, UMi without line of sight: 0.3 dB less for each metre of the user's
/// height above 1.5 m. Both users are 5 m above or below the station.
#[test]
fn a_user_higher_up_loses_less_behind_the_same_buildings() {
    let loss = |user| Antennas::new(200.0, 6.5, user).obstructed_loss(CARRIER);
    assert!((loss(1.5) - loss(11.5) - 3.0).abs() < 1e-9);
    assert_eq!(loss(1.0), loss(1.5), "stated for heights from 1.5 m");
}

#[test]
fn the_distance_is_that_between_the_antennas() {
    assert_eq!(Antennas::new(30.0, 41.5, 1.5).distance(), 50.0);
    assert_eq!(Antennas::new(30.0, 1.5, 41.5).distance(), 50.0);
    assert_eq!(Antennas::new(0.3, 1.5, 1.0).distance(), 1.0);
}
