//! The layer of a node: its router, its hosts, and on one node of each system the control
//! service.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::scion::{
    ControlMessage, Fragment, PathReference, Position, ScionContent, SegmentKind,
};
use windtunnel_packets::{Body, Ecn, Packet, PacketStore};

use super::control::ControlService;
use super::counters::{ControlCounters, ScionRouterCounters};
use super::data_plane::{NodeContext, PROBE, Plane, Shared};
use super::discovery::Known;
use super::flows::FlowNumber;
use super::host::{FlowPathChange, Host, PathUse, Wanted};
use super::settings::ScionSettings;
use crate::error_budget::ErrorBudget;
use crate::layer::{Actions, Destination, Interface, NetworkLayer, NodeSetting, Notice, Timer};

/// The layer of one node.
#[derive(Clone, Debug)]
pub struct ScionNode {
    pub(super) context: NodeContext,
    pub(super) host: Host,
    pub(super) control: Option<Box<ControlService>>,
    pub(super) messages: super::fragments::Messages,
    /// Packets that have come to their end here, for the time of a call.
    arrived: Vec<Packet>,
    /// When it is to be called next.
    alarm: Time,
}

/// A flow of the hosts of a node.
#[derive(Clone, Copy, Debug)]
pub struct FlowView<'a> {
    /// By what its packets know it.
    pub number: FlowNumber,
    /// What went over which path.
    pub uses: &'a [PathUse],
    /// When it took another one: the first ten thousand times.
    pub changes: &'a [FlowPathChange],
    /// How often it did.
    pub switches: u64,
}

impl ScionNode {
    pub(super) fn new(
        settings: Arc<ScionSettings>,
        known: Option<&Vec<Known>>,
        setting: NodeSetting,
    ) -> Self {
        let node = setting.node as u32;
        let mut random = setting.random;
        let system = settings.nodes[setting.node].system;
        let shared = Shared { settings: Arc::clone(&settings) };
        let control = (settings.systems[system as usize].control() == node).then(|| {
            let known = known.map(|it| &it[system as usize]);
            let interval = settings.beaconing.interval.as_nanos() as f64;
            let phase = Duration::from_nanos((interval * random.unit()) as u64);
            Box::new(ControlService::new(Arc::clone(&settings), system, known, Time::ZERO + phase))
        });
        Self {
            host: Host::new(shared.clone(), node, random),
            context: NodeContext {
                shared,
                node,
                is_up: vec![true; usize::from(setting.interfaces)],
                counters: ScionRouterCounters::default(),
                errors: ErrorBudget::default(),
            },
            control,
            messages: super::fragments::Messages::default(),
            arrived: Vec::new(),
            alarm: Time::NEVER,
        }
    }

    /// What its router and its hosts counted.
    #[must_use]
    pub fn counters(&self) -> ScionRouterCounters {
        ScionRouterCounters {
            no_path: self.host.no_path,
            probes_sent: self.host.probes.sent,
            probes_answered: self.host.probes.answered,
            ..self.context.counters
        }
    }

    /// What the control service counted, if it is here.
    #[must_use]
    pub fn control_counters(&self) -> Option<ControlCounters> {
        self.control.as_ref().map(|it| it.counters)
    }

    /// How many beacons and segments the control service keeps, if it is here.
    #[must_use]
    pub fn control_size(&self) -> Option<[usize; 2]> {
        self.control.as_ref().map(|it| [it.beacons.count(), it.segments()])
    }

    /// How many entries the router's tables have: one for each node of its own system, and one
    /// for each interface of that.
    #[must_use]
    pub fn table_size(&self) -> usize {
        self.context.place().paths.len() + self.context.system().interfaces.len()
    }

    /// The flows of its hosts that chose paths.
    pub fn flows(&self) -> impl Iterator<Item = FlowView<'_>> {
        self.host.flows.iter().map(|(number, it)| FlowView {
            number: *number,
            uses: &it.uses,
            changes: &it.changes,
            switches: it.switches,
        })
    }

    pub(super) fn plane<'a>(
        &'a mut self,
        now: Time,
        packets: &'a mut PacketStore,
        actions: &'a mut Actions,
    ) -> Plane<'a> {
        Plane { now, context: &mut self.context, packets, actions, arrived: &mut self.arrived }
    }

    /// Does all that comes of a call: what has arrived here, and what is to be sent.
    fn settle(&mut self, now: Time, packets: &mut PacketStore, actions: &mut Actions) {
        loop {
            if let Some(packet) = self.arrived.pop() {
                self.end(now, packet, packets, actions);
            } else if !self.host.wanted.is_empty() {
                let wanted = std::mem::take(&mut self.host.wanted);
                wanted.into_iter().for_each(|it| self.fulfil(now, it, packets, actions));
            } else if self.control.as_ref().is_some_and(|it| !it.output.is_empty()) {
                self.send_messages(now, packets, actions);
            } else {
                break;
            }
        }
        let control = self.control.as_ref().map_or(Time::NEVER, |it| it.next());
        let next = control.min(self.host.next).max(now);
        if next < self.alarm {
            self.alarm = next;
            actions.wake(next, Timer(0));
        }
    }

    fn fulfil(
        &mut self,
        now: Time,
        wanted: Wanted,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        match wanted {
            Wanted::Send { content, payload, to, path, hosts, ecn } => {
                let is_carried = matches!(content, ScionContent::Packet(_));
                self.context.counters.carried += u64::from(is_carried);
                self.plane(now, packets, actions).send(content, payload, to, path, (hosts, ecn));
            }
            Wanted::Tell(packet) => actions.notices.push((packet, Notice::PathChange)),
            Wanted::Ask { identifier, to } => {
                let message = ControlMessage::Request { identifier, kind: SegmentKind::Up, to };
                let control = self.context.system().control();
                let path = (PathReference::Empty, Position::default());
                self.send_message(now, &message, control, path, packets, actions);
            }
        }
    }

    /// A packet has come to its end here.
    fn end(&mut self, now: Time, packet: Packet, packets: &mut PacketStore, actions: &mut Actions) {
        let Body::Scion(header) = packet.body else { return };
        match header.content {
            ScionContent::Packet(inside) => match packets.unwrap_at(inside, packet.ecn) {
                Ok(inner) => {
                    self.context.counters.delivered += 1;
                    self.host.on_packet(&header, &inner, packets);
                    actions.delivered.push(inner);
                }
                Err(inner) => {
                    self.context.counters.unmarkable += 1;
                    packets.discard(&inner);
                }
            },
            ScionContent::Error { error, quoted } => {
                self.context.counters.errors_received += 1;
                let origin = self.context.shared.settings.system_of(header.between[0]).isd_as;
                let quoted = packets[quoted];
                self.host.on_error(now, origin, error, &quoted);
                if let Body::Scion(it) = quoted.body
                    && let (PathReference::Standard(it), Some(control)) =
                        (it.path, &mut self.control)
                {
                    control.on_error(it);
                }
                packets.discard(&packet);
            }
            ScionContent::Echo { is_reply: true, sequence, .. } => {
                self.host.on_echo(now, sequence);
            }
            ScionContent::Echo { is_reply: false, identifier, sequence } => {
                let back = self.host.way_back(&header, packets);
                let content = ScionContent::Echo { is_reply: true, identifier, sequence };
                let hosts = (header.hosts, Ecn::NotCapable);
                let to = header.between[0];
                self.plane(now, packets, actions).send(content, PROBE, to, back, hosts);
            }
            ScionContent::Message(message) => {
                let from = header.between[0];
                let bytes = Fragment::decode(packets.message(message)).ok();
                let whole = bytes.map(|it| self.messages.receive(from, &it));
                match whole {
                    None => self.context.counters.malformed += 1,
                    Some(None) => {}
                    Some(Some(bytes)) => match ControlMessage::decode(&bytes) {
                        Ok(it) => self.take_message(now, &header, it, packets, actions),
                        Err(_) => self.context.counters.malformed += 1,
                    },
                }
                packets.discard(&packet);
            }
        }
    }
}

impl NetworkLayer for ScionNode {
    fn start(&mut self, packets: &mut PacketStore, actions: &mut Actions) {
        self.settle(Time::ZERO, packets, actions);
    }

    fn receive(
        &mut self,
        now: Time,
        from: Interface,
        packet: &Packet,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        self.plane(now, packets, actions).receive(from, *packet);
        if !self.arrived.is_empty() {
            self.settle(now, packets, actions);
        }
    }

    fn wake(&mut self, now: Time, _timer: Timer, packets: &mut PacketStore, actions: &mut Actions) {
        // A time that was set before an earlier one means nothing any more.
        if now == self.alarm {
            self.alarm = Time::NEVER;
            if let Some(it) = &mut self.control {
                it.wake(now);
            }
            if now >= self.host.next {
                self.host.wake(now, packets);
            }
            self.settle(now, packets, actions);
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
        self.host.carry(now, packet, to.node, packets);
        self.settle(now, packets, actions);
    }

    fn link_changed(
        &mut self,
        _now: Time,
        interface: Interface,
        is_up: bool,
        _packets: &mut PacketStore,
        _actions: &mut Actions,
    ) {
        self.context.is_up[usize::from(interface.0)] = is_up;
    }
}
