//! Routers joined by links of one delay, without anything else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_networks::layer::{
    Actions, Destination, Interface, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_networks::region::{
    Advertisement, Agreement, CodeLookup, Neighbour, Region, RegionNode, RegionRouter,
    RegionRouting, RegionSettings, Relation, Transit,
};
use windtunnel_packets::region::{
    AddressKind, Code, Content, Encoding, RegionControl, RegionPacket, SessionMessage,
};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

/// How long a packet takes over a link.
pub(crate) const DELAY: Duration = Duration::from_millis(1);

/// Settings with this many nodes per region, numbered from 1 on, and links between nodes.
pub(crate) fn settings(regions: &[usize], links: &[[usize; 2]]) -> RegionSettings {
    let numbers = (1..).zip(regions).flat_map(|(number, count)| vec![number; *count]);
    let place = |number: u8| RegionNode {
        code: Code::of_region(number),
        is_hidden: false,
        neighbours: Vec::new(),
    };
    let mut places: Vec<RegionNode> = numbers.map(place).collect();
    for &[first, second] in links {
        for [from, to] in [[first, second], [second, first]] {
            let neighbour =
                Neighbour { node: to as u32, metric: 1, mtu: u16::MAX, speaks_from: Time::ZERO };
            places[from].neighbours.push(neighbour);
        }
    }
    let region = |number: usize| Region {
        number: number as u8,
        name: String::new(),
        prefixes: None,
        transit: Transit::default(),
        addresses: AddressKind::Ipv4,
        accepts_typed: false,
    };
    let mut agreements: Vec<Agreement> = Vec::new();
    for link in links {
        let regions = link.map(|it| places[it].code.region());
        if regions[0] != regions[1] && !agreements.iter().any(|it| it.regions == regions) {
            let relation = Relation::Transit;
            agreements.push(Agreement { regions, relation, from: Time::ZERO, until: Time::NEVER });
        }
    }
    RegionSettings {
        encoding: Encoding::Compact,
        routing: RegionRouting::PathVector,
        advertisement: Advertisement {
            interval: Duration::ZERO,
            is_jittered: false,
            withdrawals_wait: true,
        },
        lookup: CodeLookup::TwoLevel,
        regions: (1..=regions.len()).map(region).collect(),
        nodes: places,
        agreements,
    }
}

/// A datagram in a packet.
pub(crate) fn datagram(sequence: u64, dscp: Dscp) -> Packet {
    let datagram =
        Datagram { flow: 0, length: 100, sequence, sent: Time::ZERO, dscp, path: 0, content: None };
    let body = Body::Datagram(datagram);
    Packet { body, ecn: Ecn::NotCapable, network_size: 128, hops: 0, route: Route::NONE }
}

/// Every pair of this many nodes.
pub(crate) fn clique(nodes: usize) -> Vec<[usize; 2]> {
    let pairs = |first: usize| (first + 1..nodes).map(move |second| [first, second]);
    (0..nodes).flat_map(pairs).collect()
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Arrival(usize, u16),
    Wake(usize, u32),
}

/// A message that was sent: when, by which router, and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) time: Time,
    pub(crate) router: usize,
    pub(crate) message: SessionMessage,
}

/// The routers at work.
pub(crate) struct Network {
    settings: Arc<RegionSettings>,
    pub(crate) routers: Vec<RegionRouter>,
    packets: PacketStore,
    events: BinaryHeap<Reverse<(Time, u64, What)>>,
    on_links: Vec<Option<Packet>>,
    order: u64,
    /// All messages but acknowledgements.
    pub(crate) sent: Vec<Sent>,
    /// The classes of what hosts sent, once for each link that it passed.
    pub(crate) classes: Vec<Dscp>,
    /// What was delivered to hosts, with the node.
    pub(crate) delivered: Vec<(usize, Packet)>,
    /// The links that are down.
    down: Vec<[usize; 2]>,
}

impl Network {
    /// Has all routers start.
    pub(crate) fn new(settings: RegionSettings) -> Self {
        let settings = Arc::new(settings);
        let streams = Streams::new(1, 0);
        let router = |node: usize| {
            let interfaces = settings.nodes[node].neighbours.len() as u16;
            let random = streams.stream(&node.to_string());
            RegionRouter::new(Arc::clone(&settings), NodeSetting { node, interfaces, random })
        };
        let mut network = Self {
            routers: (0..settings.nodes.len()).map(router).collect(),
            settings,
            packets: PacketStore::default(),
            events: BinaryHeap::new(),
            on_links: Vec::new(),
            order: 0,
            sent: Vec::new(),
            classes: Vec::new(),
            delivered: Vec::new(),
            down: Vec::new(),
        };
        for node in 0..network.routers.len() {
            network.act(Time::ZERO, node, |it, packets, actions| it.start(packets, actions));
        }
        network
    }

    /// Lets something happen at a router, and all that it wants done.
    pub(crate) fn act(
        &mut self,
        now: Time,
        node: usize,
        act: impl FnOnce(&mut RegionRouter, &mut PacketStore, &mut Actions),
    ) {
        let mut actions = Actions::default();
        act(&mut self.routers[node], &mut self.packets, &mut actions);
        for (time, Timer(timer)) in actions.timers {
            self.schedule(time.max(now), What::Wake(node, timer));
        }
        self.delivered.extend(actions.delivered.into_iter().map(|it| (node, it)));
        for (Interface(interface), packet) in actions.sends {
            let to = self.settings.nodes[node].neighbours[usize::from(interface)].node as usize;
            self.note(now, node, &packet);
            if self.down.contains(&[node.min(to), node.max(to)]) {
                self.packets.discard(&packet);
                continue;
            }
            let neighbours = &self.settings.nodes[to].neighbours;
            let back = neighbours.iter().position(|it| it.node as usize == node);
            let back = back.expect("links lead both ways") as u16;
            self.on_links.push(Some(packet));
            let place = self.on_links.len() - 1;
            self.schedule_arrival(now + DELAY, to, back, place);
        }
    }

    fn note(&mut self, time: Time, router: usize, packet: &Packet) {
        let message = match &packet.body {
            Body::Region(RegionPacket { content: Content::Message(it), .. }) => Some(*it),
            _ => None,
        };
        let Some(bytes) = message else { return self.classes.push(packet.dscp()) };
        let bytes = self.packets.message(bytes);
        assert_eq!(usize::from(packet.network_size), 16 + bytes.len(), "the size is that sent");
        let Ok(RegionControl::Session { message, .. }) = RegionControl::decode(bytes) else {
            panic!("routers send what can be decoded")
        };
        if message != SessionMessage::Acknowledgement {
            self.sent.push(Sent { time, router, message });
        }
    }

    fn schedule(&mut self, time: Time, what: What) {
        self.order += 1;
        self.events.push(Reverse((time, self.order << 32, what)));
    }

    fn schedule_arrival(&mut self, time: Time, node: usize, interface: u16, place: usize) {
        self.order += 1;
        let what = What::Arrival(node, interface);
        self.events.push(Reverse((time, self.order << 32 | place as u64, what)));
    }

    /// Lets time pass.
    pub(crate) fn run(&mut self, end: Time) {
        while let Some(Reverse((time, order, what))) = self.events.pop() {
            if time > end {
                self.events.push(Reverse((time, order, what)));
                return;
            }
            match what {
                What::Wake(node, timer) => {
                    self.act(time, node, |it, packets, actions| {
                        it.wake(time, Timer(timer), packets, actions);
                    });
                }
                What::Arrival(node, interface) => {
                    let place = (order & u64::from(u32::MAX)) as usize;
                    let packet = self.on_links[place].take().expect("it arrives once");
                    self.act(time, node, |it, packets, actions| {
                        it.receive(time, Interface(interface), &packet, packets, actions);
                    });
                }
            }
        }
    }

    /// Has a host of a node send a packet to another node.
    pub(crate) fn carry(&mut self, now: Time, [from, to]: [usize; 2], packet: Packet) {
        let to = Destination { node: to as u32, interfaces: None, plain: None };
        self.act(now, from, |it, packets, actions| it.carry(now, packet, to, packets, actions));
    }

    /// Whether no packet and no message is left anywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Cuts a link, or joins it again.
    pub(crate) fn set_link(&mut self, now: Time, [first, second]: [usize; 2], is_up: bool) {
        let link = [first.min(second), first.max(second)];
        self.down.retain(|it| *it != link);
        if !is_up {
            self.down.push(link);
        }
        for [node, to] in [[first, second], [second, first]] {
            let neighbours = &self.settings.nodes[node].neighbours;
            let interface = neighbours.iter().position(|it| it.node as usize == to);
            let interface = Interface(interface.expect("they are neighbours") as u16);
            self.act(now, node, |it, packets, actions| {
                it.link_changed(now, interface, is_up, packets, actions);
            });
        }
    }
}

/// This many milliseconds after the start.
pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
