//! Ports by themselves: links that change, duplicate and reorder.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{EventQueue, Streams};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Route};
use windtunnel_queues::{
    Bands, CakeSettings, CoDelSettings, CongestionAction, Discipline, DrrSettings, DualPi2Settings,
    FqCoDelSettings, PieSettings, QueueLimit, Ramp, RedSettings, Thresholds, TokenBucketSettings,
};

use super::*;
use crate::plan::{LinkChange, LossChange};
use windtunnel_links::{
    AirPlan, Impairment, Jitter, JitterDistribution, LoadDelay, Loss, Opportunities,
    PhysicalLayerMaker, Reordering, Victims,
};

mod air;
mod changes;
mod delay;
mod fade;
mod integral;
mod opportunities;
mod stall;

#[derive(Clone, Debug)]
enum Event {
    Offer(Ecn, u16),
    Change(LinkChange),
    Arrival,
    Service,
    /// Another port sends on the shared medium, for this many microseconds.
    Other(u64),
}

/// A port with the events that a world would make.
struct Bench {
    port: Port,
    store: PacketStore,
    /// By their number in the script: in the order of scheduling, if at one instant.
    events: EventQueue<usize>,
    script: Vec<Event>,
    /// When packets arrived, and their numbers.
    arrived: Vec<(Time, u64)>,
    offered: u64,
    /// When the medium is free, if it is shared.
    medium: Option<Time>,
}

impl Bench {
    fn new(plan: &DirectionPlan) -> Self {
        Self::with(plan, None, false)
    }

    /// One whose link can be told to lose all.
    fn that_can_lose(plan: &DirectionPlan) -> Self {
        Self::with(plan, None, true)
    }

    fn on_a_shared_medium(plan: &DirectionPlan) -> Self {
        Self::with(plan, Some(Time::ZERO), false)
    }

    fn with(plan: &DirectionPlan, medium: Option<Time>, can_lose: bool) -> Self {
        let stream = |name| Streams::new(1, 0).stream(name);
        Self {
            port: Port::new(plan, medium.is_some(), can_lose, 0, stream("link"), stream("queue")),
            store: PacketStore::default(),
            events: EventQueue::default(),
            script: Vec::new(),
            arrived: Vec::new(),
            offered: 0,
            medium,
        }
    }

    fn at(self, microseconds: u64, event: Event) -> Self {
        self.on(Time::ZERO + Duration::from_micros(microseconds), event)
    }

    fn on(mut self, time: Time, event: Event) -> Self {
        self.schedule(time, event);
        self
    }

    fn schedule(&mut self, time: Time, event: Event) {
        self.events.schedule(time, self.script.len());
        self.script.push(event);
    }

    fn offering(self, microseconds: u64, packets: usize) -> Self {
        let offer = Event::Offer(Ecn::Capable, 1000);
        (0..packets).fold(self, |bench, _| bench.at(microseconds, offer.clone()))
    }

    /// Lets everything happen that will.
    fn run(self) -> Self {
        self.run_until(Time::NEVER)
    }

    fn run_until(mut self, end: Time) -> Self {
        while let Some((now, event)) = self.events.next_until(end) {
            self.medium.into_iter().for_each(|it| self.port.occupy(it));
            let sent_until = self.port.sends_until();
            let due = match self.script[event].clone() {
                Event::Other(microseconds) => {
                    self.occupy(now, microseconds);
                    Due::default()
                }
                // Somebody else was first.
                Event::Service if self.medium.is_some_and(|it| it > now) => {
                    Due { service: self.medium, arrival: None }
                }
                Event::Offer(ecn, size) => self.offer(now, ecn, size),
                Event::Change(change) => self.port.change(now, change, &mut self.store),
                Event::Service if self.medium.is_some() => {
                    self.port.take_turn(now, &mut self.store)
                }
                Event::Service => self.port.serve(now, &mut self.store),
                Event::Arrival => {
                    self.arrive(now);
                    Due::default()
                }
            };
            self.share(now, sent_until);
            self.arrange(due);
            self.assert_conserved();
        }
        self
    }

    /// What the port sends occupies the medium, if that is shared. The transmission under way
    /// may have become shorter: then its turn comes earlier.
    fn share(&mut self, now: Time, sent_until: Option<Time>) {
        let (before, sends_until) = (self.medium, self.port.sends_until());
        let is_its_own = before == sent_until;
        self.medium = if is_its_own { sends_until } else { before.max(sends_until) };
        if let Some(free) = self.medium.filter(|it| before.is_some_and(|before| *it < before)) {
            self.call(free.max(now), Event::Service);
        }
    }

    /// Another port sends, unless one does already.
    fn occupy(&mut self, now: Time, microseconds: u64) {
        if let Some(free) = self.medium.as_mut().filter(|it| **it <= now) {
            *free = now + Duration::from_micros(microseconds);
        }
    }

    fn offer(&mut self, now: Time, ecn: Ecn, size: u16) -> Due {
        let datagram = Datagram {
            flow: 1,
            length: size - 28,
            sequence: self.offered,
            sent: now,
            dscp: Dscp::DEFAULT,
            path: 0,
            content: None,
        };
        let (body, route) = (Body::Datagram(datagram), Route::default());
        self.offered += 1;
        let packet = Packet { body, ecn, network_size: size, hops: 0, route };
        let packet = self.store.insert(packet);
        self.port.offer::<false>(now, packet, &mut self.store)
    }

    fn arrive(&mut self, now: Time) {
        let Some(arrived) = self.port.arrive(now, &mut self.store) else { return };
        for time in [arrived.next, arrived.late].into_iter().flatten() {
            self.call(time, Event::Arrival);
        }
        let packet = arrived.packet.map(|it| self.store.take(it));
        if let Some(Body::Datagram(datagram)) = packet.map(|it| it.body) {
            self.arrived.push((now, datagram.sequence));
        }
    }

    fn arrange(&mut self, due: Due) {
        if let Some(time) = due.arrival {
            self.call(time, Event::Arrival);
        }
        if let Some(time) = due.service {
            self.call(time, Event::Service);
        }
    }

    fn call(&mut self, time: Time, event: Event) {
        assert!(time >= self.events.now(), "nothing is called for in the past");
        self.schedule(time, event);
    }

    fn assert_conserved(&self) {
        let counters = self.port.counters();
        assert_eq!(counters.in_transit(), self.port.in_transit());
        assert_eq!(counters.offered, self.offered);
        assert_eq!(counters.delivered, self.arrived.len() as u64);
        assert_eq!(self.store.len() as u64, self.port.in_transit());
    }

    /// When packets arrived, in microseconds.
    fn times(&self) -> Vec<u64> {
        self.arrived.iter().map(|it| it.0.as_nanos() / 1000).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        self.arrived.iter().map(|it| it.1).collect()
    }
}

fn megabits(rate: u64) -> Rate {
    Rate::from_bits_per_second(rate * 1_000_000).expect("more than nothing")
}

/// 8 Mbps and 10 ms: a packet of 1000 bytes takes a millisecond.
fn direction(discipline: Discipline) -> DirectionPlan {
    DirectionPlan {
        rate: megabits(8),
        opportunities: None,
        physical_layer: None,
        delay: Duration::from_millis(10),
        loss: Loss::None,
        victims: Victims::All,
        impairment: Impairment::default(),
        limit: QueueLimit::Packets(50),
        discipline,
        overhead: 0,
        weight: DirectionPlan::USUAL_WEIGHT,
    }
}

fn codel(action: CongestionAction) -> CoDelSettings {
    let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
    CoDelSettings { action, target, interval, maximum_packet: 1500, ce_threshold: None }
}

/// One that decides on arrival, and one that does on departure.
fn patient() -> [Discipline; 2] {
    [Discipline::DropTail, Discipline::CoDel(codel(CongestionAction::Mark))]
}

/// One of each kind, quick to act.
fn disciplines() -> Vec<Discipline> {
    let update = Duration::from_millis(1);
    let thresholds = Thresholds::new(QueueLimit::Packets(2), QueueLimit::Packets(6));
    let red = RedSettings {
        action: CongestionAction::Mark,
        thresholds: thresholds.expect("one below the other"),
        hard_drop: false,
        weight: 0.2,
        max_probability: 0.5,
        gentle: true,
        adaptive: true,
        typical_packet: 1000,
    };
    let pie = PieSettings {
        action: CongestionAction::Drop,
        target: update,
        update,
        alpha: 10.0,
        beta: 10.0,
        burst: update,
        maximum_packet: 1500,
    };
    let dual_pi2 = DualPi2Settings {
        target: update,
        update,
        alpha: 10.0,
        beta: 10.0,
        coupling: 2.0,
        ramp: Ramp::step(update),
        classic_share: 0.1,
    };
    let fq_codel =
        FqCoDelSettings { codel: codel(CongestionAction::Drop), flows: 16, quantum: 300 };
    let others = [
        Discipline::Red(red),
        Discipline::Pie(pie),
        Discipline::DualPi2(dual_pi2),
        Discipline::FqCoDel(fq_codel),
    ];
    patient().into_iter().chain(others).collect()
}

/// Half of the first packet is left, and takes a tenth of the time.
#[test]
fn a_new_rate_holds_for_what_is_left_of_a_packet_and_for_those_after_it() {
    for discipline in patient() {
        let faster = Event::Change(LinkChange::Rate(megabits(80)));
        let bench = Bench::new(&direction(discipline)).offering(0, 3).at(500, faster).run();
        assert_eq!(bench.times(), [10_550, 10_650, 10_750]);
        let counters = bench.port.counters();
        assert_eq!(counters.transmission_sum, Duration::from_micros(750));
        assert_eq!(counters.sojourn_sum, Duration::from_micros(550 + 650));
    }
}

#[test]
fn what_waits_survives_an_outage_and_what_is_under_way_does_not() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 3)
            .at(1500, Event::Change(LinkChange::Down))
            .offering(3000, 1)
            .at(5000, Event::Change(LinkChange::Up))
            .run();
        // Of the first three one was on its way and one under transmission.
        assert_eq!(bench.numbers(), [2, 3]);
        assert_eq!(bench.times(), [16_000, 17_000]);
        let counters = bench.port.counters();
        assert_eq!((counters.losses, counters.overlimit_drops), (2, 0));
        assert_eq!(counters.sojourn_sum, Duration::from_micros(1000 + 5000 + 3000));
        assert_eq!(counters.transmission_sum, Duration::from_micros(4000));
    }
}

/// The transmission that was cut off goes on to its end, for nothing.
#[test]
fn a_short_outage_costs_the_packet_under_transmission() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 2)
            .at(500, Event::Change(LinkChange::Down))
            .at(700, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [12_000]);
    }
}

#[test]
fn a_rate_that_changes_during_an_outage_holds_after_it() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .at(0, Event::Change(LinkChange::Down))
            .offering(100, 2)
            .at(200, Event::Change(LinkChange::Rate(megabits(80))))
            .at(1000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [11_100, 11_200]);
    }
}

#[test]
fn a_queue_before_a_link_that_is_down_takes_its_limit_and_not_one_more() {
    for discipline in patient() {
        let plan = DirectionPlan { limit: QueueLimit::Packets(3), ..direction(discipline) };
        let down = Event::Change(LinkChange::Down);
        let mut bench = Bench::new(&plan).at(0, down).offering(1, 10).run();
        assert_eq!((bench.port.counters().overlimit_drops, bench.port.in_transit()), (7, 3));
        let now = bench.events.now();
        assert_eq!(bench.port.backlog(now).packets, 3);
    }
}

#[test]
fn a_link_that_duplicates_everything_delivers_everything_twice_at_once() {
    for discipline in patient() {
        let impairment = Impairment { duplication: 1.0, ..Impairment::default() };
        let plan = DirectionPlan { impairment, ..direction(discipline) };
        let bench = Bench::new(&plan).offering(0, 2).run();
        assert_eq!(bench.numbers(), [0, 0, 1, 1]);
        assert_eq!(bench.times(), [11_000, 11_000, 12_000, 12_000]);
        assert_eq!(bench.port.counters().duplicates, 2);
    }
}

/// What has no bytes is lost by it; a datagram that has them arrives with others.
#[test]
fn a_link_that_corrupts_everything_loses_what_has_no_bytes() {
    for discipline in patient() {
        let corruption = Loss::Bernoulli(1.0);
        let impairment = Impairment { corruption, duplication: 1.0, ..Impairment::default() };
        let plan = DirectionPlan { impairment, ..direction(discipline) };
        let bench = Bench::new(&plan).offering(0, 2).run();
        assert_eq!(bench.numbers(), [0_u64; 0]);
        let counters = bench.port.counters();
        assert_eq!((counters.corrupted, counters.losses, counters.in_transit()), (2, 2, 0));
    }
}

/// A mix holds each packet for an exponential time of its own: of that mean, as much standard
/// deviation, and without memory. Nothing of the order is left, and nothing is lost.
#[test]
fn a_mix_holds_each_packet_for_an_exponential_time() {
    const COUNT: usize = 4000;
    let mean = 20_000.0;
    let impairment =
        Impairment { mixing: Duration::from_micros(mean as u64), ..Impairment::default() };
    let limit = QueueLimit::Packets(COUNT as u32);
    let plan = DirectionPlan { impairment, limit, ..direction(Discipline::DropTail) };
    let bench = Bench::new(&plan).offering(0, COUNT).run();
    let arrivals = bench.times().into_iter().zip(bench.numbers());
    let held: Vec<f64> =
        arrivals.map(|(time, number)| (time - (11_000 + number * 1000)) as f64).collect();
    let count = COUNT as f64;
    assert_eq!(held.len(), COUNT);
    let found = held.iter().sum::<f64>() / count;
    let deviation = (held.iter().map(|it| (it - found).powi(2)).sum::<f64>() / count).sqrt();
    // Five standard errors: of a mean, of a deviation (the fourth moment is 9 means), of a share.
    assert!((found / mean - 1.0).abs() < 5.0 / count.sqrt(), "{found} us");
    assert!((deviation / mean - 1.0).abs() < 5.0 * (2.0 / count).sqrt(), "{deviation} us");
    for times in [0.5, 1.0, 2.0] {
        let share = held.iter().filter(|it| **it > times * mean).count() as f64 / count;
        let expected = f64::exp(-times);
        let error = (expected * (1.0 - expected) / count).sqrt();
        assert!((share - expected).abs() < 5.0 * error, "{share} longer than {times} means");
    }
    let numbers = bench.numbers();
    let overtaken = numbers.windows(2).filter(|it| it[0] > it[1]).count() as f64;
    assert!(overtaken > 0.4 * count, "{overtaken} times a later one came first");
}

/// Packets held for between 0 ms and 20 ms that are sent 1 ms apart: with their order kept none
/// overtakes another one, each is held at least as long as without, and the same is drawn.
#[test]
fn jitter_holds_each_packet_and_reorders_only_where_it_may() {
    const COUNT: usize = 2000;
    let most = Duration::from_millis(20);
    let run = |keeps_order| {
        let distribution = JitterDistribution::Uniform { most };
        let jitter = Some(Jitter { distribution, correlation: 0.0, keeps_order });
        let impairment = Impairment { jitter, ..Impairment::default() };
        let limit = QueueLimit::Packets(COUNT as u32);
        let plan = DirectionPlan { impairment, limit, ..direction(Discipline::DropTail) };
        let bench = Bench::new(&plan).offering(0, COUNT).run();
        let mut arrivals: Vec<(u64, u64)> =
            bench.numbers().into_iter().zip(bench.times()).collect();
        let is_in_order = arrivals.is_sorted();
        arrivals.sort_unstable();
        (arrivals, is_in_order)
    };
    let ((kept, is_kept), (free, is_free)) = (run(true), run(false));
    assert!(is_kept && !is_free && kept.len() == COUNT && free.len() == COUNT);
    let held = |(number, time): &(u64, u64)| time - (11_000 + number * 1000);
    assert!(free.iter().all(|it| held(it) <= 20_000));
    let mean = free.iter().map(held).sum::<u64>() as f64 / COUNT as f64;
    // Five standard errors of the mean of a uniform variable.
    assert!((mean - 10_000.0).abs() < 5.0 * 20_000.0 / (12.0 * COUNT as f64).sqrt(), "{mean} us");
    let mut latest = 0;
    for ((_, kept), (_, free)) in kept.iter().zip(&free) {
        latest = latest.max(*free);
        assert_eq!(*kept, latest, "it waits for the latest of those before it, and no longer");
    }
}

/// The packets that are late keep their order among themselves, and are as late
/// as was said; the others come as if nothing were.
#[test]
fn late_packets_are_overtaken_and_no_other_is() {
    for discipline in patient() {
        let lateness = Duration::from_micros(2500);
        let reordering = Reordering::Independent(0.3);
        let impairment = Impairment { reordering, lateness, ..Impairment::default() };
        let plan = DirectionPlan { impairment, ..direction(discipline) };
        let bench = Bench::new(&plan).offering(0, 50).run();
        let mut late = 0;
        for (time, number) in bench.times().into_iter().zip(bench.numbers()) {
            let punctual = 11_000 + number * 1000;
            assert!([punctual, punctual + 2500].contains(&time), "{number} at {time} us");
            late += u64::from(time > punctual);
        }
        assert_eq!((late, bench.arrived.len()), (bench.port.counters().late, 50));
        assert!((5..25).contains(&late), "{late}");
        assert!(!bench.numbers().is_sorted());
    }
}

/// Of a link that delays all packets so, as tc-netem(8) does: each arrives as late as was said
/// when it left, and overtakes those that were to be later.
#[test]
fn packets_overtake_each_other_where_the_lateness_falls() {
    let (before, after) = (Duration::from_micros(5500), Duration::from_micros(500));
    for discipline in patient() {
        let (reordering, lateness) = (Reordering::Independent(1.0), before);
        let impairment = Impairment { reordering, lateness, ..Impairment::default() };
        let plan = DirectionPlan { impairment, ..direction(discipline) };
        let fall = Event::Change(LinkChange::Lateness(after));
        let bench = Bench::new(&plan).offering(0, 20).at(20_500, fall).run();
        let mut overtaken = 0;
        for (time, number) in bench.times().into_iter().zip(bench.numbers()) {
            let punctual = 11_000 + number * 1000;
            let late = if punctual < 20_500 { 5500 } else { 500 };
            assert_eq!(time, punctual + late, "{number}");
            overtaken += u64::from(late == 5500 && time > 21_500);
        }
        assert_eq!((bench.arrived.len(), overtaken), (20, 4));
        assert!(!bench.numbers().is_sorted());
    }
}

/// 40 ms at 8 Mbps, measured over 10 ms.
fn load_delay() -> LoadDelay {
    let (delay, window) = (Duration::from_millis(40), Duration::from_millis(10));
    LoadDelay { delay, at: megabits(8), power: 1, window }
}

/// The first window sees no load. Then the link is full, at 1000 bytes a millisecond: 40 ms more
/// each; and when all have been sent, the load of the windows before counts for the last ones.
#[test]
fn on_a_link_with_a_load_delay_packets_are_late_by_the_load_and_in_order() {
    let impairment = Impairment { load_delay: Some(load_delay()), ..Impairment::default() };
    let limit = QueueLimit::Packets(100);
    for discipline in patient() {
        let impairment = impairment.clone();
        let plan = DirectionPlan { impairment, limit, ..direction(discipline) };
        let bench = Bench::new(&plan).offering(0, 60).run();
        assert!(bench.numbers().is_sorted() && bench.arrived.len() == 60);
        let held: Vec<u64> = bench
            .times()
            .iter()
            .enumerate()
            .map(|(it, time)| time - 11_000 - 1000 * it as u64)
            .collect();
        // From 11 ms on they come; the window from 10 ms on holds nine of them.
        assert!(held[..9].iter().all(|it| *it == 0), "{held:?}");
        assert!(held[9..19].iter().all(|it| *it == 36_000), "{held:?}");
        assert!(held[19..].iter().all(|it| *it == 40_000), "{held:?}");
        assert_eq!(bench.port.counters().late, 0, "none can be overtaken");
    }
}

fn change() -> impl Strategy<Value = LinkChange> {
    let state = vec![
        LinkChange::Stall,
        LinkChange::Down,
        LinkChange::Up,
        LinkChange::Lose,
        LinkChange::Deliver,
    ];
    prop_oneof![
        2 => (1..100_u64).prop_map(|it| LinkChange::Rate(megabits(it))),
        3 => prop::sample::select(state),
    ]
}

fn air() -> impl Strategy<Value = AirPlan> {
    let status = prop::option::of(0..10_000_u64);
    (0..3000_u64, 0.0..0.9, 0..3000_u64, 1..5_u32, status).prop_map(
        |(slot, block_error, round_trip, attempts, status)| {
            let [slot, round_trip] = [slot, round_trip].map(Duration::from_micros);
            let status = status.map(Duration::from_micros);
            AirPlan { slot, block_error, round_trip, attempts, status }
        },
    )
}

/// What makes such an air interface.
fn layer(air: Option<AirPlan>) -> Option<Arc<dyn PhysicalLayerMaker>> {
    air.map(|it| Arc::new(it) as Arc<dyn PhysicalLayerMaker>)
}

/// A trace that begins again.
fn trace() -> impl Strategy<Value = Opportunities> {
    (vec(0..5000_u64, 1..20), 1..5000_u64).prop_map(|(gaps, rest)| {
        let sums = gaps.iter().scan(0, |sum, gap| {
            *sum += gap / 2 * (gap % 2);
            Some(*sum)
        });
        let times: Vec<_> = sums.map(Duration::from_micros).collect();
        let repeat = times.last().map(|it| *it + Duration::from_micros(rest));
        Opportunities { times, repeat }
    })
}

/// Loss with that probability from then on.
fn losing(probability: f64) -> LinkChange {
    let (loss, victims) = (Loss::Bernoulli(probability), Victims::All);
    LinkChange::Loss(Arc::new(LossChange { loss, victims }))
}

/// Kinds that limit a rate or have an order of their own; those that shape are not for a shared
/// medium.
fn others(is_shared: bool) -> Vec<Discipline> {
    let bucket = TokenBucketSettings { rate: megabits(6), burst: 3000 };
    let queues = FqCoDelSettings { codel: codel(CongestionAction::Drop), flows: 16, quantum: 300 };
    let cake = CakeSettings { rate: megabits(6), tins: true, queues };
    let mut all = vec![
        Discipline::Policer(bucket),
        Discipline::StrictPriority(Bands::new(&[vec![Dscp::EF]])),
        Discipline::Drr(DrrSettings { flows: 16, quantum: 300 }),
    ];
    if !is_shared {
        all.extend([Discipline::Shaper(bucket), Discipline::Cake(cake)]);
    }
    all
}

fn event() -> impl Strategy<Value = Event> {
    let fields = vec![Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion];
    let offer = (prop::sample::select(fields), 28..3000_u16);
    prop_oneof![
        8 => offer.prop_map(|(ecn, size)| Event::Offer(ecn, size)),
        2 => change().prop_map(Event::Change),
        1 => (0..20_u32).prop_map(|it| Event::Change(LinkChange::QueueLimit(QueueLimit::Packets(it)))),
        1 => (0.0..1.0_f64).prop_map(|it| Event::Change(losing(it))),
        2 => (0..5000_u64).prop_map(Event::Other),
    ]
}

proptest! {
    /// Whatever comes and however the link changes: nothing is unaccounted for at
    /// any time (the bench looks after each event), everything leaves a link that
    /// is up in the end, and with the same streams it is the same again.
    #[test]
    fn nothing_is_lost_unaccounted_for_on_any_link(
        events in vec((0..5000_u64, event()), 0..200),
        loss in 0.0..0.3_f64,
        [duplication, reordering, corruption] in [0.0..0.3_f64, 0.0..0.3_f64, 0.0..0.3_f64],
        lateness in 0..20_000_u64,
        mixes: bool,
        depends_on_load: bool,
        impaired: bool,
        air in prop::option::of(air()),
        opportunities in prop::option::of(trace()),
        is_shared: bool,
    ) {
        // A trace has its own opportunities to send.
        let opportunities = opportunities.filter(|_| !is_shared);
        let lateness = Duration::from_micros(lateness);
        for discipline in disciplines().into_iter().chain(others(is_shared)) {
            let mut plan = direction(discipline);
            plan.physical_layer = layer(air);
            plan.opportunities = opportunities.clone().map(Arc::new);
            if impaired {
                plan.loss = Loss::Bernoulli(loss);
                let mixing = if mixes { lateness } else { Duration::ZERO };
                let reordering = Reordering::Independent(reordering);
                plan.impairment = if depends_on_load {
                    Impairment { load_delay: Some(load_delay()), ..Impairment::default() }
                } else {
                    Impairment { duplication, reordering, lateness, mixing, ..Impairment::default() }
                };
                plan.impairment.corruption = Loss::Bernoulli(corruption);
            }
            let run = || {
                let mut bench =
                    if is_shared { Bench::on_a_shared_medium(&plan) } else { Bench::new(&plan) };
                let mut time = 0;
                for (after, event) in &events {
                    time += after;
                    bench = bench.at(time, event.clone());
                }
                bench
                    .at(time, Event::Change(LinkChange::Up))
                    .at(time, Event::Change(LinkChange::Rate(megabits(8))))
                    .run()
            };
            let bench = run();
            prop_assert_eq!(bench.port.in_transit(), 0);
            prop_assert_eq!(bench.port.counters().in_transit(), 0);
            prop_assert!(bench.arrived.is_sorted_by_key(|it| it.0));
            let now = bench.events.now();
            let sent = bench.port.counters().transmission_sum;
            prop_assert_eq!(bench.port.busy(now), sent);
            prop_assert!(opportunities.is_some() || sent <= now.since(Time::ZERO));
            prop_assert_eq!(&bench.arrived, &run().arrived);
        }
    }
}

/// Another port sends from 0.5 ms on, and again as soon as the first packet has left.
#[test]
fn on_a_shared_medium_a_packet_waits_while_another_port_sends() {
    for discipline in disciplines() {
        let bench = Bench::on_a_shared_medium(&direction(discipline))
            .at(500, Event::Other(2000))
            .offering(1000, 2)
            .at(3000, Event::Other(9000))
            .at(3500, Event::Other(1500))
            .run();
        assert_eq!(bench.times(), [13_500, 16_000]);
        let counters = bench.port.counters();
        assert_eq!(counters.sojourn_sum, Duration::from_micros(1500 + 4000));
        assert_eq!(counters.transmission_sum, Duration::from_micros(2000));
    }
}
