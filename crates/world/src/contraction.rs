//! Contracted hops: where the arrival of a packet between two links is no event, because all that
//! comes of it is known when the packet is given to the first of them.
//!
//! A port is *predictable* if its queue decides everything when a packet arrives, and its link
//! does nothing but send at one rate for the whole run. Given a packet at some time, such a port
//! drops it, or knows at once when it arrives at the other end, and that depends on nothing but
//! the packets that it was given before, and when. So if a port is given packets by one other
//! port alone, and both are predictable, it can be given each packet, with the time of its
//! arrival, as soon as the port before knows that time. As a link does not change the order of its
//! packets, the port is given the same packets in the same order at the same times as if they were
//! events, and decides the same, whatever its rate, its limit and its discipline: nothing is
//! assumed about how much waits there. This goes on through a row of such ports. Only the arrival
//! behind the last of them is an event.
//!
//! A port *passes on* its packets in this way if all of them go on to such ports: if no path ends
//! behind it, and each port that a path leads to behind it is predictable and is given packets by
//! this one alone, neither by another port nor by the node where a path begins. All packets have
//! to be on paths for that, and these must not change: there is nothing but flows over IP, and
//! neither functions nor other network layers nor real hosts.
//!
//! What a port has counted is the same at any time at which it is read. Before time passes, the
//! world says when something is read next: the *horizon*. A packet is passed on at once only if it
//! arrives up to the horizon, so that when that is reached, each port has been given what arrived
//! there until then, and nothing else. What arrives later is held back at the end of the ring of
//! the port that sends it, until the horizon is moved. Then the ports of a row pass on what they
//! hold back one after another, the last one first, so that each is given its packets in order.

use std::cmp::Reverse;

use windtunnel_engine::Time;

use crate::forwarding::Forwarding;
use crate::partition::Partition;
use crate::plan::{Plan, Sharing};
use crate::port::Port;
use crate::port_id::PortId;

/// The ports of a part that pass on their packets, and what they have passed on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contraction {
    /// Each behind those that its packets go on to.
    pub(crate) passing: Vec<PortId>,
    /// How many arrivals were no events.
    pub(crate) hops: u64,
    /// The latest time of one of those.
    pub(crate) reached: Time,
}

/// Where a port is given packets from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// No path leads over it.
    Nowhere,
    /// Packets arrive there through this port alone.
    Port(PortId),
    /// They come from elsewhere too.
    Many,
}

impl Source {
    /// The same, if packets come from there besides.
    fn and(self, other: Self) -> Self {
        match self {
            Self::Nowhere => other,
            _ if self == other => self,
            _ => Self::Many,
        }
    }
}

impl Contraction {
    /// The ports that pass on their packets of those whose nodes are in one part.
    pub(crate) fn new(
        plan: &Plan,
        forwarding: &Forwarding,
        partition: &Partition,
        part: usize,
        ports: &[Port],
    ) -> Self {
        if !follows_paths(plan) {
            return Self::default();
        }
        let sources = sources(forwarding, ports.len());
        let passes = passes(forwarding, &sources, &predictable(plan, partition, ports));
        let all = (0..ports.len() as u32).map(PortId).filter(|it| passes[it.index()]);
        let is_here = |it: &PortId| partition.part(forwarding.topology().near(*it)) == part;
        let mut passing: Vec<PortId> = all.filter(is_here).collect();
        passing.sort_by_key(|it| Reverse(count_before(*it, &sources)));
        Self { passing, ..Self::default() }
    }

    /// A packet is given to a port ahead of the time when it arrives there.
    #[inline]
    pub(crate) fn count(&mut self, time: Time) {
        self.hops += 1;
        self.reached = self.reached.max(time);
    }
}

/// Whether all packets follow paths that never change.
fn follows_paths(plan: &Plan) -> bool {
    let is_changed = plan.routes_change() || plan.routing.sharing == Sharing::Packets;
    let has_layers = plan.has_ndn() || plan.nodes.iter().any(|it| !it.layers.is_empty());
    let is_apart = plan.domains.is_some() || !plan.roots.is_empty() || !plan.sessions.is_empty();
    let is_checked = plan.drops_large_packets() || !plan.attachments.is_empty();
    !(is_changed || has_layers || is_apart || plan.has_functions() || is_checked)
}

/// For each port where it is given packets from.
fn sources(forwarding: &Forwarding, ports: usize) -> Vec<Source> {
    let mut sources = vec![Source::Nowhere; ports];
    for path in forwarding.paths() {
        path.first().iter().for_each(|it| sources[it.index()] = Source::Many);
        for pair in path.windows(2) {
            let source = &mut sources[pair[1].index()];
            *source = source.and(Source::Port(pair[0]));
        }
    }
    sources
}

/// For each port whether it is predictable, and leads to a node of the same part.
fn predictable(plan: &Plan, partition: &Partition, ports: &[Port]) -> Vec<bool> {
    let mut predictable: Vec<bool> = ports.iter().map(Port::decides_at_once).collect();
    let channels = plan.links.iter().enumerate().filter(|(_, it)| it.channel.is_some());
    let followed = channels.flat_map(|(link, _)| [0, 1].map(|it| PortId::new(link, it)));
    let changed = plan.changes.iter().map(|it| it.port).chain(followed);
    changed.chain(partition.cut.iter().copied()).for_each(|it| predictable[it.index()] = false);
    predictable
}

/// For each port whether it passes on its packets.
fn passes(forwarding: &Forwarding, sources: &[Source], predictable: &[bool]) -> Vec<bool> {
    let is_used = sources.iter().map(|it| *it != Source::Nowhere);
    let mut passes: Vec<bool> = is_used.zip(predictable).map(|(it, is)| it && *is).collect();
    for path in forwarding.paths() {
        path.last().iter().for_each(|it| passes[it.index()] = false);
        for pair in path.windows(2) {
            let next = pair[1].index();
            let is_contracted = predictable[next] && sources[next] == Source::Port(pair[0]);
            passes[pair[0].index()] &= is_contracted;
        }
    }
    passes
}

/// How many ports lie before one in a row in which each is given packets by the one before alone.
/// The row ends, because the path of any packet there begins somewhere.
fn count_before(port: PortId, sources: &[Source]) -> usize {
    let before = |it: &PortId| match sources[it.index()] {
        Source::Port(before) => Some(before),
        Source::Nowhere | Source::Many => None,
    };
    std::iter::successors(before(&port), before).count()
}

#[cfg(test)]
mod tests;
