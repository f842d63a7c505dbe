//! Tunnels: what a scenario says of them, and whether flows cross them.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_world::{BridgePlan, Plan, Topology, TunnelPlan, places};

use crate::error::Mistake;
use crate::flow_paths::{FlowPath, flow_paths};
use crate::flows::Ip;
use crate::located::{Located, Named};
use crate::nodes::Names;
use crate::reachability;

/// A tunnel: IP packets whose path leads over both nodes travel between them inside other
/// IP packets (RFC 2003, RFC 2473), in both directions. Routers between them see the outer
/// header alone: all packets are one flow there, and the ECN field is treated as RFC 6040
/// says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tunnel {
    /// The nodes of its two ends.
    nodes: [Located<String>; 2],
    /// The version of IP of the outer header: 20 bytes, or 40 with IPv6.
    #[serde(default)]
    ip: Ip,
}

/// The tunnels of a scenario; `plan` has all but them.
pub(crate) fn plans(
    tunnels: &Named<Tunnel>,
    nodes: &Names<'_>,
    plan: &Plan,
) -> Result<Vec<TunnelPlan>, Mistake> {
    let topology = Topology::new(plan);
    let paths = if tunnels.is_empty() { Vec::new() } else { flow_paths(plan, &topology) };
    let mut plans: Vec<TunnelPlan> = Vec::new();
    for (name, tunnel) in tunnels {
        let ends = tunnel.ends(name, nodes)?;
        check_joined(plan, &tunnel.nodes, ends)?;
        check_alone(&plans, ends, name)?;
        check_crossed(&paths, ends, name)?;
        check_bridges(&paths, &plan.bridges, ends, name)?;
        let version = tunnel.ip.into();
        plans.push(TunnelPlan { name: name.get_ref().clone(), ends, version });
    }
    Ok(plans)
}

impl Tunnel {
    fn ends(&self, name: &Spanned<String>, nodes: &Names<'_>) -> Result<[usize; 2], Mistake> {
        let [first, second] = &self.nodes;
        let ends = [nodes.index(first)?, nodes.index(second)?];
        second.checked(
            |_| ends[0] != ends[1],
            || format!("both ends of tunnel `{}` are at one node", name.get_ref()),
            "name two different nodes",
        )?;
        Ok(ends)
    }
}

fn check_joined(
    plan: &Plan,
    nodes: &[Located<String>; 2],
    ends: [usize; 2],
) -> Result<(), Mistake> {
    let [first, second] = nodes;
    second.checked(
        |_| reachability::are_joined(plan, ends),
        || format!("there is no path between `{}` and `{}`", first.value, second.value),
        "connect them by links",
    )
}

/// Checks that no other tunnel has the same ends: neither would be inside the other.
fn check_alone(
    others: &[TunnelPlan],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    let has_same = |it: &&TunnelPlan| it.ends == [first, second] || it.ends == [second, first];
    let Some(other) = others.iter().find(has_same) else { return Ok(()) };
    let message = format!("tunnels `{}` and `{}` have the same ends", other.name, name.get_ref());
    Err(Mistake::new(message).at(name.span()).help("remove one, or let one begin further inside"))
}

/// Checks that some flow crosses a tunnel.
fn check_crossed(
    paths: &[FlowPath<'_>],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    let crosses = |it: &FlowPath<'_>| it.nodes.contains(&first) && it.nodes.contains(&second);
    if paths.iter().any(crosses) {
        return Ok(());
    }
    Err(Mistake::new(format!("no flow crosses tunnel `{}`", name.get_ref()))
        .at(name.span())
        .help("the data of a flow must go through both its nodes"))
}

/// Checks that no edge of a bridge is between a tunnel's ends: it could not see what the
/// packets there carry.
fn check_bridges(
    paths: &[FlowPath<'_>],
    bridges: &[BridgePlan],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    for path in paths {
        let ends = [[first, second], [second, first]];
        let Some([from, to]) = ends.into_iter().find_map(|it| places(&path.nodes, it)) else {
            continue;
        };
        let is_inside = |edge: usize| path.nodes[from + 1..to].contains(&edge);
        if let Some(bridge) = bridges.iter().find(|it| is_inside(it.from) || is_inside(it.to)) {
            let message = format!(
                "an edge of bridge `{}` is inside tunnel `{}` on the path of flow `{}`",
                bridge.name,
                name.get_ref(),
                path.flow,
            );
            let help = "let the tunnel end where the bridge begins, or put it inside the bridge";
            return Err(Mistake::new(message).at(name.span()).help(help));
        }
    }
    Ok(())
}
