use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_links::radio::propagation::{Antennas, noise};
use windtunnel_links::radio::{
    BlockagePlan, Building, Efficiency, HandoverPlan, LineOfSight, Map, Obstructed, Point, Radio,
    RadioPlan, Station,
};
use windtunnel_links::{Channel, ChannelMaker, ChannelState, RadioSample};

use crate::{CARRIER, at_millisecond, building, measured, open_map, point, radio_plan, station};

fn radio(plan: &RadioPlan) -> Radio {
    Radio::new(plan, &Streams::new(1, 0), "air")
}

/// The channel every this many milliseconds.
fn states(plan: &RadioPlan, count: u64, period: u64) -> Vec<ChannelState> {
    let mut radio = radio(plan);
    (0..count).map(|number| radio.sample(at_millisecond(number * period))).collect()
}

/// What is measured then.
fn samples(plan: &RadioPlan, count: u64, period: u64) -> Vec<RadioSample> {
    states(plan, count, period).into_iter().map(measured).collect()
}

fn line_of_sight_loss(ground: f64) -> f64 {
    Antennas::new(ground, 10.0, 1.5).line_of_sight_loss(CARRIER)
}

fn power(decibels: f64) -> f64 {
    10f64.powf(decibels / 10.0)
}

#[test]
fn in_the_open_the_sinr_is_the_link_budget() {
    let state = radio(&radio_plan(open_map(&[point(100.0, 0.0)]), 0.0)).sample(Time::ZERO);
    let sample = measured(state);
    // 30 dBm + 30 dB - 103.38 dB - (-174 + 90 + 7) dBm; the user's 23 dBm in 100 MHz.
    assert!((sample.sinr[0] - 33.62).abs() < 0.0051, "{}", sample.sinr[0]);
    assert!((sample.sinr[1] - 36.62).abs() < 0.0051, "{}", sample.sinr[1]);
    assert!(sample.line_of_sight && sample.station == 0);
    // 4.4 bit/s/Hz less a quarter.
    assert_eq!(state.rates[0].map(|it| it.bits_per_second()), Some(3_300_000_000));
    assert_eq!(state.rates[1].map(|it| it.bits_per_second()), Some(330_000_000));
}

#[test]
fn other_stations_disturb_what_the_user_receives_without_the_antennas_gain() {
    let mut map = open_map(&[point(50.0, 0.0)]);
    map.stations.push(station("east", 150.0, 0.0));
    map.stations.push(station("north", 50.0, 200.0));
    let sample = measured(radio(&radio_plan(map, 0.0)).sample(Time::ZERO));
    let interference =
        power(30.0 - line_of_sight_loss(100.0)) + power(30.0 - line_of_sight_loss(200.0));
    let disturbance = 10.0 * (power(noise(1e9, 7.0)) + interference).log10();
    assert!((sample.sinr[0] - (60.0 - line_of_sight_loss(50.0) - disturbance)).abs() < 1e-9);
    assert!((sample.sinr[1] - (53.0 - line_of_sight_loss(50.0) - noise(1e8, 7.0))).abs() < 1e-9);
}

#[test]
fn below_the_minimum_sinr_nothing_is_sent() {
    let state = radio(&radio_plan(open_map(&[point(5e3, 0.0)]), 0.0)).sample(Time::ZERO);
    let sinr = measured(state).sinr[0];
    assert!(sinr < -10.0, "{sinr}");
    assert_eq!(state.rates[0], None);
}

/// A walk past a building 10 m wide, out of its shadow and into it and out again.
fn walk(obstructed: Obstructed) -> RadioPlan {
    let mut map = open_map(&[point(80.0, -40.0), point(80.0, 40.0)]);
    map.buildings.push(building(40.0, -8.0, 12.0, 16.0));
    RadioPlan { obstructed, ..radio_plan(map, 1.0) }
}

#[test]
fn the_sinr_has_no_jump_on_a_walk_behind_a_building() {
    let step = 1e-3;
    let wavelength = 299_792_458.0 / CARRIER;
    // The steepest knife edge, as in the map's test, and the fourth power of 80 m.
    let edge = (2.0 / wavelength * (1.0 / 40.0_f64 + 1.0 / 28.0)).sqrt();
    let steepest = 20.0 / std::f64::consts::LN_10 * (edge + 2.0 / 80.0);
    for obstructed in [Obstructed::Diffraction, Obstructed::Scattering] {
        let walk = samples(&walk(obstructed), 80_000, 1);
        for pair in walk.windows(2) {
            let jump = (pair[1].sinr[0] - pair[0].sinr[0]).abs();
            assert!(jump <= steepest * step + 0.005, "{jump} dB at {:?}", pair[0].position);
        }
        let hidden = walk.iter().filter(|it| !it.line_of_sight).count() as f64 * step;
        // The shadow of 16 m at 40 m is 32 m wide at 80 m.
        assert!((hidden - 32.0).abs() < 0.01, "{hidden} m");
    }
}

#[test]
fn scattering_leaves_the_loss_between_those_with_and_without_line_of_sight() {
    let diffracted = samples(&walk(Obstructed::Diffraction), 800, 100);
    for (place, diffracted) in
        samples(&walk(Obstructed::Scattering), 800, 100).iter().zip(diffracted)
    {
        let antennas = Antennas::new(place.position.distance(point(0.0, 0.0)), 10.0, 1.5);
        let loss = 60.0 - noise(1e9, 7.0) - place.sinr[0];
        let (least, most) =
            (antennas.line_of_sight_loss(CARRIER), antennas.obstructed_loss(CARRIER));
        assert!(loss >= least - 1e-9 && loss <= most + 1e-9, "{loss} of {least} to {most}");
        assert!(place.sinr[0] >= diffracted.sinr[0] - 1e-9);
    }
    // Deep in the shadow nearly all that comes is scattered.
    let deep = samples(&walk(Obstructed::Scattering), 401, 100)[400];
    let expected = 60.0 - noise(1e9, 7.0) - Antennas::new(80.0, 10.0, 1.5).obstructed_loss(CARRIER);
    assert!((deep.sinr[0] - expected).abs() < 1.0, "{} of {expected}", deep.sinr[0]);
}

const AFTER: u64 = 160;
const INTERRUPTION: u64 = 50;

/// A ride of 10 m/s from one station to the next.
fn ride() -> RadioPlan {
    let mut map = open_map(&[point(20.0, 10.0), point(180.0, 10.0)]);
    map.stations.push(station("east", 200.0, 0.0));
    radio_plan(map, 10.0)
}

/// Whether station 1 is better than station 0 by the margin, by millisecond.
fn east_is_better(plan: &RadioPlan, millisecond: u64) -> bool {
    let user = plan.map.position(plan.speed * millisecond as f64 / 1e3);
    let loss = |station: &Station| {
        let shadow = plan.map.shadow(station, user, CARRIER);
        line_of_sight_loss(station.at.distance(user)) + shadow.loss
    };
    loss(&plan.map.stations[1]) < loss(&plan.map.stations[0]) - plan.handover.margin
}

#[test]
fn a_handover_comes_after_margin_and_time_and_silences_the_link_for_the_interruption() {
    let plan = ride();
    let period = 10;
    let better = (0..1600).map(|it| it * period).find(|it| east_is_better(&plan, *it));
    let begins = better.expect("east is better at the end") + AFTER;
    for (number, state) in states(&plan, 1600, period).into_iter().enumerate() {
        let now = number as u64 * period;
        assert_eq!(measured(state).station, usize::from(now >= begins), "{now} ms");
        let is_silent = (begins..begins + INTERRUPTION).contains(&now);
        for rate in state.rates {
            assert_eq!(rate.is_none(), is_silent, "{now} ms");
        }
    }
}

#[test]
fn the_station_that_is_best_at_the_start_serves_first() {
    for (x, best) in [(50.0, 0), (150.0, 1)] {
        let mut plan = ride();
        plan.map.path = vec![point(x, 10.0)];
        let state = radio(&plan).sample(Time::ZERO);
        assert_eq!(measured(state).station, best);
        assert!(state.rates[0].is_some());
    }
}

/// A ride along which a small building hides the western station for a moment.
fn glimpse(after: Duration) -> (RadioPlan, Duration) {
    let mut plan = ride();
    plan.map.path = vec![point(60.0, 10.0), point(80.0, 10.0)];
    plan.map.buildings = vec![building(68.0, 9.3, 0.5, 0.4)];
    plan.handover = HandoverPlan { after, ..plan.handover };
    let better: Vec<u64> = (0..2000).filter(|it| east_is_better(&plan, *it)).collect();
    let (first, last) = (better[0], *better.last().expect("hidden for a moment"));
    assert_eq!(better.len() as u64, last - first + 1, "hidden once");
    (plan, Duration::from_millis(last - first))
}

#[test]
fn a_moment_shorter_than_the_time_to_trigger_makes_no_handover() {
    let (_, moment) = glimpse(Duration::ZERO);
    assert!(moment > Duration::from_millis(50), "{moment}");
    let stations = |after| {
        let (plan, _) = glimpse(after);
        samples(&plan, 2000, 1).iter().map(|it| it.station).max()
    };
    assert_eq!(stations(moment), Some(1));
    assert_eq!(stations(moment + Duration::from_millis(1)), Some(0));
}

#[test]
fn after_a_handover_the_way_back_takes_margin_and_time_again() {
    let (mut plan, _) = glimpse(Duration::from_millis(20));
    plan.handover.interruption = Duration::from_millis(30);
    let seen: Vec<usize> = samples(&plan, 2000, 1).iter().map(|it| it.station).collect();
    let changes: Vec<usize> = (1..seen.len()).filter(|it| seen[*it] != seen[*it - 1]).collect();
    assert_eq!((seen[0], changes.len()), (0, 2), "there and back");
    assert!(changes[1] - changes[0] >= 50);
}

/// Everything random at once, with two stations.
fn everything() -> RadioPlan {
    let blockage = BlockagePlan {
        every: Duration::from_millis(500),
        lasts: Duration::from_millis(100),
        loss: 20.0,
        edge: Duration::from_millis(50),
    };
    RadioPlan {
        line_of_sight: LineOfSight::Probability,
        shadowing: true,
        blockage: Some(blockage),
        ..ride()
    }
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_name_others() {
    let run = |seed, link| {
        let mut radio = Radio::new(&everything(), &Streams::new(seed, 0), link);
        (0..1000).map(|it| radio.sample(at_millisecond(10 * it))).collect::<Vec<_>>()
    };
    assert_eq!(run(1, "air"), run(1, "air"));
    assert_ne!(run(1, "air"), run(2, "air"));
    assert_ne!(run(1, "air"), run(1, "other air"));
}

#[test]
fn each_station_has_its_own_shadowing() {
    let from = |name: &str| {
        let mut plan = RadioPlan { blockage: None, ..everything() };
        plan.map.stations = vec![station(name, 0.0, 0.0)];
        measured(radio(&plan).sample(Time::ZERO)).sinr
    };
    assert_eq!(from("west"), from("west"));
    assert_ne!(from("west"), from("east"));
}

#[test]
fn at_the_end_of_the_way_the_channel_stays_as_it_is() {
    let plan = RadioPlan { blockage: None, ..everything() };
    // 160 m at 10 m/s, and a handover that may still be due.
    let mut radio = radio(&plan);
    let seen: Vec<RadioSample> =
        (0..300).map(|it| measured(radio.sample(at_millisecond(100 * it)))).collect();
    assert!(seen[165..].iter().all(|it| *it == seen[165]));
    assert_eq!(seen[165].position, point(180.0, 10.0));
    assert_ne!(seen[155].sinr, seen[165].sinr);
}

#[test]
fn another_station_changes_nobody_elses_draws() {
    let mut more = everything();
    more.map.stations.push(station("far", 0.0, 1e5));
    // What the user sends is not disturbed by other stations.
    let sent = |plan| samples(&plan, 1000, 10).into_iter().map(|it| (it.station, it.sinr[1]));
    assert!(sent(everything()).eq(sent(more)));
}

#[test]
fn without_chance_a_sample_does_not_depend_on_those_before() {
    let plan = walk(Obstructed::Scattering);
    let often = samples(&plan, 8000, 10);
    let seldom = samples(&plan, 80, 1000);
    assert!(seldom.into_iter().eq(often.into_iter().step_by(100)));
}

fn places() -> impl Strategy<Value = Point> {
    let coordinate = prop_oneof![-1e6..1e6, -20.0..20.0, Just(0.0)];
    (coordinate.clone(), coordinate).prop_map(|(x, y)| point(x, y))
}

fn heights() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..100.0, Just(0.0), Just(1.0), Just(1.5)]
}

prop_compose! {
    fn maps()(
        sites in vec((places(), heights()), 1..4),
        houses in vec((places(), 0.0..1e3, 0.0..1e3), 0..6),
        path in vec(places(), 1..5),
        user_height in heights(),
    ) -> Map {
        let stations = sites.into_iter().enumerate().map(|(number, (at, height))| {
            Station { name: number.to_string(), at, height }
        });
        let buildings = houses.into_iter().map(|(corner, width, depth)| {
            Building { corner, width, depth }
        });
        Map { stations: stations.collect(), buildings: buildings.collect(), path, user_height }
    }
}

proptest! {
    #[test]
    fn any_map_gives_a_finite_sinr(
        map in maps(), speed in 0.0..1e3, is_chance: bool, is_scattered: bool, is_cqi: bool,
        times in vec(0..60_000_u64, 1..20),
    ) {
        let plan = RadioPlan {
            line_of_sight: if is_chance { LineOfSight::Probability } else { LineOfSight::Map },
            obstructed: if is_scattered { Obstructed::Scattering } else { Obstructed::Diffraction },
            efficiency: if is_cqi {
                Efficiency::Cqi { gap: 7.43 }
            } else {
                Efficiency::Shannon { share: 0.6, maximum: 4.4, minimum_sinr: -10.0 }
            },
            map,
            speed,
            ..everything()
        };
        let mut times = times;
        times.sort_unstable();
        let mut radio = radio(&plan);
        for millisecond in times {
            let sample = measured(radio.sample(at_millisecond(millisecond)));
            prop_assert!(sample.sinr.iter().all(|it| it.is_finite()), "{sample:?}");
            prop_assert!(sample.position.x.is_finite() && sample.position.y.is_finite());
            prop_assert!(sample.station < plan.map.stations.len());
        }
    }
}

#[test]
fn a_radio_shows_its_map_and_how_it_reports() {
    let plan = radio_plan(open_map(&[point(3.0, 4.0)]), 0.0);
    let maker: &dyn ChannelMaker = &plan;
    assert_eq!(maker.map(), Some(&plan.map));
    assert_eq!(maker.reports(), Some(plan.report));
}
