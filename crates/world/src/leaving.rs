//! The ports through which packets leave a part of a world.

use crate::partition::Partition;
use crate::port_id::PortId;
use crate::routing::Topology;

/// The ports of a part that lead to others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaving {
    /// The part.
    pub(crate) from: usize,
    /// By port, to which part it leads, if to another one; empty if none does.
    pub(crate) to: Vec<Option<u32>>,
    /// Those with packets on their links, and by port whether it is one of them.
    pub(crate) used: Vec<PortId>,
    pub(crate) is_used: Vec<bool>,
    /// How many paths of packets the other parts have been given.
    pub(crate) paths: usize,
}

impl Leaving {
    pub(crate) fn new(
        topology: &Topology,
        partition: &Partition,
        part: usize,
        ports: usize,
    ) -> Self {
        let mut leaving = Self { from: part, ..Self::default() };
        for port in &partition.cut {
            if partition.part(topology.near(*port)) == part {
                leaving.to.resize(ports, None);
                leaving.is_used.resize(ports, false);
                leaving.to[port.index()] = Some(partition.part(topology.far(*port)) as u32);
            }
        }
        leaving
    }

    /// Whether what leaves through a port arrives at another part; then something is on its way.
    #[inline]
    pub(crate) fn note(&mut self, port: PortId) -> bool {
        let leaves = self.to.get(port.index()).is_some_and(Option::is_some);
        if leaves && !std::mem::replace(&mut self.is_used[port.index()], true) {
            self.used.push(port);
        }
        leaves
    }
}
