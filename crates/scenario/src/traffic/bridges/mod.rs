//! Bridges: what a scenario says of them, and whether flows cross them.

mod duplicates;
mod order;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_engine::{Duration, Rate};
use windtunnel_networks::bridge::{self, DestinationSettings, SourceSettings};
use windtunnel_reading::choice;
use windtunnel_world::{
    BridgePlan, FlowPlan, LinkPlan, PortId, Routing, Sharing, Topology, places,
};

use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::{Located, Named};
use crate::reading::units::{Bytes, Measured, Share, percent};
use crate::traffic::flow_paths::{FlowPath, flow_paths};
use duplicates::Duplicates;
use order::Order;

/// The largest IP packet, in bytes.
const LARGEST_PACKET: u64 = 65_535;

/// A bridge (DCIB): two nodes that are the edges of a part of the network. The source edge marks
/// what leaves as ECN-capable, except a selected share, which routers between the edges may drop,
/// and of which it keeps clones; the destination edge acknowledges what arrives of that share, and
/// the source edge sends the clones of what is lost. All flows cross it whose data go through
/// `from` and later through `to`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bridge {
    /// The node of the source edge.
    from: Located<String>,
    /// The node of the destination edge.
    to: Located<String>,
    /// The share of the packets that may be dropped.
    #[serde(default = "percent::<10>")]
    selected: Measured<Share>,
    /// How many bytes of clones the source edge holds.
    buffer: Measured<Bytes>,
    /// Which packets are cloned.
    #[serde(default)]
    clones: Clones,
    /// When a clone leaves.
    #[serde(default)]
    keep: Keep,
    /// How a clone leaves.
    #[serde(default)]
    resend: Resend,
    /// What an acknowledgement does whose packet's clone is not held.
    #[serde(default)]
    unmatched: Unmatched,
    /// What happens to duplicate acknowledgements that return to the hosts; default: `pass`.
    #[serde(default)]
    duplicates: Duplicates,
    /// What happens to congestion marks at the destination edge.
    #[serde(default)]
    marks: Marks,
    /// In which order packets pass the destination edge; default: `as-they-come`.
    #[serde(default)]
    order: Order,
    /// Packets above an agreed rate that are selected in addition; default: none.
    probes: Option<Probes>,
}

choice! {
    /// Which packets are cloned.
    Clones as bridge::Clones {
        /// The selected ones, as the paper's text says.
        Selected,
        /// All others, as its listing says.
        Others,
    }
}

choice! {
    /// When a clone leaves.
    Keep as bridge::Keep {
        /// The acknowledgement of a packet after its own.
        Stalled,
        /// A link with nothing else to send, for small buffers.
        LowPriority,
    }
}

choice! {
    /// How a clone leaves.
    Resend as bridge::Resend {
        /// As its packet left: one that may be dropped may be dropped again.
        Unchanged,
        /// ECN-capable.
        Capable,
    }
}

choice! {
    /// What an acknowledgement does whose packet's clone is not held.
    Unmatched as bridge::Unmatched {
        /// Nothing.
        Ignore,
        /// Sends all clones, as the paper's listing does.
        ResendAll,
    }
}

choice! {
    /// What happens to congestion marks at the destination edge.
    Marks as bridge::EdgeMarks {
        /// They pass on to the hosts, which react as their `ecn` says.
        Pass,
        /// They are removed.
        Clear,
    }
}

/// Packets above an agreed rate that are selected in addition.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Probes {
    /// The agreed rate.
    rate: Measured<Rate>,
    /// How many bytes at once count as within it; at least a packet.
    burst: Located<Measured<Bytes>>,
    /// The probability that a packet above it is selected that otherwise is not.
    extra: Measured<Share>,
}

/// The bridges of a scenario, which its flows cross.
pub(crate) fn plans(
    bridges: &Named<Bridge>,
    nodes: &Names<'_>,
    routed: &Routed,
    flows: &[FlowPlan],
) -> Result<Vec<BridgePlan>, Mistake> {
    if bridges.is_empty() {
        return Ok(Vec::new());
    }
    let topology = routed.topology();
    let paths = flow_paths(flows, &topology);
    let mut plans: Vec<BridgePlan> = Vec::new();
    for (name, bridge) in bridges {
        check_sharing(&routed.routing, name)?;
        let ends = bridge.ends(name, nodes)?;
        let round_trip = farthest(&routed.network.links, &topology, &paths, ends);
        // Twice, so that queues may take as long as the links.
        let bridge = bridge.plan(name.get_ref(), ends, round_trip * 2)?;
        check_crossed(&paths, &bridge, name)?;
        check_apart(&paths, &plans, &bridge, name)?;
        plans.push(bridge);
    }
    Ok(plans)
}

/// The round trip from a bridge's source edge to the farthest receiver of its flows.
fn farthest(
    links: &[LinkPlan],
    topology: &Topology,
    paths: &[FlowPath<'_>],
    ends: [usize; 2],
) -> Duration {
    let crossing = paths.iter().filter(|it| places(&it.nodes, ends).is_some());
    let receivers = crossing.filter_map(|it| it.nodes.last());
    let round_trips = receivers.map(|it| round_trip(links, topology, [ends[0], *it]));
    round_trips.max().unwrap_or(Duration::ZERO)
}

/// The least time from one node to another and back: the sum of the links' delays.
#[must_use]
pub fn round_trip(links: &[LinkPlan], topology: &Topology, [from, to]: [usize; 2]) -> Duration {
    let paths = [topology.path(from, to), topology.path(to, from)].into_iter().flatten().flatten();
    let delay = |it: PortId| links[it.link()].directions[it.direction()].delay;
    paths.map(delay).fold(Duration::ZERO, |sum, it| sum + it)
}

impl Bridge {
    /// The nodes of both edges.
    fn ends(&self, name: &Spanned<String>, nodes: &Names<'_>) -> Result<[usize; 2], Mistake> {
        let ends = [nodes.index(&self.from)?, nodes.index(&self.to)?];
        self.to.checked(
            |_| ends[0] != ends[1],
            || format!("both edges of bridge `{}` are at the same node", name.get_ref()),
            "name two different nodes",
        )?;
        Ok(ends)
    }

    fn plan(
        &self,
        name: &str,
        [from, to]: [usize; 2],
        round_trip: Duration,
    ) -> Result<BridgePlan, Mistake> {
        let buffer = self.buffer.0.0;
        let source = SourceSettings {
            selected: self.selected.0.0,
            buffer,
            clones: self.clones.into(),
            resend: self.resend.into(),
            keep: self.keep.into(),
            unmatched: self.unmatched.into(),
            duplicates: self.duplicates.plan(round_trip),
            probes: self.probes.as_ref().map(Probes::plan).transpose()?,
        };
        let destination =
            DestinationSettings { marks: self.marks.into(), order: self.order.plan(buffer) };
        Ok(BridgePlan { name: name.to_owned(), from, to, source, destination })
    }
}

impl Probes {
    fn plan(&self) -> Result<bridge::Probes, Mistake> {
        let bytes = self.burst.value.0.0;
        self.burst.checked(
            |_| (1500..1 << 32).contains(&bytes),
            || "`burst` must be at least 1500 B and less than 4 GiB".to_owned(),
            &format!("write one such as burst = \"{LARGEST_PACKET} B\""),
        )?;
        Ok(bridge::Probes { rate: self.rate.0, burst: bytes as u32, extra: self.extra.0.0 })
    }
}

/// A bridge sees the packets of flows whose path it is on, which they must keep to.
fn check_sharing(routing: &Routing, name: &Spanned<String>) -> Result<(), Mistake> {
    if routing.sharing != Sharing::Packets {
        return Ok(());
    }
    let message = format!("bridge `{}` requires flows that keep to a path", name.get_ref());
    let help = "write sharing = \"flows\" in [routing], or leave it out";
    Err(Mistake::new(message).at(name.span()).help(help))
}

/// Checks that some flow crosses a bridge.
fn check_crossed(
    paths: &[FlowPath<'_>],
    plan: &BridgePlan,
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    if paths.iter().any(|it| places(&it.nodes, [plan.from, plan.to]).is_some()) {
        return Ok(());
    }
    Err(Mistake::new(format!("no flow crosses bridge `{}`", name.get_ref()))
        .at(name.span())
        .help("the data of a flow must go through its `from` and later through its `to`"))
}

/// Checks that no flow is between the edges of two bridges at once: the inner one would
/// undo what the outer one selects.
fn check_apart(
    paths: &[FlowPath<'_>],
    others: &[BridgePlan],
    plan: &BridgePlan,
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    for FlowPath { flow, nodes } in paths {
        let Some([from, to]) = places(nodes, [plan.from, plan.to]) else { continue };
        let overlaps = |it: &&BridgePlan| {
            let others = places(nodes, [it.from, it.to]);
            others.is_some_and(|[begins, ends]| begins < to && from < ends)
        };
        if let Some(other) = others.iter().find(overlaps) {
            let message = format!(
                "flow `{flow}` would cross bridges `{}` and `{}` at the same time",
                other.name,
                name.get_ref()
            );
            let help = "the bridges on a path must not overlap";
            return Err(Mistake::new(message).at(name.span()).help(help));
        }
    }
    Ok(())
}
