//! From a scenario's bridges to the plan's: what a type alone cannot check.

use toml::Spanned;
use windtunnel_engine::Duration;
use windtunnel_networks::bridge::{
    Clones, DestinationSettings, Duplicates, EdgeMarks, Keep, Order, Probes, Resend,
    SourceSettings, Unmatched,
};
use windtunnel_world::{BridgePlan, Plan, Topology, places};

use crate::build::{Builder, value};
use crate::error::Mistake;
use crate::scenario::{self as file, Located, OrderKind};
use crate::units::Share;

/// The share of the packets that the paper selects.
const SELECTED: f64 = 0.1;
/// The largest IP packet, in octets.
const LARGEST_PACKET: u64 = 65_535;

/// The bridges of a scenario; `plan` has all but them.
pub(crate) fn bridges(builder: &Builder<'_>, plan: &Plan) -> Result<Vec<BridgePlan>, Mistake> {
    if builder.scenario.bridges.is_empty() {
        return Ok(Vec::new());
    }
    let topology = Topology::new(plan);
    let mut ways = Vec::new();
    for flow in &plan.flows {
        // Where there is no way at all, the check of paths says so.
        if let Some(path) = topology.path(flow.from, flow.to) {
            ways.push((flow.name.as_str(), topology.nodes_of(flow.from, &path)));
        }
    }
    let flows = plan.flows.len();
    let mut bridges: Vec<BridgePlan> = Vec::new();
    for (name, bridge) in &builder.scenario.bridges {
        let nodes = ends(builder, name, bridge)?;
        let crossing = ways.iter().filter(|(_, way)| places(way, nodes).is_some());
        let receivers = crossing.filter_map(|(_, way)| way.last());
        let farthest = receivers.map(|it| round_trip(plan, &topology, [nodes[0], *it])).max();
        // Twice, so that queues may take as long as the links.
        let plan = build(name, bridge, nodes, farthest.unwrap_or(Duration::ZERO) * 2)?;
        if ways.len() == flows {
            check_crossed(&ways, &plan, name)?;
        }
        check_apart(&ways, &bridges, &plan, name)?;
        bridges.push(plan);
    }
    Ok(bridges)
}

/// The nodes of both edges.
fn ends(
    builder: &Builder<'_>,
    name: &Spanned<String>,
    bridge: &file::Bridge,
) -> Result<[usize; 2], Mistake> {
    let nodes = [builder.node_index(&bridge.from)?, builder.node_index(&bridge.to)?];
    if nodes[0] == nodes[1] {
        let message = format!("bridge `{}` ends where it begins", name.get_ref());
        return Err(Mistake::new(message)
            .at(bridge.to.span.clone())
            .help("name two different nodes"));
    }
    Ok(nodes)
}

/// The least time from one node to another and back: the sum of the links' delays.
pub(crate) fn round_trip(plan: &Plan, topology: &Topology, [from, to]: [usize; 2]) -> Duration {
    let paths = [topology.path(from, to), topology.path(to, from)].into_iter().flatten().flatten();
    paths.map(|it| plan.direction(it).delay).fold(Duration::ZERO, |sum, it| sum + it)
}

fn build(
    name: &Spanned<String>,
    bridge: &file::Bridge,
    [from, to]: [usize; 2],
    round_trip: Duration,
) -> Result<BridgePlan, Mistake> {
    if let (Some(it), file::Duplicates::Pass) = (&bridge.round_trip, bridge.duplicates) {
        return Err(Mistake::new("`round_trip` is a key of a bridge that suppresses duplicates")
            .at(it.span.clone())
            .help("leave it out, or write duplicates = \"suppress\""));
    }
    let buffer = bridge.buffer.0.0;
    let source = SourceSettings {
        selected: value(&bridge.selected, Share(SELECTED)).0,
        buffer,
        clones: match bridge.clones {
            file::Clones::Selected => Clones::Selected,
            file::Clones::Others => Clones::Others,
        },
        resend: match bridge.resend {
            file::Resend::Unchanged => Resend::Unchanged,
            file::Resend::Capable => Resend::Capable,
        },
        keep: match bridge.keep {
            file::Keep::Stalled => Keep::Stalled,
            file::Keep::LowPriority => Keep::LowPriority,
        },
        unmatched: match bridge.unmatched {
            file::Unmatched::Ignore => Unmatched::Ignore,
            file::Unmatched::ResendAll => Unmatched::ResendAll,
        },
        duplicates: match bridge.duplicates {
            file::Duplicates::Pass => Duplicates::Pass,
            file::Duplicates::Suppress => Duplicates::Suppress {
                round_trip: bridge.round_trip.as_ref().map_or(round_trip, |it| it.value.0),
            },
        },
        probes: bridge.probes.as_ref().map(probes).transpose()?,
    };
    let destination = DestinationSettings {
        marks: match bridge.marks {
            file::Marks::Pass => EdgeMarks::Pass,
            file::Marks::Clear => EdgeMarks::Clear,
        },
        order: order(bridge.order.as_ref(), buffer)?,
    };
    Ok(BridgePlan { name: name.get_ref().clone(), from, to, source, destination })
}

fn probes(probes: &file::Probes) -> Result<Probes, Mistake> {
    let burst = u32::try_from(probes.burst.value.0.0).ok();
    let burst = burst.filter(|it| u64::from(*it) >= 1500).ok_or_else(|| {
        Mistake::new("a burst is a packet of 1500 B or more, and less than 4 GiB")
            .at(probes.burst.span.clone())
            .help(format!("write one such as burst = \"{LARGEST_PACKET} B\""))
    })?;
    Ok(Probes { rate: probes.rate.0, burst, extra: probes.extra.0.0 })
}

fn order(order: Option<&Located<file::Order>>, most: u64) -> Result<Order, Mistake> {
    let Some(located) = order else { return Ok(Order::AsTheyCome) };
    let it = &located.value;
    match it.kind {
        OrderKind::AsTheyCome => {
            let keys = [
                it.patience.as_ref().map(|it| ("patience", &it.span)),
                it.buffer.as_ref().map(|it| ("buffer", &it.span)),
            ];
            match keys.into_iter().flatten().next() {
                Some((key, span)) => Err(Mistake::new(format!("`{key}` is a key of `in-order`"))
                    .at(span.clone())
                    .help("leave it out, or write kind = \"in-order\"")),
                None => Ok(Order::AsTheyCome),
            }
        }
        OrderKind::InOrder => {
            let patience = it.patience.as_ref().ok_or_else(|| {
                Mistake::new("keeping the order needs its `patience`")
                    .at(located.span.clone())
                    .help("write patience = \"20 ms\"")
            })?;
            let buffer = it.buffer.as_ref().map_or(most, |it| it.value.0.0);
            Ok(Order::InOrder { patience: patience.value.0, buffer })
        }
    }
}

type Ways<'a> = [(&'a str, Vec<usize>)];

/// Whether some flow passes a bridge.
fn check_crossed(
    ways: &Ways<'_>,
    plan: &BridgePlan,
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    if ways.iter().any(|(_, nodes)| places(nodes, [plan.from, plan.to]).is_some()) {
        return Ok(());
    }
    Err(Mistake::new(format!("no flow passes bridge `{}`", name.get_ref()))
        .at(name.span())
        .help("let the data of a flow go through its `from` and later through its `to`"))
}

/// Whether no flow is between the edges of two bridges at once: the inner one would
/// undo what the outer one selects.
fn check_apart(
    ways: &Ways<'_>,
    others: &[BridgePlan],
    plan: &BridgePlan,
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    for (flow, nodes) in ways {
        let Some([from, to]) = places(nodes, [plan.from, plan.to]) else { continue };
        let overlaps = |it: &&BridgePlan| {
            let others = places(nodes, [it.from, it.to]);
            others.is_some_and(|[begins, ends]| begins < to && from < ends)
        };
        if let Some(other) = others.iter().find(overlaps) {
            let message = format!(
                "flow `{flow}` would be on bridge `{}` and on bridge `{}` at once",
                other.name,
                name.get_ref()
            );
            let help = "let one bridge begin where the other ends, or behind that";
            return Err(Mistake::new(message).at(name.span()).help(help));
        }
    }
    Ok(())
}
