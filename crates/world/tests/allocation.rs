//! The hot loop allocates nothing once warm: a run twice as long allocates no
//! more, whatever the network.

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use common::{
    Dumbbell, adaptive, ask, bridge, chain, direction, disciplines, dumbbell, ip_flow, join, nodes,
    over_tcp, patient_disciplines, rate, serve,
};
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_engine::{Control, Duration, Rate};
use windtunnel_links::radio::{
    BlockagePlan, Building, Efficiency, HandoverPlan, LineOfSight, Map, Obstructed, Point,
    RadioPlan, Station,
};
use windtunnel_links::{AirPlan, Loss, RateTrace, RateTraces, ReportPlan, Victims};
use windtunnel_networks::bridge::{Order, Resend};
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_queues::QueueLimit;
use windtunnel_transports::ndn::consumer::ConsumerTimeout;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{DirectionPlan, Paths, Plan, SplitPlan, Transport, World};

/// The system's allocator, counting for each thread by itself.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|it| it.set(it.get() + 1));
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a run of this many seconds allocates, from its building on. It is
/// sampled once.
fn allocations(plan: &Plan, seconds: u64) -> (u64, u64) {
    let duration = Duration::from_secs(seconds);
    let plan = Plan { duration, ..plan.clone() };
    let before = ALLOCATIONS.get();
    let mut world = World::new(&plan).expect("every consumer reaches a producer");
    let (_, events) = world.run(&Control::default(), None);
    (ALLOCATIONS.get() - before, events)
}

fn assert_warm_after(seconds: u64, plan: &Plan, what: &str) {
    let (warm_up, some) = allocations(plan, seconds);
    let (all, more) = allocations(plan, 2 * seconds);
    assert!(more > some + 1_000, "{what}: something happens after {seconds} s");
    assert_eq!(all, warm_up, "{what}: allocations in the second {seconds} s");
}

#[test]
fn a_window_on_a_chain_allocates_nothing_once_warm() {
    for discipline in disciplines() {
        let link = DirectionPlan { discipline, ..direction(100, 5) };
        let mut plan = chain(3, &link, 200);
        // What is dropped is asked for again.
        plan.consumers[0].settings.timeout = ConsumerTimeout::default();
        assert_warm_after(10, &plan, &format!("{:?}", link.discipline));
    }
}

#[test]
fn links_whose_rates_change_under_packets_allocate_nothing_once_warm() {
    for discipline in disciplines() {
        let mut plan = chain(2, &DirectionPlan { discipline, ..direction(20, 5) }, 50);
        plan.consumers[0].settings.timeout = ConsumerTimeout::default();
        let rates = [8_000_000, 1000, 20_000_000, 0].map(Rate::from_bits_per_second);
        let rows = (0..).zip(rates).map(|(row, rate)| (Duration::from_millis(7 * row), rate));
        let trace = RateTrace {
            rows: rows.collect(),
            delays: Vec::new(),
            repeat: Some(Duration::from_millis(28)),
        };
        let traces = [None, Some(Arc::new(trace))];
        plan.links[1].channel = Some(Arc::new(RateTraces(traces)));
        assert_warm_after(20, &plan, &format!("{:?}", plan.links[1].directions[1].discipline));
    }
}

#[test]
fn consumers_that_lose_and_ask_again_allocate_nothing_once_warm() {
    for name in ["aimd", "cubic", "ec-elastic"] {
        let mut plan = chain(2, &direction(20, 5), 1);
        plan.links[1].directions[1].loss = Loss::Bernoulli(0.005);
        adaptive(&mut plan.consumers[0], name);
        assert_warm_after(30, &plan, name);
    }
}

/// Each Data in fragments, of which some are lost.
#[test]
fn a_link_with_an_mtu_allocates_nothing_once_warm() {
    let mut plan = chain(2, &direction(20, 5), 1);
    plan.links[1].directions[1].loss = Loss::Bernoulli(0.005);
    plan.links[1].link_service = LinkServiceSettings { mtu: Some(300), pit_token: 4 };
    adaptive(&mut plan.consumers[0], "cubic");
    assert_warm_after(30, &plan, "an MTU of 300 bytes");
}

/// Six consumers wait for the same segments at the router: entries with many
/// records, and a content store that is always full.
#[test]
fn shared_content_and_caching_allocate_nothing_once_warm() {
    for cached in [0, 100] {
        let Dumbbell { mut plan, consumers, producers } =
            dumbbell(6, &direction(100, 2), &direction(50, 5));
        plan.nodes[0].cached = cached;
        serve(&mut plan, producers[0], "/shared");
        for node in consumers {
            ask(&mut plan, node, "/shared", 30);
        }
        assert_warm_after(4, &plan, &format!("{cached} packets cached"));
    }
}

/// Three consumers of the same content on a network with two circles.
fn with_circles(strategy: &'static str) -> Plan {
    let Dumbbell { mut plan, consumers, producers } =
        dumbbell(3, &direction(100, 2), &direction(20, 5));
    for pair in 0..2 {
        join(&mut plan, consumers[pair], producers[pair], &direction(10, 20));
    }
    plan.routing.paths = Paths::All;
    plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
    serve(&mut plan, producers[0], "/shared");
    for node in consumers {
        ask(&mut plan, node, "/shared", 20);
    }
    plan
}

/// Several next hops, refusals, and nonces that are remembered for 6 s.
#[test]
fn interests_over_many_faces_allocate_nothing_once_warm() {
    for strategy in ["best-route", "multicast"] {
        assert_warm_after(30, &with_circles(strategy), strategy);
    }
}

/// One Interest in a thousand is sent twice. Its entry needs more room than the
/// others, once for each place in the table that such an Interest comes to.
#[test]
fn pcons_probes_allocate_ever_more_rarely() {
    let plan = with_circles("pcon");
    let [(early, few), (late, many)] = [60, 120].map(|seconds| allocations(&plan, seconds));
    assert!((late - early) * 10_000 < many - few, "{} in {} events", late - early, many - few);
}

/// A user who walks to and fro between two stations and behind a building.
fn walk() -> RadioPlan {
    let station =
        |name: &str, x| Station { name: name.into(), at: Point { x, y: 0.0 }, height: 10.0 };
    let corners = [0.0, 60.0].map(|x| Point { x, y: 30.0 });
    let milliseconds = Duration::from_millis;
    RadioPlan {
        carrier: 28e9,
        bandwidth: [20e6, 20e6],
        transmit_power: [30.0, 23.0],
        antenna_gain: 30.0,
        noise_figure: 7.0,
        map: Map {
            stations: vec![station("west", 0.0), station("east", 60.0)],
            buildings: vec![Building {
                corner: Point { x: 15.0, y: 10.0 },
                width: 30.0,
                depth: 5.0,
            }],
            path: corners.iter().copied().cycle().take(40).collect(),
            user_height: 1.5,
        },
        speed: 20.0,
        line_of_sight: LineOfSight::Map,
        obstructed: Obstructed::Scattering,
        shadowing: true,
        blockage: Some(BlockagePlan {
            every: milliseconds(2000),
            lasts: milliseconds(100),
            loss: 20.0,
            edge: milliseconds(50),
        }),
        efficiency: Efficiency::Shannon { share: 0.6, maximum: 4.4, minimum_sinr: -10.0 },
        overhead: 0.25,
        period: milliseconds(10),
        handover: HandoverPlan {
            margin: 3.0,
            after: milliseconds(160),
            interruption: milliseconds(50),
        },
        report: ReportPlan { period: milliseconds(10), delay: milliseconds(10) },
    }
}

#[test]
fn a_walk_between_base_stations_allocates_nothing_once_warm() {
    let mut plan = chain(2, &direction(100, 2), 300);
    plan.links[0].channel = Some(Arc::new(walk()));
    for direction in &mut plan.links[0].directions {
        direction.physical_layer = Some(Arc::new(AirPlan {
            slot: Duration::from_millis(1),
            block_error: 0.1,
            round_trip: Duration::from_millis(8),
            attempts: 4,
            status: Some(Duration::from_millis(40)),
        }));
    }
    assert_warm_after(60, &plan, "radio");
}

#[test]
fn a_shared_medium_allocates_nothing_once_warm() {
    for discipline in patient_disciplines() {
        let mut plan = chain(2, &DirectionPlan { discipline, ..direction(20, 2) }, 300);
        plan.links.iter_mut().for_each(|it| it.medium = Some(0));
        assert_warm_after(5, &plan, "medium");
    }
}

/// Clones in the stalled queue, and segments that wait for their order; the hosts see
/// no gap. The more wait at once, the rarer: it takes long until this many have.
#[test]
fn the_edges_of_a_bridge_allocate_nothing_once_warm() {
    let mut plan = nodes(&["host", "from", "to", "other"]);
    (0..3).for_each(|it| join(&mut plan, it, it + 1, &direction(20, 5)));
    let bulk = Workload::Bulk(BulkSettings { rate: Some(rate(15_000_000)) });
    plan.flows.push(ip_flow("from 0 to 3", 0, 3, over_tcp(Recovery::Rack, EcnMode::Off, bulk)));
    let between = &mut plan.links[1].directions[0];
    (between.loss, between.victims) = (Loss::Bernoulli(0.05), Victims::NotCapable);
    let mut bridge = bridge(1, 2);
    bridge.source.resend = Resend::Capable;
    bridge.destination.order =
        Order::InOrder { patience: Duration::from_secs(1), buffer: 1_000_000 };
    plan.bridges.push(bridge);
    assert_warm_after(240, &plan, "a bridge");
}

#[test]
fn proxies_allocate_nothing_once_warm() {
    let mut plan = nodes(&["host", "first", "second", "other"]);
    for (place, rate) in [20, 10, 15].into_iter().enumerate() {
        join(&mut plan, place, place + 1, &direction(rate, 5));
    }
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    plan.flows.push(ip_flow("f", 0, 3, over_tcp(Recovery::Rack, EcnMode::Off, bulk)));
    plan.flows[0].split = Some(SplitPlan { at: vec![1, 2], buffer: 200_000 });
    assert_warm_after(60, &plan, "proxies");
}

#[test]
fn offload_allocates_nothing_once_warm() {
    let mut plan = nodes(&["host", "router", "other"]);
    join(&mut plan, 0, 1, &direction(100, 1));
    join(&mut plan, 1, 2, &DirectionPlan { limit: QueueLimit::Packets(20), ..direction(20, 5) });
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
    if let Transport::Tcp { settings, .. } = &mut transport {
        let settings = Arc::make_mut(settings);
        settings.small_queues = Some(true);
        settings.offload.segmentation = true;
        settings.offload.receive = true;
        settings.offload.coalescing = Duration::from_millis(1);
        settings.acknowledgements.sack_compression = true;
    }
    plan.flows.push(ip_flow("f", 0, 2, transport));
    assert_warm_after(60, &plan, "offload");
}
