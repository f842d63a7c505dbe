//! What a controller gets, and what becomes of what it says.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use windtunnel_controllers::{DESCRIPTIONS, Description, External, Maker, Window};

use super::*;
use crate::provided::refusal;

const MTU: u16 = 1000;
const PACKET: u64 = MTU as u64;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

// -- A controller that notes what it gets ---------------------------------------

#[derive(Debug, Default)]
struct Heard {
    acknowledgements: Vec<Acknowledgement>,
    signals: Vec<Signal>,
    /// At the last of them, in segments.
    in_flight: f64,
    starts: Vec<TransmissionStart>,
    recovered: usize,
}

type Shared = Arc<Mutex<Heard>>;

const PLAIN: Description = described(&[]);
const MODEL: Description = described(&[Need::Pacing, Need::DeliveryRate]);

const fn described(needs: &'static [Need]) -> Description {
    Description { name: "spy", title: "", source: "", status: "", needs, parameters: &[] }
}

#[derive(Clone, Debug)]
struct Spy {
    description: &'static Description,
    window: Window,
    rate: Option<f64>,
    heard: Shared,
}

impl Maker for Spy {
    fn description(&self) -> &'static Description {
        self.description
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        Box::new(Self { window: Window::new(start), ..self.clone() })
    }
}

impl Controller for Spy {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.heard.lock().unwrap().acknowledgements.push(*acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let mut heard = self.heard.lock().unwrap();
        heard.signals.push(congestion.signal);
        heard.in_flight = congestion.in_flight;
        self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
    }

    fn on_recovered(&mut self, _: u64) {
        self.heard.lock().unwrap().recovered += 1;
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.heard.lock().unwrap().starts.push(*start);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.rate
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

impl External for Spy {
    fn copy(&self) -> Box<dyn External> {
        Box::new(self.clone())
    }

    fn undo(&mut self, _: &dyn External) {}

    fn description(&self) -> &'static Description {
        self.description
    }
}

/// A driver of a spy with a pacing rate in segments per second, if it has one.
fn spied(description: &'static Description, rate: Option<f64>) -> (Driver, Shared) {
    let heard = Shared::default();
    let window = Window::new(START);
    let spy = Spy { description, window, rate, heard: Arc::clone(&heard) };
    (Driver::new(&Settings::external(Arc::new(spy)), MTU), heard)
}

/// One packet is acknowledged.
fn acknowledge(driver: &mut Driver, now: Time, sent: Time, in_flight: u64) {
    driver.acknowledge(sent, PACKET);
    driver.end_acknowledgement(now, in_flight, false);
}

// -- What it gets -----------------------------------------------------------------

#[test]
fn a_steady_flow_is_measured_at_its_rate() {
    let (mut driver, heard) = spied(&PLAIN, None);
    // A packet each millisecond, each 10 ms in flight.
    for now in 0..100 {
        if now >= 10 {
            acknowledge(&mut driver, at(now), at(now - 10), 9 * PACKET);
        }
        driver.send(at(now), PACKET);
    }
    let heard = heard.lock().unwrap();
    for (number, it) in heard.acknowledgements.iter().enumerate().skip(20) {
        let delivery = it.delivery.expect("it was sent as a whole");
        assert_eq!(delivery.rate, Some(1000.0));
        assert_eq!(delivery.total, number as f64 + 1.0);
        assert_eq!(delivery.total - delivery.total_at_send, 10.0);
        assert_eq!((delivery.in_flight_at_send, it.in_flight), (10.0, 9.0));
        assert_eq!((it.rtt, it.delivered), (Some(10_000_000), 1.0));
        assert!(!delivery.application_limited);
    }
    let rounds = heard.acknowledgements.iter().filter(|it| it.round_ended).count();
    assert_eq!(rounds, 9, "one in each 10 ms");
}

#[test]
fn losses_of_one_flight_are_one_signal_and_all_are_counted() {
    let (mut driver, heard) = spied(&PLAIN, None);
    (0..10).for_each(|now| driver.send(at(now), PACKET));
    acknowledge(&mut driver, at(20), at(5), 9 * PACKET);
    driver.signal(at(20), at(2), false, 3 * PACKET);
    driver.send(at(21), PACKET);
    driver.signal(at(22), at(4), false, 2 * PACKET);
    acknowledge(&mut driver, at(25), at(9), 4 * PACKET);
    {
        let heard = heard.lock().unwrap();
        assert_eq!(heard.signals, [Signal::Loss]);
        assert_eq!(heard.in_flight, 6.0, "nine without the three that are lost");
        let last = heard.acknowledgements.last().unwrap();
        assert_eq!((last.lost, last.acknowledged, last.delivered), (5.0, 0.0, 1.0));
        assert!(last.recovering);
        assert_eq!(heard.recovered, 0);
    }
    // What was sent after the signal is acknowledged: that ends it, and the next counts.
    acknowledge(&mut driver, at(41), at(21), 0);
    driver.send(at(42), PACKET);
    driver.signal(at(60), at(42), false, PACKET);
    let heard = heard.lock().unwrap();
    assert_eq!((heard.recovered, heard.signals.len()), (1, 2));
}

#[test]
fn a_mark_counts_once_a_round_trip_and_persistent_congestion_is_the_timeout() {
    let (mut driver, heard) = spied(&PLAIN, None);
    (0..10).for_each(|now| driver.send(at(now), PACKET));
    driver.signal(at(20), at(5), false, 0);
    driver.signal(at(21), at(9), false, 0);
    driver.signal(at(500), at(9), true, 5 * PACKET);
    driver.signal(at(501), at(9), true, 2 * PACKET);
    assert_eq!(heard.lock().unwrap().signals, [Signal::Mark, Signal::Timeout]);
    assert_eq!(driver.window(), LEAST * PACKET);
}

#[test]
fn what_comes_after_idleness_is_a_beginning_and_only_a_lower_bound() {
    let (mut driver, heard) = spied(&PLAIN, None);
    driver.send(at(0), PACKET);
    driver.acknowledge(at(0), PACKET);
    driver.end_acknowledgement(at(10), 0, true);
    driver.send(at(1000), PACKET);
    acknowledge(&mut driver, at(1010), at(1000), 0);
    let heard = heard.lock().unwrap();
    let starts: Vec<(u64, bool)> =
        heard.starts.iter().map(|it| (it.now, it.application_limited)).collect();
    assert_eq!(starts, [(0, false), (1_000_000_000, true)]);
    let rtts: Vec<_> = heard.starts.iter().map(|it| it.smoothed_rtt).collect();
    assert_eq!(rtts, [None, Some(10_000_000)]);
    let samples = heard.acknowledgements.iter().map(|it| it.delivery.unwrap());
    let limited: Vec<bool> = samples.map(|it| it.application_limited).collect();
    assert_eq!(limited, [false, true]);
    // The second packet took 10 ms, not a second.
    assert_eq!(heard.acknowledgements[1].delivery.unwrap().rate, Some(100.0));
}

/// The repair of a loss waits for nothing that the application would write.
#[test]
fn what_is_sent_again_after_the_last_byte_is_no_lower_bound() {
    let (mut driver, heard) = spied(&PLAIN, None);
    (0..10).for_each(|now| driver.send(at(now), PACKET));
    driver.acknowledge(at(9), PACKET);
    driver.end_acknowledgement(at(20), 9 * PACKET, true);
    driver.signal(at(20), at(4), false, 5 * PACKET);
    driver.send(at(20), 5 * PACKET);
    driver.acknowledge(at(20), 5 * PACKET);
    driver.end_acknowledgement(at(31), 4 * PACKET, true);
    // What the application writes then is one again.
    driver.send(at(40), PACKET);
    acknowledge(&mut driver, at(51), at(40), 4 * PACKET);
    let heard = heard.lock().unwrap();
    let samples = heard.acknowledgements.iter().map(|it| it.delivery.unwrap());
    let limited: Vec<bool> = samples.map(|it| it.application_limited).collect();
    assert_eq!(limited, [false, false, true]);
}

#[test]
fn acknowledgements_that_the_other_end_never_acknowledges_are_not_in_flight() {
    let (mut driver, heard) = spied(&PLAIN, None);
    (0..1000).for_each(|now| driver.send(at(now), 40));
    driver.send(at(2000), PACKET);
    acknowledge(&mut driver, at(2010), at(2000), 0);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.starts.len(), 1);
    assert_eq!(heard.acknowledgements[0].delivery.unwrap().in_flight_at_send, 1.0);
}

#[test]
fn larger_packets_leave_the_window_its_bytes_and_a_model_its_segments() {
    for (description, window, segments) in [(&PLAIN, 10_000, 5.0), (&MODEL, 10_000, 10.0)] {
        let (mut driver, _) = spied(description, None);
        driver.resize(2 * MTU);
        assert_eq!(driver.window(), window);
        assert_eq!(driver.controller().cwnd(), segments);
    }
}

// -- What becomes of what it says ---------------------------------------------------

/// A sender that sends whatever the window lets out, over a path of 10 ms and any rate; returns
/// the packets sent in this many milliseconds.
fn sent_in(driver: &mut Driver, milliseconds: u64) -> u64 {
    let mut flight = std::collections::VecDeque::new();
    let mut sent = 0;
    for now in 0..milliseconds {
        let mut arrived = 0;
        while flight.front().is_some_and(|it| it + 10 <= now) {
            driver.acknowledge(at(flight.pop_front().unwrap()), PACKET);
            arrived += 1;
        }
        if arrived > 0 {
            driver.end_acknowledgement(at(now), flight.len() as u64 * PACKET, false);
        }
        while (flight.len() as u64 + 1) * PACKET <= driver.window() {
            driver.send(at(now), PACKET);
            flight.push_back(now);
            sent += 1;
        }
    }
    sent
}

#[test]
fn the_window_lets_out_what_the_pacing_rate_earns() {
    // The window of ten packets alone would be 1000 packets a second.
    for rate in [300.0, 500.0, 900.0] {
        let (mut driver, _) = spied(&MODEL, Some(rate));
        let sent = sent_in(&mut driver, 10_000) as f64;
        assert!((sent / 10.0 - rate).abs() < 0.01 * rate + 2.0, "{rate}: {sent} in 10 s");
    }
    let (mut driver, _) = spied(&MODEL, Some(1e6));
    assert_eq!(sent_in(&mut driver, 10_000), 10_000, "the window is the limit");
}

/// Half the window's rate, 5 packets in a round trip of 10 ms: this many go after idleness, and no
/// more before as much time has passed.
#[test]
fn after_idleness_one_round_trip_of_the_pacing_rate_goes_at_once() {
    let (mut driver, _) = spied(&MODEL, Some(500.0));
    driver.send(at(0), PACKET);
    acknowledge(&mut driver, at(10), at(0), 0);
    let burst = |driver: &mut Driver, now| {
        let before = driver.in_flight;
        while driver.window() >= driver.in_flight + PACKET {
            driver.send(now, PACKET);
        }
        (driver.in_flight - before) / PACKET
    };
    assert_eq!(burst(&mut driver, at(1000)), 5);
    acknowledge(&mut driver, at(1010), at(1000), 4 * PACKET);
    assert_eq!(burst(&mut driver, at(1010)), 0);
    acknowledge(&mut driver, at(1014), at(1000), 3 * PACKET);
    assert_eq!(burst(&mut driver, at(1014)), 2);
}

/// RFC 9002, section 7.3.2: one packet goes before the window comes down, also where it comes
/// down to less than is in flight.
#[test]
fn the_first_repair_does_not_wait_for_the_window() {
    for name in ["reno", "tahoe", "pcon-bic"] {
        let description = DESCRIPTIONS.iter().find(|it| it.name == name).unwrap();
        let mut driver = Driver::new(&Settings::defaults(description), MTU);
        driver.controller.lower_window(20.0, f64::INFINITY);
        for now in 0..20 {
            driver.send(at(now), PACKET);
        }
        acknowledge(&mut driver, at(25), at(4), 19 * PACKET);
        driver.signal(at(25), at(0), false, PACKET);
        assert!(driver.window() >= driver.in_flight + PACKET, "{name}: it goes at once");
        driver.send(at(25), PACKET);
        assert!(driver.window() < driver.in_flight + PACKET, "{name}: one");
    }
}

#[test]
fn a_reduction_lets_out_in_proportion_to_what_arrives() {
    let (mut driver, _) = spied(&PLAIN, None);
    (0..10).for_each(|now| driver.send(at(now), PACKET));
    driver.signal(at(20), at(0), false, PACKET);
    // Nine are in flight, and the window has become five.
    let mut sent = 0;
    for arrived in 1..10 {
        let in_flight = (9 - arrived + sent) * PACKET;
        acknowledge(&mut driver, at(20 + arrived), at(arrived), in_flight);
        while driver.window() >= driver.in_flight + PACKET {
            driver.send(at(20 + arrived), PACKET);
            sent += 1;
        }
    }
    assert_eq!(sent, 5);
}

// -- Any sequence ----------------------------------------------------------------

/// Something that happens to a driver.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Send(u64),
    /// This many packets of the front of those in flight are acknowledged.
    Acknowledge(usize, bool),
    Lose(usize, bool),
    Mark,
    Resize(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop_oneof![Just(0), 1..1_000_000u64, 1..20_000_000_000u64].prop_map(Step::Wait),
        4 => prop_oneof![Just(40), 1..15_000u64].prop_map(Step::Send),
        6 => (1..30usize, any::<bool>()).prop_map(|(most, limited)| Step::Acknowledge(most, limited)),
        1 => (1..30usize, prop::bool::weighted(0.1)).prop_map(|(most, it)| Step::Lose(most, it)),
        1 => Just(Step::Mark),
        1 => (1..9000u16).prop_map(Step::Resize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever happens, a window is between two packets and what a controller may set.
    #[test]
    fn no_sequence_of_signals_takes_the_window_beyond_its_limits(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        for description in DESCRIPTIONS {
            let settings = Settings::defaults(description);
            if settings.needs().any(|it| refusal(it).is_some()) {
                continue;
            }
            let mut driver = Driver::new(&settings, MTU);
            let mut now = Time::ZERO;
            let mut flight = std::collections::VecDeque::new();
            for step in &steps {
                take(&mut driver, step, &mut now, &mut flight);
                let window = driver.window();
                prop_assert!(window >= LEAST * u64::from(driver.mtu), "{}", description.name);
                prop_assert!(window < 1 << 45, "{}: {window}", description.name);
                prop_assert!(driver.rate().is_none_or(|it| it.is_finite() && it >= 0.0));
            }
        }
    }
}

fn take(
    driver: &mut Driver,
    step: &Step,
    now: &mut Time,
    flight: &mut std::collections::VecDeque<(Time, u64)>,
) {
    let bytes =
        |flight: &std::collections::VecDeque<(Time, u64)>| flight.iter().map(|it| it.1).sum();
    match *step {
        Step::Wait(nanoseconds) => *now += Duration::from_nanos(nanoseconds),
        Step::Send(bytes) => {
            driver.send(*now, bytes);
            flight.push_back((*now, bytes));
        }
        Step::Acknowledge(most, limited) => {
            for (sent, bytes) in flight.drain(..most.min(flight.len())) {
                driver.acknowledge(sent, bytes);
            }
            driver.end_acknowledgement(*now, bytes(flight), limited);
        }
        Step::Lose(most, persistent) => {
            let lost: Vec<_> = flight.drain(..most.min(flight.len())).collect();
            if let Some((sent, _)) = lost.last() {
                driver.signal(*now, *sent, persistent, lost.iter().map(|it| it.1).sum());
            }
        }
        Step::Mark => driver.signal(*now, *now, false, 0),
        Step::Resize(mtu) => driver.resize(mtu),
    }
}
