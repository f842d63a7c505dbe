//! Fixed radio links beside published values: antennas, schemes, times on the air.

use windtunnel_engine::Duration;
use windtunnel_links::fixed_wireless::mcs::SCHEMES;
use windtunnel_links::fixed_wireless::timing::{
    Access, FRAME, TERRAGRAPH_OVERHEAD, around, packets_of_half_frame,
};
use windtunnel_links::fixed_wireless::{
    Antenna, AntennaPattern, Mcs, SnrThresholds, diameter_of, greatest_gain, greatest_gain_of_dish,
};

fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} of {expected}");
}

/// A dish of 20 cm at 60.48 GHz, in wavelengths.
fn dish() -> f64 {
    0.2 * 60.48e9 / 299_792_458.0
}

fn antenna(pattern: AntennaPattern) -> Antenna {
    Antenna { gain: 40.0, pattern }
}

const ANGLES: [f64; 8] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0];

#[test]
fn a_gaussian_beam_loses_three_db_at_half_its_width() {
    let gaussian = antenna(AntennaPattern::Gaussian { width: 2.0 });
    let expected = [0.19, 0.75, 1.69, 3.0, 6.75, 12.0, 13.9, 13.9];
    for (angle, loss) in ANGLES.into_iter().zip(expected) {
        // The first side lobe is that of a dish of this gain, which is a little larger.
        assert_near(gaussian.loss(angle), loss, 0.15);
        assert_eq!(gaussian.loss(-angle), gaussian.loss(angle));
    }
}

#[test]
fn side_lobes_are_those_of_f_699() {
    let dish = antenna(AntennaPattern::F699 { diameter: dish() });
    let expected = [0.25, 1.02, 2.29, 4.07, 9.14, 13.9, 14.0, 16.0];
    for (angle, loss) in ANGLES.into_iter().zip(expected) {
        assert_near(dish.loss(angle), loss, 0.03);
    }
    assert_near(dish.loss(5.0), 21.5, 0.05);
    assert_near(dish.loss(10.0), 29.1, 0.05);
}

/// F.699 is an envelope of peaks, F.1245 of averages.
#[test]
fn average_side_lobes_are_below_their_peaks() {
    for diameter in [20.0, 40.0, 99.0, 101.0, 500.0] {
        let gain = greatest_gain_of_dish(diameter) - 2.0;
        let peaks = Antenna { gain, pattern: AntennaPattern::F699 { diameter } };
        let averages = Antenna { gain, pattern: AntennaPattern::F1245 { diameter } };
        for tenths in 0..1800 {
            let angle = f64::from(tenths) / 10.0;
            assert!(averages.loss(angle) >= peaks.loss(angle) - 1e-9, "{diameter}: {angle}");
        }
    }
}

#[test]
fn a_beam_of_two_degrees_gains_forty_dbi_and_no_more() {
    assert_near(greatest_gain(2.03), 40.0, 0.01);
    // 47 dBi for 35.5 cm at 60.48 GHz, if all of the area receives.
    assert_near(greatest_gain_of_dish(dish() * 0.355 / 0.2), 47.0, 0.1);
    assert_near(diameter_of(40.0), dish(), 1.5);
}

#[test]
fn schemes_have_the_rates_and_needs_of_the_standard() {
    let rates = [
        385.0, 770.0, 962.5, 1155.0, 1251.25, 1540.0, 1925.0, 2310.0, 2502.5, 3080.0, 3850.0,
        4620.0,
    ];
    let needs = [3.5, 5.5, 6.5, 7.5, 9.5, 8.5, 9.5, 10.5, 12.5, 16.5, 17.5, 18.5];
    for (scheme, (rate, needed)) in SCHEMES.iter().zip(rates.into_iter().zip(needs)) {
        assert_eq!(scheme.rate().bits_per_second(), (rate * 1e6) as u64);
        assert_near(scheme.needed(SnrThresholds::Standard), needed, 0.05);
    }
    assert_eq!(Mcs::of(0), None);
    assert_eq!(Mcs::of(13), None);
}

/// 1 % of packets of 4,096 bytes at the sensitivity; 0.37 % of 1,500 and 0.016 % of 64.
#[test]
fn a_hundredth_is_wrong_at_the_sensitivity_and_less_of_shorter_packets() {
    for thresholds in [SnrThresholds::Standard, SnrThresholds::Planner] {
        for scheme in &SCHEMES {
            let snr = scheme.needed(thresholds);
            let error = |bytes| scheme.error(thresholds, snr, bytes);
            assert_near(error(4096), 0.01, 1e-12);
            assert_near(error(1500), 0.003_67, 5e-6);
            assert_near(error(64), 0.000_157, 5e-7);
            // Two halves get across together as often as the whole.
            assert_near((1.0 - error(750)).powi(2), 1.0 - error(1500), 1e-12);
        }
    }
}

#[test]
fn errors_fall_with_the_snr_from_all_to_none() {
    for scheme in &SCHEMES {
        let error =
            |tenths: i32| scheme.error(SnrThresholds::Standard, f64::from(tenths) / 10.0, 1500);
        assert!((-200..400).all(|it| error(it + 1) <= error(it)));
        assert_near(error(-100), 1.0, 1e-12);
        assert_near(error(400), 0.0, 1e-12);
    }
}

/// The megabits a second of UDP payload in packets of 1,500 bytes, each with 38 more on the
/// air, this many in an exchange.
fn goodput(mcs: u8, packets: u32, access: Access) -> f64 {
    let rate = Mcs::of(mcs).expect("a scheme").rate();
    let time = around(access) + rate.transmission_time(1538 * packets);
    f64::from(1472 * 8 * packets) / time.as_seconds() / 1e6
}

#[test]
fn one_packet_an_exchange_costs_most_of_the_rate() {
    let expected = [(6, 520.0, 168.0), (8, 590.0, 175.0), (9, 602.0, 176.0), (12, 680.0, 182.0)];
    for (mcs, scheduled, contention) in expected {
        assert_near(goodput(mcs, 1, Access::Scheduled) / scheduled, 1.0, 0.01);
        assert_near(goodput(mcs, 1, Access::Contention) / contention, 1.0, 0.01);
    }
}

#[test]
fn sixty_four_packets_an_exchange_bring_most_of_it_back() {
    let expected =
        [(6, 1435.0, 1316.0), (8, 2122.0, 1872.0), (9, 2291.0, 2002.0), (12, 4077.0, 3243.0)];
    for (mcs, scheduled, contention) in expected {
        assert_near(goodput(mcs, 64, Access::Scheduled) / scheduled, 1.0, 0.01);
        assert_near(goodput(mcs, 64, Access::Contention) / contention, 1.0, 0.01);
    }
}

#[test]
fn whole_packets_fill_half_of_terragraphs_frames() {
    let expected = [
        (6, 690, 666),
        (7, 870, 840),
        (8, 1020, 985),
        (9, 1110, 1072),
        (10, 1380, 1332),
        (11, 1740, 1680),
        (12, 1920, 1853),
    ];
    for (mcs, ip, tcp) in expected {
        let rate = Mcs::of(mcs).expect("a scheme").rate();
        let packets = packets_of_half_frame(rate, 1500);
        let megabits = |bytes: u32| f64::from(packets * bytes * 8) / FRAME.as_seconds() / 1e6;
        assert_near(megabits(1500), f64::from(ip), 0.5);
        assert_near(megabits(1448), f64::from(tcp), 1.0);
    }
    assert_eq!((TERRAGRAPH_OVERHEAD, FRAME), (48, Duration::from_micros(400)));
}
