//! Autonomous systems, their routers, and the paths that hosts chose.

use arrow_array::RecordBatch;
use windtunnel_networks::scion::policies::{PathId, PathInfo};
use windtunnel_networks::scion::{
    ControlCounters, FlowPathChange, FlowPolicy, PROTOCOL, PathUse, ScionMaker, ScionNode,
    ScionSettings, System,
};
use windtunnel_packets::scion::IsdAs;
use windtunnel_world::{Plan, World};

use crate::tables::Columns;

fn layer(world: &World, node: usize) -> Option<&ScionNode> {
    world.layer(node, PROTOCOL)
}

/// The network of autonomous systems, if the plan has one.
fn settings(plan: &Plan) -> Option<&ScionSettings> {
    plan.carrier::<ScionMaker>().map(|it| it.settings().as_ref())
}

/// A system, and what its control service counted and keeps.
struct SystemRow<'a> {
    system: &'a System,
    counters: ControlCounters,
    kept: [usize; 2],
}

/// What the control service of each system counted.
pub(super) fn systems(plan: &Plan, world: &World) -> RecordBatch {
    let mut rows = Vec::new();
    for system in settings(plan).iter().flat_map(|it| &it.systems) {
        let layer = layer(world, system.control() as usize);
        let (counters, kept) = layer
            .and_then(|it| Some((it.control_counters()?, it.control_size()?)))
            .unwrap_or_default();
        rows.push(SystemRow { system, counters, kept });
    }
    let numbers: Vec<String> = rows.iter().map(|it| it.system.isd_as.to_string()).collect();
    let rows: Vec<_> = rows.iter().zip(&numbers).collect();
    Columns::of(&rows)
        .text("autonomous_system", |it| &it.0.system.name)
        .text("isd_as", |it| it.1)
        .flag_if_any("is_core", |it| Some(it.0.system.is_core))
        .count("nodes", |it| it.0.system.nodes.len() as u64)
        .count("interfaces", |it| it.0.system.interfaces.len() as u64)
        .count("beacons", |it| it.0.kept[0] as u64)
        .count("path_segments", |it| it.0.kept[1] as u64)
        .count("beacons_sent", |it| it.0.counters.beacons_sent)
        .count("beacon_bytes", |it| it.0.counters.beacon_bytes)
        .count("beacons_kept", |it| it.0.counters.beacons_kept)
        .count("registrations", |it| it.0.counters.registrations)
        .count("path_requests", |it| it.0.counters.requests)
        .count("path_requests_sent", |it| it.0.counters.requests_sent)
        .batch()
}

/// What the router of each node counted.
pub(super) fn routers(plan: &Plan, world: &World) -> RecordBatch {
    let of = |node| Some((node, layer(world, node)?));
    let rows: Vec<(usize, &ScionNode)> = (0..plan.nodes.len()).filter_map(of).collect();
    let settings = settings(plan);
    let system = |node: usize| settings.map_or("", |it| it.system_of(node as u32).name.as_str());
    let is_border = |node: usize| {
        settings.map(|it| it.nodes[node].ports.iter().any(|it| it.interface.is_some()))
    };
    Columns::of(&rows)
        .text("node", |it| &plan.nodes[it.0].name)
        .text("autonomous_system", |it| system(it.0))
        .flag_if_any("is_border", |it| is_border(it.0))
        .count("entries", |it| it.1.table_size() as u64)
        .count("forwarded", |it| it.1.counters().forwarded)
        .count("forwarded_inside", |it| it.1.counters().forwarded_inside)
        .count("sent", |it| it.1.counters().sent)
        .count("received", |it| it.1.counters().received)
        .count("carried", |it| it.1.counters().carried)
        .count("delivered", |it| it.1.counters().delivered)
        .count("invalid_mac", |it| it.1.counters().invalid_mac)
        .count("expired", |it| it.1.counters().expired)
        .count("invalid_path", |it| it.1.counters().invalid_path)
        .count("interface_down", |it| it.1.counters().interface_down)
        .count("inside_down", |it| it.1.counters().inside_down)
        .count("too_large", |it| it.1.counters().too_big)
        .count("hop_limit_exceeded", |it| it.1.counters().hop_limit_exceeded)
        .count("no_path", |it| it.1.counters().no_path)
        .count("unmarkable", |it| it.1.counters().unmarkable)
        .count("malformed", |it| it.1.counters().malformed)
        .count("errors_sent", |it| it.1.counters().errors_sent)
        .count("errors_received", |it| it.1.counters().errors_received)
        .count("probes_sent", |it| it.1.counters().probes_sent)
        .count("probes_answered", |it| it.1.counters().probes_answered)
        .batch()
}

/// A flow that chose paths, at one of its ends.
struct Chooser<'a> {
    flow: &'a FlowPolicy,
    uses: &'a [PathUse],
    changes: &'a [FlowPathChange],
    node: usize,
}

fn choosers<'a>(plan: &'a Plan, world: &'a World) -> Vec<Chooser<'a>> {
    let mut all = Vec::new();
    for flow in settings(plan).iter().flat_map(|it| &it.flows.flows) {
        for node in 0..plan.nodes.len() {
            let Some(layer) = layer(world, node) else { continue };
            let views = layer.flows().filter(|it| it.number == flow.number);
            all.extend(views.map(|it| Chooser { flow, uses: it.uses, changes: it.changes, node }));
        }
    }
    all
}

/// The systems of a path, by their names.
fn systems_of(plan: &Plan, path: &PathInfo) -> String {
    let name = |isd_as: u64| {
        let system = settings(plan).and_then(|it| it.system(IsdAs(isd_as)));
        system.map_or("", |it| it.name.as_str())
    };
    let interfaces = &path.interfaces;
    let mut names: Vec<&str> = interfaces.iter().step_by(2).map(|it| name(it.isd_as)).collect();
    names.extend(interfaces.last().map(|it| name(it.isd_as)));
    names.join(" ")
}

/// The links of a path, by their names: of two paths through the same systems at least one is
/// another one.
fn links_of(plan: &Plan, path: &PathInfo) -> String {
    let link = |isd_as: u64, number: u16| {
        let interface = settings(plan)?.system(IsdAs(isd_as))?.interface(number)?;
        let mut ports = plan.interfaces(interface.node as usize);
        let (link, _) = ports.nth(usize::from(interface.port.0))?;
        Some(plan.links[link].name.as_str())
    };
    let first = path.interfaces.iter().step_by(2);
    let names: Vec<&str> = first.filter_map(|it| link(it.isd_as, it.number)).collect();
    names.join(" ")
}

/// Which paths the packets of flows took.
pub(super) fn paths(plan: &Plan, world: &World) -> RecordBatch {
    let choosers = choosers(plan, world);
    let mut rows = Vec::new();
    for chooser in &choosers {
        for it in chooser.uses {
            rows.push((chooser, it, systems_of(plan, &it.path), links_of(plan, &it.path)));
        }
    }
    Columns::of(&rows)
        .text("flow", |it| &plan.flows[it.0.flow.flow].name)
        .count("subflow", |it| it.0.flow.subflow as u64)
        .text("node", |it| &plan.nodes[it.0.node].name)
        .text("path_policy", |it| it.0.flow.policy.name())
        .text("path", |it| &it.2)
        .text("path_links", |it| &it.3)
        .count("as_hops", |it| u64::from(it.1.path.as_hops))
        .number("announced_latency_s", |it| it.1.path.latency.as_seconds())
        .number("announced_bandwidth_bps", |it| {
            let rate = it.1.path.bandwidth.bits_per_second();
            (rate < u64::MAX).then_some(rate as f64)
        })
        .count("mtu_bytes", |it| u64::from(it.1.path.mtu))
        .number("first_s", |it| it.1.first.as_seconds())
        .number("last_s", |it| it.1.last.as_seconds())
        .count("packets", |it| it.1.packets)
        .count("path_bytes", |it| it.1.bytes)
        .batch()
}

/// When flows changed from one path to another.
pub(super) fn changes(plan: &Plan, world: &World) -> RecordBatch {
    let choosers = choosers(plan, world);
    let mut rows = Vec::new();
    for chooser in &choosers {
        let links = |id: Option<PathId>| {
            let known = chooser.uses.iter().find(|it| Some(it.path.id) == id);
            known.map(|it| links_of(plan, &it.path))
        };
        for it in chooser.changes {
            rows.push((chooser, it, links(it.from), links(Some(it.to)).unwrap_or_default()));
        }
    }
    Columns::of(&rows)
        .text("flow", |it| &plan.flows[it.0.flow.flow].name)
        .count("subflow", |it| it.0.flow.subflow as u64)
        .text("node", |it| &plan.nodes[it.0.node].name)
        .number("time_s", |it| it.1.time.as_seconds())
        .text_if_any("path_links_before", |it| it.2.as_deref())
        .text("path_links", |it| &it.3)
        .flag_if_any("is_forced", |it| Some(it.1.is_forced))
        .batch()
}
