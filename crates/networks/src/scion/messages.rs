//! What a node does with messages of the control plane.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{
    ControlMessage, Fragment, PathReference, Position, ScionContent, ScionPacket, SegmentKind,
};
use windtunnel_packets::{Ecn, PacketStore};

use super::combination::combine;
use super::control::To;
use super::data_plane::datagram;
use super::lookups::Segments;
use super::node::ScionNode;
use crate::layer::Actions;

/// The largest SCION packet of the control plane, in bytes: what every link carries.
const CONTROL_PACKET: u16 = 1200;

impl ScionNode {
    /// Sends what the control service wants sent.
    pub(super) fn send_messages(
        &mut self,
        now: Time,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        let Some(control) = &mut self.control else { return };
        for (to, message) in std::mem::take(&mut control.output) {
            let empty = (PathReference::Empty, Position::default());
            let (node, path) = match to {
                To::Host(node) => (node, empty),
                To::Neighbour(number) => {
                    let neighbour = self.context.system().interface(number);
                    let system = neighbour.map_or(0, |it| it.neighbour as usize);
                    let node = self.context.shared.settings.systems[system].control();
                    (node, (PathReference::OneHop(number), Position::default()))
                }
                To::Service(isd_as, path) => {
                    let system = self.context.shared.settings.system(isd_as);
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
    pub(super) fn send_message(
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

    pub(super) fn take_message(
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
                let back = self.host.way_back(header, packets);
                self.send_message(now, &reply, from, back, packets, actions);
            }
            ControlMessage::Registration(segment) => {
                if let Some(it) = &mut self.control {
                    it.on_registration(segment);
                }
            }
            ControlMessage::Beacon(segment) => {
                let PathReference::OneHop(egress) = header.path else { return };
                let neighbour = self.context.shared.settings.system_of(from).interface(egress);
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
        let own = self.context.system().isd_as;
        let Some(to) = self.host.asked_for(identifier) else { return };
        let of = |kind: SegmentKind| -> Vec<_> {
            segments.iter().filter(|it| it.0 == kind).map(|it| Arc::clone(&it.1)).collect()
        };
        let [up, core, down] = [SegmentKind::Up, SegmentKind::Core, SegmentKind::Down].map(of);
        let found = combine([own, to], &up, &core, &down);
        self.host.on_paths(now, identifier, found, packets);
    }
}
