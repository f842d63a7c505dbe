//! What holds forevery registered controller.

use std::collections::HashSet;

use crate::drive::{Drive, SECOND, close, description};
use crate::path::{Path, Treatment};
use proptest::prelude::*;
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Delivery, Kind,
    Nanoseconds, Need, PathEstimate, RadioReport, SettingError, Settings, Sibling, Signal, Start,
    Value,
};

const SIGNALS: [Signal; 4] = [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout];

/// Name, fraction kept in slow start, fraction kept in avoidance: what the schemes'
/// sources say, where it does not depend on the window or on the path.
const KEPT: [(&str, f64, f64); 26] = [
    ("agile-sd", 0.9, 0.9),
    ("aimd", 0.5, 0.5),
    ("balia", 0.5, 0.5),
    ("bic", 0.8, 0.8),
    ("cltcp", 0.5, 0.5),
    ("compound", 0.5, 0.5),
    ("cubic", 0.7, 0.7),
    ("dctcp", 0.5, 0.5),
    ("ec-elastic", 0.85, 0.9),
    ("elastic", 0.5, 0.5),
    ("fast", 0.5, 0.5),
    ("h-tcp", 0.5, 0.5),
    ("illinois", 0.5, 0.5),
    ("ledbat", 0.5, 0.5),
    ("lia", 0.5, 0.5),
    ("new-reno", 0.5, 0.5),
    ("olia", 0.5, 0.5),
    ("pcon-bic", 0.5, 0.5),
    ("prague", 0.5, 0.5),
    ("reno", 0.5, 0.5),
    ("scalable", 0.875, 0.875),
    ("tcp-fit", 0.5, 0.5),
    ("vegas", 0.5, 0.5),
    ("veno", 0.5, 0.5),
    ("wvegas", 0.5, 0.5),
    ("yeah", 0.875, 0.875),
];

#[test]
fn one_congestion_is_one_decrease_by_the_schemes_own_share() {
    for (name, in_slow_start, in_avoidance) in KEPT {
        for signal in [Signal::Loss, Signal::Mark, Signal::Nack] {
            let mut drive = Drive::new(name, 1000.0);
            drive.congest(signal);
            close(drive.cwnd(), 1000.0 * in_slow_start, 1e-12);
            let before = drive.cwnd();
            drive.congest(signal);
            close(drive.cwnd(), before * in_avoidance, 1e-12);
        }
    }
}

/// The transport may lower a window, not raise it, and sets the threshold with it.
/// The queue that the round trips of a round show has drained when the application has been
/// silent (in Linux, Vegas and YeAH begin anew at CA_EVENT_TX_START).
#[test]
fn what_was_measured_before_a_silence_does_not_judge_the_round_after_it() {
    for name in ["compound", "fast", "vegas", "wvegas", "yeah"] {
        let after = |queue: Nanoseconds| {
            let mut drive = Drive::new(name, 100.0);
            drive.controller.lower_window(100.0, 50.0);
            drive.rounds(2);
            drive.begin_round();
            (0..10).for_each(|_| drive.show_round_trip(drive.rtt + queue));
            drive.begin_again();
            drive.round();
            drive.cwnd()
        };
        assert_eq!(after(SECOND / 10), after(0), "{name}");
    }
}

#[test]
fn a_transport_that_lowers_a_window_finds_it_so() {
    for (name, ..) in KEPT {
        let mut drive = Drive::new(name, 1000.0);
        let controller = &mut drive.controller;
        controller.lower_window(20.0, 30.0);
        assert_eq!((controller.cwnd(), controller.ssthresh()), (20.0, 30.0), "{name}");
        controller.lower_window(500.0, 40.0);
        assert_eq!((controller.cwnd(), controller.ssthresh()), (20.0, 40.0), "{name}");
    }
}

#[test]
fn a_timeout_starts_again_from_the_initial_window() {
    for (name, in_slow_start, _) in KEPT {
        let mut drive = Drive::new(name, 2.0);
        drive.rounds(3);
        let before = drive.cwnd();
        drive.congest(Signal::Timeout);
        assert_eq!(drive.cwnd(), 2.0, "{name}");
        let below = if name == "ec-elastic" { 1.0 } else { 0.0 };
        close(drive.controller.ssthresh(), before * in_slow_start - below, 1e-12);
    }
}

/// `w = IW 2^n` after `n` round trips without loss, until `pcon-bic`'s low window.
#[test]
fn slow_start_doubles_every_round_trip() {
    for (name, ..) in KEPT {
        let rounds = if name == "pcon-bic" { 3 } else { 10 };
        let mut drive = Drive::new(name, 1.5);
        drive.rounds(rounds);
        close(drive.cwnd(), 1.5 * f64::powi(2.0, rounds as i32), 1e-9);
        assert_eq!(drive.controller.ssthresh(), f64::INFINITY);
    }
}

#[test]
fn a_fixed_window_is_fixed() {
    let mut drive = Drive::with("fixed", 2.0, &[("window", Value::Number(7.0))]);
    for signal in SIGNALS {
        drive.round();
        drive.congest(signal);
        assert_eq!(drive.cwnd(), 7.0);
    }
}

#[test]
fn descriptions_are_sound() {
    let in_words = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    let words = |name: &str| name.bytes().all(in_words);
    let mut names = HashSet::new();
    for description in DESCRIPTIONS {
        assert!(names.insert(description.name) && words(description.name));
        assert!(description.parameters.len() <= Settings::MOST);
        let mut parameters = HashSet::new();
        for parameter in description.parameters {
            assert!(parameters.insert(parameter.name) && words(parameter.name));
            match parameter.kind {
                Kind::Number { default, minimum, maximum } => {
                    assert!(minimum <= default && default <= maximum, "{}", parameter.name);
                }
                Kind::Choice(options) => assert!(options.len() > 1, "{}", parameter.name),
                Kind::Flag { .. } => {}
            }
        }
        let needs: Vec<Need> = Settings::defaults(description).needs().collect();
        assert_eq!(needs, description.needs, "{} as it comes needs more", description.name);
    }
}

#[test]
fn settings_take_what_suits_and_refuse_the_rest() {
    for description in DESCRIPTIONS {
        let mut settings = Settings::defaults(description);
        assert_eq!(settings.set("no-such-thing", Value::Flag(true)), Err(SettingError::Unknown));
        for parameter in description.parameters {
            let (good, bad): (Vec<Value<'_>>, Vec<Value<'_>>) = match parameter.kind {
                Kind::Number { default, minimum, maximum } => (
                    [default, minimum, maximum].map(Value::Number).to_vec(),
                    [minimum - 1.0, maximum * 2.0, f64::NAN, f64::INFINITY]
                        .map(Value::Number)
                        .into_iter()
                        .chain([Value::Flag(true), Value::Choice("1")])
                        .collect(),
                ),
                Kind::Choice(options) => (
                    options.iter().map(|it| Value::Choice(it.0)).collect(),
                    vec![Value::Choice("no-such-thing"), Value::Flag(true), Value::Number(1.0)],
                ),
                Kind::Flag { .. } => (
                    vec![Value::Flag(false), Value::Flag(true)],
                    vec![Value::Number(1.0), Value::Choice("true")],
                ),
            };
            for value in good {
                assert_eq!(settings.set(parameter.name, value), Ok(()));
            }
            for value in bad {
                let refused = Err(SettingError::Refused(parameter.kind));
                assert_eq!(settings.set(parameter.name, value), refused);
            }
        }
    }
}

/// Time has no origin: the windows of a flow that begins later are those of one that begins
/// at once, later. The phases in which BBR probes for bandwidth are drawn by the time; only
/// its Startup is compared, of ten round trips.
#[test]
fn a_flow_that_begins_later_does_the_same() {
    let windows = |name, begin| {
        let path = Path::new(1_000, 50.0, Treatment::Nothing);
        let mut path = path.flow(name, SECOND / 50, begin, &[]);
        let instants = (1..=100).map(|it| begin + it * SECOND / 20);
        let windows = instants.map(|it| {
            path.run_until(it);
            path.cwnd(0)
        });
        windows.collect::<Vec<f64>>()
    };
    for it in DESCRIPTIONS {
        let compared = if it.name.contains("bbr") { 4 } else { 100 };
        let at_once = windows(it.name, 0);
        for begin in [SECOND / 4, 9 * SECOND, 25 * SECOND, 1_000 * SECOND] {
            for (now, later) in at_once.iter().zip(windows(it.name, begin)).take(compared) {
                assert!((later / now - 1.0).abs() < 1e-6, "{}: {later} for {now}", it.name);
            }
        }
    }
}

/// Also without any congestion.
#[test]
fn no_window_grows_without_bound() {
    for it in DESCRIPTIONS {
        let mut drive = Drive::new(it.name, 10.0);
        for _ in 0..2000 {
            drive.now += SECOND;
            drive.begin_round();
            drive.acknowledge(drive.cwnd());
            assert!(drive.cwnd() <= 1e9, "{}: {}", it.name, drive.cwnd());
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Its time and what is in flight are filled in when it is taken.
    Acknowledge(Acknowledgement),
    Congest(Signal),
    Recover,
    /// This subflow, whose window and threshold are filled in when it is taken, and the others.
    Siblings(Sibling, Vec<Sibling>),
}

impl Step {
    /// The controller takes it, with its window in flight.
    pub(crate) fn take(&self, controller: &mut AnyController, now: Nanoseconds) {
        let in_flight = controller.cwnd();
        match self {
            Self::Acknowledge(it) => {
                controller.on_acknowledgement(&Acknowledgement { now, in_flight, ..*it });
            }
            Self::Congest(signal) => {
                controller.on_congestion(&Congestion { now, signal: *signal, in_flight });
            }
            Self::Recover => controller.on_recovered(now),
            Self::Siblings(own, others) => {
                let (cwnd, ssthresh) = (controller.cwnd(), controller.ssthresh());
                let estimate = controller.estimate();
                let own = Sibling { cwnd, ssthresh, estimate, ..*own };
                controller.on_siblings(&own, others);
            }
        }
    }
}

pub(crate) fn any_elapsed() -> impl Strategy<Value = Nanoseconds> {
    prop_oneof![Just(0), 0..=SECOND, 0..=1000 * SECOND]
}

fn any_round_trip() -> impl Strategy<Value = Option<Nanoseconds>> {
    prop_oneof![Just(None), Just(Some(0)), Just(Some(1)), (0..=10 * SECOND).prop_map(Some)]
}

fn any_segments() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..100.0]
}

fn any_delivery() -> impl Strategy<Value = Delivery> {
    let rate = prop_oneof![Just(0.0), 0.0..1e9];
    let totals = (0.0..1e6, any_segments());
    let segments = (any_segments(), any_segments());
    (prop::option::of(rate), totals, segments, any::<bool>()).prop_map(
        |(rate, (total, since), (in_flight_at_send, lost_since_send), application_limited)| {
            Delivery {
                rate,
                total,
                total_at_send: f64::max(total - since, 0.0),
                in_flight_at_send,
                lost_since_send,
                application_limited,
            }
        },
    )
}

/// One of few, so that some are repeated.
fn any_report() -> impl Strategy<Value = RadioReport> {
    let sinr = prop_oneof![Just(-200.0), Just(200.0), -200.0..=200.0];
    let bandwidth = prop_oneof![Just(0.0), 0.0..=1e9];
    (0..20_u64, sinr, bandwidth).prop_map(|(received, sinr, bandwidth)| RadioReport {
        received,
        sinr,
        bandwidth,
    })
}

fn any_acknowledgement() -> impl Strategy<Value = Acknowledgement> {
    let opens = prop_oneof![Just(1.0), 0.0..=1.0];
    let amounts = (any_segments(), opens, any_segments(), any_segments(), any_segments());
    let delays = (any_round_trip(), any_round_trip(), any_round_trip());
    let facts = (any::<bool>(), any::<bool>(), any::<bool>());
    let told = (prop::option::of(any_delivery()), prop::option::of(any_report()));
    (amounts, delays, told, facts).prop_map(
        |(amounts, (rtt, smoothed_rtt, one_way_delay), (delivery, radio), facts)| {
            let (delivered, opens, marked, some_congestion, lost) = amounts;
            let (round_ended, recovering, window_limited) = facts;
            Acknowledgement {
                acknowledged: if recovering || !window_limited { 0.0 } else { delivered * opens },
                delivered,
                marked: f64::min(marked, delivered),
                some_congestion: f64::min(some_congestion, delivered),
                lost,
                rtt,
                smoothed_rtt,
                one_way_delay,
                delivery,
                round_ended,
                recovering,
                window_limited,
                radio,
                ..Acknowledgement::default()
            }
        },
    )
}

fn any_estimate() -> impl Strategy<Value = PathEstimate> {
    let bandwidth = prop_oneof![Just(1e-9), 0.1..1e9];
    (bandwidth, 1..=10 * SECOND)
        .prop_map(|(bandwidth, round_trip)| PathEstimate { bandwidth, round_trip })
}

fn any_sibling() -> impl Strategy<Value = Sibling> {
    let cwnd = prop_oneof![Just(1.0), 0.5..1e9];
    let ssthresh = prop_oneof![Just(f64::INFINITY), 1.0..1e9];
    let between_losses = prop_oneof![Just(0.0), 0.0..1e9];
    let rate = prop_oneof![Just(0.0), 0.0..1e9];
    let measured = (prop::option::of(any_estimate()), prop::option::of(rate));
    (cwnd, ssthresh, any_round_trip(), any::<bool>(), between_losses, measured).prop_map(
        |(cwnd, ssthresh, smoothed_rtt, recovering, between_losses, (estimate, delivery_rate))| {
            Sibling {
                cwnd,
                ssthresh,
                smoothed_rtt,
                recovering,
                between_losses,
                estimate,
                delivery_rate,
            }
        },
    )
}

/// On a single path.
pub(crate) fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => any_acknowledgement().prop_map(Step::Acknowledge),
        2 => prop::sample::select(&SIGNALS).prop_map(Step::Congest),
        1 => Just(Step::Recover),
    ]
}

/// On one of several paths.
pub(crate) fn any_step_among_siblings() -> impl Strategy<Value = Step> {
    let others = prop::collection::vec(any_sibling(), 0..4);
    prop_oneof![
        4 => any_step(),
        1 => (any_sibling(), others).prop_map(|(own, others)| Step::Siblings(own, others)),
    ]
}

/// What is set on a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Set {
    Nothing,
    Everything,
    EverythingAndEveryFlagOn,
}

/// A controller and, for each parameter that is set, where in its range it lies.
fn any_settings() -> impl Strategy<Value = Settings> {
    let share = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
    let shares = prop::collection::vec(share, Settings::MOST);
    let set = prop::sample::select(&[Set::Nothing, Set::Everything, Set::EverythingAndEveryFlagOn]);
    (prop::sample::select(DESCRIPTIONS), set, shares).prop_map(|(it, set, shares)| {
        let mut settings = Settings::defaults(it);
        for (parameter, share) in it.parameters.iter().zip(shares).filter(|_| set != Set::Nothing) {
            let value = match parameter.kind {
                Kind::Number { minimum, maximum, .. } => {
                    Value::Number(minimum + share * (maximum - minimum))
                }
                Kind::Choice(options) => {
                    Value::Choice(options[(share * (options.len() - 1) as f64).round() as usize].0)
                }
                Kind::Flag { .. } => {
                    Value::Flag(set == Set::EverythingAndEveryFlagOn || share < 0.5)
                }
            };
            settings.set(parameter.name, value).expect("the value is within the range");
        }
        settings
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    /// Whatever happens, and however little of it a network would do.
    #[test]
    fn the_window_is_finite_and_at_least_its_minimum(
        settings in any_settings(),
        initial_window in 0.5..200.0,
        minimum_window in 1.0..4.0,
        restart_window in prop_oneof![Just(1.0), 0.5..200.0],
        steps in prop::collection::vec((any_elapsed(), any_step_among_siblings()), 1..100),
    ) {
        let start = Start { initial_window, minimum_window, restart_window, initial_ssthresh: f64::INFINITY };
        let least = f64::min(minimum_window, restart_window);
        let mut controller = AnyController::new(start, &settings);
        let mut now = 0;
        for (elapsed, step) in steps {
            now += elapsed;
            step.take(&mut controller, now);
            let (cwnd, ssthresh) = (controller.cwnd(), controller.ssthresh());
            prop_assert!(cwnd.is_finite() && cwnd >= least, "{cwnd} after {step:?}");
            prop_assert!(ssthresh >= minimum_window, "threshold {ssthresh} after {step:?}");
            if let Some(rate) = controller.pacing_rate() {
                prop_assert!(rate.is_finite() && rate > 0.0, "paces {rate} after {step:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_radio_changes_nothing_for_a_controller_that_does_not_need_it(
        settings in any_settings(),
        steps in prop::collection::vec((any_elapsed(), any_step()), 1..100),
    ) {
        prop_assume!(!settings.needs().any(|it| it == Need::Sinr));
        let start = Start { initial_window: 10.0, minimum_window: 2.0, restart_window: 1.0, initial_ssthresh: f64::INFINITY };
        let mut it = [(); 2].map(|()| AnyController::new(start, &settings));
        let mut now = 0;
        for (elapsed, step) in steps {
            now += elapsed;
            step.take(&mut it[0], now);
            let untold = match step {
                Step::Acknowledge(it) => Step::Acknowledge(Acknowledgement { radio: None, ..it }),
                other => other,
            };
            untold.take(&mut it[1], now);
            prop_assert_eq!(it[0].cwnd(), it[1].cwnd());
            prop_assert_eq!(it[0].pacing_rate(), it[1].pacing_rate());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn siblings_change_nothing_for_a_controller_that_does_not_need_them(
        settings in any_settings(),
        steps in prop::collection::vec((any_elapsed(), any_step_among_siblings()), 1..100),
    ) {
        prop_assume!(!settings.needs().any(|it| it == Need::Siblings));
        let start = Start { initial_window: 10.0, minimum_window: 2.0, restart_window: 1.0, initial_ssthresh: f64::INFINITY };
        let mut it = [(); 2].map(|()| AnyController::new(start, &settings));
        let mut now = 0;
        for (elapsed, step) in steps {
            now += elapsed;
            step.take(&mut it[0], now);
            if !matches!(step, Step::Siblings(..)) {
                step.take(&mut it[1], now);
            }
            prop_assert_eq!(it[0].cwnd(), it[1].cwnd());
            prop_assert_eq!(it[0].pacing_rate(), it[1].pacing_rate());
            prop_assert!(!it[0].abandons());
        }
    }
}

#[test]
fn a_flag_needs_nothing_until_it_is_on() {
    for description in DESCRIPTIONS {
        for parameter in description.parameters {
            let Kind::Flag { needs, .. } = parameter.kind else { continue };
            for (on, of_flag) in [(false, &[][..]), (true, needs)] {
                let mut settings = Settings::defaults(description);
                settings.set(parameter.name, Value::Flag(on)).expect("a flag");
                let wanted: Vec<Need> = [description.needs, of_flag].concat();
                assert_eq!(settings.needs().collect::<Vec<_>>(), wanted);
            }
        }
    }
}

/// A transport keeps one for each connection, and a copy while it may undo a decrease.
#[test]
fn controllers_are_small() {
    assert!(size_of::<AnyController>() <= 192, "{} bytes", size_of::<AnyController>());
}

#[test]
fn settings_know_whose_they_are() {
    assert_eq!(Settings::defaults(description("cubic")).description().title, "CUBIC");
}
