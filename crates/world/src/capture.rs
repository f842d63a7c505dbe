//! What the interfaces of a node see, reported to its watcher: packets as
//! they begin to leave, and as they arrive. The world's events are the same
//! whether anybody watches or not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::bridge::{EdgeAcknowledgement, PROTOCOL};
use windtunnel_packets::multipath::Speaker;
use windtunnel_packets::scion::{Path as ScionPath, PathReference, ScionPacket};
use windtunnel_packets::tunnel::tunnel_of;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Packet, PacketStore};

use crate::forwarding::Forwarding;
use crate::numbers::Numbers;
use crate::plan::{FlowPlan, Plan, Transport};
use crate::port::Port;
use crate::port_id::PortId;
use crate::side::Side;

/// Between which nodes an IP packet travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathEnds {
    /// The node that sent it.
    pub source: usize,
    /// The node that shall receive it.
    pub destination: usize,
    /// Whether it goes from the sender of its flow's data to their receiver;
    /// otherwise it goes back.
    pub forth: bool,
    /// Which of the two nodes' addresses it has, from 0 on.
    pub addresses: [u8; 2],
    /// Who sends it, if it belongs to a multipath connection.
    pub speaker: Option<Speaker>,
}

/// A packet, and what its addresses stand for.
#[derive(Clone, Debug)]
pub struct SeenPacket {
    /// The packet.
    pub packet: Packet,
    /// Where it comes from and goes to, if it is an IP packet.
    pub path: Option<PathEnds>,
    /// The same of the packet that it acknowledges, if it is an edge's message.
    pub quoted: Option<PathEnds>,
    /// The packet inside of it, if it has one.
    pub inside: Option<Box<SeenPacket>>,
    /// The bytes of its message, if it has one.
    pub message: Option<Vec<u8>>,
    /// Its path, if it is a SCION packet with one.
    pub scion_path: Option<Arc<ScionPath>>,
}

/// A packet as an interface saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// When it began to leave, or when its last bit arrived.
    pub time: Time,
    /// Which of the node's interfaces, in the order of [`Plan::interfaces`].
    pub interface: usize,
    /// Whether it left; otherwise it arrived.
    pub sent: bool,
    /// The packet.
    pub packet: SeenPacket,
}

/// Is called with what a node's interfaces see, in the order of time.
pub type Watcher = Box<dyn FnMut(&Seen) + Send>;

/// The nodes that are watched.
#[derive(Debug)]
pub(crate) struct Watches {
    nodes: Vec<Watch>,
    /// For each port, the interface before it and the one behind, if watched.
    ports: Vec<[Option<WatchedInterface>; 2]>,
    addresses: Addresses,
}

impl Clone for Watches {
    /// Nobody watches two worlds: one that is watched has no forks.
    fn clone(&self) -> Self {
        unreachable!("a world that is watched has no forks")
    }
}

/// What the watches look at.
pub(crate) struct View<'a> {
    pub(crate) ports: &'a [Port],
    pub(crate) packets: &'a PacketStore,
    pub(crate) forwarding: &'a Forwarding,
}

/// An interface that is watched: by which watch, and which of its interfaces it is.
#[derive(Clone, Copy, Debug)]
struct WatchedInterface {
    watch: usize,
    interface: usize,
}

/// A node that is watched.
struct Watch {
    /// Those that its interfaces send through.
    ports: Vec<WatchedPort>,
    /// What was found and not reported yet.
    found: Vec<(Time, usize, Packet)>,
    watcher: Watcher,
}

#[derive(Debug)]
struct WatchedPort {
    port: PortId,
    /// How many of the packets that it has sent were reported.
    reported: u64,
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").field("ports", &self.ports).finish_non_exhaustive()
    }
}

/// The nodes between which packets travel, by what stands for their addresses.
#[derive(Debug)]
struct Addresses {
    numbers: Numbers,
    /// For each class of connections, each flow and each bridge.
    classes: Vec<Connections>,
    flows: Vec<[usize; 2]>,
    /// Of flows that choose among several paths: which addresses each has.
    paths: BTreeMap<usize, Vec<[u8; 2]>>,
    bridges: Vec<[usize; 2]>,
    /// The nodes of the ends of tunnels.
    tunnels: Vec<[usize; 2]>,
}

/// What the connections of a class have in common.
#[derive(Debug)]
struct Connections {
    /// The nodes of the sender of the data and of the receiver, and which of their addresses.
    nodes: [usize; 2],
    addresses: [u8; 2],
    /// Of subflows: the class of the first of their connection, and whether the receiver of the
    /// data opened it.
    subflows: Option<(u32, bool)>,
}

impl Connections {
    /// Those of all flows of a plan.
    fn of(plan: &Plan) -> Vec<Self> {
        let mut all = Vec::new();
        for flow in plan.flows.iter().filter(|it| it.is_over_tcp()) {
            let first = all.len() as u32;
            for (place, (nodes, _)) in flow.connections().enumerate() {
                let (mut addresses, mut subflows) = ([0; 2], None);
                if let Some(it) = &flow.multipath {
                    addresses = it.settings.paths[place].addresses;
                    if it.receiver_opens {
                        addresses.reverse();
                    }
                    subflows = Some((first, it.receiver_opens));
                }
                all.push(Self { nodes, addresses, subflows });
            }
        }
        all
    }
}

/// Which addresses the paths of a flow have, if it is over a stack that chooses among several.
fn paths(flow: &FlowPlan) -> Option<Vec<[u8; 2]>> {
    let Transport::Stack { settings, .. } = &flow.transport else { return None };
    let paths = &settings.paths;
    (!paths.is_empty()).then(|| paths.iter().map(|it| it.addresses).collect())
}

impl Addresses {
    fn new(plan: &Plan) -> Self {
        let flows = || plan.flows.iter();
        Self {
            numbers: Numbers::of(&plan.flows),
            classes: Connections::of(plan),
            flows: flows().map(|it| [it.from, it.to]).collect(),
            paths: flows()
                .enumerate()
                .filter_map(|(place, it)| Some((place, paths(it)?)))
                .collect(),
            bridges: plan.bridges.iter().map(|it| [it.from, it.to]).collect(),
            tunnels: plan.tunnels.iter().map(|it| it.ends).collect(),
        }
    }

    /// A packet with what its addresses, and those of the packets inside, stand for.
    fn seen(&self, packet: &Packet, view: &View<'_>) -> SeenPacket {
        let [path, quoted] = self.ends(packet, view.forwarding);
        let inside = packet.body.inside().map(|it| &view.packets[it]);
        let inside = inside.map(|it| Box::new(self.seen(it, view)));
        let message = packet.body.message().map(|it| view.packets.message(it).to_vec());
        let scion_path = match &packet.body {
            Body::Scion(ScionPacket { path: PathReference::Standard(it), .. }) => {
                Some(Arc::clone(view.packets.path(*it)))
            }
            _ => None,
        };
        SeenPacket { packet: *packet, path, quoted, inside, message, scion_path }
    }

    /// Where an IP packet comes from and goes to, and the one that it acknowledges if it
    /// is a message from one edge of a bridge to the other.
    fn ends(&self, packet: &Packet, forwarding: &Forwarding) -> [Option<PathEnds>; 2] {
        let forth = || forwarding.side(packet.route) == Some(Side::Receiver);
        match &packet.body {
            Body::Segment(it) => [
                Some(match tunnel_of(it.connection) {
                    Some((tunnel, side)) => ends(self.tunnels[tunnel as usize], side == 0),
                    None => self.connection(it.connection, forth()),
                }),
                None,
            ],
            Body::Datagram(it) => [Some(self.datagram(it, forth())), None],
            Body::Message(it) if it.protocol == PROTOCOL => {
                let of = EdgeAcknowledgement::from_words(&it.words);
                let own = ends(self.bridges[it.flow as usize], false);
                [Some(own), Some(self.connection(of.connection, true))]
            }
            _ => [packet.between().map(|it| ends(it.map(|it| it as usize), true)), None],
        }
    }

    fn datagram(&self, datagram: &Datagram, forth: bool) -> PathEnds {
        let flow = datagram.flow as usize;
        let paths = self.paths.get(&flow).map(|it| it[usize::from(datagram.path)]);
        let mut addresses = paths.unwrap_or_default();
        if !forth {
            addresses.reverse();
        }
        PathEnds { addresses, ..ends(self.flows[flow], forth) }
    }

    fn connection(&self, number: u32, forth: bool) -> PathEnds {
        let (class, ordinal) = self.numbers.class(number);
        let it = &self.classes[class as usize];
        let mut addresses = it.addresses;
        if !forth {
            addresses.reverse();
        }
        let speaker = it.subflows.map(|(first, receiver_opens)| Speaker {
            connection: self.numbers.number(first, ordinal),
            is_client: forth != receiver_opens,
        });
        PathEnds { addresses, speaker, ..ends(it.nodes, forth) }
    }
}

fn ends([from, to]: [usize; 2], forth: bool) -> PathEnds {
    let [source, destination] = if forth { [from, to] } else { [to, from] };
    PathEnds { source, destination, forth, addresses: [0; 2], speaker: None }
}

impl Watches {
    pub(crate) fn new(plan: &Plan, watchers: Vec<(usize, Watcher)>) -> Self {
        let mut ports = vec![[None; 2]; 2 * plan.links.len()];
        let watch = |(watch, (node, watcher)): (usize, (usize, Watcher))| {
            let mut watched = Vec::new();
            for (interface, (link, side)) in plan.interfaces(node).enumerate() {
                let sends = PortId::new(link, side);
                ports[sends.index()][0] = Some(WatchedInterface { watch, interface });
                ports[sends.reversed().index()][1] = Some(WatchedInterface { watch, interface });
                watched.push(WatchedPort { port: sends, reported: 0 });
            }
            Watch { ports: watched, found: Vec::new(), watcher }
        };
        let nodes = watchers.into_iter().enumerate().map(watch).collect();
        Self { nodes, ports, addresses: Addresses::new(plan) }
    }

    /// Reports what has left until now where the packet that arrives through
    /// `port` comes from and where it goes.
    pub(crate) fn before_arrival(&mut self, now: Time, port: PortId, view: &View<'_>) {
        for place in self.ports[port.index()].into_iter().flatten() {
            self.nodes[place.watch].report_sent(now, view, &self.addresses);
        }
    }

    /// Reports that a packet has arrived through `port`.
    pub(crate) fn arrived(&mut self, now: Time, port: PortId, packet: &Packet, view: &View<'_>) {
        if let Some(WatchedInterface { watch, interface }) = self.ports[port.index()][1] {
            let packet = self.addresses.seen(packet, view);
            (self.nodes[watch].watcher)(&Seen { time: now, interface, sent: false, packet });
        }
    }

    /// Reports what has left until the end.
    pub(crate) fn end(&mut self, now: Time, view: &View<'_>) {
        for watch in &mut self.nodes {
            watch.report_sent(now, view, &self.addresses);
        }
    }
}

impl Watch {
    /// Reports what has left through any interface: what arrives later is reported
    /// later, so all reports are in the order of time.
    fn report_sent(&mut self, now: Time, view: &View<'_>, addresses: &Addresses) {
        for (interface, watched) in self.ports.iter_mut().enumerate() {
            for (time, packet) in view.ports[watched.port.index()].started(watched.reported, now) {
                self.found.push((time, interface, view.packets[packet]));
                watched.reported += 1;
            }
        }
        self.found.sort_by_key(|(time, ..)| *time);
        for (time, interface, packet) in self.found.drain(..) {
            let packet = addresses.seen(&packet, view);
            (self.watcher)(&Seen { time, interface, sent: true, packet });
        }
    }
}
