//! A consumer whose reads block: its first window, what a loss costs, and what it reports of its
//! reads. The test is the network, with a round trip of 4 ms.

use std::collections::BTreeMap;

use proptest::prelude::*;
use windtunnel_controllers::{AnyController, DESCRIPTIONS, Settings, Start, Value};
use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::ndn::{Data, Interest, Nack, NackReason, Name, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Packet};
use windtunnel_transports::ndn::BlockingRead;
use windtunnel_transports::ndn::consumer::{
    Consumer, ConsumerOutbox, ConsumerSettings, ConsumerTimeout, ConsumerWindow, ConsumerWorkload,
    Reaction,
};

const WINDOW: u64 = 8;
const ROUND_TRIP: u64 = 4;

fn milliseconds(time: u64) -> Time {
    Time::ZERO + Duration::from_millis(time)
}

/// Those of `cefgetfile`.
fn reading() -> BlockingRead {
    BlockingRead {
        initial_spacing: Duration::from_millis(100),
        timeout: Duration::from_secs(1),
        resend_interval: Duration::from_millis(10),
        most_resends: 5,
    }
}

fn consumer(workload: ConsumerWorkload, reading: BlockingRead) -> Consumer {
    with_window(WINDOW, workload, reading)
}

fn with_window(window: u64, workload: ConsumerWorkload, reading: BlockingRead) -> Consumer {
    let settings = ConsumerSettings {
        prefix: PrefixId::new(0, PacketFormat::Ccnx),
        prefix_size: NameSize(20),
        workload,
        segment_size: 1024,
        lifetime_ms: 2000,
        hop_limit: Some(255),
        must_be_fresh: false,
        window: ConsumerWindow::default(),
        timeout: ConsumerTimeout::default(),
        on_mark: Reaction::Ignore,
        on_timeout: Reaction::Ignore,
        on_nack: Reaction::Ignore,
        recovery_margin: None,
        blocking_read: Some(reading),
        start: Time::ZERO,
        start_within: Duration::ZERO,
        stop: Time::NEVER,
    };
    let description = DESCRIPTIONS.iter().find(|it| it.name == "fixed").expect("it is known");
    let mut fixed = Settings::defaults(description);
    fixed.set("window", Value::Number(window as f64)).expect("it is within its limits");
    let start = Start {
        initial_window: 1.0,
        minimum_window: 1.0,
        restart_window: 1.0,
        initial_ssthresh: f64::INFINITY,
    };
    let random = Streams::new(1, 0).stream("consumer");
    Consumer::new(settings, AnyController::new(start, &fixed), random)
}

/// A consumer, and a network that answers each Interest after a round trip except for those that it
/// loses: by how often a segment was asked for.
struct Run {
    consumer: Consumer,
    /// When each Interest was sent, in ms.
    asked: Vec<(u64, u64)>,
}

impl Run {
    fn of(mut consumer: Consumer, loses: impl Fn(u64, usize) -> bool, end: u64) -> Self {
        let mut outbox = ConsumerOutbox::new();
        let mut coming: BTreeMap<(Time, usize), Interest> = BTreeMap::new();
        let (mut asked, mut now) = (Vec::new(), consumer.start());
        let mut times: BTreeMap<u64, usize> = BTreeMap::new();
        while now <= milliseconds(end) {
            let first = coming.first_key_value().map(|(key, _)| *key);
            match first.filter(|it| it.0 == now) {
                None => consumer.wake(now, &mut outbox),
                Some(key) => {
                    let name = coming.remove(&key).expect("it is coming").name;
                    let data = Data { name, content: 1024, freshness_ms: 0 };
                    consumer.receive(now, &Packet::ndn(Body::Data(data), 1100), &mut outbox);
                }
            }
            for packet in outbox.drain(..) {
                let Body::Interest(interest) = packet.body else { panic!("it asks") };
                let segment = interest.name.segment;
                let times = times.entry(segment).or_default();
                *times += 1;
                if !loses(segment, *times - 1) {
                    let at = now + Duration::from_millis(ROUND_TRIP);
                    coming.insert((at, asked.len()), interest);
                }
                asked.push((now.as_nanos() / 1_000_000, segment));
            }
            let first = coming.first_key_value().map(|(key, _)| key.0);
            let next = [first, consumer.next_wake(), consumer.next_paced()];
            let Some(next) = next.into_iter().flatten().min() else { break };
            now = now.max(next);
        }
        Self { consumer, asked }
    }

    /// When a segment was asked for.
    fn times(&self, segment: u64) -> Vec<u64> {
        self.asked.iter().filter(|it| it.1 == segment).map(|it| it.0).collect()
    }
}

#[test]
fn the_first_window_leaves_one_by_one_and_only_then_reading_begins() {
    let run = Run::of(consumer(ConsumerWorkload::Stream, reading()), |_, _| false, 805);
    let first = (0..WINDOW).map(|it| (100 * it, it));
    let second = (WINDOW..2 * WINDOW).map(|it| (800, it));
    let third = (2 * WINDOW..3 * WINDOW).map(|it| (804, it));
    assert_eq!(run.asked, first.chain(second).chain(third).collect::<Vec<_>>());
}

/// A window a round trip.
#[test]
fn without_loss_the_rate_is_a_window_a_round_trip() {
    let run = Run::of(consumer(ConsumerWorkload::Stream, reading()), |_, _| false, 10_800);
    let counters = *run.consumer.counters();
    assert_eq!(counters.data, WINDOW + 10_000 / ROUND_TRIP * WINDOW);
    assert_eq!((counters.retransmissions, counters.decreases), (0, 0));
}

/// The lost chunk's window fills up at 1,004 ms; the read that began then ends at 2,004 ms, and
/// the one after that was begun 1 s after the last new chunk.
#[test]
fn a_lost_chunk_stalls_it_for_two_reads() {
    let loses = |segment, times| segment == 408 && times == 0;
    let run = Run::of(consumer(ConsumerWorkload::Stream, reading()), loses, 5000);
    assert_eq!(run.times(408), [1000, 3004]);
    // The other seven of its window came, and let none after them leave.
    assert_eq!(run.times(415), [1000]);
    assert_eq!(run.times(416), [3008]);
}

/// If the last read that brought something new had itself waited longer than the interval, one
/// read without a message is enough: with a window of one, each waits for a round trip.
#[test]
fn a_lost_chunk_after_a_long_read_stalls_it_for_one() {
    for (longer, again) in [(true, 1496), (false, 2496)] {
        let milliseconds = if longer { ROUND_TRIP - 1 } else { ROUND_TRIP };
        let resend_interval = Duration::from_millis(milliseconds);
        let reading = BlockingRead { resend_interval, ..reading() };
        let loses = |segment, times| segment == 100 && times == 0;
        let run = Run::of(with_window(1, ConsumerWorkload::Stream, reading), loses, 3000);
        assert_eq!(run.times(100), [496, again]);
    }
}

/// Reads last 1 s, and begin at 1,004 ms and so on.
#[test]
fn it_waits_an_interval_longer_each_time() {
    let interval = Duration::from_millis(600);
    let reading = BlockingRead { resend_interval: interval, ..reading() };
    let loses = |segment, _| segment == 408;
    let run = Run::of(consumer(ConsumerWorkload::Stream, reading), loses, 11_000);
    // More than 600 ms, 1,200 ms, 1,800 ms and 2,400 ms after the read before that.
    assert_eq!(run.times(408), [1000, 3004, 5004, 7004, 10_004]);
}

#[test]
fn it_gives_up_after_five_resends_without_anything_new() {
    let loses = |segment, _| segment == 408;
    let mut run = Run::of(consumer(ConsumerWorkload::Stream, reading()), loses, 60_000);
    assert_eq!(run.times(408), [1000, 3004, 4004, 5004, 6004, 7004]);
    assert_eq!(run.consumer.gave_up(), Some(milliseconds(8004)));
    assert_eq!(run.consumer.next_wake(), None);
    // What comes now was asked for, but is not any more.
    let (before, mut outbox) = (*run.consumer.counters(), ConsumerOutbox::new());
    let name = Name { prefix: PrefixId::new(0, PacketFormat::Ccnx), segment: 408 };
    let data = Data { name, content: 1024, freshness_ms: 0 };
    let packet = Packet::ndn(Body::Data(data), 1100);
    run.consumer.receive(milliseconds(8005), &packet, &mut outbox);
    let after = *run.consumer.counters();
    assert_eq!((after.data, after.duplicates), (before.data, before.duplicates + 1));
    assert!(outbox.is_empty());
}

#[test]
fn a_file_is_finished_and_nothing_is_asked_for_beyond_it() {
    let run =
        Run::of(consumer(ConsumerWorkload::File { segments: 20 }, reading()), |_, _| false, 9000);
    assert_eq!(run.consumer.finished(), Some(milliseconds(808)));
    assert_eq!(run.asked.len(), 20);
    assert_eq!((run.consumer.next_wake(), run.consumer.gave_up()), (None, None));
}

#[test]
fn a_refused_interest_waits_for_the_end_of_a_read() {
    let mut consumer = consumer(ConsumerWorkload::Stream, reading());
    let mut outbox = ConsumerOutbox::new();
    consumer.wake(Time::ZERO, &mut outbox);
    let Some(Body::Interest(interest)) = outbox.pop().map(|it| it.body) else { panic!("it asks") };
    let nack = Nack { interest, reason: NackReason::CONGESTION };
    consumer.receive(milliseconds(50), &Packet::ndn(Body::Nack(nack), 40), &mut outbox);
    assert_eq!((outbox.len(), consumer.counters().nacks), (0, 1));
}

/// One Data a read: the times between reads add up to the span, and a steady stream has no
/// variance and no jitter.
#[test]
fn the_mean_time_between_reads_is_the_inverse_of_the_rate() {
    let at_once = BlockingRead { initial_spacing: Duration::ZERO, ..reading() };
    let mut consumer = consumer(ConsumerWorkload::Stream, at_once);
    let mut outbox = ConsumerOutbox::new();
    consumer.wake(Time::ZERO, &mut outbox);
    for segment in 0..1000 {
        let Some(Body::Interest(it)) = outbox.first().map(|it| it.body) else { panic!("it asks") };
        let name = Name { segment, ..it.name };
        let data = Data { name, content: 1024, freshness_ms: 0 };
        let now = Time::ZERO + Duration::from_micros(500) * (segment + 1);
        consumer.receive(now, &Packet::ndn(Body::Data(data), 1100), &mut outbox);
    }
    let reads = consumer.counters().reads;
    assert_eq!(reads.span(), Some(Duration::from_micros(999 * 500)));
    let mean = reads.mean(1000).expect("there were reads");
    assert!((mean - 0.999 * 500e-6).abs() < 1e-12, "{mean}");
    // 999 times of 500 µs among 1,000 Data.
    let variance = reads.variance(1000).expect("there were reads");
    assert!((variance - 500e-6 * 500e-6 * (0.999 - 0.999 * 0.999)).abs() < 1e-12, "{variance}");
    assert_eq!(reads.maximum(), Duration::from_micros(500));
}

proptest! {
    /// Whatever is lost, as long as not the same six times in a row: all of a file comes, no more
    /// than a window is asked for beyond what is missing, and what is sent again is what was lost.
    #[test]
    fn a_file_comes_whole_whatever_is_lost(
        losses in proptest::collection::vec((0_u64..60, 0_usize..4), 0..30),
    ) {
        let loses = |segment, times| losses.contains(&(segment, times));
        let workload = ConsumerWorkload::File { segments: 60 };
        let run = Run::of(consumer(workload, reading()), loses, 1_000_000);
        prop_assert!(run.consumer.finished().is_some());
        prop_assert_eq!(run.consumer.counters().data, 60);
        let lost = run.asked.iter().enumerate().filter(|(place, (_, segment))| {
            let times = run.asked[..*place].iter().filter(|it| it.1 == *segment).count();
            losses.contains(&(*segment, times))
        });
        prop_assert_eq!(run.consumer.counters().retransmissions, lost.count() as u64);
    }

    /// A window of W is never exceeded, counted from the first segment that is missing.
    #[test]
    fn the_window_begins_with_what_is_missing(
        losses in proptest::collection::vec(0_u64..60, 0..30),
    ) {
        let loses = |segment, times| times == 0 && losses.contains(&segment);
        let run = Run::of(consumer(ConsumerWorkload::File { segments: 100 }, reading()), loses, 60_000);
        for (place, (_, segment)) in run.asked.iter().enumerate() {
            let later = run.asked[place..].iter().map(|it| it.1);
            prop_assert!(later.min().expect("it is there") + WINDOW > *segment);
        }
    }
}
