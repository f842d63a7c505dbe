//! Worlds on several threads: what comes of them is what comes of one.

use std::sync::{Arc, Mutex};

use crate::common::everything::{everything, first_difference};
use crate::common::{
    Series, ask, codel, direction, fq_codel, ip_flow, join, nodes, over_tcp, patient_disciplines,
    record, recorded, serve,
};
use windtunnel_applications::video::rules::{MpcSettings, RuleSettings};
use windtunnel_applications::video::{
    AdaptiveSettings, Frames, Ladder, LateFramePolicy, LiveSettings, Picture, PlayoutSettings,
    ProgressiveSettings,
};
use windtunnel_applications::{ArrivalsSettings, BulkSettings, FileSettings, Sizes, Workload};
use windtunnel_engine::{Control, Duration, Rate, Stop, Streams, Time};
use windtunnel_links::{Impairment, LoadDelay, Loss, Reordering};
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::CongestionAction;
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    ChangePlan, DirectionPlan, FlowPlan, LinkChange, LinkPlan, NodePlan, Paths, Plan, PortId,
    RecordingPlan, TcpTunnelPlan, Transport, TunnelCarrier, TunnelPlan, World,
};

/// Everything that can be read from a world on so many threads, as text; on none: of one that is
/// not cut at all.
pub(crate) fn read(plan: &Plan, threads: usize) -> String {
    let world = match threads {
        0 => World::new(plan),
        _ => World::on_threads(plan, threads),
    };
    let mut world = world.expect("every flow has a path");
    let series = record(plan, &mut world, 64);
    read_to_the_end(plan, &mut world, &series)
}

/// Everything that can be read from a world once it has come to its end, as text.
pub(crate) fn read_to_the_end(plan: &Plan, world: &mut World, series: &Mutex<Series>) -> String {
    let (stop, events) = world.run(&Control::default(), None);
    assert_eq!(stop, Stop::Finished);
    format!("{events}\n{}\n{:#?}", everything(world, plan.end()), recorded(series))
}

fn assert_same(plan: &Plan) {
    assert_same_on(plan, &[1, 2, 3, 4]);
}

fn assert_same_on(plan: &Plan, threads: &[usize]) {
    let one = read(plan, 0);
    for &threads in threads {
        let many = read(plan, threads);
        assert!(one == many, "{threads} threads: {}", first_difference(&one, &many));
    }
}

/// Hosts in a row with routers between them, and flows of every kind across.
pub(crate) fn row(link: &DirectionPlan) -> Plan {
    let mut plan = nodes(&["a", "b", "c", "d", "e", "f"]);
    for place in 0..5 {
        join(&mut plan, place, place + 1, link);
    }
    let tcp = |workload| over_tcp(Recovery::Rack, EcnMode::Off, workload);
    let arrivals =
        Workload::Arrivals(ArrivalsSettings { per_second: 200.0, sizes: Sizes::Fixed(20_000) });
    for (name, from, to, workload) in [
        ("bulk", 0, 5, Workload::Bulk(BulkSettings { rate: None })),
        ("back", 5, 0, Workload::Bulk(BulkSettings { rate: None })),
        ("file", 1, 4, Workload::File(FileSettings { bytes: 2_000_000 })),
        ("arrivals", 4, 0, arrivals),
    ] {
        plan.flows.push(ip_flow(name, from, to, tcp(workload)));
    }
    serve(&mut plan, 5, "/data");
    ask(&mut plan, 0, "/data", 20);
    plan.duration = Duration::from_secs(2);
    plan.recording = RecordingPlan::every(Duration::from_millis(100));
    plan
}

/// Requests say which level they are for, which packets do not carry.
#[test]
fn players_are_the_same_on_any_number_of_threads() {
    let mut plan = row(&direction(20, 3));
    let rate = Rate::from_bits_per_second(2_000_000).expect("it is above zero");
    let frames = Arc::new(Frames::of_rate(rate, 30.0, &[Picture::I, Picture::P], 100));
    let levels = vec![1e6, 2e6, 4e6, 8e6];
    let ladder = Arc::new(Ladder::constant(Duration::from_millis(200), levels, 100));
    let tenth = Duration::from_millis(100);
    for (name, from, to, workload) in [
        (
            "film",
            0,
            5,
            Workload::Video(ProgressiveSettings {
                frames: Arc::clone(&frames),
                request: 100,
                playout: PlayoutSettings {
                    threshold: tenth,
                    maximum_threshold: tenth,
                    reading: LateFramePolicy::Rebuffer,
                },
            }),
        ),
        (
            "stream",
            5,
            1,
            Workload::AdaptiveVideo(AdaptiveSettings {
                ladder,
                rule: RuleSettings::Mpc(MpcSettings { horizon: 3, robust: true }),
                maximum_buffer: tenth * 10,
                request: 100,
            }),
        ),
        ("call", 2, 4, Workload::Frames(LiveSettings { frames, deadline: tenth })),
    ] {
        let tcp = over_tcp(Recovery::Rack, EcnMode::Off, workload);
        plan.flows.push(ip_flow(name, from, to, tcp));
    }
    let mut world = World::new(&plan).expect("every flow has a path");
    world.run(&Control::default(), None);
    let segments = world.players().flatten().map(|it| it.segments().to_vec());
    let segments = segments.max_by_key(Vec::len).expect("there are players");
    assert!(segments.iter().any(|it| it.level > 0), "{segments:?}");
    assert_same(&plan);
}

#[test]
fn links_that_share_media_are_the_same_on_any_number_of_threads() {
    let mut plan = row(&direction(50, 3));
    plan.links[1].medium = Some(0);
    plan.links[2].medium = Some(0);
    plan.links[4].medium = Some(1);
    assert_same(&plan);
}

#[test]
fn a_row_of_routers_is_the_same_on_any_number_of_threads() {
    assert_same(&row(&direction(50, 3)));
}

#[test]
fn lossy_duplicating_reordering_links_are_the_same_on_any_number_of_threads() {
    let impairment = Impairment {
        duplication: 0.01,
        reordering: Reordering::Independent(0.02),
        lateness: Duration::from_millis(7),
        ..Impairment::default()
    };
    let link = DirectionPlan { impairment, loss: Loss::Bernoulli(0.005), ..direction(50, 3) };
    assert_same(&row(&link));
}

#[test]
fn links_that_mix_are_the_same_on_any_number_of_threads() {
    let mixing = Duration::from_millis(4);
    let impairment = Impairment { duplication: 0.01, mixing, ..Impairment::default() };
    assert_same(&row(&DirectionPlan { impairment, ..direction(50, 3) }));
}

#[test]
fn links_whose_delay_depends_on_their_load_are_the_same_on_any_number_of_threads() {
    let at = Rate::from_bits_per_second(50_000_000).expect("above zero");
    let (delay, window) = (Duration::from_millis(4), Duration::from_millis(10));
    let load_delay = Some(LoadDelay { delay, at, power: 2, window });
    let impairment = Impairment { load_delay, ..Impairment::default() };
    assert_same(&row(&DirectionPlan { impairment, ..direction(50, 3) }));
}

#[test]
fn links_that_fail_and_change_are_the_same_on_any_number_of_threads() {
    let mut plan = row(&direction(50, 3));
    // A way around the middle.
    join(&mut plan, 1, 4, &direction(20, 20));
    plan.routing.convergence = Some(Duration::from_millis(30));
    plan.routing.paths = Paths::All;
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    for (time, link, change) in [
        (300, 2, LinkChange::Down),
        (900, 2, LinkChange::Up),
        (1200, 1, LinkChange::Delay(Duration::from_millis(9))),
        (1500, 3, LinkChange::Down),
    ] {
        for direction in [0, 1] {
            let port = PortId::new(link, direction);
            plan.changes.push(ChangePlan { time: at(time), port, change: change.clone() });
        }
    }
    assert_same(&plan);
}

/// From 1 kbps to 100 Mbps: packets that are under transmission leave earlier and later than
/// they were to.
#[test]
fn links_whose_rates_change_under_packets_are_the_same_on_any_number_of_threads() {
    for discipline in patient_disciplines() {
        let mut plan = row(&DirectionPlan { discipline, ..direction(50, 3) });
        let mut random = Streams::new(7, 0).stream("changes");
        for step in 1..400_u64 {
            let time = Time::ZERO + Duration::from_micros(4999 * step);
            let port = PortId((random.unit() * 10.0) as u32);
            let exponent = if step % 3 == 0 { 3.0 } else { 7.0 } + random.unit();
            let rate = Rate::from_bits_per_second(10_f64.powf(exponent) as u64);
            let change = LinkChange::Rate(rate.expect("it is above zero"));
            plan.changes.push(ChangePlan { time, port, change });
        }
        assert_same(&plan);
    }
}

#[test]
fn packets_in_tunnels_are_the_same_on_any_number_of_threads() {
    let impairment = Impairment {
        duplication: 0.01,
        reordering: Reordering::Independent(0.02),
        lateness: Duration::from_millis(7),
        ..Impairment::default()
    };
    let link = DirectionPlan { impairment, loss: Loss::Bernoulli(0.005), ..direction(50, 3) };
    let mut plan = row(&link);
    let tunnel = |name: &str, ends| TunnelPlan {
        name: name.into(),
        ends,
        carrier: TunnelCarrier::Ip(IpVersion::V4),
    };
    plan.tunnels = vec![tunnel("long", [1, 5]), tunnel("short", [3, 2])];
    assert_same(&plan);
}

#[test]
fn packets_in_fragments_are_the_same_on_any_number_of_threads() {
    let impairment = Impairment {
        duplication: 0.01,
        reordering: Reordering::Independent(0.02),
        lateness: Duration::from_millis(7),
        ..Impairment::default()
    };
    let link = DirectionPlan { impairment, loss: Loss::Bernoulli(0.005), ..direction(50, 3) };
    let mut plan = row(&link);
    for (link, mtu) in [(1, Some(300)), (2, None), (3, Some(500))] {
        plan.links[link].link_service = LinkServiceSettings { mtu, pit_token: 2 };
    }
    assert_same(&plan);
}

#[test]
fn packets_through_faces_over_tcp_are_the_same_on_any_number_of_threads() {
    let link = DirectionPlan { loss: Loss::Bernoulli(0.01), ..direction(50, 3) };
    let mut plan = row(&link);
    let outer = over_tcp(Recovery::Rack, EcnMode::Off, Workload::Bulk(BulkSettings { rate: None }));
    let Transport::Tcp { settings, .. } = outer else { unreachable!("it is TCP") };
    for link in [1, 3] {
        let (settings, buffer) = (Arc::clone(&settings), 1_000_000);
        plan.tunnels.push(TunnelPlan {
            name: format!("face {link}"),
            ends: plan.links[link].nodes,
            carrier: TunnelCarrier::Tcp(TcpTunnelPlan { face: Some(link), settings, buffer }),
        });
    }
    assert_same(&plan);
}

#[test]
fn links_without_delay_keep_their_nodes_together() {
    let mut plan = row(&direction(50, 3));
    for direction in &mut plan.links[2].directions {
        direction.delay = Duration::ZERO;
    }
    assert_same(&plan);
    for link in &mut plan.links {
        link.directions.iter_mut().for_each(|it| it.delay = Duration::ZERO);
    }
    assert_same(&plan);
}

#[test]
fn a_run_on_two_threads_can_be_cancelled() {
    let plan = row(&direction(50, 3));
    let mut world = World::on_threads(&plan, 2).expect("every flow has a path");
    let control = Control::default();
    control.cancel();
    assert_eq!(world.run(&control, None).0, Stop::Cancelled);
}

/// Rows of hosts, each row with flows of every kind; those that are joined are joined by a link with
/// a delay of its own, over which flows lead too.
pub(crate) fn rows(count: usize, joining: Option<&DirectionPlan>) -> Plan {
    let one = row(&direction(20, 1));
    let width = one.nodes.len();
    let mut plan = nodes(&[]);
    for row in 0..count {
        let first = row * width;
        let named = |name: &str| format!("{name}-{row}");
        plan.nodes
            .extend(one.nodes.iter().map(|it| NodePlan { name: named(&it.name), ..it.clone() }));
        for place in 0..width - 1 {
            join(&mut plan, first + place, first + place + 1, &direction(20, 1));
        }
        let moved = |it: &FlowPlan| FlowPlan {
            name: named(&it.name),
            from: it.from + first,
            to: it.to + first,
            ..it.clone()
        };
        plan.flows.extend(one.flows.iter().map(moved));
        let prefix = named("/data");
        serve(&mut plan, first + width - 1, &prefix);
        ask(&mut plan, first, &prefix, 20);
        if let Some(joining) = joining.filter(|_| row > 0) {
            join(&mut plan, first - 1, first, joining);
            let sizes = Sizes::Fixed(20_000);
            let crossing = Workload::Arrivals(ArrivalsSettings { per_second: 50.0, sizes });
            let tcp = || over_tcp(Recovery::Rack, EcnMode::Off, crossing.clone());
            let (near, far) = (first - width, first + 2);
            plan.flows.push(ip_flow(&named("crossing"), near, far, tcp()));
            plan.flows.push(ip_flow(&named("returning"), far, near, tcp()));
        }
    }
    plan.duration = Duration::from_millis(400);
    plan.recording = RecordingPlan::every(Duration::from_millis(100));
    plan
}

/// More ports than lie in the caches anyway: each row is an island.
#[test]
fn networks_side_by_side_are_the_same_island_by_island() {
    assert_same_on(&rows(27, None), &[1, 3]);
}

/// The links that join the rows are longer than islands run at a time: 154 ms. Before them packets
/// wait, and those of the later island arrive at one that has run already.
#[test]
fn networks_with_long_links_between_them_are_the_same_island_by_island() {
    let mut plan = rows(27, Some(&direction(2, 160)));
    // Long enough for a window of packets to wait before a link while others arrive behind it.
    plan.duration = Duration::from_millis(1200);
    assert_same_on(&plan, &[1, 3]);
}

/// Those links lose, repeat and delay packets, and a queue before them is one that decides on
/// departure.
#[test]
fn long_links_with_losses_are_the_same_island_by_island() {
    let impairment = Impairment {
        duplication: 0.02,
        reordering: Reordering::Independent(0.05),
        lateness: Duration::from_millis(3),
        ..Impairment::default()
    };
    let link = DirectionPlan { impairment, loss: Loss::Bernoulli(0.01), ..direction(20, 160) };
    assert_same_on(&rows(27, Some(&link)), &[1, 3]);
    for discipline in [codel(CongestionAction::Mark), fq_codel(CongestionAction::Drop)] {
        assert_same_on(&rows(27, Some(&DirectionPlan { discipline, ..direction(2, 160) })), &[1]);
    }
}

/// Links inside rows change again and again, and the links between the rows now and then: what is on
/// them is lost, or arrives later, and all nodes forward by other paths.
#[test]
fn links_that_change_are_the_same_island_by_island() {
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    let mut plan = rows(27, Some(&direction(2, 160)));
    plan.duration = Duration::from_millis(1500);
    plan.routing.convergence = Some(Duration::from_millis(20));
    let (last, width) = (plan.nodes.len() - 1, 6);
    // A way around all rows, which packets take where one is cut off.
    join(&mut plan, 0, last, &direction(2, 300));
    let between = |it: &LinkPlan| it.nodes[0] % width == width - 1;
    let joining: Vec<usize> =
        (0..plan.links.len()).filter(|it| between(&plan.links[*it])).collect();
    let inside: Vec<usize> = (0..plan.links.len()).filter(|it| !joining.contains(it)).collect();
    let mut change = |time, link, change: LinkChange| {
        let ports = [0, 1].map(|it| PortId::new(link, it));
        plan.changes.extend(ports.map(|port| ChangePlan { time, port, change: change.clone() }));
    };
    for (time, place, to) in [
        (350, 3, LinkChange::Down),
        (350, 9, LinkChange::Delay(Duration::from_millis(200))),
        (800, 3, LinkChange::Up),
    ] {
        change(at(time), joining[place], to);
    }
    for step in 1..150_u64 {
        let rate = Rate::from_bits_per_second(5_000_000 + 90_000 * step).expect("above zero");
        change(at(7 * step), inside[step as usize * 7 % inside.len()], LinkChange::Rate(rate));
    }
    assert_same_on(&plan, &[1, 3]);
}
