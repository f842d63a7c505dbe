//! Networks of flows over IP of every kind, for laws that hold for all.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::udp::UdpSettings;
use windtunnel_applications::{ArrivalsSettings, BulkSettings, FileSettings, Sizes, Workload};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::Loss;
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::{CongestionAction, Discipline, QueueLimit};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    ChangePlan, DirectionPlan, FlowPlan, LinkChange, Plan, PortId, RecordingPlan, Transport,
};

use super::{codel, direction, ip_flow, join_unequal, nodes, over_tcp, pie, rate, red};

/// Few rates, so that links often have the same as their neighbours.
fn any_direction() -> impl Strategy<Value = DirectionPlan> {
    let rates = prop::sample::select(vec![1_000_000, 2_000_000, 3_333_333, 8_000_000]);
    let delay = prop_oneof![Just(0_u64), Just(5_000), 0..30_000_u64];
    let limit = prop_oneof![
        (0..40_u32).prop_map(QueueLimit::Packets),
        (0..40_000_u64).prop_map(QueueLimit::Bytes),
    ];
    let discipline = prop_oneof![
        12 => Just(Discipline::DropTail),
        1 => Just(red(CongestionAction::Mark)),
        1 => Just(pie(CongestionAction::Drop)),
        1 => Just(codel(CongestionAction::Mark)),
    ];
    let loss = prop_oneof![9 => Just(Loss::None), 1 => Just(Loss::Bernoulli(0.02))];
    let overhead = prop_oneof![Just(0_u32), Just(2), 0..50_u32];
    (rates, delay, limit, discipline, loss, overhead).prop_map(
        |(bits_per_second, delay_us, limit, discipline, loss, overhead)| DirectionPlan {
            rate: rate(bits_per_second),
            delay: Duration::from_micros(delay_us),
            limit,
            discipline,
            loss,
            overhead,
            ..direction(1, 1)
        },
    )
}

fn any_transport() -> impl Strategy<Value = Transport> {
    let ecn = prop::sample::select(vec![EcnMode::Off, EcnMode::Classic]);
    let workload = prop_oneof![
        Just(Workload::Bulk(BulkSettings { rate: None })),
        (1..100_000_u64).prop_map(|bytes| Workload::File(FileSettings { bytes })),
        (1.0..50.0_f64).prop_map(|per_second| {
            Workload::Arrivals(ArrivalsSettings { per_second, sizes: Sizes::Fixed(3000) })
        }),
    ];
    let datagrams = (100_000..5_000_000_u64, 20..1400_u16);
    prop_oneof![
        3 => (ecn, workload).prop_map(|(ecn, it)| over_tcp(Recovery::Rack, ecn, it)),
        1 => datagrams.prop_map(|(bits_per_second, payload)| {
            Transport::Udp(UdpSettings::of_rate(IpVersion::V4, rate(bits_per_second), payload))
        }),
    ]
}

fn any_flow(nodes: usize) -> impl Strategy<Value = FlowPlan> {
    (0..nodes, 1..nodes, any_transport(), 0..500_u64).prop_map(
        move |(from, step, transport, start_ms)| {
            let start = Time::ZERO + Duration::from_millis(start_ms);
            FlowPlan { start, ..ip_flow("flow", from, (from + step) % nodes, transport) }
        },
    )
}

/// What happens to a link at some millisecond.
fn any_change(ports: u32) -> impl Strategy<Value = ChangePlan> {
    let changes = vec![
        LinkChange::Down,
        LinkChange::Up,
        LinkChange::Rate(rate(4_000_000)),
        LinkChange::Delay(Duration::from_millis(3)),
        LinkChange::QueueLimit(QueueLimit::Packets(3)),
    ];
    (0..1000_u64, 0..ports, prop::sample::select(changes)).prop_map(|(time_ms, port, change)| {
        let time = Time::ZERO + Duration::from_millis(time_ms);
        ChangePlan { time, port: PortId(port), change }
    })
}

/// Which nodes links join: in a row, around two routers, or in a tree.
fn any_tree() -> impl Strategy<Value = Vec<[usize; 2]>> {
    let row = (2..7_usize).prop_map(|nodes| (1..nodes).map(|it| [it - 1, it]).collect());
    let dumbbell = (1..4_usize).prop_map(|pairs| {
        let sides = (0..2 * pairs).map(|it| [it % 2, it + 2]);
        std::iter::once([0, 1]).chain(sides).collect()
    });
    let tree = vec(any::<prop::sample::Index>(), 1..8).prop_map(|all| {
        all.iter().enumerate().map(|(it, to)| [to.index(it + 1), it + 1]).collect()
    });
    prop_oneof![row, dumbbell, tree]
}

/// A network without circles, for half a second; most of its links never change.
pub(crate) fn any_plan_of_flows() -> impl Strategy<Value = Plan> {
    any_tree().prop_flat_map(|links| {
        let nodes = links.len() + 1;
        let directions = vec([any_direction(), any_direction()], links.len());
        let flows = vec(any_flow(nodes), 1..5);
        let changes = prop_oneof![
            2 => Just(Vec::new()),
            1 => vec(any_change(2 * links.len() as u32), 1..3),
        ];
        (Just(links), directions, flows, changes, 1..300_u64, any::<u64>()).prop_map(build)
    })
}

type Parts = (Vec<[usize; 2]>, Vec<[DirectionPlan; 2]>, Vec<FlowPlan>, Vec<ChangePlan>, u64, u64);

fn build((links, directions, flows, changes, interval_ms, seed): Parts) -> Plan {
    let names: Vec<String> = (0..=links.len()).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for ([first, second], directions) in links.into_iter().zip(directions) {
        join_unequal(&mut plan, first, second, directions);
    }
    let numbered = flows.into_iter().enumerate();
    plan.flows = numbered.map(|(it, flow)| FlowPlan { name: format!("f{it}"), ..flow }).collect();
    plan.changes = changes;
    plan.changes.sort_by_key(|it| it.time);
    plan.duration = Duration::from_secs(1);
    plan.recording = RecordingPlan::every(Duration::from_millis(interval_ms));
    plan.seed = seed;
    plan
}
