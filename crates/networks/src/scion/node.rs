//! The layer of a node: its router, its hosts, and on one node of each system the control
//! service.

use std::sync::{Arc, OnceLock};

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{
    ControlMessage, Fragment, PathReference, Position, ScionContent, ScionPacket, SegmentKind,
    UNDERLAY_PORT,
};
use windtunnel_packets::{Body, Ecn, Packet, PacketStore, ProtocolNumber};

use super::combination::combine;
use super::control::{ControlService, To};
use super::counters::{ControlCounters, RouterCounters};
use super::data_plane::{Here, PROBE, Plane, datagram, path_back};
use super::discovery::{Known, discover, paths};
use super::flows::{FlowNumber, FlowPolicies};
use super::host::{Host, PathChange, PathUse, Wanted};
use super::lookups::Segments;
use super::settings::ScionSettings;
use crate::error_budget::ErrorBudget;
use crate::layer::{Actions, Interface, LayerMaker, NetworkLayer, NodeSetting, Timer};

/// The number by which nodes know the layer: the underlay's UDP port.
pub const PROTOCOL: ProtocolNumber = ProtocolNumber(UNDERLAY_PORT);
/// The largest SCION packet of the control plane, in bytes: what every link carries.
const CONTROL_PACKET: u16 = 1200;

/// A host's packets have so many bytes at most, with all headers.
const FULL_PACKET: u16 = 1500;

/// What all nodes share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) settings: Arc<ScionSettings>,
}

/// Makes the layers of a network of autonomous systems.
#[derive(Debug)]
pub struct ScionMaker {
    settings: Arc<ScionSettings>,
    known: OnceLock<Arc<Vec<Known>>>,
}

impl ScionMaker {
    /// Of a network.
    #[must_use]
    pub fn new(settings: ScionSettings) -> Self {
        Self { settings: Arc::new(settings), known: OnceLock::new() }
    }

    /// The network.
    #[must_use]
    pub fn settings(&self) -> &Arc<ScionSettings> {
        &self.settings
    }

    /// The same network, whose flows choose their paths so.
    #[must_use]
    pub fn with_flows(&self, flows: FlowPolicies) -> Self {
        let settings = ScionSettings { flows, ..ScionSettings::clone(&self.settings) };
        Self { settings: Arc::new(settings), known: self.known.clone() }
    }

    /// What control services know once the network has been there for long.
    pub fn known(&self) -> &Arc<Vec<Known>> {
        self.known.get_or_init(|| Arc::new(discover(&self.settings)))
    }

    /// The paths from one node's system to another's that hosts hold once the network has been
    /// there for long.
    #[must_use]
    pub fn paths(&self, ends: [usize; 2]) -> Vec<super::Combined> {
        let ends = ends.map(|it| self.settings.places[it].system);
        let mut found = paths(&self.settings, self.known(), ends);
        found.truncate(self.settings.beaconing.most_paths);
        found
    }
}

impl LayerMaker for ScionMaker {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        let known = self.settings.beaconing.is_known.then(|| Arc::clone(self.known()));
        Box::new(ScionNode::new(Arc::clone(&self.settings), known.as_deref(), setting))
    }

    /// What is left of 1,500 bytes on the path of those that hosts hold with the least room: it
    /// has the longest header, or the smallest MTU.
    fn overhead(&self, ends: [usize; 2], ip: IpVersion) -> u16 {
        let paths = self.paths(ends);
        let lost = paths.iter().map(|it| {
            let headers = self.settings.headers(ip, &it.path);
            let packet = it.mtu.saturating_add(self.settings.underlay_header()).min(FULL_PACKET);
            headers - ip.header() + FULL_PACKET - packet
        });
        lost.max().unwrap_or(0)
    }
}

/// The layer of one node.
#[derive(Debug)]
pub struct ScionNode {
    here: Here,
    host: Host,
    control: Option<Box<ControlService>>,
    messages: super::messages::Messages,
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
    pub changes: &'a [PathChange],
    /// How often it did.
    pub switches: u64,
}

impl ScionNode {
    fn new(settings: Arc<ScionSettings>, known: Option<&Vec<Known>>, setting: NodeSetting) -> Self {
        let node = setting.node as u32;
        let mut random = setting.random;
        let system = settings.places[setting.node].system;
        let shared = Shared { settings: Arc::clone(&settings) };
        let control = (settings.systems[system as usize].control() == node).then(|| {
            let known = known.map(|it| &it[system as usize]);
            let interval = settings.beaconing.interval.as_nanos() as f64;
            let phase = Duration::from_nanos((interval * random.unit()) as u64);
            Box::new(ControlService::new(Arc::clone(&settings), system, known, Time::ZERO + phase))
        });
        Self {
            host: Host::new(shared.clone(), node, random),
            here: Here {
                shared,
                node,
                is_up: vec![true; usize::from(setting.interfaces)],
                counters: RouterCounters::default(),
                errors: ErrorBudget::default(),
            },
            control,
            messages: super::messages::Messages::default(),
            arrived: Vec::new(),
            alarm: Time::NEVER,
        }
    }

    /// What its router and its hosts counted.
    #[must_use]
    pub fn counters(&self) -> RouterCounters {
        RouterCounters {
            no_path: self.host.no_path,
            probes_sent: self.host.probes_sent,
            probes_answered: self.host.probes_answered,
            ..self.here.counters
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
        self.here.place().ways.len() + self.here.system().interfaces.len()
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

    fn plane<'a>(
        &'a mut self,
        now: Time,
        packets: &'a mut PacketStore,
        actions: &'a mut Actions,
    ) -> Plane<'a> {
        Plane { now, here: &mut self.here, packets, actions, arrived: &mut self.arrived }
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
        let next = control.min(self.host.next);
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
                self.here.counters.carried += u64::from(is_carried);
                self.plane(now, packets, actions).send(content, payload, to, path, (hosts, ecn));
            }
            Wanted::Ask { identifier, to } => {
                let message = ControlMessage::Request { identifier, kind: SegmentKind::Up, to };
                let control = self.here.system().control();
                let path = (PathReference::Empty, Position::default());
                self.send_message(now, &message, control, path, packets, actions);
            }
        }
    }

    /// Sends what the control service wants sent.
    fn send_messages(&mut self, now: Time, packets: &mut PacketStore, actions: &mut Actions) {
        let Some(control) = &mut self.control else { return };
        for (to, message) in std::mem::take(&mut control.output) {
            let empty = (PathReference::Empty, Position::default());
            let (node, path) = match to {
                To::Host(node) => (node, empty),
                To::Neighbour(number) => {
                    let neighbour = self.here.system().interface(number);
                    let system = neighbour.map_or(0, |it| it.neighbour as usize);
                    let node = self.here.shared.settings.systems[system].control();
                    (node, (PathReference::OneHop(number), Position::default()))
                }
                To::Service(isd_as, path) => {
                    let system = self.here.shared.settings.system(isd_as);
                    let Some(node) = system.map(super::System::control) else { continue };
                    let position = Position::first(&path);
                    let Some(control) = &mut self.control else { return };
                    let route = control.routes.get_mut(&isd_as).filter(|it| it.path == path);
                    let handle = match route {
                        Some(it) => *it.handle.get_or_insert_with(|| packets.insert_path(path)),
                        None => packets.insert_path(path),
                    };
                    (node, (PathReference::Standard(handle), position))
                }
            };
            let bytes = self.send_message(now, &message, node, path, packets, actions);
            if let (Some(it), ControlMessage::Beacon(_)) = (&mut self.control, &message) {
                it.counters.beacons_sent += 1;
                it.counters.beacon_bytes += bytes;
            }
        }
    }

    /// Sends a message in as many packets as it needs; returns its length.
    fn send_message(
        &mut self,
        now: Time,
        message: &ControlMessage,
        to: u32,
        path: (PathReference, Position),
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) -> u64 {
        let bytes = message.encode();
        let number = self.messages.number();
        let room = match path.0 {
            PathReference::Standard(it) => CONTROL_PACKET - packets.path(it).length() as u16 - 60,
            _ => CONTROL_PACKET - 92,
        };
        for part in Fragment::split(number, &bytes, room) {
            let part = part.encode();
            let payload = datagram(part.len());
            let content = ScionContent::Message(packets.insert_message(part));
            let hosts = (IpVersion::V4, Ecn::NotCapable);
            self.plane(now, packets, actions).send(content, payload, to, path, hosts);
        }
        bytes.len() as u64
    }

    /// A packet has come to its end here.
    fn end(&mut self, now: Time, packet: Packet, packets: &mut PacketStore, actions: &mut Actions) {
        let Body::Scion(header) = packet.body else { return };
        match header.content {
            ScionContent::Packet(inside) => match packets.unwrap_at(inside, packet.ecn) {
                Ok(inner) => {
                    self.here.counters.delivered += 1;
                    self.host.on_packet(&header, &inner, packets);
                    actions.delivered.push(inner);
                }
                Err(inner) => packets.discard(&inner),
            },
            ScionContent::Error { error, quoted } => {
                self.here.counters.errors_received += 1;
                let origin = self.here.shared.settings.system_of(header.between[0]).isd_as;
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
                let back =
                    path_back(packets, &header, |it, packets| packets.insert_path(it.into()));
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
                    None => self.here.counters.malformed += 1,
                    Some(None) => {}
                    Some(Some(bytes)) => match ControlMessage::decode(&bytes) {
                        Ok(it) => self.take_message(now, &header, it, packets, actions),
                        Err(_) => self.here.counters.malformed += 1,
                    },
                }
                packets.discard(&packet);
            }
        }
    }

    fn take_message(
        &mut self,
        now: Time,
        header: &ScionPacket,
        message: ControlMessage,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let from = header.between[0];
        match message {
            ControlMessage::Reply { identifier, segments } => {
                let segments: Segments =
                    segments.into_iter().map(|(kind, it)| (kind, Arc::new(it))).collect();
                if header.path != PathReference::Empty {
                    if let Some(it) = &mut self.control {
                        it.on_answer(now, identifier, &segments);
                    }
                    return;
                }
                self.take_segments(now, identifier, &segments, packets);
            }
            ControlMessage::Request { identifier, kind, to } => {
                let Some(control) = &mut self.control else { return };
                if header.path == PathReference::Empty {
                    return control.look_up(now, to, (from, identifier));
                }
                let found = control.answer(kind, to);
                let segments = found.into_iter().map(|(kind, it)| (kind, (*it).clone())).collect();
                let reply = ControlMessage::Reply { identifier, segments };
                let back = path_back(packets, header, |it, packets| packets.insert_path(it.into()));
                self.send_message(now, &reply, from, back, packets, actions);
            }
            ControlMessage::Registration(segment) => {
                if let Some(it) = &mut self.control {
                    it.on_registration(segment);
                }
            }
            ControlMessage::Beacon(segment) => {
                let PathReference::OneHop(egress) = header.path else { return };
                let neighbour = self.here.shared.settings.system_of(from).interface(egress);
                let Some(ingress) = neighbour.map(|it| it.neighbour_number) else { return };
                if let Some(it) = &mut self.control {
                    it.on_beacon(ingress, segment);
                }
            }
        }
    }

    /// A host gets the segments that it asked for, and combines them.
    fn take_segments(
        &mut self,
        now: Time,
        identifier: u32,
        segments: &Segments,
        packets: &mut PacketStore,
    ) {
        let own = self.here.system().isd_as;
        let Some(to) = self.host.asked_for(identifier) else { return };
        let of = |kind: SegmentKind| -> Vec<_> {
            segments.iter().filter(|it| it.0 == kind).map(|it| Arc::clone(&it.1)).collect()
        };
        let [up, core, down] = [SegmentKind::Up, SegmentKind::Core, SegmentKind::Down].map(of);
        let found = combine([own, to], &up, &core, &down);
        self.host.on_paths(now, identifier, &found, packets);
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
        to: usize,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        self.host.carry(now, packet, to as u32, packets);
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
        self.here.is_up[usize::from(interface.0)] = is_up;
    }
}
