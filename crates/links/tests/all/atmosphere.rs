//! What the air takes from radio waves, beside values computed by ITU-Rpy from the
//! recommendations.

use windtunnel_links::atmosphere::{
    Air, Polarisation, effective_path, fog, oxygen, rain, water_vapour,
};

const CHANNEL_1: f64 = 58.32e9;
const CHANNEL_2: f64 = 60.48e9;

fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} of {expected}");
}

#[test]
fn oxygen_takes_what_the_recommendation_says() {
    let dry: [(f64, f64); 9] = [
        (57.0, 10.07),
        (58.32, 12.87),
        (60.0, 14.62),
        (60.48, 14.96),
        (61.0, 15.01),
        (62.64, 12.21),
        (64.8, 4.32),
        (70.0, 0.30),
        (28.0, 0.019),
    ];
    for (gigahertz, expected) in dry {
        let within = if expected < 1.0 { 0.006 } else { 0.02 };
        assert_near(oxygen(gigahertz * 1e9, &Air::default()), expected, within);
    }
}

/// The vapour is that of one relative humidity, which has 7.5 g/m³ at 15 °C.
#[test]
fn cold_air_takes_more() {
    let by_celsius: [(f64, f64, f64, f64); 4] = [
        (0.0, 2.83, 14.51, 16.96),
        (10.0, 5.49, 13.38, 15.59),
        (15.0, 7.5, 12.87, 14.96),
        (30.0, 17.74, 11.43, 13.23),
    ];
    for (celsius, vapour, of_1, of_2) in by_celsius {
        let air = Air { temperature: 273.15 + celsius, vapour, ..Air::default() };
        assert_near(oxygen(CHANNEL_1, &air), of_1, 0.015);
        assert_near(oxygen(CHANNEL_2, &air), of_2, 0.015);
    }
}

#[test]
fn water_vapour_takes_little_at_60_ghz_and_nothing_without_any() {
    assert_near(water_vapour(60e9, &Air::default()), 0.155, 0.005);
    assert_near(water_vapour(28e9, &Air::default()), 0.083, 0.005);
    assert_eq!(water_vapour(60e9, &Air { vapour: 0.0, ..Air::default() }), 0.0);
}

#[test]
fn rain_has_the_coefficients_of_the_table() {
    let table: [(f64, [f64; 2], [f64; 2]); 3] = [
        (60.0, [0.8606, 0.7656], [0.8515, 0.7486]),
        (60.48, [0.8695, 0.7639], [0.8606, 0.7470]),
        (28.0, [0.2051, 0.9679], [0.1964, 0.9277]),
    ];
    for (gigahertz, horizontal, vertical) in table {
        let polarisations =
            [(Polarisation::Horizontal, horizontal), (Polarisation::Vertical, vertical)];
        for (polarisation, expected) in polarisations {
            let found = polarisation.coefficients(gigahertz * 1e9);
            (0..2).for_each(|it| assert_near(found[it], expected[it], 6e-5));
        }
    }
}

#[test]
fn rain_takes_what_the_recommendation_says() {
    let rates = [5.0, 12.5, 25.0, 50.0];
    let expected = [(CHANNEL_1, [2.9, 5.8, 9.9, 17.0]), (CHANNEL_2, [3.0, 6.0, 10.2, 17.3])];
    for (frequency, losses) in expected {
        for (rate, loss) in rates.into_iter().zip(losses) {
            assert_near(rain(frequency, rate, Polarisation::Horizontal), loss, 0.06);
        }
    }
    assert_eq!(rain(CHANNEL_1, 0.0, Polarisation::Vertical), 0.0);
}

#[test]
fn rain_is_counted_on_more_than_a_short_path_and_on_less_than_a_long_one() {
    let path = |distance| effective_path(distance, 60e9, 50.0, Polarisation::Vertical);
    assert_near(path(0.05) / 0.05, 2.5, 1e-12);
    assert!(path(30.0) < 30.0);
}

#[test]
fn fog_takes_what_the_recommendation_says() {
    let cases = [(CHANNEL_1, 0.05, 0.10), (CHANNEL_1, 0.5, 1.00), (CHANNEL_2, 0.05, 0.11)];
    for (frequency, water, expected) in cases {
        assert_near(fog(frequency, water, 283.15), expected, 0.006);
    }
    assert_near(fog(CHANNEL_2, 0.5, 283.15), 1.06, 0.006);
}
