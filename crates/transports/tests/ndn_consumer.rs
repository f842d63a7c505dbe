//! The consumer: its window, its reactions to congestion, its timeouts and its
//! workloads. The test is the network.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use rand_distr::Zipf;
use windtunnel_controllers::{AnyController, Controller, DESCRIPTIONS, Start, Value};
use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::ndn::consumer::{
    Backoff, Consumer, ConsumerCounters, ConsumerOutbox, ConsumerSettings, ConsumerTimeout,
    ConsumerWindow, ConsumerWorkload, LateData, Reaction, RttGain, TimeoutMeaning, WindowFraction,
};

fn milliseconds(time: u64) -> Time {
    Time::ZERO + Duration::from_millis(time)
}

fn random(name: &str) -> Random {
    Streams::new(1, 0).stream(name)
}

/// A segment of the first prefix.
fn name(segment: u64) -> Name {
    Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment }
}

fn interest(segment: u64, nonce: u32) -> Interest {
    Interest {
        name: name(segment),
        nonce,
        lifetime_ms: 4000,
        hop_limit: None,
        must_be_fresh: false,
    }
}

fn data(segment: u64) -> Data {
    Data { name: name(segment), content: 1000, freshness_ms: 0 }
}

fn data_packet(segment: u64) -> Packet {
    Packet::ndn(Body::Data(data(segment)), 1100)
}

fn nack_packet(interest: Interest, reason: NackReason) -> Packet {
    Packet::ndn(Body::Nack(Nack { interest, reason }), 40)
}

fn marked(packet: Packet) -> Packet {
    packet.marked_if(true)
}

fn settings() -> ConsumerSettings {
    ConsumerSettings {
        prefix: PrefixId::new(0, PacketFormat::Ndn),
        prefix_size: NameSize(10),
        workload: ConsumerWorkload::Stream,
        segment_size: 1000,
        lifetime_ms: 4000,
        hop_limit: None,
        must_be_fresh: false,
        window: ConsumerWindow::default(),
        timeout: ConsumerTimeout::default(),
        on_mark: Reaction::OncePerRoundTrip,
        on_timeout: Reaction::OncePerRoundTrip,
        on_nack: Reaction::OncePerRoundTrip,
        recovery_margin: None,
        blocking_read: None,
        start: Time::ZERO,
        start_within: Duration::ZERO,
        stop: Time::NEVER,
    }
}

fn with_timeout(change: impl FnOnce(&mut ConsumerTimeout)) -> ConsumerSettings {
    let mut settings = settings();
    change(&mut settings.timeout);
    settings
}

fn controller(name: &str, window: f64) -> AnyController {
    let description = DESCRIPTIONS.iter().find(|it| it.name == name).expect("a known controller");
    let mut settings = windtunnel_controllers::Settings::defaults(description);
    if name == "fixed" {
        settings.set("window", Value::Number(window)).expect("a window within its limits");
    }
    let start = Start {
        initial_window: window,
        minimum_window: 1.0,
        restart_window: window,
        initial_ssthresh: f64::INFINITY,
    };
    AnyController::new(start, &settings)
}

/// A consumer, and the Interests it has just sent.
struct Flow {
    consumer: Consumer,
    outbox: ConsumerOutbox,
}

impl Flow {
    /// Started at time zero.
    fn start(name: &str, window: f64, settings: ConsumerSettings) -> (Self, Vec<u64>) {
        let controller = controller(name, window);
        let consumer = Consumer::new(settings, controller, random("consumer"));
        let mut flow = Self { consumer, outbox: ConsumerOutbox::new() };
        let sent = flow.wake(0);
        (flow, sent)
    }

    /// The segments of the Interests sent since the last call.
    fn sent(&mut self) -> Vec<u64> {
        let segment = |packet: &Packet| match packet.body {
            Body::Interest(interest) => interest.name.segment,
            _ => panic!("a consumer sends Interests"),
        };
        self.outbox.drain(..).map(|packet| segment(&packet)).collect()
    }

    fn wake(&mut self, now_ms: u64) -> Vec<u64> {
        self.consumer.wake(milliseconds(now_ms), &mut self.outbox);
        self.sent()
    }

    fn receive(&mut self, now_ms: u64, packet: Packet) -> Vec<u64> {
        self.consumer.receive(milliseconds(now_ms), &packet, &mut self.outbox);
        self.sent()
    }

    fn data(&mut self, now_ms: u64, segment: u64) -> Vec<u64> {
        self.receive(now_ms, data_packet(segment))
    }

    fn mark(&mut self, now_ms: u64, segment: u64) -> Vec<u64> {
        self.receive(now_ms, marked(data_packet(segment)))
    }

    fn refuse(&mut self, now_ms: u64, segment: u64, reason: NackReason) -> Vec<u64> {
        self.receive(now_ms, nack_packet(interest(segment, 0), reason))
    }

    fn counters(&self) -> ConsumerCounters {
        *self.consumer.counters()
    }

    fn cwnd(&self) -> f64 {
        self.consumer.controller().cwnd()
    }

    fn next_wake(&self) -> Time {
        self.consumer.next_wake().expect("something is in flight")
    }
}

#[test]
fn the_window_is_filled_and_each_data_lets_one_interest_follow() {
    let (mut flow, sent) = Flow::start("fixed", 3.0, settings());
    assert_eq!(sent, [0, 1, 2]);
    assert_eq!(flow.data(10, 0), [3]);
    assert_eq!(flow.data(10, 2), [4]);
    assert_eq!(flow.data(10, 1), [5]);
    assert_eq!(flow.consumer.in_flight(), 3);
}

#[test]
fn part_of_a_segment_in_the_window_waits_or_sends_one_more() {
    let cases = [
        (WindowFraction::Waits, 3.9, 3),
        (WindowFraction::Sends, 3.1, 4),
        (WindowFraction::Sends, 3.0, 3),
    ];
    for (fraction, window, interests) in cases {
        let settings = ConsumerSettings {
            window: ConsumerWindow { fraction, ..ConsumerWindow::default() },
            ..settings()
        };
        let (flow, sent) = Flow::start("fixed", window, settings);
        let in_flight = flow.consumer.in_flight();
        assert_eq!((sent.len(), in_flight), (interests, interests as u64), "{fraction:?}");
    }
}

#[test]
fn conservative_adaptation_decreases_once_a_round_trip() {
    let (mut flow, _) = Flow::start("fixed", 10.0, settings());
    let decreases: Vec<u64> = (0..25)
        .map(|segment| {
            flow.mark(10 + segment, segment);
            flow.counters().decreases
        })
        .collect();
    // Segments 0 to 9 were in flight at the first mark, 10 to 19 at the mark on
    // the first Data asked for after it.
    let expected = [[1; 10].as_slice(), &[2; 10], &[3; 5]].concat();
    assert_eq!(decreases, expected);
    assert_eq!(flow.counters().marks, 25);
}

#[test]
fn marks_timeouts_and_refusals_share_one_decrease_a_round_trip() {
    let (mut flow, _) = Flow::start("fixed", 10.0, settings());
    flow.mark(10, 0);
    flow.refuse(11, 1, NackReason::CONGESTION);
    flow.wake(2000);
    let counters = flow.counters();
    assert_eq!((counters.marks, counters.nacks, counters.timeouts), (1, 1, 10));
    assert_eq!(counters.decreases, 1);
}

/// Ten in flight, of which 0 is received: the recovery point of ndn-tools is 9, the highest
/// sent; that of ndnSIM is the next, 10, and a share of the ten from the highest received
/// to it.
#[test]
fn a_decrease_counts_again_beyond_the_recovery_point() {
    for (recovery_margin, again) in [(None, 10), (Some(0.0), 11), (Some(0.5), 16), (Some(0.25), 13)]
    {
        let (mut flow, _) =
            Flow::start("fixed", 10.0, ConsumerSettings { recovery_margin, ..settings() });
        let second = (0..20).find(|segment| {
            flow.mark(10, *segment);
            flow.counters().decreases == 2
        });
        assert_eq!(second, Some(again), "{recovery_margin:?}");
    }
}

#[test]
fn every_mark_decreases_where_the_scheme_says_so() {
    let (mut flow, _) =
        Flow::start("aimd", 64.0, ConsumerSettings { on_mark: Reaction::Every, ..settings() });
    for segment in 0..4 {
        assert!(flow.mark(10, segment).is_empty());
        assert_eq!(flow.cwnd(), 64.0 / f64::from(2 << segment));
    }
    assert_eq!(flow.counters().decreases, 4);
}

#[test]
fn marked_data_never_grows_the_window_unless_marks_are_ignored() {
    for (on_mark, window) in
        [(Reaction::OncePerRoundTrip, 5.0), (Reaction::Every, 2.5), (Reaction::Ignore, 12.0)]
    {
        let (mut flow, _) = Flow::start("aimd", 10.0, ConsumerSettings { on_mark, ..settings() });
        flow.mark(10, 0);
        flow.mark(11, 1);
        assert_eq!(flow.cwnd(), window, "{on_mark:?}");
    }
}

#[test]
fn a_retransmitted_segment_gives_no_round_trip() {
    let (mut flow, _) = Flow::start("fixed", 1.0, settings());
    assert_eq!(flow.wake(1000), [0]);
    flow.data(1010, 0);
    assert_eq!((flow.counters().rtt_samples, flow.consumer.smoothed_rtt()), (0, None));
    let counters = flow.counters();
    assert_eq!(counters.delay_sum, Duration::from_millis(1010), "from the first Interest");
    assert_eq!(counters.last_delay_sum, Duration::from_millis(10), "from the last one");
    flow.data(1050, 1);
    assert_eq!(flow.counters().rtt_samples, 1);
    assert_eq!(flow.consumer.smoothed_rtt(), Some(Duration::from_millis(40)));
}

/// The gain is an eighth: of a round trip, or of a sample. Half of the 15 that
/// stay in flight are the samples of a round trip.
#[test]
fn the_smoothed_round_trip_moves_by_round_trips_or_by_samples() {
    for (rtt_gain, moved) in [(RttGain::PerRoundTrip, 8), (RttGain::PerSample, 64)] {
        let (mut flow, _) = Flow::start("fixed", 16.0, with_timeout(|it| it.rtt_gain = rtt_gain));
        flow.data(100, 0);
        flow.data(612, 1);
        let smoothed = Duration::from_millis(100 + moved);
        assert_eq!(flow.consumer.smoothed_rtt(), Some(smoothed), "{rtt_gain:?}");
    }
}

#[test]
fn what_timed_out_is_sent_again_and_the_lowest_first() {
    let (mut flow, _) = Flow::start("fixed", 4.0, settings());
    assert_eq!(flow.data(600, 1), [4]);
    assert_eq!(flow.wake(flow.next_wake().as_nanos() / 1_000_000), [0, 2, 3]);
    assert_eq!((flow.counters().timeouts, flow.counters().retransmissions), (3, 3));
}

#[test]
fn the_lowest_of_the_due_is_sent_first_and_new_ones_last() {
    let on_nack = Reaction::Every;
    let (mut flow, _) = Flow::start("aimd", 8.0, ConsumerSettings { on_nack, ..settings() });
    assert!(flow.refuse(10, 5, NackReason::CONGESTION).is_empty());
    assert!(flow.refuse(10, 2, NackReason::CONGESTION).is_empty());
    assert_eq!((flow.cwnd(), flow.consumer.in_flight()), (2.0, 6));
    let sent: Vec<u64> = [0, 1, 3, 4, 6, 7].into_iter().flat_map(|it| flow.data(20, it)).collect();
    assert_eq!(sent[..3], [2, 5, 8]);
}

#[test]
fn data_that_comes_after_its_timeout_is_not_asked_for_again() {
    let on_timeout = Reaction::Every;
    let (mut flow, _) = Flow::start("aimd", 4.0, ConsumerSettings { on_timeout, ..settings() });
    // Four decreases leave room for one of the four.
    assert_eq!(flow.wake(1000), [0]);
    let sent: Vec<u64> = [1, 2, 3, 0].into_iter().flat_map(|it| flow.data(1001, it)).collect();
    assert!(!sent.contains(&1), "{sent:?}");
    assert_eq!((flow.counters().data, flow.counters().duplicates), (4, 0));
}

/// All four time out and the window falls to 1, for segment 0. Segment 1 comes late: the
/// window grows to 2, for one more, or for two if the 1 is counted as in flight no more.
#[test]
fn late_data_gives_a_round_trip_or_lowers_what_is_in_flight_again() {
    let on_timeout = Reaction::Every;
    let cases =
        [(LateData::Measures, 1, [2].as_slice()), (LateData::LowersInFlight, 0, [2, 3].as_slice())];
    for (late_data, samples, sent) in cases {
        let settings =
            ConsumerSettings { on_timeout, ..with_timeout(|it| it.late_data = late_data) };
        let (mut flow, _) = Flow::start("aimd", 4.0, settings);
        assert_eq!(flow.wake(1000), [0]);
        assert_eq!(flow.data(1001, 1), sent, "{late_data:?}");
        assert_eq!(flow.counters().rtt_samples, samples, "{late_data:?}");
        assert_eq!(flow.consumer.in_flight(), 2, "{late_data:?}");
    }
}

#[test]
fn an_interest_times_out_at_its_timeout_and_not_before() {
    let (mut flow, _) = Flow::start("fixed", 2.0, settings());
    assert_eq!(flow.next_wake(), milliseconds(1000));
    assert!(flow.wake(999).is_empty());
    assert_eq!(flow.wake(1000), [0, 1]);
}

#[test]
fn timeouts_found_together_double_the_timeout_once_or_each() {
    let once = [Backoff::OncePerRoundTrip, Backoff::EachEvent].map(|it| (it, 2));
    for (backoff, seconds) in once.into_iter().chain([(Backoff::EachInterest, 16)]) {
        let (mut flow, _) = Flow::start("fixed", 4.0, with_timeout(|it| it.backoff = backoff));
        flow.wake(1000);
        assert_eq!(flow.next_wake(), milliseconds(1000 + 1000 * seconds), "{backoff:?}");
    }
}

#[test]
fn a_burst_whose_timeouts_come_one_after_another_doubles_the_timeout_once() {
    for (backoff, next) in [(Backoff::OncePerRoundTrip, 430), (Backoff::EachEvent, 830)] {
        let (mut flow, _) = Flow::start("fixed", 4.0, with_timeout(|it| it.backoff = backoff));
        // Four more, each sent when one is answered, at 10, 20, 30 and 40 ms, are lost.
        for (time, segment) in [(10, 0), (20, 1), (30, 2), (40, 3)] {
            flow.data(time, segment);
        }
        // The least timeout is 200 ms.
        assert_eq!(flow.next_wake(), milliseconds(210));
        flow.wake(210);
        assert_eq!(flow.next_wake(), milliseconds(420));
        flow.wake(420);
        assert_eq!(flow.next_wake(), milliseconds(next), "{backoff:?}");
    }
}

#[test]
fn timeouts_are_looked_for_at_multiples_of_the_check() {
    let check = |check, time| {
        let (flow, _) = Flow::start("fixed", 1.0, with_timeout(|it| it.check = Some(check)));
        flow.consumer.next_check(milliseconds(time))
    };
    let each = Duration::from_millis(50);
    assert_eq!([999, 1000, 1001].map(|it| check(each, it)), [1000, 1000, 1050].map(milliseconds));
    assert_eq!(check(Duration::ZERO, 999), milliseconds(999));
}

#[test]
fn a_timeout_is_a_loss_or_a_new_start() {
    for (meaning, window) in [(TimeoutMeaning::Loss, 24.0), (TimeoutMeaning::Restart, 16.0)] {
        let (mut flow, _) = Flow::start("aimd", 16.0, with_timeout(|it| it.meaning = meaning));
        (0..32).for_each(|segment| drop(flow.data(10, segment)));
        assert_eq!(flow.cwnd(), 48.0);
        flow.wake(2000);
        assert_eq!(flow.cwnd(), window, "{meaning:?}");
    }
}

#[test]
fn a_congestion_refusal_decreases_and_asks_again() {
    let (mut flow, _) = Flow::start("aimd", 1.0, settings());
    assert_eq!(flow.refuse(10, 0, NackReason::CONGESTION), [0]);
    assert_eq!((flow.counters().decreases, flow.counters().retransmissions), (1, 1));
}

#[test]
fn a_duplicate_refusal_asks_again_without_a_decrease() {
    let (mut flow, _) = Flow::start("aimd", 1.0, settings());
    assert_eq!(flow.refuse(10, 0, NackReason::DUPLICATE), [0]);
    assert_eq!(flow.counters().decreases, 0);
}

#[test]
fn without_a_route_an_interest_waits_for_its_timeout() {
    let (mut flow, _) = Flow::start("aimd", 1.0, settings());
    assert!(flow.refuse(10, 0, NackReason::NO_ROUTE).is_empty());
    assert_eq!(flow.wake(1000), [0]);
}

#[test]
fn a_file_ends_after_its_last_segment() {
    let workload = ConsumerWorkload::File { segments: 7 };
    let (mut flow, mut sent) =
        Flow::start("fixed", 3.0, ConsumerSettings { workload, ..settings() });
    for now in 1..=7 {
        assert_eq!(flow.consumer.finished(), None);
        let segment = sent.remove(0);
        assert_eq!(segment, now - 1);
        sent.extend(flow.data(now, segment));
    }
    assert_eq!(flow.consumer.finished(), Some(milliseconds(7)));
    let counters = flow.counters();
    assert_eq!((counters.interests, counters.data, counters.bytes), (7, 7, 7000));
    assert_eq!((sent, flow.consumer.in_flight(), flow.consumer.next_wake()), (vec![], 0, None));
    assert!(flow.wake(5000).is_empty());
}

#[test]
fn nothing_is_asked_for_before_the_start_or_after_the_stop() {
    let (start, stop) = (milliseconds(100), milliseconds(200));
    let (mut flow, sent) =
        Flow::start("fixed", 2.0, ConsumerSettings { start, stop, ..settings() });
    assert_eq!((sent, flow.consumer.start()), (vec![], start));
    assert_eq!(flow.wake(100), [0, 1]);
    assert_eq!(flow.data(199, 0), [2]);
    assert!(flow.data(200, 1).is_empty());
    assert!(flow.wake(5000).is_empty(), "not even what timed out");
    assert_eq!(flow.consumer.next_wake(), None);
}

#[test]
fn a_random_start_lies_within_its_span_and_differs_from_run_to_run() {
    let start = |run: u64| {
        let within = Duration::from_millis(50);
        let settings =
            ConsumerSettings { start: milliseconds(100), start_within: within, ..settings() };
        let random = windtunnel_engine::Streams::new(1, run).stream("consumer");
        Consumer::new(settings, controller("fixed", 1.0), random).start()
    };
    let starts: Vec<Time> = (0..100).map(start).collect();
    assert!(starts.iter().all(|it| (milliseconds(100)..milliseconds(150)).contains(it)));
    assert!(starts.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(starts.iter().any(|it| *it < milliseconds(110)));
    assert!(starts.iter().any(|it| *it > milliseconds(140)));
}

fn catalogue(objects: f64, exponent: f64) -> ConsumerSettings {
    let popularity = Zipf::new(objects, exponent).expect("a law");
    ConsumerSettings { workload: ConsumerWorkload::Catalogue { popularity }, ..settings() }
}

/// The object of rank `k` is drawn with probability `k^-s / sum of i^-s`.
#[test]
fn objects_are_drawn_by_zipfs_law() {
    let (objects, draws) = (50, 100_000_u32);
    for exponent in [0.0, 0.8, 1.0, 1.5] {
        let mut drawn = vec![0_u32; objects];
        let (mut flow, mut sent) = Flow::start("fixed", 1.0, catalogue(objects as f64, exponent));
        for now in 0..draws {
            let object = sent[0];
            drawn[object as usize] += 1;
            sent = flow.data(u64::from(now) + 1, object);
        }
        let weight = |rank: usize| (rank as f64).powf(-exponent);
        let total: f64 = (1..=objects).map(weight).sum();
        for (index, times) in drawn.into_iter().enumerate() {
            let share = weight(index + 1) / total;
            let error = (share * (1.0 - share) / f64::from(draws)).sqrt();
            let measured = f64::from(times) / f64::from(draws);
            assert!((measured - share).abs() < 4.5 * error, "rank {}: {measured}", index + 1);
        }
    }
}

/// A hundred draws in vain end the search: the window then stays open.
#[test]
fn no_object_is_in_flight_twice() {
    let (mut flow, first) = Flow::start("fixed", 30.0, catalogue(20.0, 1.2));
    let mut in_flight: Vec<u64> = first;
    for now in 1..5_000 {
        let mut sorted = in_flight.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), in_flight.len(), "{in_flight:?}");
        assert_eq!(flow.consumer.in_flight(), in_flight.len() as u64);
        let object = in_flight.remove(now as usize % in_flight.len());
        in_flight.extend(flow.data(now, object));
    }
}

#[test]
fn a_catalogue_of_one_object_is_asked_for_it_again_and_again() {
    let (mut flow, sent) = Flow::start("fixed", 8.0, catalogue(1.0, 0.8));
    assert_eq!(sent, [0]);
    assert_eq!(flow.data(10, 0), [0]);
    assert_eq!(flow.data(20, 0), [0]);
    assert_eq!((flow.counters().data, flow.counters().interests), (2, 3));
}

#[test]
fn the_most_extreme_laws_still_give_objects() {
    for exponent in [0.0, 1e-300, 1.0 - 1e-8, 1.0, 1.0 + 1e-8, 700.0, 1e300, f64::INFINITY] {
        for objects in [1.0, 2.0, 1e6, u64::MAX as f64] {
            let (mut flow, mut sent) = Flow::start("fixed", 1.0, catalogue(objects, exponent));
            for now in 1..100 {
                assert!((sent[0] as f64) < objects, "{} of {objects}, {exponent}", sent[0]);
                sent = flow.data(now, sent[0]);
            }
        }
    }
}

/// What the network does to an Interest in flight.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Data {
        marked: bool,
    },
    Refused(NackReason),
    Lost,
    /// Time goes on to the next timeout.
    Late,
}

fn fate() -> impl Strategy<Value = (Fate, prop::sample::Index)> {
    let fate = prop_oneof![
        5 => Just(Fate::Data { marked: false }),
        1 => Just(Fate::Data { marked: true }),
        1 => Just(Fate::Refused(NackReason::CONGESTION)),
        1 => Just(Fate::Refused(NackReason::DUPLICATE)),
        1 => Just(Fate::Refused(NackReason::NO_ROUTE)),
        1 => Just(Fate::Lost),
        1 => Just(Fate::Late),
    ];
    (fate, any::<prop::sample::Index>())
}

fn reaction() -> impl Strategy<Value = Reaction> {
    prop::sample::select(vec![Reaction::Every, Reaction::OncePerRoundTrip, Reaction::Ignore])
}

/// A consumer on a network that answers in any order, refuses and loses.
struct Trial {
    flow: Flow,
    now: Time,
    /// How many Interests for each segment are in flight.
    in_flight: BTreeMap<u64, u32>,
    delivered: u64,
}

impl Trial {
    const SEGMENTS: u64 = 60;

    fn new(name: &str, settings: ConsumerSettings) -> Self {
        let workload = ConsumerWorkload::File { segments: Self::SEGMENTS };
        let (flow, sent) = Flow::start(name, 4.0, ConsumerSettings { workload, ..settings });
        let mut trial = Self { flow, now: Time::ZERO, in_flight: BTreeMap::new(), delivered: 0 };
        trial.take(&sent);
        trial
    }

    /// Takes in what was sent: only within the window.
    fn take(&mut self, sent: &[u64]) {
        let in_flight = self.flow.consumer.in_flight();
        assert!(sent.is_empty() || in_flight as f64 <= self.flow.cwnd());
        for segment in sent {
            *self.in_flight.entry(*segment).or_default() += 1;
        }
    }

    fn receive(&mut self, packet: Packet) {
        self.now += Duration::from_millis(1);
        self.flow.consumer.receive(self.now, &packet, &mut self.flow.outbox);
        let sent = self.flow.sent();
        self.take(&sent);
    }

    fn wait(&mut self) {
        let consumer = &self.flow.consumer;
        let paced = consumer.next_paced();
        if let Some(time) = consumer.next_wake().into_iter().chain(paced).min() {
            self.now = self.now.max(time);
            self.flow.consumer.wake(self.now, &mut self.flow.outbox);
            let sent = self.flow.sent();
            self.take(&sent);
        }
    }

    fn happen(&mut self, fate: Fate, index: prop::sample::Index) {
        if self.in_flight.is_empty() || matches!(fate, Fate::Late) {
            return self.wait();
        }
        let segment = *index.get(&self.in_flight.keys().copied().collect::<Vec<_>>());
        let left = self.in_flight.get_mut(&segment).expect("it is under way");
        *left -= 1;
        if *left == 0 {
            self.in_flight.remove(&segment);
        }
        match fate {
            Fate::Data { marked: is_marked } => {
                self.delivered += 1;
                self.receive(data_packet(segment).marked_if(is_marked));
            }
            Fate::Refused(reason) => self.receive(nack_packet(interest(segment, 0), reason)),
            Fate::Lost | Fate::Late => {}
        }
    }

    /// Every Interest sent is in flight, answered, refused or timed out; Data
    /// that came after its timeout counts twice.
    fn check(&self) {
        let counters = self.flow.counters();
        assert_eq!(counters.data + counters.duplicates, self.delivered);
        assert!(counters.interests - counters.retransmissions <= Self::SEGMENTS);
        let ended = counters.data + counters.nacks + counters.timeouts;
        assert!(counters.interests <= self.flow.consumer.in_flight() + ended);
    }
}

proptest! {
    #[test]
    fn a_file_arrives_whole_whatever_the_network_does(
        description in prop::sample::select(DESCRIPTIONS.to_vec()),
        on_mark in reaction(),
        on_timeout in reaction(),
        on_nack in reaction(),
        late_data in prop::sample::select(vec![LateData::Measures, LateData::LowersInFlight]),
        fates in vec(fate(), 0..300),
    ) {
        let settings = ConsumerSettings {
            on_mark,
            on_timeout,
            on_nack,
            ..with_timeout(|it| it.late_data = late_data)
        };
        let mut trial = Trial::new(description.name, settings);
        for (fate, index) in fates {
            trial.happen(fate, index);
            trial.check();
        }
        // From now on the network is perfect.
        for _ in 0..100 * Trial::SEGMENTS {
            if trial.flow.consumer.finished().is_some() {
                break;
            }
            match trial.in_flight.keys().next().copied() {
                Some(segment) => {
                    trial.in_flight.remove(&segment);
                    trial.delivered += 1;
                    trial.receive(data_packet(segment));
                }
                None => trial.wait(),
            }
            trial.check();
        }
        prop_assert!(trial.flow.consumer.finished().is_some());
        prop_assert_eq!(trial.flow.counters().data, Trial::SEGMENTS);
        prop_assert_eq!(trial.flow.counters().bytes, Trial::SEGMENTS * 1000);
    }
}
