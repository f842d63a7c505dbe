//! A router of a region, or a host with what it needs of one.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::{Code, PROTOCOL, RouterRecord};
use windtunnel_packets::{Body, Packet, PacketStore, ProtocolNumber};

use super::context::{Port, RouterContext};
use super::control_plane::ControlPlane;
use super::counters::{RegionRouterCounters, RouteChange, TableSize};
use super::data_plane::DataPlane;
use super::settings::{RegionSettings, Transit};
use crate::layer::{Actions, Destination, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer};

/// The layer of one node: what it learns and what it forwards by.
#[derive(Clone, Debug)]
pub struct RegionRouter {
    context: RouterContext,
    control: ControlPlane,
    data: DataPlane,
    /// When it is to be called next.
    alarm: Time,
}

impl RegionRouter {
    /// The router of a node.
    ///
    /// # Panics
    /// If the node is not in `settings`.
    #[must_use]
    pub fn new(settings: Arc<RegionSettings>, setting: NodeSetting) -> Self {
        let node = &settings.nodes[setting.node];
        let port = |it: &super::settings::Neighbour| Port {
            node: it.node,
            mtu: it.mtu,
            region: settings.nodes[it.node as usize].code.region(),
            metric: it.metric,
            speaks_from: it.speaks_from,
            is_up: true,
        };
        let context = RouterContext {
            node: setting.node as u32,
            code: node.code,
            ports: node.neighbours.iter().map(port).collect(),
            counters: RegionRouterCounters::default(),
            settings: Arc::clone(&settings),
        };
        let control = ControlPlane::new(&context, setting.random);
        Self { context, control, data: DataPlane::default(), alarm: Time::NEVER }
    }

    /// Its region and sub-region.
    #[must_use]
    pub fn code(&self) -> Code {
        self.context.code
    }

    /// Whether a link leads from it to another region.
    #[must_use]
    pub fn is_border(&self) -> bool {
        !self.context.ports(true).is_empty()
    }

    /// How packets of others cross its region.
    #[must_use]
    pub fn transit(&self) -> Transit {
        self.context.settings.region(self.context.number()).transit
    }

    /// What it counted.
    #[must_use]
    pub fn counters(&self) -> &RegionRouterCounters {
        &self.context.counters
    }

    /// How much it keeps.
    #[must_use]
    pub fn table_size(&self) -> TableSize {
        self.control.table_size()
    }

    /// How it forwarded to which region in the course of the run.
    #[must_use]
    pub fn changes(&self) -> &[RouteChange] {
        self.control.changes()
    }

    /// What it tells the other routers of its region about itself.
    #[must_use]
    pub fn record(&self) -> RouterRecord {
        self.control.record(&self.context)
    }

    /// Sends what the control plane wants sent, and arranges for its next call.
    fn settle(&mut self, packets: &mut PacketStore, actions: &mut Actions) {
        self.control.flush(&mut self.context, packets, actions);
        let next = self.control.next_wake();
        if next < self.alarm {
            self.alarm = next;
            actions.wake(next, Timer(0));
        }
    }
}

impl LayerMaker for Arc<RegionSettings> {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        Box::new(RegionRouter::new(Self::clone(self), setting))
    }

    fn overhead(&self, ends: [usize; 2], ip: IpVersion) -> u16 {
        RegionSettings::overhead(self, ends, ip)
    }
}

impl NetworkLayer for RegionRouter {
    fn start(&mut self, packets: &mut PacketStore, actions: &mut Actions) {
        self.control.start(&self.context);
        self.settle(packets, actions);
    }

    fn receive(
        &mut self,
        now: Time,
        from: Interface,
        packet: &Packet,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        if let Body::Region(it) = &packet.body
            && let Some(message) = self.data.message_for(&self.context, it)
        {
            let known =
                self.control.receive(now, &mut self.context, from, packets.message(message));
            self.context.counters.malformed += u64::from(!known);
            packets.discard(packet);
            return self.settle(packets, actions);
        }
        let Self { context, control, data, .. } = self;
        data.receive(now, context, control, from, *packet, packets, actions);
    }

    fn wake(&mut self, now: Time, _timer: Timer, packets: &mut PacketStore, actions: &mut Actions) {
        // A time that was set before an earlier one means nothing any more.
        if now == self.alarm {
            self.alarm = Time::NEVER;
            self.control.wake(now, &self.context);
            self.settle(packets, actions);
        }
    }

    fn carry(
        &mut self,
        now: Time,
        packet: Packet,
        to: Destination,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let Self { context, control, data, .. } = self;
        data.carry(now, context, control, packet, to, packets, actions);
    }

    fn link_changed(
        &mut self,
        now: Time,
        interface: Interface,
        is_up: bool,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let port = &mut self.context.ports[usize::from(interface.0)];
        if std::mem::replace(&mut port.is_up, is_up) != is_up {
            self.control.link_changed(now, &self.context, interface);
            self.settle(packets, actions);
        }
    }
}
