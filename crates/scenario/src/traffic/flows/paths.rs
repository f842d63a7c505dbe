//! The paths of flows, and what is on them.

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::Discipline;
use windtunnel_world::{
    ChangePlan, DirectionPlan, LinkChange, LinkPlan, PortId, Topology, TunnelPlan, places,
};

use super::shared_settings::SharedSettings;
use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::traffic::controllers::Controllers;
use crate::traffic::needs::Network;

/// The packet that a full segment or datagram fills by default, in bytes: Ethernet's.
pub(super) const FULL_PACKET: u16 = 1500;

/// What flows are built with.
pub(crate) struct FlowContext<'a> {
    pub(crate) nodes: &'a Names<'a>,
    pub(super) links: &'a Names<'a>,
    pub(crate) controllers: &'a Controllers<'a>,
    pub(super) paths: Paths<'a>,
    pub(super) settings: SharedSettings,
}

impl<'a> FlowContext<'a> {
    pub(crate) fn new(
        nodes: &'a Names<'a>,
        links: &'a Names<'a>,
        controllers: &'a Controllers<'a>,
        routed: &'a Routed,
        tunnels: &'a [TunnelPlan],
    ) -> Self {
        let (paths, settings) = (Paths::of(routed, tunnels), SharedSettings::default());
        Self { nodes, links, controllers, paths, settings }
    }
}

/// The paths of flows, and what is on them.
pub(super) struct Paths<'a> {
    pub(super) routed: &'a Routed,
    tunnels: &'a [TunnelPlan],
    topology: Topology,
    /// Whether some router sends the milder mark.
    milder_marks: bool,
    /// Whether some link is a radio, which reports to senders.
    radios: bool,
}

impl<'a> Paths<'a> {
    fn of(routed: &'a Routed, tunnels: &'a [TunnelPlan]) -> Self {
        let links = &routed.network.links;
        Self {
            routed,
            tunnels,
            topology: routed.topology(),
            milder_marks: links.iter().flat_map(|it| &it.directions).any(sends_milder_mark),
            radios: links.iter().any(is_radio),
        }
    }

    /// A link, by its place.
    pub(super) fn link(&self, place: usize) -> &'a LinkPlan {
        &self.routed.network.links[place]
    }

    /// The links from one node to another. Where there is no path at all, the check of
    /// reachability says so.
    pub(super) fn links(&self, [from, to]: [usize; 2]) -> Vec<PortId> {
        self.topology.path(from, to).unwrap_or_default()
    }

    /// For each link of one node and each of another the shortest path that begins with the one
    /// and ends with the other, if there is one; shorter ones first.
    pub(super) fn of_interfaces(&self, [from, to]: [usize; 2]) -> Vec<Vec<PortId>> {
        let mut paths = Vec::new();
        let withdrawn = |topology: &mut Topology, port| {
            topology.apply(&ChangePlan { time: Time::ZERO, port, change: LinkChange::Withdraw });
        };
        for first in self.topology.ports(from) {
            for last in self.topology.ports(to) {
                let mut topology = self.topology.clone();
                let others = self.topology.ports(from).iter().filter(|it| *it != first);
                others.for_each(|it| withdrawn(&mut topology, *it));
                let others = self.topology.ports(to).iter().filter(|it| *it != last);
                others.for_each(|it| withdrawn(&mut topology, it.reversed()));
                paths.extend(topology.path(from, to));
            }
        }
        let cost = |path: &Vec<PortId>| {
            path.iter().filter_map(|it| self.topology.cost(*it)).fold(0_u64, u64::saturating_add)
        };
        paths.sort_by_key(cost);
        paths.dedup();
        paths
    }

    /// The nodes of the path from one node to another.
    pub(super) fn nodes(&self, ends: [usize; 2]) -> Vec<usize> {
        self.topology.nodes_of(ends[0], &self.links(ends))
    }

    /// The bytes that another network layer than IP adds to each packet between two nodes, at
    /// the most of both directions.
    fn overhead(&self, ends: [usize; 2], ip: IpVersion) -> u16 {
        let domains = self.routed.domains.as_ref().filter(|it| it.are_apart(ends));
        let reversed = [ends[1], ends[0]];
        domains.map_or(0, |it| it.carrier.overhead(ends, ip).max(it.carrier.overhead(reversed, ip)))
    }

    /// What the network gives a flow between two nodes, on a path of its own if it has one.
    pub(super) fn network(
        &self,
        ends: [usize; 2],
        own: Option<&[PortId]>,
        ip: IpVersion,
    ) -> Network {
        // A path is computed only where there is something to find on it.
        let path = match own {
            Some(ports) => ports.to_vec(),
            None if self.radios || !self.tunnels.is_empty() => self.links(ends),
            None => Vec::new(),
        };
        let nodes = self.topology.nodes_of(ends[0], &path);
        let overhead = self.overhead(ends, ip) + room_taken(self.tunnels, &nodes);
        let mut radios = path.into_iter().filter(|it| is_radio(self.link(it.link())));
        let first = radios.next();
        // Of two, the sender could not say which one reports.
        let radio = first.filter(|_| radios.next().is_none());
        Network { milder_marks: self.milder_marks, radio, overhead }
    }
}

/// By how many bytes the tunnels that a path over these nodes crosses have packets smaller
/// than `FULL_PACKET`, so that all are within their MTUs.
pub(crate) fn room_taken(tunnels: &[TunnelPlan], nodes: &[usize]) -> u16 {
    let crossed: Vec<_> = tunnels.iter().filter_map(|it| Some((it, stretch(it, nodes)?))).collect();
    let taken = |(tunnel, [from, to]): &(&TunnelPlan, [usize; 2])| {
        let mtu = tunnel.carrier.mtu()?;
        // Those around its ends put their headers on a packet before it enters.
        let context = crossed
            .iter()
            .filter(|(it, [first, last])| it.ends != tunnel.ends && first <= from && to <= last);
        let headers: u16 = context.map(|(it, _)| it.carrier.overhead()).sum();
        Some((FULL_PACKET + headers).saturating_sub(mtu))
    };
    crossed.iter().filter_map(taken).max().unwrap_or(0)
}

/// Where a tunnel begins and ends on a path over these nodes, in the path's order.
fn stretch(tunnel: &TunnelPlan, nodes: &[usize]) -> Option<[usize; 2]> {
    let [first, second] = tunnel.ends;
    [[first, second], [second, first]].into_iter().find_map(|it| places(nodes, it))
}

/// The ports of a path between two nodes that is named by its links.
pub(super) fn along(
    context: &FlowContext<'_>,
    ends: [usize; 2],
    path: &Located<Vec<Located<String>>>,
) -> Result<Vec<PortId>, Mistake> {
    let mut node = ends[0];
    let mut ports = Vec::with_capacity(path.value.len());
    for name in &path.value {
        let link = context.links.index(name)?;
        let nodes = context.paths.link(link).nodes;
        let side = nodes.iter().position(|it| *it == node).ok_or_else(|| {
            let at = context.nodes.name(node);
            name.mistake(format!("link `{}` is not at node `{at}`", name.value))
                .help("name the links in the order of the path, from `from` to `to`")
        })?;
        ports.push(PortId::new(link, side));
        node = nodes[1 - side];
    }
    let [end, wanted] = [node, ends[1]].map(|it| context.nodes.name(it));
    path.checked(
        |_| node == ends[1],
        || format!("the path ends at node `{end}`, not at `{wanted}`"),
        "name all links of the path, from `from` to `to`",
    )?;
    Ok(ports)
}

/// The ports of a path between two regions, which is named by the link that it begins with and
/// the one that it ends with.
pub(super) fn between_regions(
    context: &FlowContext<'_>,
    ends: [usize; 2],
    path: &Located<Vec<Located<String>>>,
) -> Result<Vec<PortId>, Mistake> {
    path.checked(
        |it| matches!(it.len(), 1 | 2),
        || "between regions a path is named by its first link and its last".to_owned(),
        "name a link at `from` and one at `to`, or the one that joins them",
    )?;
    let port = |name: &Located<String>, node: usize| {
        let link = context.links.index(name)?;
        let nodes = context.paths.link(link).nodes;
        let side = nodes.iter().position(|it| *it == node).ok_or_else(|| {
            let at = context.nodes.name(node);
            name.mistake(format!("link `{}` is not at node `{at}`", name.value))
                .help("name the first link of the path and the last")
        })?;
        Ok(PortId::new(link, side))
    };
    let names = &path.value;
    let [first, last] = [&names[0], &names[names.len() - 1]];
    let mut ports = vec![port(first, ends[0])?, port(last, ends[1])?.reversed()];
    ports.dedup();
    Ok(ports)
}

/// Leaves of a path its first port and its last.
pub(super) fn keep_ends(path: &mut Vec<PortId>) {
    if path.len() > 2 {
        path.drain(1..path.len() - 1);
    }
}

fn is_radio(link: &LinkPlan) -> bool {
    link.channel.as_ref().is_some_and(|it| it.reports().is_some())
}

fn sends_milder_mark(direction: &DirectionPlan) -> bool {
    matches!(direction.discipline, Discipline::Sce(_))
}
