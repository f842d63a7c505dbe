//! Attachments: nodes where packets of real hosts enter the world and leave it.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::real::{RealHeader, RealPacket, set_ecn};
use windtunnel_packets::{Body, Packet, RealPackets, Route};

use crate::forwarding::Forwarding;
use crate::network::Network;
use crate::path::{self, PathKey};
use crate::plan::{Plan, Sharing};
use crate::world::World;

/// The paths between attachments, and the packets that have arrived at one.
#[derive(Debug, Default)]
pub(crate) struct Attachments {
    nodes: Vec<u32>,
    /// How many paths each two of them share their packets among.
    variants: usize,
    /// The paths from the first to each, from the second to each, and so on, variant by
    /// variant; none where there is no path.
    routes: Vec<Option<Route>>,
    arrived: Vec<(Time, Packet)>,
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

/// How many paths the packets between two attachments are shared among.
fn variants(sharing: Sharing) -> usize {
    if sharing == Sharing::Flows { path::VARIANTS as usize } else { 1 }
}

/// The paths between the attachments of a plan: from the first to each, and so on; none from one
/// to itself.
pub(crate) fn keys(plan: &Plan) -> impl Iterator<Item = Option<PathKey>> {
    let all = plan.attachments.iter().enumerate();
    let pairs = all.clone().flat_map(move |from| all.clone().map(move |to| (from, to)));
    pairs.flat_map(|((from, near), (to, far))| {
        (0..variants(plan.routing.sharing)).map(move |variant| {
            let [first, last] = if from < to { [*near, *far] } else { [*far, *near] };
            let [forth, back] = path::keys([first, last], variant as u32);
            (from != to).then_some(if from < to { forth } else { back })
        })
    })
}

impl Attachments {
    pub(crate) fn new(plan: &Plan, forwarding: &Forwarding) -> Self {
        Self {
            nodes: plan.attachments.iter().map(|it| *it as u32).collect(),
            variants: variants(plan.routing.sharing),
            routes: keys(plan).map(|it| forwarding.route(it?)).collect(),
            arrived: Vec::new(),
        }
    }

    /// The path of a packet.
    fn route(&self, from: usize, to: usize, header: &RealHeader) -> Option<Route> {
        let variant = (header.flow.0 % self.variants as u64) as usize;
        self.routes[(from * self.nodes.len() + to) * self.variants + variant]
    }

    /// A packet has arrived at the host of an attachment.
    pub(crate) fn receive(&mut self, now: Time, packet: Packet) {
        self.arrived.push((now, packet));
    }
}

impl Network {
    /// Sends a packet of a real host from one attachment to another.
    fn enter(&mut self, now: Time, ends: [usize; 2], header: &RealHeader, bytes: &[u8]) -> Entry {
        let [from, to] = ends;
        let Some(route) = self.attachments.route(from, to, header) else {
            return Entry::Unreachable;
        };
        let node = self.attachments.nodes[from];
        let [from, to] = ends.map(|it| it as u16);
        let bytes = self.packets.insert_real([from, to], bytes);
        let RealHeader { dscp, ecn, flow, length: network_size, .. } = *header;
        let body = Body::Real(RealPacket { from, to, dscp, ecn, entered: now, flow, bytes });
        let packet = Packet { body, ecn, network_size, hops: 0, route: Route::default() };
        self.send(now, node, route, packet);
        Entry::Entered
    }
}

impl World {
    /// A packet of a real host enters at the attachment `ends[0]` and is to leave at `ends[1]`,
    /// both by their places in [`Plan::attachments`]. Time moves on to `now` first. Only for a
    /// world on one thread.
    pub fn enter(
        &mut self,
        now: Time,
        ends: [usize; 2],
        header: &RealHeader,
        bytes: &[u8],
    ) -> Entry {
        self.advance(now);
        let part = self.only_part();
        let entry = part.network.enter(now, ends, header, bytes);
        part.hand_over(now);
        entry
    }

    /// The packets of real hosts that entered at the attachment `ends[0]` and are to leave at
    /// `ends[1]`. Only for a world on one thread.
    pub fn real_packets(&mut self, ends: [usize; 2]) -> RealPackets {
        self.only_part().network.packets.real_packets(ends.map(|it| it as u16))
    }

    /// Calls `leave` with each packet that has left since the last call, in the order in which
    /// they did.
    pub fn departures(&mut self, mut leave: impl FnMut(Departure<'_>)) {
        let Network { attachments, packets, .. } = &mut self.only_part().network;
        for (time, packet) in attachments.arrived.drain(..) {
            let Body::Real(real) = packet.body else { continue };
            let bytes = packets.message_mut(real.bytes);
            let is_marked = real.ecn != packet.ecn;
            if is_marked {
                set_ecn(bytes, packet.ecn);
            }
            let delay = time.since(real.entered);
            let [from, to] = [real.from, real.to].map(usize::from);
            leave(Departure { time, delay, from, to, bytes, is_marked });
            packets.discard(&packet);
        }
    }
}
