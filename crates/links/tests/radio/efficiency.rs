use proptest::prelude::*;
use windtunnel_links::radio::Efficiency;

const SHANNON: Efficiency = Efficiency::Shannon { share: 0.6, maximum: 4.4, minimum_sinr: -10.0 };
/// -ln(5 BER) / 1.5 for a bit error rate of 5e-5, in dB.
const GAP: f64 = 7.43;

fn ratio(decibels: f64) -> f64 {
    10f64.powf(decibels / 10.0)
}

#[test]
fn truncated_shannon_has_its_values() {
    for (sinr, efficiency) in [(-10.0, 0.083), (0.0, 0.6), (10.0, 2.076), (20.0, 3.995)] {
        // To three decimals.
        assert!((SHANNON.at(sinr) - efficiency).abs() <= 0.00051, "{sinr} dB");
    }
    assert_eq!(SHANNON.at(-10.001), 0.0);
    assert!(SHANNON.at(22.04) < 4.4);
    assert_eq!(SHANNON.at(22.06), 4.4);
}

#[test]
fn the_gap_is_that_of_its_bit_error_rate() {
    assert!((10.0 * (-(5.0_f64 * 5e-5).ln() / 1.5).log10() - GAP).abs() <= 0.0051);
}

#[test]
fn a_channel_quality_is_reached_where_shannons_law_less_the_gap_allows_it() {
    for (efficiency, first, last) in [
        (Efficiency::Cqi { gap: GAP }, 0.1523, 5.5547),
        (Efficiency::Cqi256 { gap: GAP }, 0.1523, 7.4063),
    ] {
        let needed = |value: f64| GAP + 10.0 * (2f64.powf(value) - 1.0).log10();
        assert_eq!(efficiency.at(needed(first) - 1e-6), 0.0);
        assert_eq!(efficiency.at(needed(first) + 1e-6), first);
        assert!(efficiency.at(needed(last) - 1e-6) < last);
        assert_eq!(efficiency.at(needed(last) + 1e-6), last);
        assert_eq!(efficiency.at(1e6), last);
    }
}

fn efficiencies() -> impl Strategy<Value = Efficiency> {
    let gap = 0.0..12.0;
    prop_oneof![
        gap.clone().prop_map(|gap| Efficiency::Cqi { gap }),
        gap.prop_map(|gap| Efficiency::Cqi256 { gap }),
        (0.0..=1.0, 0.0..10.0, -20.0..0.0).prop_map(|(share, maximum, minimum_sinr)| {
            Efficiency::Shannon { share, maximum, minimum_sinr }
        }),
    ]
}

proptest! {
    #[test]
    fn efficiency_never_falls_with_sinr_nor_exceeds_shannons_law(
        efficiency in efficiencies(), sinr in -100.0..100.0, more in 0.0..100.0,
    ) {
        let value = efficiency.at(sinr);
        prop_assert!(value >= 0.0);
        prop_assert!(value <= (1.0 + ratio(sinr)).log2() * (1.0 + 1e-6));
        prop_assert!(efficiency.at(sinr + more) >= value);
    }
}
