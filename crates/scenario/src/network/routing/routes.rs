//! Routes that the file gives.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_packets::ndn::wire::Name;
use windtunnel_world::{LinkPlan, PortId, RoutePlan, StaticRoutePlan, Topology, ip_tree};

use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::{Mistake, suggestion};
use crate::reading::located::{Both, Located};
use crate::reading::prefixes;
use crate::reading::same_schema::same_schema;

/// A route of some kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Route(Both<Common, Target>);

same_schema!(Route: Both<Common, Target>);

/// A route that the file gives, in place of what is computed for that node and prefix or
/// destination. It stays when the topology changes: if its link is down, packets wait there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Route")]
pub(crate) struct Common {
    /// The node where it applies.
    node: Located<String>,
    /// The link that it takes.
    link: Located<String>,
}

/// What a route leads to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "key", rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum Target {
    /// Names.
    Prefix(NameRoute),
    /// A node.
    Destination(StaticRoute),
}

/// A route of Interests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameRoute {
    /// The prefix that it leads to.
    prefix: Located<String>,
    /// Its cost; of several routes, the one of the lowest cost is preferred.
    #[serde(default)]
    cost: u64,
}

/// A static route of IP packets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StaticRoute {
    /// The node that it leads to, over IP. A flow's `path` goes before it.
    destination: Located<String>,
}

impl Route {
    /// The port that it takes.
    fn port(
        &self,
        nodes: &Names<'_>,
        links: &Names<'_>,
        plans: &[LinkPlan],
    ) -> Result<PortId, Mistake> {
        let Common { node, link } = &self.0.common;
        let (at, index) = (nodes.index(node)?, links.index(link)?);
        let ends = plans[index].nodes;
        let side = ends.iter().position(|it| *it == at).ok_or_else(|| {
            let [first, second] = ends.map(|it| nodes.name(it));
            let message = format!("link `{}` is not at node `{}`", link.value, node.value);
            link.mistake(message).help(format!("it joins `{first}` and `{second}`"))
        })?;
        Ok(PortId::new(index, side))
    }
}

/// All routes to names, and all to nodes.
pub(super) fn plans(
    routes: &[Route],
    nodes: &Names<'_>,
    links: &Names<'_>,
    plans: &[LinkPlan],
) -> Result<(Vec<RoutePlan>, Vec<StaticRoutePlan>), Mistake> {
    let (mut to_names, mut to_nodes) = (Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    for route in routes {
        let port = route.port(nodes, links, plans)?;
        let node = plans[port.link()].nodes[port.direction()];
        match &route.0.own {
            Target::Prefix(NameRoute { prefix, cost }) => {
                let (prefix, _) = prefixes::parse(prefix)?;
                to_names.push(RoutePlan { node, prefix, link: port.link(), cost: *cost });
            }
            Target::Destination(StaticRoute { destination: name }) => {
                let destination = nodes.index(name)?;
                name.checked(
                    |_| destination != node,
                    || format!("a route from node `{}` to itself", name.value),
                    "name another node",
                )?;
                name.checked(
                    |_| known.insert((node, destination)),
                    || format!("node `{}` has two routes to `{}`", nodes.name(node), name.value),
                    "remove one of them",
                )?;
                to_nodes.push(StaticRoutePlan { destination, port });
            }
        }
    }
    Ok((to_names, to_nodes))
}

/// Checks that routes lead to something.
pub(super) fn check(routes: &[Route], routed: &Routed) -> Result<(), Mistake> {
    if routes.is_empty() {
        return Ok(());
    }
    let to_names = |it: &Route| matches!(it.0.own, Target::Prefix(_));
    let named = routes.iter().filter(|it| to_names(it)).zip(&routed.routing.given);
    for (route, it) in named {
        if let Target::Prefix(of) = &route.0.own {
            check_use(&of.prefix, &it.prefix, &routed.content.prefixes)?;
        }
    }
    let topology = routed.topology();
    let to_nodes = routes.iter().filter(|it| !to_names(it));
    for (route, it) in to_nodes.zip(&routed.routing.static_routes) {
        check_domain(route, it, routed)?;
        check_loop(route, it, routed, &topology)?;
    }
    Ok(())
}

/// Somebody asks for names below a prefix, or serves them.
fn check_use(given: &Located<String>, prefix: &Name<'_>, all: &[Name<'_>]) -> Result<(), Mistake> {
    let is_related = |it: &Name<'_>| it.is_prefix_of(prefix) || prefix.is_prefix_of(it);
    if all.iter().any(is_related) {
        return Ok(());
    }
    let known: Vec<String> = all.iter().map(ToString::to_string).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let message =
        format!("no consumer requests names under `{}`, and no producer serves them", given.value);
    Err(given.mistake(message).help(match &known[..] {
        [] => "the scenario has no consumers; for a route over IP, write `destination`".to_owned(),
        known => suggestion(&given.value, known),
    }))
}

/// IP leads to the destination, and inside its domain.
fn check_domain(route: &Route, it: &StaticRoutePlan, routed: &Routed) -> Result<(), Mistake> {
    let ends = routed.network.links[it.port.link()].nodes;
    if !routed.are_apart(ends) && !routed.are_apart([ends[0], it.destination]) {
        return Ok(());
    }
    let message = "a static route leads out of its region or autonomous system";
    let help = "between those packets do not go by IP; name a link and a destination inside";
    Err(route.0.common.link.mistake(message).help(help))
}

/// Static routes, and the computed ones at nodes without, lead to the destination.
fn check_loop(
    route: &Route,
    it: &StaticRoutePlan,
    routed: &Routed,
    topology: &Topology,
) -> Result<(), Mistake> {
    let ends = routed.network.links[it.port.link()].nodes;
    let domains = routed.domains.as_ref().map(|it| &*it.of);
    let tree = ip_tree(topology, domains, it.destination);
    let node = ends[it.port.direction()];
    let Some(nodes) = tree.loop_from(topology, node, routed.routing.sharing) else { return Ok(()) };
    let name_of = |node: usize| routed.network.nodes[node].name.as_str();
    let names: Vec<&str> = nodes.iter().map(|it| name_of(*it)).collect();
    let destination = name_of(it.destination);
    let message = format!("routes to `{destination}` form a loop: `{}`", names.join("` → `"));
    let help = format!("name another link, or add a route to `{destination}` at `{}`", names[1]);
    Err(route.0.common.link.mistake(message).help(help))
}
