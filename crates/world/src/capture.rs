//! What the interfaces of a node see, told to whoever watches it: packets as
//! they begin to leave, and as they arrive. The world's events are the same
//! whether anybody watches or not.

use std::fmt;

use windtunnel_engine::{Store, Time};
use windtunnel_packets::{Body, Packet, Route};

use crate::network::{Hop, Side};
use crate::plan::Plan;
use crate::port::Port;

/// Between which nodes an IP packet travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The node that sent it.
    pub source: usize,
    /// The node that shall receive it.
    pub destination: usize,
    /// Whether it goes from the sender of its flow's data to their receiver;
    /// otherwise it goes back.
    pub forth: bool,
}

/// A packet as an interface saw it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// When it began to leave, or when its last bit arrived.
    pub time: Time,
    /// Which of the node's interfaces, in the order of [`Plan::interfaces`].
    pub interface: usize,
    /// Whether it left; otherwise it arrived.
    pub sent: bool,
    /// Its way, if it is an IP packet.
    pub way: Option<Way>,
    /// The way of the packet that it speaks of, if it is an edge's acknowledgement.
    pub quoted: Option<Way>,
    /// The packet.
    pub packet: &'a Packet,
}

/// Who is told what a node's interfaces see, in the order of time.
pub type Watcher = Box<dyn FnMut(&Seen<'_>) + Send>;

/// The nodes that are watched.
#[derive(Debug)]
pub(crate) struct Watches {
    nodes: Vec<Watch>,
    /// For each port, the interface before it and the one behind, if watched.
    ports: Vec<[Option<Place>; 2]>,
    /// For each port, the node before it and the one behind.
    ends: Vec<[usize; 2]>,
}

/// What the watches look at.
pub(crate) struct View<'a> {
    pub(crate) ports: &'a [Port],
    pub(crate) packets: &'a Store<Packet>,
    pub(crate) hops: &'a [Hop],
}

/// Where an interface stands: in which watch, and at which place there.
#[derive(Clone, Copy, Debug)]
struct Place {
    watch: usize,
    interface: usize,
}

/// A node that is watched.
struct Watch {
    /// Those that its interfaces send through.
    ports: Vec<WatchedPort>,
    /// What was found and not told yet.
    found: Vec<(Time, usize, Packet)>,
    watcher: Watcher,
}

#[derive(Debug)]
struct WatchedPort {
    port: usize,
    /// How many of the packets that it has sent were told.
    told: u64,
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").field("ports", &self.ports).finish_non_exhaustive()
    }
}

impl Watches {
    pub(crate) fn new(plan: &Plan, watchers: Vec<(usize, Watcher)>) -> Self {
        let mut ports = vec![[None; 2]; 2 * plan.links.len()];
        let ends =
            plan.links.iter().flat_map(|it| [it.nodes, [it.nodes[1], it.nodes[0]]]).collect();
        let watch = |(watch, (node, watcher)): (usize, (usize, Watcher))| {
            let mut watched = Vec::new();
            for (interface, (link, side)) in plan.interfaces(node).enumerate() {
                let (sends, receives) = (2 * link + side, 2 * link + 1 - side);
                ports[sends][0] = Some(Place { watch, interface });
                ports[receives][1] = Some(Place { watch, interface });
                watched.push(WatchedPort { port: sends, told: 0 });
            }
            Watch { ports: watched, found: Vec::new(), watcher }
        };
        let nodes = watchers.into_iter().enumerate().map(watch).collect();
        Self { nodes, ports, ends }
    }

    /// Tells what has left until now where the packet that arrives through
    /// `port` comes from and where it goes.
    pub(crate) fn before_arrival(&mut self, now: Time, port: u32, view: &View<'_>) {
        for place in self.ports[port as usize].into_iter().flatten() {
            self.nodes[place.watch].tell_sent(now, view, &self.ends);
        }
    }

    /// Tells that a packet has arrived through `port`.
    pub(crate) fn arrived(&mut self, now: Time, port: u32, packet: &Packet, hops: &[Hop]) {
        if let Some(Place { watch, interface }) = self.ports[port as usize][1] {
            let [way, quoted] = ways(packet, hops, &self.ends);
            let seen = Seen { time: now, interface, sent: false, way, quoted, packet };
            (self.nodes[watch].watcher)(&seen);
        }
    }

    /// Tells what has left until the end.
    pub(crate) fn end(&mut self, now: Time, view: &View<'_>) {
        for watch in &mut self.nodes {
            watch.tell_sent(now, view, &self.ends);
        }
    }
}

impl Watch {
    /// Tells what has left through any interface: what arrives later is told
    /// later, so all that is told is in the order of time.
    fn tell_sent(&mut self, now: Time, view: &View<'_>, ends: &[[usize; 2]]) {
        for (interface, watched) in self.ports.iter_mut().enumerate() {
            for (time, packet) in view.ports[watched.port].started(watched.told, now) {
                self.found.push((time, interface, view.packets[packet]));
                watched.told += 1;
            }
        }
        self.found.sort_by_key(|(time, ..)| *time);
        for (time, interface, packet) in self.found.drain(..) {
            let [way, quoted] = ways(&packet, view.hops, ends);
            (self.watcher)(&Seen { time, interface, sent: true, way, quoted, packet: &packet });
        }
    }
}

/// The way of an IP packet, and of the one that it speaks of.
fn ways(packet: &Packet, hops: &[Hop], ends: &[[usize; 2]]) -> [Option<Way>; 2] {
    let way = |route| way(route, hops, ends);
    match packet.body {
        Body::Interest(_) | Body::Data(_) | Body::Nack(_) => [None, None],
        Body::Segment(_) | Body::Datagram(_) => [way(packet.route), None],
        Body::EdgeAcknowledgement { route, .. } => [way(packet.route), way(route)],
    }
}

/// The way that an IP packet is on: the hops from one way's end to the next one's.
fn way(route: Route, hops: &[Hop], ends: &[[usize; 2]]) -> Option<Way> {
    let (past, coming) = hops.split_at(route.0 as usize);
    let port = |hop: &Hop| match hop {
        Hop::Port(port) => Some(ends[*port as usize]),
        Hop::Here(_) | Hop::Edge(..) => None,
    };
    // It has passed a port, so the way's first hop lies behind it.
    let past = || past.iter().rev().take_while(|it| !it.is_last());
    let first = past().filter_map(port).last()?;
    let last = coming.iter().take_while(|it| !it.is_last()).filter_map(port).last();
    let last = last.or_else(|| past().find_map(port))?;
    let end = coming.iter().find(|it| it.is_last());
    let forth = end == Some(&Hop::Here(Side::Receiver));
    Some(Way { source: first[0], destination: last[1], forth })
}
