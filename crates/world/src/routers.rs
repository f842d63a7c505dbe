//! What routers know of the links and senders of packets of real hosts, and of links of those of stacks.

use windtunnel_networks::ErrorBudget;
use windtunnel_packets::Route;

use crate::forwarding::Forwarding;
use crate::plan::Plan;
use crate::port_id::PortId;

/// What routers need for packets of real hosts and of stacks; empty where there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routers {
    /// By port, the MTU of its link, if any packet may be larger.
    mtus: Vec<Option<u16>>,
    /// By node, how many messages it may send.
    pub(crate) budgets: Vec<ErrorBudget>,
    /// By attachment, how messages find it from any node.
    pub(crate) to_attachments: Vec<Route>,
    /// Packets that were larger than the MTU of a link and must not be fragmented.
    pub(crate) too_big: u64,
}

impl Routers {
    pub(crate) fn new(plan: &Plan, forwarding: &mut Forwarding) -> Self {
        let mtus = match plan.drops_large_packets() {
            true => plan.links.iter().flat_map(|it| [it.link_service.mtu; 2]).collect(),
            false => Vec::new(),
        };
        if plan.attachments.is_empty() {
            return Self { mtus, ..Self::default() };
        }
        let to_attachment = |it: &usize| forwarding.lay_to_attachment(*it as u32);
        Self {
            mtus,
            budgets: vec![ErrorBudget::default(); plan.nodes.len()],
            to_attachments: plan.attachments.iter().map(to_attachment).collect(),
            too_big: 0,
        }
    }

    /// The MTU of a port's link, if that is limited for some packets.
    #[inline]
    pub(crate) fn mtu(&self, port: PortId) -> Option<u16> {
        self.mtus.get(port.index()).copied().flatten()
    }
}
