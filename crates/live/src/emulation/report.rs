//! What an emulation counted, and how exact it was.

use hdrhistogram::Histogram;
use serde::Serialize;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::RealPackets;
use windtunnel_world::{Departure, LinkPlan, Plan, PortCounters, World};

use super::data::data_bytes;
use super::failure::Failure;
use crate::interface::Carries;

/// A packet that is later than this is late.
const LATE: Duration = Duration::from_micros(100);
/// With more late packets in a hundred than this, and this many at the least, the emulation has
/// not kept up: a few are late on any machine, whatever share of a few packets they are.
const LATE_PER_HUNDRED: u64 = 1;
const LATE_AT_LEAST: u64 = 10;
/// The bounds of the buckets of a histogram, in nanoseconds.
const BOUNDS: [u64; 10] =
    [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000];

/// What an emulation counted.
#[derive(Debug, Serialize)]
pub struct Report {
    /// How long it lasted, in seconds.
    pub duration_s: f64,
    /// The processor time that it took, with the kernel's for its packets, in seconds.
    pub processor_s: f64,
    /// Why it ended early, if it failed.
    pub failure: Option<Failure>,
    /// From each attachment to each other.
    pub directions: Vec<Direction>,
    /// Both directions of each link, in the scenario's order: what simulated flows sent is
    /// counted with what real hosts did.
    pub queues: Vec<Queue>,
    /// How late packets left: from when the world says to when the interface had them.
    pub lateness: Buckets,
    /// How long packets waited before they entered, at the most: since it was last seen that
    /// none waits.
    pub wait: Buckets,
    /// Whether 99 in 100 packets left, and entered, less than 100 µs late; also if fewer than ten
    /// were later.
    pub kept_up: bool,
    /// Whether the thread was a real-time one.
    pub is_real_time: bool,
    /// Packets that were not carried: what was no IP packet.
    pub malformed: u64,
    /// To an address of many hosts.
    pub multicast: u64,
    /// To an address of a node that is not attached, which answered as a router.
    pub to_routers: u64,
    /// To an address of no node.
    pub unknown_destination: u64,
    /// To a node that no path leads to, or to their own.
    pub unreachable: u64,
    /// What the kernel did not take when it left.
    pub refused: u64,
    /// Dropped in the world because no path led on from where they were.
    pub unroutable: u64,
    /// Dropped in the world because their hop limit was used up.
    pub hop_limit_drops: u64,
    /// Dropped in the world because they were larger than the MTU of a link and must not be
    /// fragmented.
    pub too_big: u64,
    /// Packets of simulated flows and real hosts that crossed a queue and a link.
    pub packet_hops: u64,
    /// Packets that the kernel dropped before they were read; by attachment.
    pub interface_drops: Vec<u64>,
}

/// What went from one attachment to another.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Direction {
    /// The attachment where it entered.
    pub from: usize,
    /// The one where it left.
    pub to: usize,
    /// Packets that entered.
    pub entered_packets: u64,
    /// Their bytes.
    pub entered_bytes: u64,
    /// Packets that left.
    pub left_packets: u64,
    /// Their bytes.
    pub left_bytes: u64,
    /// Of these the data, without the headers of IP, and of TCP or UDP; zero of frames.
    pub left_data_bytes: u64,
    /// Packets that were in the world at the end, in queues and on links.
    pub in_flight_packets: u64,
    /// Packets that the world dropped.
    pub dropped_packets: u64,
    /// Packets that left the world, and that the kernel did not take.
    pub refused_packets: u64,
    /// Copies that links made of packets.
    pub copied_packets: u64,
    /// Those of them that were marked in the world.
    pub marked_packets: u64,
    /// From entering to leaving, as the world says, in seconds.
    pub delay_s: Percentiles,
}

/// A direction of a link: its queue, and what is on its way.
#[derive(Clone, Debug, Serialize)]
pub struct Queue {
    /// The link.
    pub link: String,
    /// The node that sends.
    pub from: String,
    /// The one that receives.
    pub to: String,
    /// Packets given to the queue.
    pub offered: u64,
    /// Packets that arrived at the other end.
    pub delivered: u64,
    /// Packets dropped because the queue was at its limit.
    pub overlimit_drops: u64,
    /// Packets that the queue discipline dropped before that.
    pub discipline_drops: u64,
    /// Packets that the link lost.
    pub losses: u64,
    /// Packets that were in the queue or on the link at the end.
    pub in_transit: u64,
    /// Packets of which the link changed a byte.
    pub corrupted: u64,
    /// Packets marked with Congestion Experienced.
    pub marks: u64,
    /// Packets marked with the milder mark of SCE.
    pub some_congestion_marks: u64,
}

/// The names of a direction of a link.
#[derive(Clone, Debug)]
struct QueueName {
    link: String,
    from: String,
    to: String,
}

impl QueueName {
    /// Those of both directions of each link of a plan.
    fn all(plan: &Plan) -> Vec<Self> {
        let direction = |link: &LinkPlan, [from, to]: [usize; 2]| Self {
            link: link.name.clone(),
            from: plan.nodes[from].name.clone(),
            to: plan.nodes[to].name.clone(),
        };
        let both = |it: &LinkPlan| {
            let [first, second] = it.nodes;
            [[first, second], [second, first]].map(|ends| direction(it, ends))
        };
        plan.links.iter().flat_map(both).collect()
    }

    fn queue(self, counters: &PortCounters) -> Queue {
        Queue {
            link: self.link,
            from: self.from,
            to: self.to,
            offered: counters.offered,
            delivered: counters.delivered,
            overlimit_drops: counters.overlimit_drops,
            discipline_drops: counters.discipline_drops,
            losses: counters.losses,
            in_transit: counters.in_transit(),
            corrupted: counters.corrupted,
            marks: counters.marks,
            some_congestion_marks: counters.some_congestion_marks,
        }
    }
}

/// Mean and percentiles, in seconds; zero of nothing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Percentiles {
    /// The mean.
    pub mean: f64,
    /// Half are below it.
    pub median: f64,
    /// The 90th.
    pub p90: f64,
    /// The 99th.
    pub p99: f64,
    /// The 99.9th.
    pub p99_9: f64,
    /// The largest.
    pub maximum: f64,
}

/// Percentiles, and a histogram.
#[derive(Clone, Debug, Serialize)]
pub struct Buckets {
    /// In seconds.
    pub percentiles: Percentiles,
    /// The upper bounds of the buckets, in seconds; the last bucket has none.
    pub bounds_s: Vec<f64>,
    /// How many packets are in each.
    pub packets: Vec<u64>,
}

/// What is counted of a packet that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    ends: [usize; 2],
    /// When the world let it leave.
    time: Time,
    delay: Duration,
    bytes: usize,
    data_bytes: usize,
    is_marked: bool,
}

impl Left {
    pub(super) fn of(packet: &Departure<'_>, carries: Carries) -> Self {
        let Departure { time, delay, from, to, is_marked, bytes } = *packet;
        let data_bytes = if carries == Carries::Frames { 0 } else { data_bytes(bytes) };
        Self { ends: [from, to], time, delay, bytes: bytes.len(), data_bytes, is_marked }
    }
}

/// How an emulation has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: Time,
    pub(super) processor: std::time::Duration,
    pub(super) is_real_time: bool,
    pub(super) failure: Option<Failure>,
}

#[derive(Debug)]
pub(super) struct Counters {
    directions: Vec<(Direction, Histogram<u64>)>,
    attachments: usize,
    queues: Vec<QueueName>,
    lateness: Histogram<u64>,
    wait: Histogram<u64>,
    pub(super) malformed: u64,
    pub(super) multicast: u64,
    pub(super) to_routers: u64,
    pub(super) unknown_destination: u64,
    pub(super) unreachable: u64,
}

/// Whether hardly any of these times are late.
fn keeps_up(times: &Histogram<u64>) -> bool {
    let late = times.len() - times.count_between(0, nanoseconds(LATE));
    late < LATE_AT_LEAST || 100 * late <= LATE_PER_HUNDRED * times.len()
}

/// Of nanoseconds up to a minute, to one part in a hundred.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 2).expect("these bounds are right")
}

impl Counters {
    pub(super) fn new(plan: &Plan) -> Self {
        let attachments = plan.attachments.len();
        let pairs = (0..attachments).flat_map(|from| (0..attachments).map(move |to| (from, to)));
        let direction = |(from, to)| (Direction { from, to, ..Direction::default() }, histogram());
        Self {
            directions: pairs.map(direction).collect(),
            attachments,
            queues: QueueName::all(plan),
            lateness: histogram(),
            wait: histogram(),
            malformed: 0,
            multicast: 0,
            to_routers: 0,
            unknown_destination: 0,
            unreachable: 0,
        }
    }

    /// A packet waited for so long, at the most, before it entered.
    pub(super) fn waited(&mut self, wait: Duration) {
        self.wait.saturating_record(nanoseconds(wait));
    }

    pub(super) fn entered(&mut self, [from, to]: [usize; 2], bytes: usize) {
        let it = &mut self.directions[from * self.attachments + to].0;
        it.entered_packets += 1;
        it.entered_bytes += bytes as u64;
    }

    pub(super) fn left(&mut self, packet: &Left, now: Time, is_sent: bool) {
        let [from, to] = packet.ends;
        let (it, delays) = &mut self.directions[from * self.attachments + to];
        if !is_sent {
            it.refused_packets += 1;
            return;
        }
        self.lateness.saturating_record(nanoseconds(now.since(packet.time.min(now))));
        delays.saturating_record(nanoseconds(packet.delay));
        it.left_packets += 1;
        it.left_bytes += packet.bytes as u64;
        it.left_data_bytes += packet.data_bytes as u64;
        it.marked_packets += u64::from(packet.is_marked);
    }

    pub(super) fn report(
        self,
        ended: Ended,
        world: &mut World,
        interface_drops: Vec<u64>,
    ) -> Report {
        let directions = self.directions.into_iter().filter(|(it, _)| it.from != it.to);
        let directions = directions.map(|(it, delays)| {
            let inside = world.real_packets([it.from, it.to]);
            Direction { delay_s: Percentiles::of(&delays), ..it.with(inside) }
        });
        let directions: Vec<Direction> = directions.collect();
        let queues = self.queues.into_iter().zip(world.ports(ended.end));
        Report {
            duration_s: ended.end.as_seconds(),
            processor_s: ended.processor.as_secs_f64(),
            failure: ended.failure,
            kept_up: keeps_up(&self.lateness) && keeps_up(&self.wait),
            lateness: Buckets::of(&self.lateness),
            wait: Buckets::of(&self.wait),
            refused: directions.iter().map(|it| it.refused_packets).sum(),
            directions,
            queues: queues.map(|(name, (counters, _))| name.queue(counters)).collect(),
            is_real_time: ended.is_real_time,
            malformed: self.malformed,
            multicast: self.multicast,
            to_routers: self.to_routers,
            unknown_destination: self.unknown_destination,
            unreachable: self.unreachable,
            unroutable: world.unroutable(),
            hop_limit_drops: world.hop_limit_drops(),
            too_big: world.too_big(),
            packet_hops: world.packet_hops(),
            interface_drops,
        }
    }
}

impl Direction {
    /// With what is still in the world, and hence what was dropped there.
    fn with(self, inside: RealPackets) -> Self {
        let in_all = self.entered_packets + inside.copies;
        let elsewhere = self.left_packets + self.refused_packets + inside.in_flight;
        Self {
            in_flight_packets: inside.in_flight,
            copied_packets: inside.copies,
            dropped_packets: in_all - elsewhere,
            ..self
        }
    }
}

impl Percentiles {
    fn of(histogram: &Histogram<u64>) -> Self {
        let at = |quantile| seconds(histogram.value_at_quantile(quantile));
        Self {
            mean: histogram.mean() * 1e-9,
            median: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p99_9: at(0.999),
            maximum: seconds(histogram.max()),
        }
    }
}

impl Buckets {
    fn of(histogram: &Histogram<u64>) -> Self {
        let below = |bound: u64| histogram.count_between(0, bound);
        let mut counted = 0;
        let mut packets: Vec<u64> = Vec::with_capacity(BOUNDS.len() + 1);
        for bound in BOUNDS {
            packets.push(below(bound) - counted);
            counted = below(bound);
        }
        packets.push(histogram.len() - counted);
        let bounds_s = BOUNDS.into_iter().map(seconds).collect();
        Self { percentiles: Percentiles::of(histogram), bounds_s, packets }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_picos() / 1_000
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of packets of which some are late.
    fn times(packets: u64, late: u64) -> Histogram<u64> {
        let mut times = histogram();
        let micros = |it| nanoseconds(Duration::from_micros(it));
        times.saturating_record_n(micros(5_000), late);
        times.saturating_record_n(micros(20), packets - late);
        times
    }

    #[test]
    fn it_has_kept_up_if_one_packet_in_a_hundred_is_late() {
        assert!(keeps_up(&times(3_000, 30)));
        assert!(!keeps_up(&times(3_000, 31)));
        assert!(!keeps_up(&times(10, 10)));
    }

    #[test]
    fn it_has_kept_up_if_a_few_packets_are_late() {
        assert!(keeps_up(&times(0, 0)));
        assert!(keeps_up(&times(4, 4)));
        assert!(keeps_up(&times(200, 9)));
        assert!(!keeps_up(&times(200, 10)));
    }

    #[test]
    fn buckets_have_each_packet_once() {
        let mut all = histogram();
        for nanoseconds in [1, 1_000, 1_200, 90_000, 200_000_000, 2_000_000_000] {
            all.saturating_record(nanoseconds);
        }
        let buckets = Buckets::of(&all);
        assert_eq!(buckets.packets, [2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 2]);
        assert_eq!(buckets.packets.len(), buckets.bounds_s.len() + 1);
    }
}
