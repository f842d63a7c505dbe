//! Plans in few words, and runs that check what every run must obey.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod any;
pub(crate) mod any_flows;
pub(crate) mod everything;

use std::sync::{Arc, Mutex};

use windtunnel_controllers::{self as controllers, DESCRIPTIONS, Value};
use windtunnel_engine::{Control, Duration, Rate, Stop, Time};
use windtunnel_links::{Impairment, Loss, Victims};
use windtunnel_networks::bridge::{
    Clones, DestinationSettings, Duplicates, Keep, Resend, SourceSettings, Unmatched,
};
use windtunnel_networks::ndn::content_store::ReplacementPolicy;
use windtunnel_networks::ndn::forwarder::ForwarderMarks;
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_packets::ndn::wire::size::{NameSize, SignatureKind};
use windtunnel_packets::ndn::{PacketFormat, PrefixId};
use windtunnel_queues::{
    CoDelSettings, CongestionAction, Discipline, DualPi2Settings, FqCoDelSettings, LinkService,
    Pcon, PieSettings, QueueLimit, Ramp, RedSettings, SceSettings, Thresholds,
};
use windtunnel_transports::ndn::consumer::{
    Consumer, ConsumerCounters, ConsumerSettings, ConsumerTimeout, ConsumerWindow,
    ConsumerWorkload, Reaction,
};
use windtunnel_transports::ndn::producer::Producer;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{Buffers, EcnMode, Recovery, TcpSettings};
use windtunnel_world::{
    BridgePlan, ChannelSample, Chunk, ConsumerPlan, DirectionPlan, FlowCounters, FlowPlan,
    FlowSample, LinkPlan, Metric, NodePlan, NodeSample, PacketEvent, Paths, Plan, PlaybackSample,
    PortCounters, PortSample, ProducerPlan, RecordingPlan, RouteSample, Routing, Sharing,
    SubflowSample, TcpCounters, Transport, World,
};

/// Nodes of these names, and nothing else; it runs for 10 s.
pub(crate) fn nodes(names: &[&str]) -> Plan {
    Plan {
        nodes: names.iter().map(|name| node(name)).collect(),
        links: Vec::new(),
        prefixes: Vec::new(),
        formats: Vec::new(),
        producers: Vec::new(),
        consumers: Vec::new(),
        flows: Vec::new(),
        bridges: Vec::new(),
        tunnels: Vec::new(),
        sessions: Vec::new(),
        domains: None,
        roots: Vec::new(),
        attachments: Vec::new(),
        sky: None,
        changes: Vec::new(),
        routing: Routing {
            metric: Metric::Delay,
            paths: Paths::Shortest,
            sharing: Sharing::None,
            convergence: None,
            given: Vec::new(),
            static_routes: Vec::new(),
        },
        duration: Duration::from_secs(10),
        recording: RecordingPlan::default(),
        seed: 1,
        run: 0,
    }
}

/// Nothing cached, best route, marks as in PCON.
fn node(name: &str) -> NodePlan {
    NodePlan {
        name: name.to_owned(),
        cached: 0,
        policy: ReplacementPolicy::Lru,
        strategy: "best-route",
        marks: ForwarderMarks { interest_marks_return: true, cached_marks_stay: false },
        processing_time: Duration::ZERO,
        layers: Vec::new(),
    }
}

pub(crate) fn rate(bits_per_second: u64) -> Rate {
    Rate::from_bits_per_second(bits_per_second).expect("more than nothing")
}

/// A direction that drops nothing in these tests.
pub(crate) fn direction(megabits_per_second: u64, delay_ms: u64) -> DirectionPlan {
    DirectionPlan {
        rate: rate(megabits_per_second * 1_000_000),
        opportunities: None,
        physical_layer: None,
        delay: Duration::from_millis(delay_ms),
        loss: Loss::None,
        victims: Victims::All,
        impairment: Impairment::default(),
        limit: QueueLimit::Packets(10_000),
        discipline: Discipline::DropTail,
        overhead: 0,
        weight: DirectionPlan::USUAL_WEIGHT,
    }
}

fn codel_settings(action: CongestionAction) -> CoDelSettings {
    CoDelSettings {
        action,
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        maximum_packet: 1500,
        ce_threshold: None,
    }
}

/// CoDel at its defaults.
pub(crate) fn codel(action: CongestionAction) -> Discipline {
    Discipline::CoDel(codel_settings(action))
}

/// RED between 5 and 15 packets.
pub(crate) fn red(action: CongestionAction) -> Discipline {
    let thresholds = Thresholds::new(QueueLimit::Packets(5), QueueLimit::Packets(15));
    Discipline::Red(RedSettings {
        action,
        thresholds: thresholds.expect("one below the other"),
        hard_drop: false,
        weight: 0.002,
        max_probability: 0.1,
        gentle: true,
        adaptive: true,
        typical_packet: 1000,
    })
}

/// PIE at its defaults.
pub(crate) fn pie(action: CongestionAction) -> Discipline {
    Discipline::Pie(PieSettings {
        action,
        target: Duration::from_millis(15),
        update: Duration::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Duration::from_millis(150),
        maximum_packet: 1500,
    })
}

/// FQ-CoDel at its defaults.
pub(crate) fn fq_codel(action: CongestionAction) -> Discipline {
    let codel = codel_settings(action);
    Discipline::FqCoDel(FqCoDelSettings { codel, flows: 1024, quantum: 1514 })
}

/// DualPI2 at its defaults.
pub(crate) fn dual_pi2() -> Discipline {
    Discipline::DualPi2(DualPi2Settings {
        target: Duration::from_millis(15),
        update: Duration::from_millis(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        ramp: Ramp::step(Duration::from_millis(1)),
        classic_share: 0.1,
    })
}

/// SCE from 1.25 to 2.5 ms.
pub(crate) fn sce(action: CongestionAction) -> Discipline {
    let ramp = Ramp { start: Duration::from_micros(1250), end: Duration::from_micros(2500) };
    Discipline::Sce(SceSettings { codel: codel_settings(action), ramp })
}

/// The disciplines that keep what they let in, at their defaults; the link
/// service marks above 20 kB.
pub(crate) fn patient_disciplines() -> Vec<Discipline> {
    let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
    vec![
        Discipline::DropTail,
        Discipline::LinkService(LinkService::new(20_000, interval)),
        codel(CongestionAction::Mark),
        sce(CongestionAction::Mark),
        Discipline::Pcon(Pcon::new(target, interval)),
    ]
}

/// Those that drop, or may.
pub(crate) fn impatient_disciplines() -> Vec<Discipline> {
    let each = [CongestionAction::Drop, CongestionAction::Mark];
    let kinds = [red, pie, fq_codel].into_iter().flat_map(|kind| each.map(kind));
    [vec![codel(CongestionAction::Drop), sce(CongestionAction::Drop), dual_pi2()], kinds.collect()]
        .concat()
}

/// Every discipline.
pub(crate) fn disciplines() -> Vec<Discipline> {
    [patient_disciplines(), impatient_disciplines()].concat()
}

/// Joins two nodes by a link that is the same both ways.
pub(crate) fn join(plan: &mut Plan, first: usize, second: usize, both_ways: &DirectionPlan) {
    join_unequal(plan, first, second, [both_ways.clone(), both_ways.clone()]);
}

pub(crate) fn join_unequal(
    plan: &mut Plan,
    first: usize,
    second: usize,
    directions: [DirectionPlan; 2],
) {
    let name = format!("{}-{}", plan.nodes[first].name, plan.nodes[second].name);
    plan.links.push(LinkPlan {
        name,
        nodes: [first, second],
        directions,
        channel: None,
        medium: None,
        link_service: LinkServiceSettings::default(),
    });
}

/// Content of one Data packet in these tests, in bytes.
pub(crate) const PAYLOAD: u32 = 1000;

/// The number of a prefix, which need not be in use yet.
fn prefix(plan: &mut Plan, uri: &str) -> usize {
    let name = uri.parse().expect("a name");
    let known = plan.prefixes.iter().position(|it| *it == name);
    known.unwrap_or_else(|| {
        plan.prefixes.push(name);
        plan.formats.push(PacketFormat::Ndn);
        plan.prefixes.len() - 1
    })
}

/// Puts a producer on a node.
pub(crate) fn serve<'a>(plan: &'a mut Plan, node: usize, uri: &str) -> &'a mut Producer {
    let prefix = prefix(plan, uri);
    let producer = Producer {
        content: PAYLOAD,
        freshness_ms: 0,
        response_delay: Duration::ZERO,
        signature: SignatureKind::DigestSha256,
        publishing: None,
    };
    plan.producers.push(ProducerPlan { node, prefix, producer });
    &mut plan.producers.last_mut().expect("it was just put in").producer
}

/// Puts a consumer on a node: a stream with a fixed window. It never gives up
/// waiting while a test runs, unless the test says so.
pub(crate) fn ask<'a>(
    plan: &'a mut Plan,
    node: usize,
    uri: &str,
    window: u64,
) -> &'a mut ConsumerPlan {
    let prefix = prefix(plan, uri);
    let patience = Duration::from_secs(1_000_000);
    let settings = ConsumerSettings {
        prefix: PrefixId::new(prefix, PacketFormat::Ndn),
        prefix_size: NameSize::of(&plan.prefixes[prefix]),
        workload: ConsumerWorkload::Stream,
        segment_size: PAYLOAD,
        lifetime_ms: 4000,
        hop_limit: None,
        must_be_fresh: false,
        window: ConsumerWindow { minimum: Some(1.0), ..ConsumerWindow::default() },
        timeout: ConsumerTimeout {
            initial: patience,
            minimum: patience,
            maximum: patience,
            most_doublings: Some(0),
            ..ConsumerTimeout::default()
        },
        on_mark: Reaction::OncePerRoundTrip,
        on_timeout: Reaction::OncePerRoundTrip,
        on_nack: Reaction::OncePerRoundTrip,
        recovery_margin: None,
        blocking_read: None,
        start: Time::ZERO,
        start_within: Duration::ZERO,
        stop: Time::NEVER,
    };
    plan.consumers.push(ConsumerPlan {
        name: format!("consumer {}", plan.consumers.len()),
        node,
        settings,
        controller: fixed(window),
    });
    plan.consumers.last_mut().expect("it was just put in")
}

/// A controller at its defaults.
pub(crate) fn controller(name: &str) -> controllers::Settings {
    let description = DESCRIPTIONS.iter().find(|it| it.name == name).expect("a known controller");
    controllers::Settings::defaults(description)
}

pub(crate) fn fixed(window: u64) -> controllers::Settings {
    let mut settings = controller("fixed");
    settings.set("window", Value::Number(window as f64)).expect("a window within its limits");
    settings
}

/// One consumer, `hops` links that are all alike, and one producer, of `/data`.
pub(crate) fn chain(hops: usize, link: &DirectionPlan, window: u64) -> Plan {
    let names: Vec<String> = (0..=hops).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for hop in 0..hops {
        join(&mut plan, hop, hop + 1, link);
    }
    serve(&mut plan, hops, "/data");
    ask(&mut plan, 0, "/data", window);
    plan
}

/// Consumers and producers, each on a node of their own, around two routers: who
/// is where, as places in the plan's nodes.
pub(crate) struct Dumbbell {
    pub(crate) plan: Plan,
    pub(crate) consumers: Vec<usize>,
    pub(crate) producers: Vec<usize>,
}

/// `pairs` on each side; the link between the routers comes first.
pub(crate) fn dumbbell(pairs: usize, access: &DirectionPlan, between: &DirectionPlan) -> Dumbbell {
    let mut names = vec!["r1".to_owned(), "r2".to_owned()];
    names.extend((0..pairs).flat_map(|it| [format!("c{it}"), format!("p{it}")]));
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    join(&mut plan, 0, 1, between);
    let (consumers, producers): (Vec<usize>, Vec<usize>) =
        (0..pairs).map(|pair| (2 + 2 * pair, 3 + 2 * pair)).unzip();
    for (consumer, producer) in consumers.iter().zip(&producers) {
        join(&mut plan, *consumer, 0, access);
        join(&mut plan, 1, *producer, access);
    }
    Dumbbell { plan, consumers, producers }
}

/// Consumers as the fetchers of ndn-tools are, with this controller.
pub(crate) fn adaptive(consumer: &mut ConsumerPlan, name: &str) {
    consumer.controller = controller(name);
    consumer.settings.timeout = ConsumerTimeout::default();
}

pub(crate) fn file(consumer: &mut ConsumerPlan, segments: u64) {
    consumer.settings.workload = ConsumerWorkload::File { segments };
}

/// Runs a plan to its end.
pub(crate) fn run(plan: &Plan) -> World {
    let mut world = World::new(plan).expect("every consumer reaches a producer");
    let (stop, _) = world.run(&Control::default(), None);
    assert_eq!(stop, Stop::Finished);
    assert_conserved(plan, &world);
    world
}

/// The series of a run, in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    pub(crate) flows: Vec<FlowSample>,
    pub(crate) ports: Vec<PortSample>,
    pub(crate) channels: Vec<ChannelSample>,
    pub(crate) routes: Vec<RouteSample>,
    pub(crate) subflows: Vec<SubflowSample>,
    pub(crate) playback: Vec<PlaybackSample>,
    pub(crate) nodes: Vec<NodeSample>,
    pub(crate) packets: Vec<PacketEvent>,
    /// How many rows each chunk had.
    pub(crate) chunks: Vec<usize>,
}

impl Series {
    fn keep(&mut self, chunk: Chunk<'_>) {
        let rows = match chunk {
            Chunk::Flows(rows) => {
                self.flows.extend(rows);
                rows.len()
            }
            Chunk::Ports(rows) => {
                self.ports.extend(rows);
                rows.len()
            }
            Chunk::Channels(rows) => {
                self.channels.extend(rows);
                rows.len()
            }
            Chunk::Routes(rows) => {
                self.routes.extend(rows.iter().cloned());
                rows.len()
            }
            Chunk::Subflows(rows) => {
                self.subflows.extend(rows);
                rows.len()
            }
            Chunk::Playback(rows) => {
                self.playback.extend(rows);
                rows.len()
            }
            Chunk::Nodes(rows) => {
                self.nodes.extend(rows);
                rows.len()
            }
            Chunk::Packets(rows) => {
                self.packets.extend(rows);
                rows.len()
            }
        };
        self.chunks.push(rows);
    }
}

/// Has a world's series kept, which come in chunks of this many rows.
pub(crate) fn record(plan: &Plan, world: &mut World, chunk: usize) -> Arc<Mutex<Series>> {
    world.keep_series(plan);
    give(world, chunk)
}

/// Has the series kept that a world records.
pub(crate) fn give(world: &mut World, chunk: usize) -> Arc<Mutex<Series>> {
    let series = Arc::new(Mutex::new(Series::default()));
    let kept = Arc::clone(&series);
    world.give_series(chunk, Box::new(move |it| kept.lock().expect("one thread").keep(it)));
    series
}

/// What was recorded.
pub(crate) fn recorded(series: &Mutex<Series>) -> Series {
    series.lock().expect("one thread").clone()
}

/// Runs a plan to its end; gives its series too.
pub(crate) fn run_recorded(plan: &Plan) -> (World, Series) {
    let mut world = World::new(plan).expect("every consumer reaches a producer");
    let series = record(plan, &mut world, 1000);
    let (stop, _) = world.run(&Control::default(), None);
    assert_eq!(stop, Stop::Finished);
    assert_conserved(plan, &world);
    let series = recorded(&series);
    (world, series)
}

pub(crate) fn ports(plan: &Plan, world: &World) -> Vec<PortCounters> {
    world.ports(plan.end()).map(|(counters, _)| *counters).collect()
}

/// The counters of one direction of a link: 0 from its first node, 1 from its
/// second.
pub(crate) fn port(plan: &Plan, world: &World, link: usize, side: usize) -> PortCounters {
    ports(plan, world)[2 * link + side]
}

pub(crate) fn flow(world: &World, consumer: usize) -> ConsumerCounters {
    *world.consumers().nth(consumer).expect("a consumer of the plan").counters()
}

/// No packet is lost unaccounted: on links, in nodes and in applications.
/// Producers must answer at once, so that no answer waits in them.
pub(crate) fn assert_conserved(plan: &Plan, world: &World) {
    let ports = ports(plan, world);
    let sum = |of: fn(&PortCounters) -> u64| -> u64 { ports.iter().map(of).sum() };
    let (offered, delivered) = (sum(|it| it.offered), sum(|it| it.delivered));
    let put_in = offered + sum(|it| it.duplicates);
    assert_eq!(put_in, delivered + sum(PortCounters::dropped) + world.packets_in_transit());
    assert_eq!(world.packet_hops(), delivered);
    for port in &ports {
        assert!(port.offered + port.duplicates >= port.delivered + port.dropped());
    }
    assert!(plan.producers.iter().all(|it| it.producer.response_delay == Duration::ZERO));
    // A producer takes in as many packets as it gives out, so that beside those
    // of the links only the consumers' make a difference.
    let (mut into_nodes, mut out_of_nodes) = (delivered, offered);
    for counters in world.consumers().map(Consumer::counters) {
        into_nodes += counters.interests;
        out_of_nodes += counters.data + counters.duplicates + counters.nacks;
    }
    for node in world.nodes() {
        into_nodes += node.interests_out + node.data_out + node.nacks_out;
        out_of_nodes += node.interests_in + node.data_in + node.nacks_in;
    }
    for service in world.link_services() {
        into_nodes += service.fragments_out + service.reassembled;
        out_of_nodes += service.fragmented + service.too_large + service.fragments_in;
    }
    assert_eq!(into_nodes, out_of_nodes);
}

/// A flow that begins at once and does not stop.
pub(crate) fn ip_flow(name: &str, from: usize, to: usize, transport: Transport) -> FlowPlan {
    FlowPlan {
        name: name.to_owned(),
        from,
        to,
        transport,
        start: Time::ZERO,
        start_within: Duration::ZERO,
        stop: Time::NEVER,
        split: None,
        path: None,
        multipath: None,
        radio: None,
        lookup: None,
    }
}

/// Over TCP with CUBIC.
pub(crate) fn over_tcp(
    recovery: Recovery,
    ecn: EcnMode,
    workload: windtunnel_applications::Workload,
) -> Transport {
    let settings = TcpSettings {
        recovery,
        ecn,
        server_ecn: ecn,
        timeout: RtoLimits::default(),
        buffers: Buffers { send: 1 << 30, ..Buffers::with_receive(1 << 30) },
        small_queues: Some(false),
        ..TcpSettings::new(controller("cubic"))
    };
    Transport::Tcp { settings: Arc::new(settings), workload }
}

/// Runs a plan of flows, whose packets must all be accounted for on links.
pub(crate) fn run_flows(plan: &Plan) -> World {
    let mut world = World::new(plan).expect("links join the nodes of every flow");
    let _ = world.run(&Control::default(), None);
    let ports = ports(plan, &world);
    let sum = |of: fn(&PortCounters) -> u64| -> u64 { ports.iter().map(of).sum() };
    let accounted =
        sum(|it| it.delivered) + sum(PortCounters::dropped) + world.packets_in_transit();
    assert_eq!(sum(|it| it.offered), accounted, "no packet is lost unaccounted");
    world
}

/// What a flow over TCP counted.
pub(crate) fn tcp_counters(world: &World, flow: usize) -> TcpCounters {
    match world.flows().nth(flow).expect("a flow of the plan").counters {
        FlowCounters::Tcp(counters) => *counters,
        FlowCounters::Udp(..) | FlowCounters::Stack(_) => panic!("it goes over TCP"),
    }
}

/// A bridge as the paper describes it, with room for 2 MB of clones.
pub(crate) fn bridge(from: usize, to: usize) -> BridgePlan {
    BridgePlan {
        name: "bridge".to_owned(),
        from,
        to,
        source: SourceSettings {
            selected: 0.1,
            buffer: 2_000_000,
            clones: Clones::Selected,
            resend: Resend::Unchanged,
            keep: Keep::Stalled,
            unmatched: Unmatched::Ignore,
            duplicates: Duplicates::Pass,
            probes: None,
        },
        destination: DestinationSettings::default(),
    }
}
