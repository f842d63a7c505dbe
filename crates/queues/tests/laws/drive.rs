//! What several tests of the queues need: their settings, and packets that come
//! and go.

use windtunnel_engine::{Duration, Handle, Random, Rate, Store, Streams, Time};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, Route};
use windtunnel_queues::{
    ActiveDiscipline, AnyQueue, Bands, CakeSettings, CoDelSettings, CongestionAction,
    DepartureDiscipline, Discipline, DrrSettings, DualPi2Settings, EcElasticQueue, FqCoDelSettings,
    Leaving, Pcon, PieSettings, QueueLimit, Ramp, RedSettings, SceSettings, Thresholds,
    TokenBucketSettings, Verdict, Waiting,
};

pub(crate) const TARGET: Duration = Duration::from_millis(5);
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);
pub(crate) const MAXIMUM_PACKET: u64 = 1500;
/// Packets leave so often; instants are known as exactly.
pub(crate) const STEP: Duration = Duration::from_micros(50);
/// Much waits behind the packet that leaves.
pub(crate) const LONG: u64 = 100_000;
pub(crate) const ABOVE: Duration = Duration::from_millis(6);
pub(crate) const BELOW: Duration = Duration::from_millis(4);

pub(crate) fn codel_settings(action: CongestionAction) -> CoDelSettings {
    let (target, interval, maximum_packet) = (TARGET, INTERVAL, MAXIMUM_PACKET);
    CoDelSettings { action, target, interval, maximum_packet, ce_threshold: None }
}

/// RED between 5 and 15 packets, without what adapts.
pub(crate) fn red_settings(action: CongestionAction) -> RedSettings {
    let thresholds = Thresholds::new(QueueLimit::Packets(5), QueueLimit::Packets(15));
    RedSettings {
        action,
        thresholds: thresholds.expect("one below the other"),
        hard_drop: false,
        weight: 0.002,
        max_probability: 0.1,
        gentle: true,
        adaptive: false,
        typical_packet: 1000,
    }
}

pub(crate) fn pie_settings(action: CongestionAction) -> PieSettings {
    PieSettings {
        action,
        target: Duration::from_millis(15),
        update: Duration::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Duration::from_millis(150),
        maximum_packet: MAXIMUM_PACKET,
    }
}

pub(crate) fn fq_codel_settings(action: CongestionAction) -> FqCoDelSettings {
    FqCoDelSettings { codel: codel_settings(action), flows: 1024, quantum: 1514 }
}

pub(crate) fn dual_pi2_settings() -> DualPi2Settings {
    DualPi2Settings {
        target: Duration::from_millis(15),
        update: Duration::from_millis(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        ramp: Ramp::step(Duration::from_millis(1)),
        classic_share: 0.1,
    }
}

pub(crate) fn sce_settings(action: CongestionAction) -> SceSettings {
    let ramp = Ramp { start: Duration::from_micros(1250), end: Duration::from_micros(2500) };
    SceSettings { codel: codel_settings(action), ramp }
}

/// CAKE at this many Mbps.
pub(crate) fn cake_settings(action: CongestionAction, megabits_per_second: u64) -> CakeSettings {
    let (rate, queues) = (rate(megabits_per_second), fq_codel_settings(action));
    CakeSettings { rate, tins: true, queues }
}

/// A bucket that fills with this many Mbps and holds this many bytes.
pub(crate) fn bucket(megabits_per_second: u64, burst: u32) -> TokenBucketSettings {
    TokenBucketSettings { rate: rate(megabits_per_second), burst }
}

/// Every kind of queue that decides when packets leave.
pub(crate) fn queues(action: CongestionAction) -> Vec<AnyQueue> {
    let disciplines = [
        Discipline::CoDel(codel_settings(action)),
        Discipline::Pcon(Pcon::new(TARGET, INTERVAL)),
        Discipline::EcElasticQueue(EcElasticQueue::new(TARGET, INTERVAL)),
        Discipline::Sce(sce_settings(action)),
        Discipline::FqCoDel(fq_codel_settings(action)),
        Discipline::DualPi2(dual_pi2_settings()),
        Discipline::Shaper(bucket(10, 10_000)),
        Discipline::StrictPriority(Bands::new(&[vec![Dscp::EF], vec![Dscp::CS6]])),
        Discipline::Drr(DrrSettings { flows: 1024, quantum: 300 }),
        Discipline::Cake(cake_settings(action, 10)),
    ];
    let start = |it: &Discipline| match it.start(random()) {
        ActiveDiscipline::OnDeparture(queue) => queue,
        ActiveDiscipline::OnArrival(judge) => panic!("{judge:?} decides on arrival"),
    };
    disciplines.iter().map(start).collect()
}

pub(crate) fn random() -> Random {
    Streams::new(11, 0).stream("queue")
}

pub(crate) fn rate(megabits_per_second: u64) -> Rate {
    Rate::from_bits_per_second(megabits_per_second * 1_000_000).expect("more than nothing")
}

pub(crate) fn milliseconds(time: f64) -> Time {
    Time::ZERO + Duration::from_seconds(time * 1e-3).expect("a time of the simulation")
}

/// A packet that can be marked, with `backlog` bytes behind it.
pub(crate) fn leaving(sojourn: Duration, backlog: u64) -> Leaving {
    Leaving { ecn: Ecn::Capable, sojourn, backlog }
}

/// When packets are dropped or marked from `start` to `end`, in milliseconds, if
/// each waited for `sojourn`. What was dropped leaves its place to the next one
/// at the same instant.
pub(crate) fn hits(
    queue: &mut impl DepartureDiscipline,
    from: f64,
    to: f64,
    sojourn: Duration,
    backlog: u64,
) -> Vec<f64> {
    let mut hits = Vec::new();
    let mut now = milliseconds(from);
    while now < milliseconds(to) {
        loop {
            let verdict = queue.judge(now, &leaving(sojourn, backlog));
            if verdict != Verdict::Pass {
                hits.push(now.as_seconds() * 1e3);
            }
            if verdict != Verdict::Drop {
                break;
            }
        }
        now += STEP;
    }
    hits
}

/// The instants since the first one.
pub(crate) fn since_first(hits: &[f64]) -> Vec<f64> {
    hits.iter().map(|it| it - hits[0]).collect()
}

pub(crate) fn assert_instants(measured: &[f64], expected: &[f64]) {
    assert_eq!(measured.len(), expected.len(), "{measured:?} for {expected:?}");
    for (measured, expected) in measured.iter().zip(expected) {
        // The next packet to leave, and what the expected values are rounded to.
        let late = measured - expected;
        assert!((-0.051..0.101).contains(&late), "{measured} ms for {expected} ms");
    }
}

/// A datagram of that flow, of this many bytes.
pub(crate) fn packet(flow: u32, ecn: Ecn, size: u16) -> Packet {
    let datagram = Datagram {
        flow,
        length: size - 28,
        sequence: 0,
        sent: Time::ZERO,
        dscp: Dscp::DEFAULT,
        path: 0,
        content: None,
    };
    Packet {
        body: Body::Datagram(datagram),
        ecn,
        network_size: size,
        hops: 0,
        route: Route::default(),
    }
}

/// A datagram of that flow and class, of this many bytes.
pub(crate) fn classed(flow: u32, dscp: Dscp, size: u16) -> Packet {
    let mut packet = packet(flow, Ecn::Capable, size);
    if let Body::Datagram(it) = &mut packet.body {
        it.dscp = dscp;
    }
    packet
}

/// Packets under handles, as they wait.
#[derive(Default)]
pub(crate) struct Packets(Store<Packet>);

impl Packets {
    pub(crate) fn waiting(&mut self, now: Time, packet: &Packet) -> Waiting {
        let (size, ecn, dscp) = (packet.size(), packet.ecn, packet.dscp());
        Waiting { packet: self.0.insert(*packet), size, arrived: now, ecn, dscp }
    }

    pub(crate) fn take(&mut self, handle: Handle) -> Packet {
        self.0.free(handle);
        self.0[handle]
    }

    pub(crate) fn flow(&mut self, handle: Handle) -> u32 {
        match self.take(handle).body {
            Body::Datagram(it) => it.flow,
            body => panic!("{body:?} is none of these tests' packets"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The mean of what was measured.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
