//! Flooding: each node sends a message that it has not received before through all its
//! other ports.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::{
    Actions, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_packets::{Body, Packet, PacketStore, ProtocolNumber};

pub(crate) const PROTOCOL: ProtocolNumber = ProtocolNumber(253);

/// One node sends a message of 100 bytes every 100 ms.
#[derive(Clone, Debug)]
pub(crate) struct Flooding {
    pub(crate) source: usize,
}

impl LayerMaker for Flooding {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        Box::new(Flooder { is_source: setting.node == self.source, setting, next: 0, received: 0 })
    }
}

/// The layer of one node.
#[derive(Debug)]
pub(crate) struct Flooder {
    is_source: bool,
    /// How many messages it received, copies not counted.
    pub(crate) received: u64,
    setting: NodeSetting,
    /// The sequence number after the last one.
    next: u32,
}

impl Flooder {
    fn flood(&mut self, sequence: u32, from: Option<Interface>, actions: &mut Actions) {
        self.next = sequence + 1;
        let packet = Packet::message(PROTOCOL, 0, &[sequence], 100);
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
        _now: Time,
        from: Interface,
        packet: &Packet,
        _packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let Body::Message(message) = &packet.body else { return };
        let sequence = message.words[0];
        if sequence >= self.next {
            self.received += 1;
            self.flood(sequence, Some(from), actions);
        }
    }

    fn wake(&mut self, now: Time, timer: Timer, _packets: &mut PacketStore, actions: &mut Actions) {
        self.flood(self.next, None, actions);
        actions.wake(now + Duration::from_millis(100), timer);
    }
}
