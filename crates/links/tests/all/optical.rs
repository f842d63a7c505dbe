//! Laws of optical links: fog, turbulence, and what is received.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Streams, Time};
use windtunnel_links::optical::fog::FogModel;
use windtunnel_links::optical::turbulence::{GammaGamma, Scintillation, rytov_variance};
use windtunnel_links::optical::{
    OpticalParts, OpticalPlan, OpticalPower, Outage, TurbulencePlan, geometric_loss,
};
use windtunnel_links::{Channel, ChannelMaker, ChannelSetting, ChannelState, Course};

const INFRARED: f64 = 1550e-9;
const DISTANCE: f64 = 150.0;

const PARTS: OpticalParts = OpticalParts {
    transmit_power: [0.0, -3.0],
    transmitter_aperture: 0.02,
    divergence: 0.3e-3,
    receiver_aperture: 0.02,
    optics_loss: 2.0,
    sensitivity: [-20.0, -22.0],
};

fn plan() -> OpticalPlan {
    OpticalPlan {
        wavelength: INFRARED,
        distance: DISTANCE,
        power: OpticalPower::Parts(PARTS),
        visibility: Arc::new(Course::constant(50e3)),
        fog: FogModel::Kim,
        turbulence: None,
        outage: Outage::Lose,
        period: Duration::from_millis(1),
    }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn channel(plan: &OpticalPlan, run: u64) -> Box<dyn Channel> {
    let rates = [1, 10].map(|it| Rate::from_bits_per_second(it * 1_000_000_000).unwrap());
    plan.channel(ChannelSetting { link: "roof", streams: &Streams::new(7, run), rates })
}

/// What a plan without changes in time does.
fn steady(plan: &OpticalPlan) -> ChannelState {
    channel(plan, 0).sample(Time::ZERO)
}

fn margin(plan: &OpticalPlan) -> [f64; 2] {
    steady(plan).power.unwrap().margin
}

/// By definition, at 550 nm.
#[test]
fn over_the_distance_of_the_visibility_two_percent_of_green_light_are_left() {
    for model in [FogModel::Kim, FogModel::Kruse] {
        for visibility in [10.0, 700.0, 3e3, 20e3, 80e3] {
            let decibels = model.attenuation(550e-9, visibility) * visibility / 1e3;
            assert!((10_f64.powf(-decibels / 10.0) - 0.02).abs() < 1e-12, "{visibility}");
        }
    }
}

/// Published values, rounded to the digits shown.
#[test]
fn kims_model_has_its_known_attenuation_at_1550_nanometres() {
    let known = [
        (50.0, 340.0, 51.0),
        (200.0, 85.0, 12.7),
        (500.0, 34.0, 5.1),
        (1e3, 10.1, 1.5),
        (2e3, 4.3, 0.64),
        (10e3, 0.44, 0.07),
    ];
    for (visibility, per_kilometre, over_the_link) in known {
        let loss = FogModel::Kim.attenuation(INFRARED, visibility);
        assert!((loss / per_kilometre - 1.0).abs() < 0.005, "{visibility}: {loss}");
        let plan = OpticalPlan { visibility: Arc::new(Course::constant(visibility)), ..plan() };
        let loss = plan.fog_loss(visibility);
        assert!((loss - over_the_link).abs() <= 0.06_f64.min(over_the_link * 0.06), "{loss}");
        let received = steady(&plan).power.unwrap().received.unwrap()[0];
        let clear = -2.0 - geometric_loss(&PARTS, DISTANCE);
        assert!((clear - received - loss).abs() < 1e-9, "{received}");
    }
}

#[test]
fn kruse_and_kim_agree_above_six_kilometres_and_kruse_loses_less_in_fog() {
    for visibility in [7e3, 20e3, 49e3, 60e3] {
        let both = [FogModel::Kim, FogModel::Kruse].map(|it| it.attenuation(INFRARED, visibility));
        assert_eq!(both[0], both[1]);
    }
    // q = 0.585 V^⅓ at 125 m.
    let kruse = FogModel::Kruse.attenuation(INFRARED, 125.0);
    let expected = 10.0 * 50_f64.log10() / 0.125 * (1550.0_f64 / 550.0).powf(-0.585 * 0.5);
    assert!((kruse / expected - 1.0).abs() < 1e-12, "{kruse}");
    assert!(kruse < FogModel::Kim.attenuation(INFRARED, 125.0));
}

#[test]
fn less_visibility_never_loses_less() {
    for model in [FogModel::Kim, FogModel::Kruse] {
        let losses = (1..2000).map(|it| model.attenuation(INFRARED, f64::from(it) * 50.0));
        assert!(losses.is_sorted_by(|thicker, thinner| thicker >= thinner), "{model:?}");
    }
}

#[test]
fn the_rytov_variance_and_the_index_have_their_known_values() {
    for (structure, variance, index) in [(1e-14, 0.00615, 0.0061), (1e-13, 0.0615, 0.0613)] {
        let found = rytov_variance(structure, INFRARED, DISTANCE);
        assert!((found / variance - 1.0).abs() < 0.001, "{found}");
        let found = GammaGamma::of_plane_wave(found).index();
        assert!((found - index).abs() < 0.00006, "{found}");
    }
}

/// Weak: the index is the Rytov variance. Saturated: the greater shape, of large eddies,
/// comes back to nothing, and the index falls to 1.
#[test]
fn the_index_follows_the_variance_where_that_is_small_and_saturates_where_it_is_great() {
    for variance in [1e-6, 1e-4] {
        let index = GammaGamma::of_plane_wave(variance).index();
        assert!((index / variance - 1.0).abs() < 0.01, "{variance}: {index}");
    }
    let index = |variance: f64| GammaGamma::of_plane_wave(variance).index();
    assert!(index(4.0) > 1.0 && index(100.0) < index(4.0));
    assert!((index(1e6) - 1.0).abs() < 0.1, "{}", index(1e6));
}

/// The powers of many links with a Rytov variance, after some milliseconds; coherence 5 ms.
fn pairs(variance: f64, later: u64, count: u64) -> Vec<(f64, f64)> {
    let shapes = GammaGamma::of_plane_wave(variance);
    let pair = |run| {
        let streams = Streams::new(3, run);
        let eddies = ["large", "small"].map(|it| streams.stream(it));
        let mut scintillation = Scintillation::new(shapes, Duration::from_millis(5), eddies);
        let first = scintillation.at(at(1));
        (first, scintillation.at(at(1 + later)))
    };
    (0..count).map(pair).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    values.sum::<f64>() / count as f64
}

#[test]
fn the_received_power_has_mean_one_and_the_scintillation_index_as_variance_at_any_time() {
    let count = 100_000;
    for variance in [0.00615, 0.0615, 1.0, 10.0] {
        let index = GammaGamma::of_plane_wave(variance).index();
        let pairs = pairs(variance, 3, count);
        for power in [|it: &(f64, f64)| it.0, |it: &(f64, f64)| it.1] {
            let powers = pairs.iter().map(power);
            let error = (index / count as f64).sqrt();
            let found = mean(powers.clone());
            assert!((found - 1.0).abs() < 4.0 * error, "{variance}: mean {found}");
            let squares = powers.map(|it| (it - 1.0).powi(2));
            let found = mean(squares.clone());
            let error = (mean(squares.map(|it| (it - found).powi(2))) / count as f64).sqrt();
            assert!((found - index).abs() < 4.0 * error, "{variance}: {found} of {index}");
        }
    }
}

/// Both factors have the autocorrelation ρ = exp(−t/τ): the covariance of their product is
/// ρ/α + ρ/β + ρ²/(αβ).
#[test]
fn the_correlation_falls_with_the_coherence_time() {
    let count = 100_000;
    for (variance, later) in [(0.0615, 1), (0.0615, 5), (0.0615, 15), (1.0, 5), (1.0, 100)] {
        let GammaGamma { large, small } = GammaGamma::of_plane_wave(variance);
        let correlation = (-(later as f64) / 5.0).exp();
        let expected =
            correlation / large + correlation / small + correlation * correlation / (large * small);
        let pairs = pairs(variance, later, count);
        let products = pairs.iter().map(|it| (it.0 - 1.0) * (it.1 - 1.0));
        let found = mean(products.clone());
        let error = (mean(products.map(|it| (it - found).powi(2))) / count as f64).sqrt();
        assert!((found - expected).abs() < 4.0 * error, "{later} ms: {found} of {expected}");
    }
}

/// In weak turbulence the logarithm is normal: mean −σ²/2, variance σ².
#[test]
fn weak_turbulence_is_lognormal() {
    let (variance, count) = (0.00615, 100_000);
    let logarithms = pairs(variance, 1, count).into_iter().map(|it| it.1.ln());
    let logarithms: Vec<f64> = logarithms.collect();
    let index = GammaGamma::of_plane_wave(variance).index();
    let centre = mean(logarithms.iter().copied());
    let spread = mean(logarithms.iter().map(|it| (it - centre).powi(2)));
    let error = (index / count as f64).sqrt();
    assert!((centre + index / 2.0).abs() < 4.0 * error, "{centre}");
    assert!((spread / index - 1.0).abs() < 4.0 * (2.0 / count as f64).sqrt(), "{spread}");
    // The shares below this many deviations of a normal variable.
    for (deviations, share) in [(-2.0, 0.02275), (-1.0, 0.15866), (1.0, 0.84134)] {
        let limit = centre + deviations * spread.sqrt();
        let found = mean(logarithms.iter().map(|it| f64::from(u8::from(*it < limit))));
        assert!((found - share).abs() < 0.005, "{deviations}: {found}");
    }
}

/// However short or long the time between two looks is.
#[test]
fn the_power_is_above_zero_and_finite_at_any_pace() {
    for (structure, picos) in [(1e-20, 1), (1e-14, 1), (1e-12, 1_000), (1e-9, 1 << 60)] {
        let shapes = GammaGamma::of_plane_wave(rytov_variance(structure, INFRARED, DISTANCE));
        for coherence in [Duration::from_picos(1), Duration::from_secs(10_000_000)] {
            let streams = Streams::new(1, 1);
            let eddies = ["large", "small"].map(|it| streams.stream(it));
            let mut scintillation = Scintillation::new(shapes, coherence, eddies);
            for step in 0..10 {
                let power = scintillation.at(Time::from_picos(step * picos));
                assert!(power >= 0.0 && power.is_finite(), "{structure}, {coherence}: {power}");
            }
        }
    }
}

/// The areas of beam and lens in relation: 20 mm widen by 45 mm to 65 mm.
#[test]
fn a_beam_that_is_wider_than_the_lens_loses_the_ratio_of_their_areas() {
    let loss = geometric_loss(&PARTS, DISTANCE);
    assert!((loss - 10.0 * (65.0_f64 / 20.0).powi(2).log10()).abs() < 1e-9, "{loss}");
    let point = OpticalParts { transmitter_aperture: 0.0, ..PARTS };
    let [near, far] = [1e3, 2e3].map(|it| geometric_loss(&point, it));
    assert!((far - near - 20.0 * 2_f64.log10()).abs() < 1e-9);
    assert_eq!(geometric_loss(&point, 10.0), 0.0);
}

#[test]
fn a_budget_adds_up_to_what_is_received() {
    let rows = vec![(Duration::ZERO, 20e3), (Duration::from_secs(1), 200.0)];
    let plan = OpticalPlan { visibility: Arc::new(Course::new(rows)), ..plan() };
    let mut optical = channel(&plan, 0);
    let [clear, fog] = [0, 1000].map(|it| optical.sample(at(it)).power.unwrap());
    for (direction, budget) in plan.budgets().iter().enumerate() {
        let sum: f64 = budget.terms.iter().map(|it| it.best).sum();
        let [best, worst] = budget.received().unwrap();
        assert!((sum - best).abs() < 1e-12);
        assert!((best - clear.received.unwrap()[direction]).abs() < 1e-9);
        assert!((worst - fog.received.unwrap()[direction]).abs() < 1e-9);
        assert!((budget.margin()[0] - clear.margin[direction]).abs() < 1e-9);
        assert!((budget.margin()[1] - fog.margin[direction]).abs() < 1e-9);
        let needed = PARTS.sensitivity[direction];
        assert!((best - needed - budget.margin()[0]).abs() < 1e-12);
    }
}

#[test]
fn a_margin_alone_is_what_clear_air_leaves() {
    let power = OpticalPower::Margin([12.0, 3.0]);
    let plan = OpticalPlan { power, ..plan() };
    let fog = plan.fog_loss(50e3);
    assert_eq!(margin(&plan), [12.0 - fog, 3.0 - fog]);
    assert_eq!(steady(&plan).power.unwrap().received, None);
}

/// At 500 m of visibility 34 dB/km: a margin of 5.1 dB is just not enough over 150 m and a
/// metre more.
#[test]
fn without_a_margin_packets_are_lost_or_wait() {
    let rates = [1, 10].map(|it| Rate::from_bits_per_second(it * 1_000_000_000));
    let fog = FogModel::Kim.attenuation(INFRARED, 500.0);
    let needed = fog * 0.15;
    let visibility = Arc::new(Course::constant(500.0));
    let power = OpticalPower::Margin([needed + 1e-9, needed - 1e-9]);
    let lossy = OpticalPlan { visibility, power, ..plan() };
    let state = steady(&lossy);
    assert_eq!((state.rates, state.loses), (rates, [false, true]));
    let state = steady(&OpticalPlan { outage: Outage::Wait, ..lossy });
    assert_eq!((state.rates, state.loses), ([rates[0], None], [false, false]));
}

#[test]
fn more_power_less_distance_and_a_larger_lens_never_leave_less() {
    let with = |parts: OpticalParts, distance| {
        let power = OpticalPower::Parts(parts);
        margin(&OpticalPlan { power, distance, ..plan() })[0]
    };
    let base = with(PARTS, DISTANCE);
    assert!(with(OpticalParts { transmit_power: [1.0, 0.0], ..PARTS }, DISTANCE) == base + 1.0);
    assert!(with(OpticalParts { receiver_aperture: 0.03, ..PARTS }, DISTANCE) > base);
    assert!(with(OpticalParts { divergence: 0.4e-3, ..PARTS }, DISTANCE) < base);
    assert!(with(PARTS, 200.0) < base);
}

#[test]
fn visibility_changes_linearly_between_the_rows_of_its_trace_and_then_no_more() {
    let rows = vec![(Duration::ZERO, 1e3), (Duration::from_secs(2), 3e3)];
    let plan = OpticalPlan { visibility: Arc::new(Course::new(rows)), ..plan() };
    let mut optical = channel(&plan, 0);
    let clear = plan.budgets()[0].margin()[0] + plan.fog_loss(3e3);
    for (milliseconds, visibility) in [(0, 1e3), (500, 1.5e3), (1999, 2.999e3), (2000, 3e3)] {
        let state = optical.sample(at(milliseconds));
        let lost = clear - state.power.unwrap().margin[0];
        assert!((lost - plan.fog_loss(visibility)).abs() < 1e-9, "{milliseconds} ms");
        let next = (milliseconds < 2000).then(|| at(milliseconds + 1));
        assert_eq!(state.next, next, "{milliseconds} ms");
    }
}

#[test]
fn both_directions_fluctuate_alike_and_other_runs_otherwise() {
    let turbulence = TurbulencePlan { structure: 1e-13, coherence: Duration::from_millis(5) };
    let plan = OpticalPlan { turbulence: Some(turbulence), ..plan() };
    let margins = |run| {
        let mut optical = channel(&plan, run);
        let samples = (0..10).map(|it| optical.sample(at(it)).power.unwrap().margin);
        samples.collect::<Vec<_>>()
    };
    assert_eq!(margins(0), margins(0));
    assert_ne!(margins(0), margins(1));
    assert!(margins(0).iter().all(|[there, back]| (there - back - 1.0).abs() < 1e-9));
}
