//! Which flow a packet belongs to, and how that chooses its paths.

use windtunnel_packets::{Body, Packet};

use super::policies::PolicySettings;

/// By what packets know their flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowNumber {
    /// Connections of that class: those of a flow, or one subflow of it.
    Connections(u32),
    /// The datagrams of that flow.
    Datagrams(u32),
}

/// How a flow, or one subflow of it, chooses its paths.
#[derive(Clone, Debug)]
pub struct FlowPolicy {
    /// By what its packets know it.
    pub number: FlowNumber,
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// Which subflow, from 0 on.
    pub subflow: usize,
    /// How many there are.
    pub subflows: usize,
    /// The node that its data come from. The other one answers on the paths by which they come.
    pub from: u32,
    /// Its policy.
    pub policy: PolicySettings,
}

/// All flows.
#[derive(Clone, Debug, Default)]
pub struct FlowPolicies {
    /// Them.
    pub flows: Vec<FlowPolicy>,
    /// How many classes of connections there are.
    pub classes: u32,
    /// Those of them with many connections: their numbers above the classes, in turn.
    pub many: Vec<u32>,
}

impl FlowPolicies {
    /// The flow of an IP packet.
    pub(super) fn number(&self, packet: &Packet) -> Option<FlowNumber> {
        match &packet.body {
            Body::Segment(it) => {
                let above = it.connection.checked_sub(self.classes);
                let class = above
                    .filter(|_| !self.many.is_empty())
                    .map_or(it.connection, |it| self.many[it as usize % self.many.len()]);
                Some(FlowNumber::Connections(class))
            }
            Body::Datagram(it) => Some(FlowNumber::Datagrams(it.flow)),
            _ => None,
        }
    }

    /// How it chooses.
    pub(super) fn policy(&self, number: FlowNumber) -> Option<&FlowPolicy> {
        self.flows.iter().find(|it| it.number == number)
    }
}
