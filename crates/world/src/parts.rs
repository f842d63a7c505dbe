//! The parts of a world, and which of them has what.

use windtunnel_engine::Time;
use windtunnel_transports::ndn::consumer::Consumer;

use crate::forwarding::Forwarding;
use crate::parallel;
use crate::part::Part;
use crate::partition::Partition;
use crate::plan::Plan;
use crate::port::Port;
use crate::port_id::PortId;
use crate::routing::Unreachable;

/// All parts of a world.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) all: Vec<Part>,
    pub(crate) partition: Partition,
    /// The node that each port leads from.
    near: Vec<u32>,
    /// The node of each consumer.
    consumers: Vec<usize>,
}

impl Parts {
    pub(crate) fn new(
        plan: &Plan,
        forwarding: Forwarding,
        partition: Partition,
    ) -> Result<Self, Unreachable> {
        let near = plan.links.iter().flat_map(|it| it.nodes).map(|it| it as u32);
        Ok(Self {
            all: parallel::build(plan, forwarding, &partition)?,
            partition,
            near: near.collect(),
            consumers: plan.consumers.iter().map(|it| it.node).collect(),
        })
    }

    /// The time reached.
    pub(crate) fn now(&self) -> Time {
        self.all.iter().map(|it| it.network.reached()).max().unwrap_or(Time::ZERO)
    }

    /// The part with a node.
    pub(crate) fn of_node(&self, node: usize) -> &Part {
        &self.all[self.partition.part(node)]
    }

    /// The parts with the sender and the receiver of a flow's data.
    pub(crate) fn of_flow(&self, flow: usize) -> [&Part; 2] {
        self.all[0].hosts.ends(flow).map(|it| self.of_node(it))
    }

    fn of_port(&self, port: PortId) -> usize {
        self.partition.part(self.near[port.index()] as usize)
    }

    pub(crate) fn port(&self, port: PortId) -> &Port {
        &self.all[self.of_port(port)].network.ports[port.index()]
    }

    pub(crate) fn port_mut(&mut self, port: PortId) -> &mut Port {
        let part = self.of_port(port);
        &mut self.all[part].network.ports[port.index()]
    }

    /// Each direction of each link, in the plan's order.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &Port> {
        (0..self.near.len() as u32).map(|it| self.port(PortId(it)))
    }

    /// A consumer, by its place in the plan.
    pub(crate) fn consumer(&self, consumer: usize) -> &Consumer {
        self.of_node(self.consumers[consumer]).nodes.consumer(consumer)
    }

    /// Each consumer, in the plan's order.
    pub(crate) fn consumers(&self) -> impl Iterator<Item = &Consumer> {
        (0..self.consumers.len()).map(|it| self.consumer(it))
    }
}
