//! Connections over links that lose, duplicate and reorder: what was sent arrives once,
//! and nothing is left behind.

use crate::common;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::common::{direction, ip_flow, join, nodes, over_tcp, tcp_counters};
use proptest::prelude::*;
use windtunnel_applications::{
    Application, ArrivalsSettings, BulkSettings, FileSettings, Host, Maker, OnOffPeriods, Period,
    Setting, Sizes, Stream, Workload,
};
use windtunnel_engine::{Control, Duration, Time};
use windtunnel_links::{Impairment, Loss, Reordering};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{Plan, SplitPlan, World};

/// What happened at the hosts of a flow.
#[derive(Debug, Default)]
struct Record {
    /// The streams that were opened to an application, by ordinal.
    accepted: Vec<u64>,
    /// How many ends of streams were released.
    released: usize,
}

/// A workload whose applications are watched.
#[derive(Debug)]
struct Watched {
    workload: Workload,
    record: Arc<Mutex<Record>>,
}

impl Maker for Watched {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let watch = |inner| -> Box<dyn Application> {
            Box::new(Watch { inner, record: Arc::clone(&self.record) })
        };
        self.workload.applications(setting).map(watch)
    }
}

#[derive(Clone, Debug)]
struct Watch {
    inner: Box<dyn Application>,
    record: Arc<Mutex<Record>>,
}

impl Application for Watch {
    fn next_wake(&self) -> Time {
        self.inner.next_wake()
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        self.inner.wake(now, host);
    }

    fn stop(&mut self, now: Time, host: &mut dyn Host) {
        self.inner.stop(now, host);
    }

    fn on_open(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        self.record.lock().expect("one thread").accepted.push(host.ordinal(stream));
        self.inner.on_open(now, stream, host);
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        self.inner.on_received(now, stream, host);
    }

    fn on_acknowledged(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        self.inner.on_acknowledged(now, stream, host);
    }

    fn on_finished(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        self.inner.on_finished(now, stream, host);
    }

    fn on_closed(&mut self, stream: Stream) {
        self.record.lock().expect("one thread").released += 1;
        self.inner.on_closed(stream);
    }
}

/// Those that close what they open: until they are stopped, or have sent everything.
fn workload() -> impl Strategy<Value = Workload> {
    let period =
        |limit_ms: u64| (1..limit_ms).prop_map(|it| Period::Fixed(Duration::from_millis(it)));
    prop_oneof![
        (1..200_000_u64).prop_map(|bytes| Workload::File(FileSettings { bytes })),
        (1.0..40.0_f64, 1..20_000_u64).prop_map(|(per_second, bytes)| {
            Workload::Arrivals(ArrivalsSettings { per_second, sizes: Sizes::Fixed(bytes) })
        }),
        (period(300), period(300)).prop_map(|(on, off)| Workload::OnOff(OnOffPeriods { on, off })),
        (100_000..1_000_000_u64)
            .prop_map(|it| Workload::Bulk(BulkSettings { rate: Some(common::rate(it)) })),
    ]
}

fn recovery() -> impl Strategy<Value = Recovery> {
    use Recovery::{NewReno, Rack, Reno, Sack, Tahoe};
    prop::sample::select(vec![Tahoe, Reno, NewReno, Sack, Rack])
}

/// How often a link loses, duplicates and reorders packets, and how late those are: a SYN
/// may come when its connection is closed already.
fn impairments() -> impl Strategy<Value = (f64, Impairment)> {
    let lateness = prop_oneof![0..30_u64, 1000..5000_u64];
    (0.0..0.05_f64, 0.0..0.1_f64, 0.0..0.1_f64, lateness).prop_map(
        |(loss, duplication, reordering, lateness)| {
            let lateness = Duration::from_millis(lateness);
            let reordering = Reordering::Independent(reordering);
            (loss, Impairment { duplication, reordering, lateness, ..Impairment::default() })
        },
    )
}

/// Two links in a row, both impaired in both directions.
fn plan(impairments: [(f64, Impairment); 2]) -> Plan {
    let mut plan = nodes(&["a", "r", "b"]);
    for (place, (loss, impairment)) in impairments.into_iter().enumerate() {
        let mut link = direction(10, 5);
        (link.loss, link.impairment) = (Loss::Bernoulli(loss), impairment);
        join(&mut plan, place, place + 1, &link);
    }
    plan
}

/// Runs flows of these workloads, which stop after two seconds, until all is silent.
fn run(plan: &mut Plan, workloads: &[(Workload, Recovery, bool)]) -> (World, Vec<Record>) {
    let mut records = Vec::new();
    for (number, (workload, recovery, split)) in workloads.iter().enumerate() {
        let record = Arc::new(Mutex::new(Record::default()));
        let watched = Watched { workload: workload.clone(), record: Arc::clone(&record) };
        let transport = over_tcp(*recovery, EcnMode::Off, Workload::External(Arc::new(watched)));
        let mut flow = ip_flow(&format!("f{number}"), 0, 2, transport);
        flow.stop = Time::ZERO + Duration::from_secs(2);
        flow.split = split.then(|| SplitPlan { at: vec![1], buffer: 50_000 });
        plan.flows.push(flow);
        records.push(record);
    }
    plan.duration = Duration::from_secs(2000);
    let mut world = World::new(plan).expect("links join the hosts");
    let _ = world.run(&Control::default(), None);
    let take = |it: Arc<Mutex<Record>>| std::mem::take(&mut *it.lock().expect("one thread"));
    (world, records.into_iter().map(take).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_file_arrives_once_and_whole_and_every_connection_is_released(
        workloads in prop::collection::vec((workload(), recovery(), any::<bool>()), 1..4),
        impairments in [impairments(), impairments()],
    ) {
        let mut plan = plan(impairments);
        let (world, records) = run(&mut plan, &workloads);
        prop_assert_eq!(world.packets_in_transit(), 0);
        for (flow, (record, (workload, ..))) in records.iter().zip(&workloads).enumerate() {
            let counters = tcp_counters(&world, flow);
            let connections = counters.connections as usize;
            let distinct: BTreeSet<u64> = record.accepted.iter().copied().collect();
            let expected: BTreeSet<u64> = (0..connections as u64).collect();
            // A repeated SYN opens nothing twice.
            prop_assert_eq!(record.accepted.len(), connections);
            prop_assert_eq!(distinct, expected);
            prop_assert_eq!(record.released, 2 * connections);
            let transfers = world.transfers().into_iter().filter(|it| it.flow as usize == flow);
            let sizes: Vec<u64> = transfers.map(|it| it.bytes).collect();
            let size = match workload {
                Workload::File(FileSettings { bytes }) | Workload::Arrivals(ArrivalsSettings { sizes: Sizes::Fixed(bytes), .. }) => *bytes,
                _ => continue,
            };
            prop_assert_eq!(&sizes, &vec![size; connections]);
            prop_assert_eq!(counters.receiver.received_bytes, size * connections as u64);
        }
    }

    /// Whatever was handed over before the flow stopped, the other end has it.
    #[test]
    fn what_was_acknowledged_was_received_and_nothing_twice(
        workloads in prop::collection::vec((workload(), recovery(), Just(false)), 1..4),
        impairments in [impairments(), impairments()],
    ) {
        let mut plan = plan(impairments);
        let (world, _) = run(&mut plan, &workloads);
        for flow in 0..workloads.len() {
            let counters = tcp_counters(&world, flow);
            prop_assert_eq!(counters.sender.acknowledged_bytes, counters.receiver.received_bytes);
            prop_assert_eq!(counters.in_flight, 0);
        }
    }
}
