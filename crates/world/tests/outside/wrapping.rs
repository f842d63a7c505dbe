//! A layer that carries the IP packets of hosts to a neighbour, each in a tunnel of its own.

use windtunnel_engine::Time;
use windtunnel_networks::layer::{
    Actions, Destination, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Body, Packet, PacketStore, ProtocolNumber};

pub(crate) const PROTOCOL: ProtocolNumber = ProtocolNumber(254);

/// Puts the layer onto nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapping;

/// The layer of one node.
#[derive(Clone, Debug)]
pub(crate) struct Wrapper {
    node: u32,
    /// How many packets it took out of their tunnels.
    pub(crate) unwrapped: u64,
}

impl LayerMaker for Wrapping {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        Box::new(Wrapper { node: setting.node as u32, unwrapped: 0 })
    }

    fn overhead(&self, _ends: [usize; 2], _ip: IpVersion) -> u16 {
        IpVersion::V4.header()
    }
}

impl NetworkLayer for Wrapper {
    fn start(&mut self, _packets: &mut PacketStore, _actions: &mut Actions) {}

    fn receive(
        &mut self,
        _now: Time,
        _from: Interface,
        packet: &Packet,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let Body::Tunnelled(tunnelled) = packet.body else { return };
        self.unwrapped += 1;
        actions.delivered.extend(packets.unwrap(tunnelled, packet.ecn));
    }

    fn wake(&mut self, _: Time, _: Timer, _: &mut PacketStore, _: &mut Actions) {}

    fn carry(
        &mut self,
        _now: Time,
        packet: Packet,
        to: Destination,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let wrapped = packets.wrap(packet, [self.node, to.node], IpVersion::V4);
        wrapped.into_iter().for_each(|it| actions.send(Interface(0), it));
    }
}
