//! A controller behind the C interface does what it does without it, and its failures end its run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_plugin::Library;
use windtunnel_plugin::controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Delivery, External,
    Failed, Need, RadioReport, Settings, Signal, Start, TransmissionStart, Window,
};
use windtunnel_plugin::interface::{self, Interface};

const START: Start = Start {
    initial_window: 10.0,
    minimum_window: 2.0,
    restart_window: 1.0,
    initial_ssthresh: f64::INFINITY,
};

fn settings(name: &str) -> Settings {
    Settings::defaults(DESCRIPTIONS.iter().find(|it| it.name == name).expect("it is registered"))
}

/// BBRv1: it uses delivery rates, round trips and pacing.
fn registered(start: Start) -> AnyController {
    AnyController::new(start, &settings("bbr1"))
}

static BBR: Interface = windtunnel_plugin::exported::interface(
    "exported",
    &[Need::Pacing, Need::DeliveryRate],
    registered,
);

fn option<T: Clone + std::fmt::Debug + 'static>(
    of: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    proptest::option::of(of).boxed()
}

prop_compose! {
    fn delivery()(
        rate in option(1.0..1e6),
        total in 0.0..1e6,
        in_flight_at_send in 0.0..1e4,
        lost_since_send in 0.0..10.0,
        application_limited: bool,
    ) -> Delivery {
        let total_at_send = total / 2.0;
        Delivery { rate, total, total_at_send, in_flight_at_send, lost_since_send, application_limited }
    }
}

prop_compose! {
    fn acknowledgement()(
        now in 0..1u64 << 40,
        acknowledged in 0.0..100.0,
        (marked, some_congestion, lost) in (0.0..3.0, 0.0..3.0, 0.0..3.0),
        rtt in option(1..1u64 << 32),
        smoothed_rtt in option(1..1u64 << 32),
        one_way_delay in option(1..1u64 << 32),
        in_flight in 0.0..1e4,
        delivery in option(delivery()),
        (round_ended, recovering, window_limited) in any::<(bool, bool, bool)>(),
        radio in option((0..1u64 << 40, -20.0..30.0, 1.0..1e3)),
    ) -> Acknowledgement {
        let radio = radio.map(|(received, sinr, bandwidth)| RadioReport { received, sinr, bandwidth });
        Acknowledgement {
            now, acknowledged, delivered: acknowledged + 1.0, marked, some_congestion, lost, rtt,
            smoothed_rtt, one_way_delay, in_flight, next_departure: now + 7, delivery, round_ended,
            recovering, window_limited, radio,
        }
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Acknowledge(Acknowledgement),
    Congest(Signal),
    Recover,
    Start(bool),
    Lower(f64),
    Undo,
}

fn operation() -> impl Strategy<Value = Operation> {
    let signals = [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout];
    prop_oneof![
        8 => acknowledgement().prop_map(Operation::Acknowledge),
        2 => proptest::sample::select(signals.to_vec()).prop_map(Operation::Congest),
        1 => Just(Operation::Recover),
        1 => any::<bool>().prop_map(Operation::Start),
        1 => (1.0..50.0).prop_map(Operation::Lower),
        1 => Just(Operation::Undo),
    ]
}

/// Both controllers do the same; `before` are copies, from before the last congestion.
fn apply<C: Controller>(it: &mut C, operation: &Operation, now: u64) {
    match operation {
        Operation::Acknowledge(acknowledgement) => {
            it.on_acknowledgement(&Acknowledgement { now, ..*acknowledgement });
        }
        Operation::Congest(signal) => {
            it.on_congestion(&Congestion { now, signal: *signal, in_flight: 5.0 });
        }
        Operation::Recover => it.on_recovered(now),
        Operation::Start(application_limited) => {
            let application_limited = *application_limited;
            it.on_transmission_start(&TransmissionStart {
                now,
                application_limited,
                smoothed_rtt: application_limited.then_some(now / 2),
            });
        }
        Operation::Lower(cwnd) => it.lower_window(*cwnd, 20.0),
        Operation::Undo => {}
    }
}

fn answers(it: &impl Controller) -> (f64, f64, Option<f64>) {
    (it.cwnd(), it.ssthresh(), it.pacing_rate())
}

proptest! {
    #[test]
    fn a_controller_answers_the_same_behind_the_interface(operations in vec(operation(), 1..200)) {
        let maker = Library::of(&BBR).maker("exported");
        let mut own = registered(START);
        let mut exported = AnyController::External(maker.make(START));
        let mut before = (own.clone(), exported.clone());
        for (number, operation) in operations.iter().enumerate() {
            let now = 1_000_000 * (number as u64 + 1);
            match operation {
                Operation::Undo => {
                    own.on_spurious(&before.0);
                    exported.on_spurious(&before.1);
                }
                Operation::Congest(_) => before = (own.clone(), exported.clone()),
                _ => {}
            }
            apply(&mut own, operation, now);
            apply(&mut exported, operation, now);
            prop_assert_eq!(answers(&own), answers(&exported));
        }
    }

    #[test]
    fn an_acknowledgement_is_the_same_on_the_other_side(it in acknowledgement()) {
        let passed = Acknowledgement::from(&interface::Acknowledgement::from(&it));
        prop_assert_eq!(format!("{passed:?}"), format!("{it:?}"));
    }

    #[test]
    fn needs_are_the_same_on_the_other_side(chosen in vec(any::<bool>(), Need::ALL.len())) {
        let chosen: Vec<Need> =
            Need::ALL.iter().zip(chosen).filter(|it| it.1).map(|it| *it.0).collect();
        prop_assert_eq!(interface::needs(interface::bits(&chosen)), chosen);
    }
}

#[test]
fn a_library_has_its_name_and_needs() {
    let library = Library::of(&BBR);
    assert_eq!(library.name(), "exported");
    let maker = library.maker("mine");
    assert_eq!(maker.description().name, "mine");
    assert_eq!(maker.description().needs, [Need::Pacing, Need::DeliveryRate]);
}

/// Fails in the way that the number of acknowledged segments says.
#[derive(Clone)]
struct Failing {
    window: Window,
    pacing_rate: Option<f64>,
}

impl Controller for Failing {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        match acknowledgement.acknowledged {
            1.0 => panic!("out of numbers"),
            2.0 => self.pacing_rate = Some(0.0),
            _ => {}
        }
    }

    fn on_congestion(&mut self, _: &Congestion) {}

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

static FAILING: Interface = windtunnel_plugin::exported::interface("failing", &[], |start| {
    assert!(start.initial_window < 100.0, "too much to begin with");
    Failing { window: Window::new(start), pacing_rate: None }
});

fn failure(work: impl FnOnce(&mut dyn External), start: Start) -> String {
    let maker = Library::of(&FAILING).maker("failing");
    let ended = catch_unwind(AssertUnwindSafe(|| work(maker.make(start).as_mut())));
    ended.expect_err("it fails").downcast::<Failed>().expect("it is a failure").0
}

#[test]
fn a_panic_and_an_impossible_answer_end_the_run_with_a_message() {
    let acknowledge = |acknowledged: f64| {
        move |it: &mut dyn External| {
            it.on_acknowledgement(&Acknowledgement { acknowledged, ..Acknowledgement::default() });
        }
    };
    assert_eq!(
        failure(acknowledge(1.0), START),
        "controller `failing`: on_acknowledgement: out of numbers"
    );
    assert_eq!(
        failure(acknowledge(2.0), START),
        "controller `failing`: on_acknowledgement: pacing_rate is 0; it must be a finite number of \
         segments per second greater than zero, or none"
    );
    let start = Start { initial_window: 1000.0, ..START };
    assert_eq!(failure(|_| {}, start), "controller `failing`: make: too much to begin with");
}
