//! What a node does: it sends a message that it has not received before through all its other
//! ports.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::{
    Actions, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_packets::{Body, Packet, PacketStore, ProtocolNumber};

pub(super) const PROTOCOL: ProtocolNumber = ProtocolNumber(253);
/// The size of a message, in bytes.
pub(super) const SIZE: u16 = 100;

/// Makes the layer of each node.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The node that sends messages.
    pub(super) source: usize,
    /// From one message to the next.
    pub(super) interval: Duration,
}

impl LayerMaker for Network {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        let Self { source, interval } = *self;
        let is_source = setting.node == source;
        Box::new(Flooder { is_source, interval, setting, next: 0, received: 0, first: None })
    }
}

/// The layer of one node.
#[derive(Clone, Debug)]
pub(super) struct Flooder {
    is_source: bool,
    interval: Duration,
    setting: NodeSetting,
    /// The sequence number after the last one.
    next: u32,
    /// How many messages it received, copies not counted.
    pub(super) received: u64,
    /// When it received the first one.
    pub(super) first: Option<Time>,
}

impl Flooder {
    fn flood(&mut self, sequence: u32, from: Option<Interface>, actions: &mut Actions) {
        self.next = sequence + 1;
        let packet = Packet::message(PROTOCOL, 0, &[sequence], SIZE);
        let ports = (0..self.setting.interfaces).map(Interface);
        ports.filter(|it| Some(*it) != from).for_each(|it| actions.send(it, packet));
    }
}

impl NetworkLayer for Flooder {
    fn start(&mut self, _packets: &mut PacketStore, actions: &mut Actions) {
        if self.is_source {
            actions.wake(Time::ZERO, Timer(0));
        }
    }

    fn receive(
        &mut self,
        now: Time,
        from: Interface,
        packet: &Packet,
        _packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let Body::Message(message) = &packet.body else { return };
        let sequence = message.words[0];
        if sequence >= self.next {
            self.received += 1;
            self.first.get_or_insert(now);
            self.flood(sequence, Some(from), actions);
        }
    }

    fn wake(&mut self, now: Time, timer: Timer, _packets: &mut PacketStore, actions: &mut Actions) {
        self.flood(self.next, None, actions);
        actions.wake(now + self.interval, timer);
    }
}
