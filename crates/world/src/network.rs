//! Ports and the packets in them, and the path of IP packets from port to port.

use windtunnel_engine::{Handle, Rate, Streams, Time, prefetch};
use windtunnel_links::Reception;
use windtunnel_networks::function::{LinkState, Tap};
use windtunnel_networks::layer::{Destination, Notice};
use windtunnel_networks::tunnel::ENTER;
use windtunnel_packets::icmp::IcmpError;
use windtunnel_packets::real::RealPacket;
use windtunnel_packets::{Body, Packet, PacketStore, Route};

use crate::agenda::Agenda;
use crate::attachments::Attachments;
use crate::capture::{View, Watches};
use crate::contraction::Contraction;
use crate::event::{Event, Kind};
use crate::forwarding::Forwarding;
use crate::leaving::Leaving;
use crate::media::Media;
use crate::packet_log::{self, SharedLog};
use crate::partition::{FEW_PORTS, Partition};
use crate::path::Hop;
use crate::plan::{ChangePlan, LinkChange, Plan};
use crate::port::{Due, Port};
use crate::port_id::PortId;
use crate::routers::Routers;
use crate::side::Side;

const LOOKAHEAD: usize = 8;
/// So many nodes forward a packet by their tables: the default of IP (RFC 1700). Along a path
/// that was computed as a whole it cannot come back to where it was.
const HOP_LIMIT: u8 = 64;

/// Where an IP packet is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// On this node.
    Node(u32),
    /// On the node that this port leads to.
    FarEnd(PortId),
}

/// What is to happen to a packet that no port took.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrived {
    /// It has arrived at a host of this side of its flow.
    Host(Side, Packet),
    /// A function of the node sees it.
    Function(u32, Tap, Packet),
    /// The connection of a link's face brought it, or another network layer, as if by this port.
    ByFace(PortId, Packet),
    /// Another network layer of this node carries it.
    Carried(u32, Destination, Packet),
    /// It is a message about names.
    Dns(Packet),
    /// The host of this side of its flow sent it, and is told what it met.
    Notice(Side, Packet, Notice),
}

/// A port whose link sends at another rate; none: it stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateChange {
    pub(crate) port: PortId,
    pub(crate) from: Option<Rate>,
    pub(crate) to: Option<Rate>,
}

/// The ports with their packets, and the events that they make.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) events: Agenda,
    pub(crate) packets: PacketStore,
    pub(crate) ports: Vec<Port>,
    pub(crate) forwarding: Forwarding,
    /// Which of the ports pass on their packets.
    pub(crate) contraction: Contraction,
    media: Media,
    /// The ports that lead to other parts.
    pub(crate) leaving: Leaving,
    /// By port, the island where its packets arrive, if there are several.
    far_islands: Vec<u32>,
    /// Whether what the next events will touch is worth fetching.
    looks_ahead: bool,
    /// Packets that did not leave their node, in that order.
    pub(crate) arrived: Vec<Arrived>,
    /// Where packets of real hosts enter and leave.
    pub(crate) attachments: Attachments,
    /// What nodes do with those packets as routers.
    pub(crate) routers: Routers,
    /// Links whose rate has changed, of which their hosts do not know yet.
    pub(crate) rate_changes: Vec<RateChange>,
    /// Arrivals that were called for and did not happen, because the link changed.
    pub(crate) withdrawn: u64,
    /// IP packets that were dropped because no path leads on from where they were.
    pub(crate) unroutable: u64,
    /// IP packets that were dropped because they had passed too many nodes.
    pub(crate) hop_limit_drops: u64,
    /// Who watches packets, if anybody does.
    pub(crate) watches: Option<Box<Watches>>,
    /// Who logs what happens to packets, if anybody does.
    pub(crate) log: Option<SharedLog>,
}

impl Network {
    /// The ports of a plan, for each link its two directions.
    pub(crate) fn new(
        plan: &Plan,
        streams: &Streams,
        mut forwarding: Forwarding,
        partition: &Partition,
        part: usize,
    ) -> Self {
        let mut ports = Vec::with_capacity(2 * plan.links.len());
        let (places, changes_loss) = (places(plan), ports_that_change_loss(plan));
        for link in &plan.links {
            for (side, direction) in link.directions.iter().enumerate() {
                let can_lose = changes_loss[ports.len()]
                    || link.channel.as_ref().is_some_and(|it| it.can_lose());
                let from = &plan.nodes[link.nodes[side]].name;
                let random = streams.stream(&format!("link {} from {from}", link.name));
                let queue = streams.stream(&format!("queue {} from {from}", link.name));
                let place = places[link.nodes[1 - side]];
                ports.push(Port::new(
                    direction,
                    link.medium.is_some(),
                    can_lose,
                    place,
                    random,
                    queue,
                ));
            }
        }
        let topology = forwarding.topology();
        let leaving = Leaving::new(topology, partition, part, ports.len());
        let looks_ahead = most_ports(plan, partition, part) > FEW_PORTS;
        let contraction = Contraction::new(plan, &forwarding, partition, part, &ports);
        Self {
            contraction,
            leaving,
            far_islands: Vec::new(),
            events: Agenda::looking_ahead(if looks_ahead { LOOKAHEAD } else { 1 }),
            looks_ahead,
            packets: PacketStore::of_several(part, partition.parts()),
            ports,
            attachments: Attachments::new(plan, &mut forwarding),
            routers: Routers::new(plan, &mut forwarding),
            forwarding,
            media: Media::new(plan),
            arrived: Vec::new(),
            rate_changes: Vec::new(),
            withdrawn: 0,
            unroutable: 0,
            hop_limit_drops: 0,
            watches: None,
            log: None,
        }
    }

    /// Has something happen at `time`.
    #[inline]
    pub(crate) fn schedule(&mut self, time: Time, event: Event) {
        self.events.schedule(time, event);
    }

    /// From now on packets arrive on the islands of their nodes, among which all events have been
    /// shared out.
    pub(crate) fn arrive_on_islands(&mut self, partition: &Partition) {
        let topology = self.forwarding.topology();
        let far = |port: usize| partition.island(topology.far(PortId(port as u32))) as u32;
        self.far_islands = (0..self.ports.len()).map(far).collect();
    }

    /// Has everything happen as an event of its own, in the order of time, from where all islands
    /// have come to one.
    pub(crate) fn expand(&mut self) {
        self.events.share_out(1, |_| 0);
        self.far_islands.clear();
        self.contract_nothing();
    }

    /// Has the packet first on a port's link arrive at `time`.
    #[inline]
    pub(crate) fn schedule_arrival(&mut self, time: Time, port: PortId) {
        let arrival = Event::arrival(port, self.ports[port.index()].leads_to());
        match self.far_islands.get(port.index()) {
            None => self.events.schedule(time, arrival),
            Some(island) => self.events.schedule_on(*island as usize, time, arrival),
        }
    }

    /// Gives a new packet to a port.
    #[inline]
    pub(crate) fn emit(&mut self, now: Time, port: PortId, packet: Packet) {
        let packet = self.packets.insert(packet);
        self.offer(now, port, packet);
    }

    /// Gives a new packet to the end of a tunnel that is a face.
    pub(crate) fn enter_face(&mut self, function: u32, packet: Packet) {
        self.arrived.push(Arrived::Function(function, ENTER, packet));
    }

    /// Gives a packet to a port.
    #[inline]
    pub(crate) fn offer(&mut self, now: Time, port: PortId, packet: Handle) {
        self.give::<false>(now, port, packet);
    }

    /// A port's link is free, if it has not changed since.
    pub(crate) fn serve(&mut self, now: Time, port: PortId) {
        self.act(port, |it, store| it.serve(now, store));
    }

    /// A shared medium is free: the port whose turn it is sends a packet, and if that has
    /// none any more, the next one.
    pub(crate) fn serve_medium(&mut self, now: Time, medium: u32) {
        if !self.media.answer(medium, now) {
            return;
        }
        while let Some(port) = self.media.next(medium, now) {
            self.act(port, |it, store| it.take_turn(now, store));
        }
        self.call(medium);
    }

    /// A port's link changes.
    pub(crate) fn change(&mut self, now: Time, port: PortId, change: LinkChange) {
        let from = self.ports[port.index()].rate();
        self.act(port, |it, store| it.change(now, change, store));
        let to = self.ports[port.index()].rate();
        if from != to {
            self.rate_changes.push(RateChange { port, from, to });
        }
    }

    /// How what a port sends is received from now on.
    pub(crate) fn receive(&mut self, port: PortId, reception: Reception) {
        self.ports[port.index()].receive(reception);
    }

    /// What a port's link is doing.
    pub(crate) fn link_state(&self, now: Time, port: PortId) -> LinkState {
        let medium = self.media.of(port).map(|it| self.media.free_from(it));
        let port = &self.ports[port.index()];
        let free_from = medium.map_or(port.free_from(), |it| it.max(port.free_from()));
        LinkState { free_from, is_idle: free_from <= now && !port.waits() }
    }

    /// The packet first on a port's link arrives; none if the link lost it, or it
    /// is late.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, port: PortId) -> Option<Handle> {
        if let Some(watches) = &mut self.watches {
            let view =
                View { ports: &self.ports, packets: &self.packets, forwarding: &self.forwarding };
            watches.before_arrival(now, port, &view);
        }
        let Some(arrived) = self.ports[port.index()].arrive(now, &mut self.packets) else {
            self.withdrawn += 1;
            return None;
        };
        if self.log.is_some() {
            self.log_drops(Some(port));
        }
        if let (Some(watches), Some(packet)) = (&mut self.watches, arrived.packet) {
            let view =
                View { ports: &self.ports, packets: &self.packets, forwarding: &self.forwarding };
            watches.arrived(now, port, &self.packets[packet], &view);
        }
        if let Some(time) = arrived.next {
            self.schedule_arrival(time, port);
        }
        if let Some(time) = arrived.late {
            self.schedule_arrival(time, port);
        }
        arrived.packet
    }

    /// Reports to the watches what has left until the end.
    pub(crate) fn end_watches(&mut self, now: Time) {
        if let Some(watches) = &mut self.watches {
            let view =
                View { ports: &self.ports, packets: &self.packets, forwarding: &self.forwarding };
            watches.end(now, &view);
        }
    }

    /// Sends an IP packet from a node along a path.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, node: u32, route: Route, packet: Packet) {
        let packet = self.packets.insert(Packet { route, ..packet });
        self.forward(now, At::Node(node), packet);
    }

    /// Sends an IP packet of the node's own along a path; returns when it has left the queue
    /// of its first link. That queue takes it in, whatever its limit: a host does not drop its
    /// own packets.
    #[inline]
    pub(crate) fn send_own(&mut self, now: Time, node: u32, route: Route, packet: Packet) -> Time {
        let route = self.behind_jumps(route);
        let Hop::Port(port) = self.forwarding.hop(route) else {
            self.send(now, node, route, packet);
            return now;
        };
        let packet = self.packets.insert(Packet { route: Route(route.0 + 1), ..packet });
        self.give::<true>(now, port, packet);
        self.ports[port.index()].clear_at(now)
    }

    /// Where a path goes on that may begin with jumps.
    #[inline]
    fn behind_jumps(&self, mut route: Route) -> Route {
        while let Hop::Jump(other) = self.forwarding.hop(route) {
            route = other;
        }
        route
    }

    /// The port where a path begins, if it is one of the node's links.
    pub(crate) fn first_port(&self, route: Route) -> Option<PortId> {
        match self.forwarding.hop(self.behind_jumps(route)) {
            Hop::Port(port) => Some(port),
            _ => None,
        }
    }

    /// Takes an IP packet one hop further.
    #[inline]
    pub(crate) fn forward(&mut self, now: Time, at: At, packet: Handle) {
        let route = &mut self.packets[packet].route;
        match self.forwarding.hop(*route) {
            Hop::Jump(other) => {
                *route = other;
                self.forward(now, at, packet);
            }
            Hop::Table(table) => self.forward_by_table(now, at, table, packet),
            Hop::Carried(path) => {
                route.0 += 1;
                self.hand_to_layer(at, self.forwarding.destination(path), packet);
            }
            hop => {
                route.0 += 1;
                self.pass_on(now, at, Some(hop), packet);
            }
        }
    }

    /// Does with an IP packet what its next hop says; without one it is dropped.
    #[inline(always)]
    fn pass_on(&mut self, now: Time, at: At, hop: Option<Hop>, packet: Handle) {
        match hop {
            Some(Hop::Port(port)) => match self.routers.mtu(port) {
                None => self.offer(now, port, packet),
                Some(mtu) => self.offer_within(now, at, (port, mtu), packet),
            },
            Some(Hop::Here(side)) => {
                let packet = self.packets.take(packet);
                self.arrived.push(Arrived::Host(side, packet));
            }
            Some(Hop::Function(function, tap) | Hop::ToFunction(function, tap)) => {
                let packet = self.packets.take(packet);
                self.arrived.push(Arrived::Function(function, tap, packet));
            }
            Some(Hop::Jump(_) | Hop::Table(_) | Hop::Carried(_)) | None => {
                self.drop_unroutable(now, at, packet);
            }
        }
    }

    /// No path leads on from where an IP packet is.
    #[cold]
    fn drop_unroutable(&mut self, now: Time, at: At, packet: Handle) {
        // What was sent to an address of no attachment was counted when it entered.
        let is_lost = |it: &RealPacket| !it.is_between_attachments();
        let is_counted = matches!(&self.packets[packet].body, Body::Real(it) if is_lost(it));
        self.unroutable += u64::from(!is_counted);
        self.refuse(now, at, packet, IcmpError::NoRoute);
    }

    /// The host that sent an IP packet learns what it met.
    #[cold]
    pub(crate) fn notify(&mut self, packet: Packet, notice: Notice) {
        if let Some(Hop::Here(side)) = self.forwarding.peek(packet.route) {
            self.arrived.push(Arrived::Notice(side.other(), packet, notice));
        }
    }

    /// Another network layer of a node is to carry an NDN packet to a neighbour.
    pub(crate) fn carry(&mut self, node: u32, to: Destination, packet: Packet) {
        self.arrived.push(Arrived::Carried(node, to, packet));
    }

    /// Another network layer of a node is to carry an IP packet from it.
    fn hand_to_layer(&mut self, at: At, to: Destination, packet: Handle) {
        let At::Node(node) = at else { unreachable!("such a path begins with the layer") };
        let packet = self.packets.take(packet);
        self.arrived.push(Arrived::Carried(node, to, packet));
    }

    /// A node forwards an IP packet by its own table.
    #[cold]
    fn forward_by_table(&mut self, now: Time, at: At, table: u32, packet: Handle) {
        let node = match at {
            At::Node(node) => node as usize,
            At::FarEnd(port) => self.forwarding.topology().far(port),
        };
        let hops = &mut self.packets[packet].hops;
        *hops += 1;
        if *hops > HOP_LIMIT {
            self.hop_limit_drops += 1;
            return self.refuse(now, at, packet, IcmpError::TimeExceeded);
        }
        let hop = self.forwarding.look_up(now, table, node);
        self.pass_on(now, at, hop, packet);
    }

    /// Whether what the next events will touch is worth fetching.
    #[inline]
    pub(crate) fn looks_ahead(&self) -> bool {
        self.looks_ahead
    }

    /// Fetches the packet that arrives next through a port.
    #[inline]
    pub(crate) fn prefetch_packet(&self, port: PortId) {
        self.ports[port.index()].prefetch(&self.packets);
    }

    /// The packet that arrives next through a port, and what its next hop is if it
    /// is an IP packet.
    #[inline]
    pub(crate) fn next_through(&self, port: PortId) -> Option<(&Packet, Option<Hop>)> {
        let packet = self.ports[port.index()].first(&self.packets)?;
        Some((packet, self.forwarding.peek(packet.route)))
    }

    /// Fetches where a port keeps the packet that it is given next; the port is there.
    #[inline]
    pub(crate) fn prefetch_end_of(&self, port: PortId) {
        self.ports[port.index()].prefetch_end();
    }

    /// Fetches the port where a path begins, and those behind it if a packet may go through them
    /// at once.
    #[inline]
    pub(crate) fn prefetch_path(&self, mut route: Route) {
        while let Some(Hop::Port(port)) = self.forwarding.peek(route) {
            self.prefetch_port(port);
            if self.contraction.passing.is_empty() {
                return;
            }
            route.0 += 1;
        }
    }

    /// Fetches a port.
    #[inline]
    pub(crate) fn prefetch_port(&self, port: PortId) {
        prefetch(&self.ports[port.index()]);
    }

    /// Has a packet offered to a port, and to those behind it if it is passed on; the node's own
    /// is taken in whatever the queue's limit.
    #[inline]
    fn give<const OWN: bool>(&mut self, now: Time, port: PortId, packet: Handle) {
        if self.ports[port.index()].passes_on() {
            self.send_ahead::<OWN>(now, port, packet);
        } else {
            self.act(port, |it, store| it.offer::<OWN>(now, packet, store));
        }
    }

    /// Lets something happen to a port, and arranges for what comes of it.
    #[inline]
    pub(crate) fn act(
        &mut self,
        port: PortId,
        act: impl FnOnce(&mut Port, &mut PacketStore) -> Due,
    ) {
        let medium = self.media.of(port);
        let it = &mut self.ports[port.index()];
        let mut sent_until = Time::ZERO;
        if let Some(medium) = medium {
            it.occupy(self.media.free_from(medium));
            sent_until = it.sends_until().unwrap_or(Time::ZERO);
        }
        let due = act(it, &mut self.packets);
        if self.log.is_some() {
            self.log_drops(Some(port));
        }
        if let Some(time) = due.arrival
            && !self.leaving.note(port)
        {
            self.schedule_arrival(time, port);
        }
        match medium {
            Some(medium) => self.share(medium, port, sent_until, due),
            None => {
                if let Some(time) = due.service {
                    self.schedule(time, Event::new(Kind::Service, port.0));
                }
            }
        }
    }

    /// Logs the packets that were dropped since the last time: at this port, or at a node.
    #[cold]
    pub(crate) fn log_drops(&mut self, at: Option<PortId>) {
        let Some(log) = &self.log else { return };
        let losses = at.map(|it| (it, self.ports[it.index()].counters().losses));
        let (now, dropped) = (self.events.now(), self.packets.take_dropped());
        packet_log::lock(log).dropped(now, losses, &dropped, &self.forwarding);
    }

    /// Has a shared medium occupied by what a port has begun to send, after it was to send until
    /// `sent_until`, and the port take its turn if more waits there.
    #[inline(never)]
    fn share(&mut self, medium: u32, port: PortId, sent_until: Time, due: Due) {
        let it = &self.ports[port.index()];
        let sends_until = it.sends_until().unwrap_or(Time::ZERO);
        self.media.occupy(medium, sent_until, sends_until);
        let is_last = sends_until == self.media.free_from(medium);
        match due.service {
            Some(_) if is_last && it.continues() => self.media.keep(medium, port),
            Some(_) => self.media.wait(medium, port),
            None => {}
        }
        self.call(medium);
    }

    /// Has a shared medium served when it is free, if any port waits for that.
    fn call(&mut self, medium: u32) {
        if let Some(time) = self.media.call(medium) {
            self.schedule(time, Event::new(Kind::Medium, medium));
        }
    }
}

/// How many ports the largest island of a part has.
fn most_ports(plan: &Plan, partition: &Partition, part: usize) -> usize {
    let mut counts = vec![0; partition.islands(part)];
    let nodes = plan.links.iter().flat_map(|it| it.nodes);
    nodes.filter(|it| partition.part(*it) == part).for_each(|it| counts[partition.island(it)] += 1);
    counts.into_iter().max().unwrap_or(0)
}

/// For each port whether what it loses changes in the course of time.
pub(crate) fn ports_that_change_loss(plan: &Plan) -> Vec<bool> {
    let mut changes = vec![false; 2 * plan.links.len()];
    let is_of_loss = |it: &&ChangePlan| matches!(it.change, LinkChange::Loss(_));
    plan.changes.iter().filter(is_of_loss).for_each(|it| changes[it.port.index()] = true);
    changes
}

/// For each node the place where its packets arrive: at an instant, what happens at one place
/// is nothing to the others. Nodes with a shared medium are at one place, because the first
/// that sends there occupies it.
fn places(plan: &Plan) -> Vec<u32> {
    let mut places: Vec<u32> = (1..).take(plan.nodes.len()).collect();
    for link in plan.links.iter().filter(|it| it.medium.is_some()) {
        link.nodes.into_iter().for_each(|it| places[it] = 0);
    }
    places
}
