//! Links: serialisation and propagation to the picosecond, limits of queues,
//! losses.

use crate::common::{
    PAYLOAD, ask, chain, direction, disciplines, file, flow, join_unequal, nodes,
    patient_disciplines, port, rate, run, serve,
};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_links::Loss;
use windtunnel_packets::ndn::wire::{Data, Interest, MetaInfo, SignatureInfo, SignatureType};
use windtunnel_queues::{Discipline, QueueLimit};
use windtunnel_world::{DirectionPlan, Plan};

/// Bytes of the Interest for a segment of `/data`: those of its true encoding.
fn interest_bytes(segment: u64) -> u64 {
    bytes_of_interest(&format!("/data/seg={segment}"))
}

fn data_bytes(segment: u64) -> u64 {
    bytes_of_data(&format!("/data/seg={segment}"))
}

fn bytes_of_interest(uri: &str) -> u64 {
    let mut interest = Interest::new(uri.parse().expect("a name"));
    interest.nonce = Some(0x0102_0304);
    interest.lifetime_ms = Some(4000);
    interest.encode().expect("a small packet").len() as u64
}

fn bytes_of_data(uri: &str) -> u64 {
    let data = Data {
        name: uri.parse().expect("a name"),
        meta_info: MetaInfo::default(),
        content: Some(&[0; PAYLOAD as usize]),
        signature_info: SignatureInfo::new(SignatureType::DIGEST_SHA256),
        signature_value: &[0; 32],
    };
    data.encode().expect("a small packet").len() as u64
}

/// A link as its definition says: it sends one packet after another, each for
/// its bytes over the rate, and each arrives a delay later. In picoseconds.
struct Pipe {
    rate: u64,
    delay: u64,
    overhead: u64,
    free: u64,
}

impl Pipe {
    fn of(direction: &DirectionPlan) -> Self {
        Self {
            rate: direction.rate.bits_per_second(),
            delay: direction.delay.as_picos(),
            overhead: u64::from(direction.overhead),
            free: 0,
        }
    }

    /// When a packet that comes at `time` arrives at the other end.
    fn carry(&mut self, time: u64, bytes: u64) -> u64 {
        let bits = u128::from(bytes + self.overhead) * 8;
        let exact_halves = 2 * bits * 1_000_000_000_000 / u128::from(self.rate);
        self.free = self.free.max(time) + exact_halves.div_ceil(2) as u64;
        self.free + self.delay
    }
}

/// When each segment's Interest was sent and its Data came, in picoseconds, for
/// a fixed window on a chain.
fn segment_times(plan: &Plan, window: usize, segments: usize) -> Vec<(u64, u64)> {
    let side = |side: usize| plan.links.iter().map(move |it| Pipe::of(&it.directions[side]));
    let mut pipes: Vec<Pipe> = side(0).chain(side(1).rev()).collect();
    let hops = plan.links.len();
    let mut times: Vec<(u64, u64)> = Vec::new();
    for segment in 0..segments {
        let sent = if segment < window { 0 } else { times[segment - window].1 };
        let mut time = sent;
        for (number, pipe) in pipes.iter_mut().enumerate() {
            let bytes = if number < hops { interest_bytes } else { data_bytes };
            time = pipe.carry(time, bytes(segment as u64));
        }
        times.push((sent, time));
    }
    times
}

/// A file over a chain of these links, from the consumer's to the producer's.
fn file_over(links: &[[DirectionPlan; 2]], window: usize, segments: usize) -> Plan {
    let names: Vec<String> = (0..=links.len()).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (hop, directions) in links.iter().enumerate() {
        join_unequal(&mut plan, hop, hop + 1, directions.clone());
    }
    serve(&mut plan, links.len(), "/data");
    file(ask(&mut plan, 0, "/data", window as u64), segments as u64);
    plan.duration = Duration::from_secs(100_000);
    plan
}

fn assert_exact(plan: &Plan, window: usize, segments: usize) {
    let times = segment_times(plan, window, segments);
    let world = run(plan);
    let counters = flow(&world, 0);
    let delays = || times.iter().map(|(sent, received)| received - sent);
    assert_eq!(counters.interests, segments as u64);
    assert_eq!(counters.delay_sum.as_picos(), delays().sum::<u64>());
    assert_eq!(counters.delay_minimum.map(Duration::as_picos), delays().min());
    assert_eq!(Some(counters.delay_maximum.as_picos()), delays().max());
    let finished = world.consumers().next().and_then(|it| it.finished());
    assert_eq!(finished.map(|it| it.as_picos()), times.last().map(|(_, received)| *received));
}

/// By hand: 23 bytes there and 1058 back at 1 Gbps, and 10 ms each way.
#[test]
fn one_round_trip_is_serialisation_and_propagation_both_ways() {
    let bytes = [interest_bytes(0), data_bytes(0)];
    assert_eq!(bytes, [23, 1058]);
    let mut plan = chain(1, &direction(1000, 10), 1);
    file(&mut plan.consumers[0], 1);
    let world = run(&plan);
    let nanoseconds = flow(&world, 0).delay_sum.as_nanos();
    assert_eq!(nanoseconds, 20_000_000 + 8 * (bytes[0] + bytes[1]));
}

/// Whatever part of it the producer has announced.
#[test]
fn a_packet_is_as_long_as_its_whole_name_makes_it() {
    let mut plan = chain(1, &direction(1000, 10), 1);
    plan.consumers.clear();
    file(ask(&mut plan, 0, "/data/with/a/longer/name", 1), 1);
    let world = run(&plan);
    let uri = "/data/with/a/longer/name/seg=0";
    let bytes = [0, 1].map(|side| port(&plan, &world, 0, side).delivered_bytes);
    assert_eq!(bytes, [bytes_of_interest(uri), bytes_of_data(uri)]);
}

#[test]
fn packets_back_to_back_wait_for_those_before_them_to_the_picosecond() {
    for hops in [1, 3] {
        let links = vec![[direction(10, 5), direction(10, 5)]; hops];
        assert_exact(&file_over(&links, 20, 20), 20, 20);
    }
}

#[test]
fn unequal_rates_and_delays_and_framing_are_exact_to_the_picosecond() {
    let slow = |megabits, delay, overhead| DirectionPlan { overhead, ..direction(megabits, delay) };
    let links = [
        [slow(7, 3, 38), slow(100, 11, 38)],
        [slow(1000, 0, 0), slow(3, 1, 0)],
        [slow(13, 20, 4), slow(11, 2, 18)],
    ];
    assert_exact(&file_over(&links, 8, 300), 8, 300);
}

fn any_direction() -> impl Strategy<Value = DirectionPlan> {
    // From 10 kbps to 1 Tbps, evenly in the exponent.
    (4.0..12.0_f64, 0..50_000_000_000_u64, 0..100_u32).prop_map(|(exponent, delay, overhead)| {
        DirectionPlan {
            rate: rate(10_f64.powf(exponent) as u64),
            delay: Duration::from_picos(delay),
            overhead,
            ..direction(1, 0)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_chain_carries_a_file_as_its_definition_says(
        links in vec((any_direction(), any_direction()), 1..5),
        window in 1..20_usize,
        segments in 1..300_usize,
    ) {
        let links: Vec<_> = links.into_iter().map(|(there, back)| [there, back]).collect();
        let plan = file_over(&links, window, segments);
        // Data must come while its Interest is pending.
        prop_assume!(segment_times(&plan, window, segments).iter().all(|(sent, received)| {
            received - sent < 4_000_000_000_000
        }));
        assert_exact(&plan, window, segments);
    }
}

/// Below the capacity each place in the window brings one Data a round trip.
#[test]
fn a_fixed_window_brings_its_worth_each_round_trip_exactly() {
    let (window, seconds) = (5, 1);
    let mut plan = chain(2, &direction(1000, 10), window);
    plan.duration = Duration::from_secs(seconds);
    let times = segment_times(&plan, window as usize, window as usize);
    let world = run(&plan);
    // Segments up to 255 have names of one length, so that a round repeats.
    let expected: u64 = times
        .iter()
        .map(|(_, first)| {
            let round_trip = times[0].1;
            1 + (plan.duration.as_picos() - first) / round_trip
        })
        .sum();
    let counters = flow(&world, 0);
    assert!(expected < 256);
    assert_eq!((counters.data, counters.bytes), (expected, expected * u64::from(PAYLOAD)));
    assert_eq!(counters.interests, counters.data + window);
}

/// Interests that all come at time zero: one is sent, and this many wait.
fn overflows_of_a_burst(limit: QueueLimit, change: impl Fn(&mut DirectionPlan)) -> (u64, u32, u64) {
    let mut slow = DirectionPlan { limit, overhead: 7, ..direction(1, 0) };
    change(&mut slow);
    let mut plan = chain(1, &slow, 100);
    plan.duration = Duration::from_micros(10);
    let world = run(&plan);
    let port = port(&plan, &world, 0, 0);
    assert_eq!(port.offered, 100);
    (port.overlimit_drops, port.maximum_backlog.packets, port.maximum_backlog.bytes)
}

/// Those that let pass a first burst as far as there is room, each by itself.
fn lenient_disciplines() -> impl Iterator<Item = Discipline> {
    let strict = |it: &Discipline| matches!(it, Discipline::Red(_) | Discipline::FqCoDel(_));
    disciplines().into_iter().filter(move |it| !strict(it))
}

#[test]
fn a_queue_overflows_exactly_at_its_limit() {
    let size = interest_bytes(0) + 7;
    assert_eq!(size, 30);
    for discipline in lenient_disciplines() {
        let burst = |limit| overflows_of_a_burst(limit, |it| it.discipline = discipline.clone());
        assert_eq!(burst(QueueLimit::Packets(40)), (100 - 1 - 40, 40, 40 * size), "{discipline:?}");
        assert_eq!(burst(QueueLimit::Packets(0)), (99, 0, 0), "{discipline:?}");
        assert_eq!(burst(QueueLimit::Packets(99)), (0, 99, 99 * size), "{discipline:?}");
        assert_eq!(burst(QueueLimit::Bytes(40 * size)), (59, 40, 40 * size), "{discipline:?}");
        assert_eq!(burst(QueueLimit::Bytes(40 * size - 1)), (60, 39, 39 * size), "{discipline:?}");
    }
}

/// 100 packets of 30 bytes at 1 Mbps, of which one leaves every 240 us.
#[test]
fn what_a_queue_holds_is_sent_at_the_rate_of_the_link() {
    for discipline in lenient_disciplines() {
        let slow = DirectionPlan { overhead: 7, discipline, ..direction(1, 0) };
        let mut plan = chain(1, &slow, 100);
        plan.duration = Duration::from_micros(240 * 50);
        let world = run(&plan);
        let port = port(&plan, &world, 0, 0);
        assert_eq!(
            (port.delivered, port.maximum_backlog.packets),
            (50, 99),
            "{:?}",
            slow.discipline
        );
    }
}

/// One Data leaves the bottleneck each time that it takes to send one, so that a
/// round trip lasts as long as the whole window; what the path itself does not
/// take, the queue does.
#[test]
fn a_window_beyond_the_capacity_fills_the_link_and_waits_before_it() {
    let window = 100;
    let bottleneck = direction(10, 1);
    let path = |window, discipline| {
        let mut plan = chain(2, &direction(100, 1), window);
        plan.links[1].directions[1] = DirectionPlan { discipline, ..bottleneck.clone() };
        plan
    };
    let alone = flow(&run(&path(1, Discipline::DropTail)), 0).delay_minimum.expect("Data came");
    // Segments up to 65,535 have names of one length.
    let sending = bottleneck.rate.transmission_time(data_bytes(10_000) as u32);
    let expected = (sending * window).as_seconds() - alone.as_seconds();
    for discipline in patient_disciplines() {
        let plan = path(window, discipline.clone());
        let world = run(&plan);
        let (counters, busy) = world.ports(plan.end()).nth(3).expect("the bottleneck");
        assert_eq!(counters.dropped(), 0);
        let idle = plan.duration.as_seconds() - busy.as_seconds();
        assert!(idle < alone.as_seconds(), "{idle} s idle: {discipline:?}");
        let wait = counters.sojourn_sum.as_seconds() / counters.sent as f64;
        assert!((wait / expected - 1.0).abs() < 0.01, "{wait} s for {expected} s: {discipline:?}");
    }
}

/// With probability `p` a slot of the window waits for a timeout instead of a
/// round trip, so that a Data takes `rtt + p / (1 - p) rto` on average.
#[test]
fn random_loss_costs_a_timeout_each() {
    let (window, probability) = (10, 0.02);
    let mut plan = chain(1, &direction(1000, 20), window);
    plan.links[0].directions[1].loss = Loss::Bernoulli(probability);
    let timeout = Duration::from_millis(200);
    let limits = &mut plan.consumers[0].settings.timeout;
    (limits.initial, limits.minimum, limits.maximum) = (timeout, timeout, timeout);
    plan.duration = Duration::from_secs(200);
    let world = run(&plan);
    let (counters, port) = (flow(&world, 0), port(&plan, &world, 0, 1));
    let error = (probability * (1.0 - probability) / port.sent as f64).sqrt();
    let lost = port.losses as f64 / port.sent as f64;
    assert!((lost - probability).abs() < 4.0 * error, "{lost}");
    // The last ones may not have timed out yet.
    assert!(port.losses - counters.timeouts <= window);
    assert_eq!(counters.timeouts, counters.retransmissions);
    let each = 0.04 + probability / (1.0 - probability) * 0.2;
    let expected = plan.duration.as_seconds() * window as f64 / each;
    let measured = counters.data as f64;
    assert!((measured / expected - 1.0).abs() < 0.01, "{measured} for {expected}");
}

/// In bursts: how many packets are lost in a row, and how many pass in between.
fn bursts(mut loss: Loss, packets: usize) -> (Vec<usize>, Vec<usize>) {
    let mut random = Streams::new(5, 0).stream("loss");
    let lost: Vec<bool> = (0..packets).map(|_| loss.strikes(Time::ZERO, &mut random)).collect();
    let runs = lost.chunk_by(|a, b| a == b);
    let (bad, good): (Vec<_>, Vec<_>) = runs.partition(|run| run[0]);
    let lengths = |runs: Vec<&[bool]>| runs.into_iter().map(<[bool]>::len).collect();
    (lengths(bad), lengths(good))
}

/// Both states last geometrically: the mean is the inverse of the probability to
/// leave, and that is also the share of runs of one packet.
#[test]
fn a_gilbert_elliott_channel_stays_in_its_states_geometrically() {
    let (to_bad, to_good) = (0.01, 0.25);
    let loss = Loss::GilbertElliott { to_bad, to_good, in_good: 0.0, in_bad: 1.0, bad: false };
    let (bad, good) = bursts(loss, 2_000_000);
    for (lengths, leaving) in [(bad, to_good), (good, to_bad)] {
        let count = lengths.len() as f64;
        let mean = lengths.iter().sum::<usize>() as f64 / count;
        let error = (1.0_f64 - leaving).sqrt() / leaving / count.sqrt();
        assert!((mean - 1.0 / leaving).abs() < 4.0 * error, "{mean} packets");
        let single = lengths.iter().filter(|it| **it == 1).count() as f64 / count;
        let error = (leaving * (1.0 - leaving) / count).sqrt();
        assert!((single - leaving).abs() < 4.0 * error, "{single} of one");
    }
}

#[test]
fn a_certain_loss_loses_everything_and_an_impossible_one_nothing() {
    for (probability, delivered) in [(0.0, 3), (1.0, 0)] {
        let mut plan = chain(1, &direction(10, 1), 3);
        plan.links[0].directions[0].loss = Loss::Bernoulli(probability);
        plan.duration = Duration::from_millis(2);
        let world = run(&plan);
        let port = port(&plan, &world, 0, 0);
        assert_eq!((port.delivered, port.losses), (delivered, 3 - delivered));
    }
}
