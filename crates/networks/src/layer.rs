//! The door of a node: what every network layer on it answers.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Debug;

use dyn_clone::DynClone;
use windtunnel_engine::{Random, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Packet, PacketStore, ProtocolNumber, Route};

/// A port of a node, by its place among the node's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interface(pub u16);

/// Which of a layer's timers; below [`Timer::LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer(pub u32);

impl Timer {
    /// How many timers a layer may have.
    pub const LIMIT: u32 = 1 << 18;
}

/// What a layer wants done. Callers keep one and empty it, so that acting allocates
/// nothing once warm.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// Packets to be sent, and through which port.
    pub sends: Vec<(Interface, Packet)>,
    /// When [`NetworkLayer::wake`] is to be called, and with which timer. A timer that
    /// is set again is not withdrawn: the layer ignores what comes too early.
    pub timers: Vec<(Time, Timer)>,
    /// Packets from applications beside the layer, and where they come in: room that the
    /// layers of all nodes share. Empty between calls.
    pub inside: VecDeque<(Interface, Packet)>,
    /// What one application sends.
    pub requests: Vec<Packet>,
    /// IP packets that the layer carried and that are for hosts of the node.
    pub delivered: Vec<Packet>,
    /// IP packets of hosts of the node, and what these shall know of them.
    pub notices: Vec<(Packet, Notice)>,
}

impl Actions {
    /// Sends a packet through a port of the node.
    #[inline]
    pub fn send(&mut self, interface: Interface, packet: Packet) {
        self.sends.push((interface, packet));
    }

    /// Has the layer called at `time`.
    #[inline]
    pub fn wake(&mut self, time: Time, timer: Timer) {
        self.timers.push((time, timer));
    }
}

/// What a host is told of a packet that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It was dropped on its way, because it was larger than a link carries.
    TooLarge {
        /// By this many bytes.
        excess: u16,
    },
    /// It takes another path than the packets of its flow before it.
    PathChange,
}

/// Where a packet of a host is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The node.
    pub node: u32,
    /// The interface that its host sends it through, and the one there whose address it has;
    /// none: it is left to the layer.
    pub interfaces: Option<[Interface; 2]>,
    /// Its path as a plain IP packet, where links carry those too.
    pub plain: Option<Route>,
}

/// A network layer of a node: a packet and the port that it came by go in, actions come
/// out. What is inside of packets, and the bytes of messages, lie in `packets`.
pub trait NetworkLayer: Any + Debug + DynClone + Send {
    /// The run begins.
    fn start(&mut self, packets: &mut PacketStore, actions: &mut Actions);

    /// Takes in a packet that came by a port. What is inside of it belongs to the layer.
    fn receive(
        &mut self,
        now: Time,
        from: Interface,
        packet: &Packet,
        packets: &mut PacketStore,
        actions: &mut Actions,
    );

    /// A timer has expired.
    fn wake(&mut self, now: Time, timer: Timer, packets: &mut PacketStore, actions: &mut Actions);

    /// A host of the node sends an IP packet to a node that IP does not reach, or its NDN forwarder
    /// a packet to a neighbour of another domain. A layer that carries none drops it.
    fn carry(
        &mut self,
        _now: Time,
        packet: Packet,
        _to: Destination,
        packets: &mut PacketStore,
        _actions: &mut Actions,
    ) {
        packets.discard(&packet);
    }

    /// The link behind a port has gone down or come up.
    fn link_changed(
        &mut self,
        _now: Time,
        _interface: Interface,
        _is_up: bool,
        _packets: &mut PacketStore,
        _actions: &mut Actions,
    ) {
    }
}

dyn_clone::clone_trait_object!(NetworkLayer);

/// What a node offers a layer that is put onto it.
#[derive(Clone, Debug)]
pub struct NodeSetting {
    /// The node's place in the plan.
    pub node: usize,
    /// How many ports it has.
    pub interfaces: u16,
    /// The layer's random stream.
    pub random: Random,
}

/// Makes the layers of one protocol, one for each node that has it.
pub trait LayerMaker: Any + Debug + Send + Sync {
    /// The protocol whose messages the layer takes in.
    fn protocol(&self) -> ProtocolNumber;

    /// The layer of a node.
    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer>;

    /// The bytes that a packet of that version of IP has more where the layer carries it from
    /// the first node to the second.
    fn overhead(&self, _ends: [usize; 2], _ip: IpVersion) -> u16 {
        0
    }

    /// Whether hosts choose the paths of the packets that it carries, and not routers.
    fn hosts_choose_paths(&self) -> bool {
        false
    }
}
