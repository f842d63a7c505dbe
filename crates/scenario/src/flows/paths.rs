//! The paths of flows, and what is on them.

use windtunnel_queues::Discipline;
use windtunnel_world::{DirectionPlan, LinkPlan, Plan, PortId, Topology};

use crate::controllers::Controllers;
use crate::needs::Network;
use crate::nodes::Names;

/// What flows are built with.
pub(super) struct Around<'a> {
    pub(super) nodes: &'a Names<'a>,
    pub(super) links: &'a Names<'a>,
    pub(super) controllers: &'a Controllers<'a>,
    pub(super) paths: Paths<'a>,
}

/// The paths of flows, and what is on them.
pub(super) struct Paths<'a> {
    pub(super) plan: &'a Plan,
    topology: Topology,
    /// Whether some router sends the milder mark.
    milder_marks: bool,
    /// Whether some link is a radio, which reports to senders.
    radios: bool,
}

impl<'a> Paths<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        Self {
            plan,
            topology: Topology::new(plan),
            milder_marks: plan.links.iter().flat_map(|it| &it.directions).any(sends_milder_mark),
            radios: plan.links.iter().any(is_radio),
        }
    }

    /// The links from one node to another. Where there is no path at all, the check of
    /// reachability says so.
    pub(super) fn links(&self, [from, to]: [usize; 2]) -> Vec<PortId> {
        self.topology.path(from, to).unwrap_or_default()
    }

    /// The nodes of the path from one node to another.
    pub(super) fn nodes(&self, ends: [usize; 2]) -> Vec<usize> {
        self.topology.nodes_of(ends[0], &self.links(ends))
    }

    /// What the network gives a flow between two nodes, on a path of its own if it has one.
    pub(super) fn network(&self, ends: [usize; 2], own: Option<&[PortId]>) -> Network {
        // A path is computed only where there is something to find on it.
        let path = match own {
            Some(ports) => ports.to_vec(),
            None if self.radios => self.links(ends),
            None => Vec::new(),
        };
        let mut radios = path.into_iter().filter(|it| is_radio(&self.plan.links[it.link()]));
        let first = radios.next();
        // Of two, the sender could not say which one reports.
        let radio = first.filter(|_| radios.next().is_none());
        Network { milder_marks: self.milder_marks, radio }
    }
}

fn is_radio(link: &LinkPlan) -> bool {
    link.channel.as_ref().is_some_and(|it| it.reports().is_some())
}

fn sends_milder_mark(direction: &DirectionPlan) -> bool {
    matches!(direction.discipline, Discipline::Sce(_))
}
