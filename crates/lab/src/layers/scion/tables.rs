//! Autonomous systems, their routers, and the paths that hosts chose.

use windtunnel_networks::scion::policies::{PathId, PathInfo};
use windtunnel_networks::scion::{
    ControlCounters, FlowPathChange, FlowPolicy, PROTOCOL, PathUse, ScionMaker, ScionNode,
    ScionSettings, System,
};
use windtunnel_packets::scion::IsdAs;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{Plan, World};

use crate::tables::shared::{
    AUTONOMOUS_SYSTEM, ERRORS_RECEIVED, ERRORS_SENT, FLOW, IS_BORDER, MALFORMED, NODE, PATH_LINKS,
    SUBFLOW, TOO_LARGE, UNMARKABLE,
};

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
pub(super) fn systems(plan: &Plan, world: &World) -> Table {
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
    Columns::of("autonomous_systems", "What each autonomous system counted.", &rows)
        .text(AUTONOMOUS_SYSTEM, |it| &it.0.system.name)
        .text(column("isd_as", "The numbers of its isolation domain and of itself."), |it| it.1)
        .flag_if_any(
            column("is_core", "Whether it is in the core of its isolation domain."),
            |it| Some(it.0.system.is_core),
        )
        .count(column("nodes", "Its nodes."), |it| it.0.system.nodes.len() as u64)
        .count(column("interfaces", "Its interfaces: the ends of links to other systems."), |it| {
            it.0.system.interfaces.len() as u64
        })
        .count(column("beacons", "Beacons that it holds at the end."), |it| it.0.kept[0] as u64)
        .count(column("path_segments", "Path segments that it holds at the end."), |it| {
            it.0.kept[1] as u64
        })
        .count(column("beacons_sent", "Beacons sent."), |it| it.0.counters.beacons_sent)
        .count(column("beacon_bytes", "The size of their messages."), |it| {
            it.0.counters.beacon_bytes
        })
        .count(column("beacons_kept", "Beacons received and kept."), |it| {
            it.0.counters.beacons_kept
        })
        .count(column("registrations", "Segments registered with core systems."), |it| {
            it.0.counters.registrations
        })
        .count(column("path_requests", "Requests of hosts for paths."), |it| it.0.counters.requests)
        .count(column("path_requests_sent", "Requests sent to other systems."), |it| {
            it.0.counters.requests_sent
        })
        .table()
}

/// What the router of each node counted.
pub(super) fn routers(plan: &Plan, world: &World) -> Table {
    let of = |node| Some((node, layer(world, node)?));
    let rows: Vec<(usize, &ScionNode)> = (0..plan.nodes.len()).filter_map(of).collect();
    let settings = settings(plan);
    let system = |node: usize| settings.map_or("", |it| it.system_of(node as u32).name.as_str());
    let is_border = |node: usize| {
        settings.map(|it| it.nodes[node].ports.iter().any(|it| it.interface.is_some()))
    };
    Columns::of("as_routers", "What each node of an autonomous system counted.", &rows)
        .text(NODE, |it| &plan.nodes[it.0].name)
        .text(AUTONOMOUS_SYSTEM, |it| system(it.0))
        .flag_if_any(IS_BORDER, |it| is_border(it.0))
        .count(column("entries", "Entries of its table."), |it| it.1.table_size() as u64)
        .count(
            column("forwarded", "Packets forwarded to another system by their hop fields."),
            |it| it.1.counters().forwarded,
        )
        .count(
            column(
                "forwarded_inside",
                "Packets forwarded inside the system by the address of the underlay.",
            ),
            |it| it.1.counters().forwarded_inside,
        )
        .count(
            column(
                "sent",
                "Packets that began here: of hosts, of the control service, and error messages.",
            ),
            |it| it.1.counters().sent,
        )
        .count(column("received", "Packets that ended here."), |it| it.1.counters().received)
        .count(column("carried", "Packets of hosts among those sent."), |it| {
            it.1.counters().carried
        })
        .count(
            column("delivered", "Packets of hosts among those received.")
                .title("packets delivered"),
            |it| it.1.counters().delivered,
        )
        .count(
            column(
                "invalid_mac",
                "Packets dropped because the authenticator of a hop field was wrong.",
            ),
            |it| it.1.counters().invalid_mac,
        )
        .count(column("expired", "Packets dropped because a hop field had expired."), |it| {
            it.1.counters().expired
        })
        .count(
            column(
                "invalid_path",
                "Packets dropped because their path does not lead on from here.",
            ),
            |it| it.1.counters().invalid_path,
        )
        .count(
            column(
                "interface_down",
                "Packets dropped because the link of their next interface was down.",
            ),
            |it| it.1.counters().interface_down,
        )
        .count(
            column("inside_down", "Packets dropped because a link inside the system was down."),
            |it| it.1.counters().inside_down,
        )
        .count(TOO_LARGE, |it| it.1.counters().too_big)
        .count(
            column(
                "hop_limit_exceeded",
                "Packets dropped because they had passed too many nodes of one system.",
            ),
            |it| it.1.counters().hop_limit_exceeded,
        )
        .count(column("no_path", "Packets of hosts dropped because no path is known."), |it| {
            it.1.counters().no_path
        })
        .count(UNMARKABLE, |it| it.1.counters().unmarkable)
        .count(MALFORMED, |it| it.1.counters().malformed)
        .count(ERRORS_SENT, |it| it.1.counters().errors_sent)
        .count(ERRORS_RECEIVED, |it| it.1.counters().errors_received)
        .count(column("probes_sent", "Probes sent."), |it| it.1.counters().probes_sent)
        .count(column("probes_answered", "Probes whose answers arrived."), |it| {
            it.1.counters().probes_answered
        })
        .table()
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
pub(super) fn paths(plan: &Plan, world: &World) -> Table {
    let choosers = choosers(plan, world);
    let mut rows = Vec::new();
    for chooser in &choosers {
        for it in chooser.uses {
            rows.push((chooser, it, systems_of(plan, &it.path), links_of(plan, &it.path)));
        }
    }
    Columns::of("paths", "Each path between autonomous systems that a host sent packets on.", &rows)
        .text(FLOW, |it| &plan.flows[it.0.flow.flow].name)
        .count(SUBFLOW, |it| it.0.flow.subflow as u64)
        .text(column("node", "The host that sent."), |it| &plan.nodes[it.0.node].name)
        .text(column("path_policy", "The policy that chose the path."), |it| {
            it.0.flow.policy.name()
        })
        .text(column("path", "The autonomous systems that it crosses."), |it| &it.2)
        .text(PATH_LINKS, |it| &it.3)
        .count(
            column(
                "as_hops",
                "How many autonomous systems it crosses, those of both ends included.",
            ),
            |it| u64::from(it.1.path.as_hops),
        )
        .number(column("announced_latency_s", "The latency that beacons announce for it."), |it| {
            it.1.path.latency.as_seconds()
        })
        .number(
            column(
                "announced_bandwidth_bps",
                "The bandwidth that beacons announce for it; empty if unlimited.",
            ),
            |it| {
                let rate = it.1.path.bandwidth.bits_per_second();
                (rate < u64::MAX).then_some(rate as f64)
            },
        )
        .count(column("mtu_bytes", "The largest packet that it carries."), |it| {
            u64::from(it.1.path.mtu)
        })
        .number(column("first_s", "When the first packet was sent on it."), |it| {
            it.1.first.as_seconds()
        })
        .number(column("last_s", "When the last packet was sent on it."), |it| {
            it.1.last.as_seconds()
        })
        .count(column("packets", "Packets sent on it."), |it| it.1.packets)
        .count(column("path_bytes", "Their size, with all headers."), |it| it.1.bytes)
        .table()
}

/// When flows changed from one path to another.
pub(super) fn changes(plan: &Plan, world: &World) -> Table {
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
    Columns::of("path_changes", "Each change of a host's path between autonomous systems.", &rows)
        .text(FLOW, |it| &plan.flows[it.0.flow.flow].name)
        .count(SUBFLOW, |it| it.0.flow.subflow as u64)
        .text(column("node", "The host that sends."), |it| &plan.nodes[it.0.node].name)
        .number(column("time_s", "When."), |it| it.1.time.as_seconds())
        .text_if_any(
            column(
                "path_links_before",
                "The path before by its interfaces; empty: it is the first.",
            ),
            |it| it.2.as_deref(),
        )
        .text(PATH_LINKS, |it| &it.3)
        .flag_if_any(
            column("is_forced", "Whether the path before could not be used any more."),
            |it| Some(it.1.is_forced),
        )
        .table()
}
