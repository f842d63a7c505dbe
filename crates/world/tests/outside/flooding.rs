//! Flooding: each node sends a message that it has not received before through all its
//! other ports.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::{
    Actions, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_packets::{Body, Packet, ProtocolNumber};

const PROTOCOL: ProtocolNumber = ProtocolNumber(253);

/// One node sends a message of 100 bytes every 100 ms.
#[derive(Clone, Debug)]
pub(crate) struct Flooding {
    pub(crate) source: usize,
    /// How many messages each node received, copies not counted.
    pub(crate) received: Arc<[AtomicU64]>,
}

impl LayerMaker for Flooding {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        Box::new(Flooder { flooding: self.clone(), setting, next: 0 })
    }
}

/// The layer of one node.
#[derive(Debug)]
struct Flooder {
    flooding: Flooding,
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
    fn start(&mut self, actions: &mut Actions) {
        if self.setting.node == self.flooding.source {
            actions.wake(Time::ZERO, Timer(0));
        }
    }

    fn receive(&mut self, _now: Time, from: Interface, packet: &Packet, actions: &mut Actions) {
        let Body::Message(message) = &packet.body else { return };
        let sequence = message.words[0];
        if sequence >= self.next {
            self.flooding.received[self.setting.node].fetch_add(1, Ordering::Relaxed);
            self.flood(sequence, Some(from), actions);
        }
    }

    fn wake(&mut self, now: Time, timer: Timer, actions: &mut Actions) {
        self.flood(self.next, None, actions);
        actions.wake(now + Duration::from_millis(100), timer);
    }
}
