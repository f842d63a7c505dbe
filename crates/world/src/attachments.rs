//! Attachments: nodes where packets of real hosts enter the world and leave it.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::real::RealHeader;
use windtunnel_packets::{Packet, Route};

use crate::forwarding::Forwarding;
use crate::host_paths::{self, variants};
use crate::plan::Plan;

/// The paths between attachments, and the packets that have arrived at one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    pub(crate) nodes: Vec<u32>,
    /// How many paths each two of them share their packets among.
    variants: usize,
    /// The paths from the first to each, from the second to each, and so on, variant by
    /// variant; none where there is no path.
    routes: Vec<Option<Route>>,
    /// By attachment, the path of packets that have no destination.
    to_nowhere: Vec<Option<Route>>,
    pub(crate) arrived: Vec<(Time, Packet)>,
}

/// A packet that leaves the world.
#[derive(Debug)]
pub struct Departure<'a> {
    /// When it arrived at the node.
    pub time: Time,
    /// How long that took from where it entered.
    pub delay: Duration,
    /// The attachment where it entered.
    pub from: usize,
    /// The one where it leaves.
    pub to: usize,
    /// Its bytes: those that entered, with the ECN field that it has now.
    pub bytes: &'a [u8],
    /// Whether it was marked in the world.
    pub is_marked: bool,
}

/// What becomes of a packet that is to enter the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It is on its way.
    Entered,
    /// No path leads to where it is to leave.
    Unreachable,
}

impl Attachments {
    pub(crate) fn new(plan: &Plan, forwarding: &mut Forwarding) -> Self {
        Self {
            nodes: plan.attachments.iter().map(|it| *it as u32).collect(),
            variants: variants(plan.routing.sharing),
            routes: host_paths::between_attachments(plan).map(|it| forwarding.route(it?)).collect(),
            to_nowhere: plan.attachments.iter().map(|it| forwarding.lay_to_nowhere(*it)).collect(),
            arrived: Vec::new(),
        }
    }

    /// The path of a packet with no attachment as its destination.
    pub(crate) fn to_nowhere(&self, from: usize) -> Option<Route> {
        self.to_nowhere[from]
    }

    /// The path of a packet.
    pub(crate) fn route(&self, from: usize, to: usize, header: &RealHeader) -> Option<Route> {
        let variant = (header.flow.0 % self.variants as u64) as usize;
        self.routes[(from * self.nodes.len() + to) * self.variants + variant]
    }

    /// A packet has arrived at the host of an attachment.
    pub(crate) fn receive(&mut self, now: Time, packet: Packet) {
        self.arrived.push((now, packet));
    }
}
