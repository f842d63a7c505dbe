//! Nodes of autonomous systems joined by links, without anything else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Streams, Time};
use windtunnel_networks::layer::{
    Actions, Destination, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_networks::scion::{
    Beaconing, Relation, ScionMaker, ScionNode, ScionSettings, SystemLinkPlan, SystemPlan,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{IsdAs, Path, PathReference, ScionPacket};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route};

/// How long a packet takes over a link.
pub(crate) const DELAY: Duration = Duration::from_millis(5);

/// The number of a system in an isolation domain.
pub(crate) fn isd_as(isd: u16, number: u64) -> IsdAs {
    IsdAs::new(isd, number).expect("it fits")
}

/// Systems of one node each, in isolation domain 1 if they are below `second` and else in 2.
pub(crate) fn systems(count: u32, core: &[u32], second: u32) -> Vec<SystemPlan> {
    let system = |node: u32| SystemPlan {
        name: String::new(),
        isd_as: isd_as(if node < second { 1 } else { 2 }, u64::from(node) + 100),
        is_core: core.contains(&node),
        nodes: vec![node],
    };
    (0..count).map(system).collect()
}

/// Links between nodes: what the second is to the first.
pub(crate) fn links(links: &[(u32, u32, Relation)]) -> Vec<SystemLinkPlan> {
    let link = |&(a, b, relation): &(u32, u32, Relation)| SystemLinkPlan {
        nodes: [a, b],
        relation: Some(relation),
        costs: [1; 2],
        latency: DELAY,
        bandwidth: Rate::from_bits_per_second(100_000_000).expect("it is not zero"),
        mtu: 1500,
    };
    links.iter().map(link).collect()
}

/// Isolation domain 1: core systems 2 and 3, below them 1 and 4, which are peers, and below
/// both 0. Isolation domain 2: core systems 5 and 6, below them 7 and 8, which are peers. The
/// core: 2–3, 5–6, 2–5, 3–6.
pub(crate) fn two_domains() -> ScionSettings {
    let all = systems(9, &[2, 3, 5, 6], 5);
    let links = links(&[
        (0, 1, Relation::Parent),
        (1, 2, Relation::Parent),
        (0, 4, Relation::Parent),
        (4, 3, Relation::Parent),
        (2, 3, Relation::Core),
        (2, 5, Relation::Core),
        (3, 6, Relation::Core),
        (5, 6, Relation::Core),
        (5, 7, Relation::Child),
        (6, 8, Relation::Child),
        (7, 8, Relation::Peer),
        (4, 1, Relation::Peer),
    ]);
    ScionSettings::new(&all, &links, Beaconing::default(), IpVersion::V4)
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Arrival(usize, u16, usize),
    Wake(usize, u32),
}

/// The nodes at work.
pub(crate) struct Network {
    settings: Arc<ScionSettings>,
    pub(crate) nodes: Vec<ScionNode>,
    pub(crate) packets: PacketStore,
    events: BinaryHeap<Reverse<(Time, u64, What)>>,
    on_links: Vec<Option<Packet>>,
    order: u64,
    /// What was delivered to hosts, with the time and the node.
    pub(crate) delivered: Vec<(Time, usize, Packet)>,
    /// Packets of hosts that were sent over links: when, and between which nodes.
    pub(crate) passed: Vec<(Time, [usize; 2])>,
    /// The classes of the same packets.
    pub(crate) classes: Vec<Dscp>,
    /// The classes of all others.
    pub(crate) own_classes: Vec<Dscp>,
    /// The links that are down; what is sent into them is lost.
    down: Vec<[usize; 2]>,
    /// Packets lost in them.
    pub(crate) lost: u64,
    /// Changes the path of the next packet of a host.
    pub(crate) tamper: Option<Tamper>,
}

/// A change of a path.
pub(crate) type Tamper = Box<dyn FnOnce(&mut Path)>;

impl Network {
    pub(crate) fn new(settings: ScionSettings) -> Self {
        let maker = ScionMaker::new(settings);
        let streams = Streams::new(1, 0);
        let settings = Arc::clone(maker.settings());
        let node = |node: usize| {
            let interfaces = settings.nodes[node].ports.len() as u16;
            let random = streams.stream(&node.to_string());
            let layer: Box<dyn std::any::Any> =
                maker.layer(NodeSetting { node, interfaces, random });
            *layer.downcast::<ScionNode>().expect("the maker makes these")
        };
        let mut network = Self {
            nodes: (0..settings.nodes.len()).map(node).collect(),
            settings,
            packets: PacketStore::default(),
            events: BinaryHeap::new(),
            on_links: Vec::new(),
            order: 0,
            delivered: Vec::new(),
            passed: Vec::new(),
            classes: Vec::new(),
            own_classes: Vec::new(),
            down: Vec::new(),
            lost: 0,
            tamper: None,
        };
        for node in 0..network.nodes.len() {
            network.act(Time::ZERO, node, |it, packets, actions| it.start(packets, actions));
        }
        network
    }

    /// Lets something happen at a node, and all that it wants done.
    pub(crate) fn act(
        &mut self,
        now: Time,
        node: usize,
        act: impl FnOnce(&mut ScionNode, &mut PacketStore, &mut Actions),
    ) {
        let mut actions = Actions::default();
        act(&mut self.nodes[node], &mut self.packets, &mut actions);
        for (time, Timer(timer)) in actions.timers {
            self.schedule(time.max(now), What::Wake(node, timer));
        }
        self.delivered.extend(actions.delivered.into_iter().map(|it| (now, node, it)));
        for (Interface(interface), packet) in actions.sends {
            let to = self.settings.nodes[node].ports[usize::from(interface)].node as usize;
            let packet = self.tampered(packet);
            if packet.body.inside().is_some() {
                self.passed.push((now, [node, to]));
                self.classes.push(packet.dscp());
            } else {
                self.own_classes.push(packet.dscp());
            }
            if self.down.contains(&[node.min(to), node.max(to)]) {
                self.lost += 1;
                self.packets.discard(&packet);
                continue;
            }
            let ports = &self.settings.nodes[to].ports;
            let back = ports.iter().position(|it| it.node as usize == node);
            let back = back.expect("links lead both ways") as u16;
            self.on_links.push(Some(packet));
            let place = self.on_links.len() - 1;
            self.schedule(now + DELAY, What::Arrival(to, back, place));
        }
    }

    fn tampered(&mut self, mut packet: Packet) -> Packet {
        if let Body::Scion(ScionPacket { path: PathReference::Standard(handle), .. }) =
            &mut packet.body
            && let Some(tamper) = self.tamper.take()
        {
            let mut path = Path::clone(self.packets.path(*handle));
            tamper(&mut path);
            *handle = self.packets.insert_path(Arc::new(path));
        }
        packet
    }

    fn schedule(&mut self, time: Time, what: What) {
        self.order += 1;
        self.events.push(Reverse((time, self.order, what)));
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
                What::Arrival(node, interface, place) => {
                    let packet = self.on_links[place].take().expect("it arrives once");
                    self.act(time, node, |it, packets, actions| {
                        it.receive(time, Interface(interface), &packet, packets, actions);
                    });
                }
            }
        }
    }

    /// Has a host of a node send a datagram of 1,000 bytes to another node.
    pub(crate) fn send(&mut self, now: Time, ends: [usize; 2]) {
        self.send_of_class(now, ends, Dscp::DEFAULT);
    }

    /// The same with a datagram of that class.
    pub(crate) fn send_of_class(&mut self, now: Time, [from, to]: [usize; 2], dscp: Dscp) {
        let datagram = Datagram {
            flow: from as u32,
            length: 1000,
            sequence: 0,
            sent: now,
            dscp,
            path: 0,
            content: None,
        };
        let body = Body::Datagram(datagram);
        let route = Route::NONE;
        let packet = Packet { body, ecn: Ecn::NotCapable, network_size: 1028, hops: 0, route };
        let to = Destination { node: to as u32, interfaces: None, plain: None };
        self.act(now, from, |it, packets, actions| it.carry(now, packet, to, packets, actions));
    }

    /// Cuts a link, or joins it again.
    pub(crate) fn set_link(&mut self, now: Time, [first, second]: [usize; 2], is_up: bool) {
        let link = [first.min(second), first.max(second)];
        self.down.retain(|it| *it != link);
        if !is_up {
            self.down.push(link);
        }
        for [node, to] in [[first, second], [second, first]] {
            let ports = &self.settings.nodes[node].ports;
            let interface = ports.iter().position(|it| it.node as usize == to);
            let interface = Interface(interface.expect("they are neighbours") as u16);
            self.act(now, node, |it, packets, actions| {
                it.link_changed(now, interface, is_up, packets, actions);
            });
        }
    }

    /// A sum over all nodes.
    pub(crate) fn sum(
        &self,
        count: impl Fn(&windtunnel_networks::scion::ScionRouterCounters) -> u64,
    ) -> u64 {
        self.nodes.iter().map(|it| count(&it.counters())).sum()
    }

    /// Packets that are on links.
    pub(crate) fn on_the_way(&self) -> u64 {
        self.on_links.iter().flatten().count() as u64
    }
}

/// So many milliseconds after the start.
pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
