//! Ports and the packets in them, and the way of IP packets from port to port.

use windtunnel_engine::{EventQueue, Store, Streams, Time, prefetch};
use windtunnel_packets::{Packet, Route};

use crate::bridges::{Bridge, Part};
use crate::capture::{View, Watches};
use crate::event::{Event, Kind};
use crate::plan::Plan;
use crate::port::{Due, LinkChange, Port};
use crate::routing::Ways;

/// The two sides of a flow, by what they do with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Side {
    /// Where the data comes from.
    Sender,
    /// Where it goes.
    Receiver,
}

/// What comes next on the way of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// It goes through this port.
    Port(u32),
    /// It has arrived, at this side of its flow.
    Here(Side),
    /// It comes by an edge of this bridge.
    Edge(u32, Part),
}

impl Hop {
    /// Whether a way ends there.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Self::Here(_) | Self::Edge(_, Part::Acknowledged))
    }
}

/// The ports with their packets, and the events that they make.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) events: EventQueue<Event>,
    pub(crate) packets: Store<Packet>,
    pub(crate) ports: Vec<Port>,
    /// The ways of all IP packets, one behind another: each packet holds the place
    /// of its next hop.
    pub(crate) hops: Vec<Hop>,
    pub(crate) bridges: Vec<Bridge>,
    /// Packets that have arrived, each at an end of its flow, when the edge before it
    /// let them pass.
    pub(crate) arrived: Vec<(Side, Packet)>,
    /// Who watches packets, if anybody does.
    pub(crate) watches: Option<Box<Watches>>,
}

impl Network {
    /// The ports of a plan, for each link its two directions; and its bridges.
    pub(crate) fn new(plan: &Plan, streams: &Streams, ways: Ways) -> Self {
        let mut ports = Vec::with_capacity(2 * plan.links.len());
        for link in &plan.links {
            for (side, direction) in link.directions.iter().enumerate() {
                let from = &plan.nodes[link.nodes[side]].name;
                let random = streams.stream(&format!("link {} from {from}", link.name));
                let queue = streams.stream(&format!("queue {} from {from}", link.name));
                ports.push(Port::new(direction, random, queue));
            }
        }
        Self {
            events: EventQueue::default(),
            packets: Store::default(),
            ports,
            bridges: Bridge::all(plan, streams, &ways),
            hops: ways.hops,
            arrived: Vec::new(),
            watches: None,
        }
    }

    /// Has something happen at `time`.
    #[inline]
    pub(crate) fn schedule(&mut self, time: Time, event: Event) {
        self.events.schedule(time, event);
    }

    /// Gives a packet to a port.
    #[inline]
    pub(crate) fn offer(&mut self, now: Time, port: u32, packet: Packet) {
        let due = self.ports[port as usize].offer(now, packet, &mut self.packets);
        self.arrange(port, due);
    }

    /// A port's link is free.
    pub(crate) fn serve(&mut self, now: Time, port: u32) {
        let due = self.ports[port as usize].serve(now, &mut self.packets);
        self.arrange(port, due);
    }

    /// A port's link changes.
    pub(crate) fn change(&mut self, now: Time, port: u32, change: LinkChange) {
        let due = self.ports[port as usize].change(now, change);
        self.arrange(port, due);
    }

    /// The packet first on a port's link arrives; none if the link lost it, or it
    /// is late.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, port: u32) -> Option<Packet> {
        if let Some(watches) = &mut self.watches {
            let view = View { ports: &self.ports, packets: &self.packets, hops: &self.hops };
            watches.before_arrival(now, port, &view);
        }
        let arrived = self.ports[port as usize].arrive(now, &mut self.packets);
        if let (Some(watches), Some(packet)) = (&mut self.watches, &arrived.packet) {
            watches.arrived(now, port, packet, &self.hops);
        }
        for time in [arrived.next, arrived.late].into_iter().flatten() {
            self.schedule(time, Event::new(Kind::Arrival, port));
        }
        arrived.packet
    }

    /// Tells the watches what has left until the end.
    pub(crate) fn end_watches(&mut self, now: Time) {
        if let Some(watches) = &mut self.watches {
            let view = View { ports: &self.ports, packets: &self.packets, hops: &self.hops };
            watches.end(now, &view);
        }
    }

    /// Sends an IP packet on its way.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, route: Route, packet: Packet) {
        let sent = self.forward(now, Packet { route, ..packet });
        debug_assert!(sent.is_none(), "a way leads through a port");
    }

    /// Takes an IP packet one hop further; returns it where it has arrived.
    #[inline]
    pub(crate) fn forward(&mut self, now: Time, mut packet: Packet) -> Option<(Side, Packet)> {
        match self.hops[packet.route.0 as usize] {
            Hop::Port(port) => {
                packet.route.0 += 1;
                self.offer(now, port, packet);
                None
            }
            Hop::Here(side) => Some((side, packet)),
            Hop::Edge(bridge, part) => {
                packet.route.0 += 1;
                self.meet(now, bridge, part, packet)
            }
        }
    }

    /// Brings near the packet that arrives next through a port.
    #[inline]
    pub(crate) fn prefetch_packet(&self, port: u32) {
        self.ports[port as usize].prefetch(&self.packets);
    }

    /// The packet that arrives next through a port, and what its next hop is if it
    /// is an IP packet.
    #[inline]
    pub(crate) fn next_through(&self, port: u32) -> Option<(&Packet, Option<Hop>)> {
        let packet = self.ports[port as usize].first(&self.packets)?;
        Some((packet, self.hops.get(packet.route.0 as usize).copied()))
    }

    /// Brings near a port.
    #[inline]
    pub(crate) fn prefetch_port(&self, port: u32) {
        prefetch(&self.ports[port as usize]);
    }

    fn arrange(&mut self, port: u32, due: Due) {
        if let Some(time) = due.arrival {
            self.schedule(time, Event::new(Kind::Arrival, port));
        }
        if let Some(time) = due.service {
            self.schedule(time, Event::new(Kind::Service, port));
        }
    }
}
