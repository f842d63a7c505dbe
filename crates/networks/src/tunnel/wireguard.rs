//! The ends of a WireGuard tunnel, as functions in their nodes.
//!
//! Donenfeld, "WireGuard: Next Generation Kernel Network Tunnel", NDSS 2017. Packets wait
//! until a handshake has made a session; the end that began it begins another one when it
//! sends and the session is old. Packets are encrypted and decrypted one after another.

use std::collections::VecDeque;

use windtunnel_engine::{Rate, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tunnel::{Encapsulation, Tunnelled};
use windtunnel_packets::wireguard::{BLOCK, PROTOCOL, WireGuardMessage};
use windtunnel_packets::{Body, Ecn, Packet, PacketStore, udp};

use super::cipher::{Cipher, Job};
use super::session::Session;
use super::{LEAVE, TunnelCounters};
use crate::function::{FunctionActions, LinkState, NetworkFunction, Tap};

/// The most packets that wait for a session; the oldest one makes room (Linux:
/// `MAX_STAGED_PACKETS`).
const MOST_STAGED: usize = 128;

/// How a WireGuard tunnel behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireGuardSettings {
    /// The version of IP of the outer headers.
    pub version: IpVersion,
    /// The most bytes of a packet inside.
    pub mtu: u16,
    /// How fast each end encrypts and decrypts, both on one core; none: at once.
    pub crypto: Option<Rate>,
}

/// One end of a WireGuard tunnel.
#[derive(Clone, Debug)]
pub struct WireGuardEnd {
    /// The nodes of this end and of the other.
    nodes: [u32; 2],
    settings: WireGuardSettings,
    session: Session,
    /// What waits for a session.
    staged: VecDeque<Packet>,
    cipher: Cipher,
    /// The data messages sent.
    sent: u64,
    counters: TunnelCounters,
}

impl WireGuardEnd {
    /// The end at the first of two nodes, of a tunnel to the second.
    #[must_use]
    pub fn new(nodes: [u32; 2], settings: WireGuardSettings) -> Self {
        Self {
            nodes,
            settings,
            session: Session::default(),
            staged: VecDeque::new(),
            cipher: Cipher::new(settings.crypto),
            sent: 0,
            counters: TunnelCounters::default(),
        }
    }

    /// What it counted.
    #[must_use]
    pub fn counters(&self) -> &TunnelCounters {
        &self.counters
    }

    /// The bytes of zeros that are encrypted after a packet of that size: up to a multiple
    /// of 16, but not beyond the MTU.
    fn padding(&self, size: u16) -> u8 {
        let padded = size.next_multiple_of(BLOCK).min(self.settings.mtu);
        padded.saturating_sub(size) as u8
    }

    fn enter(
        &mut self,
        now: Time,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        if packet.network_size > self.settings.mtu {
            self.counters.too_large += 1;
            packets.discard(&packet);
            return;
        }
        if self.session.may_send(now) {
            self.seal(now, packet, packets, actions);
        } else {
            self.stage(packet, packets);
        }
        if self.session.needs_handshake(now) {
            self.initiate(now, actions);
        }
    }

    /// Lets a packet wait for a session.
    fn stage(&mut self, packet: Packet, packets: &mut PacketStore) {
        if self.staged.len() == MOST_STAGED {
            self.counters.dropped += 1;
            self.staged.pop_front().into_iter().for_each(|it| packets.discard(&it));
        }
        self.staged.push_back(packet);
    }

    /// Encrypts a packet into a message.
    fn seal(
        &mut self,
        now: Time,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        let padding = self.padding(packet.network_size);
        let encrypted = packet.network_size + u16::from(padding);
        if !self.cipher.has_room() {
            self.counters.dropped += 1;
            packets.discard(&packet);
            return;
        }
        let encapsulation = Encapsulation::WireGuard { counter: self.sent, padding };
        let version = self.settings.version;
        let outer = packets
            .wrap_in(packet, self.nodes, version, encapsulation)
            .expect("the MTU leaves room for the headers");
        self.sent += 1;
        self.counters.entered += 1;
        self.counters.entered_bytes += u64::from(outer.size());
        self.cipher.take(now, encrypted, Job::Send(outer), actions);
    }

    fn initiate(&mut self, now: Time, actions: &mut FunctionActions) {
        self.session.initiate(now);
        self.counters.handshakes += 1;
        actions.sent.push(self.control(WireGuardMessage::Initiation));
    }

    fn control(&self, message: WireGuardMessage) -> Packet {
        let size = self.settings.version.header() + udp::HEADER + message.length();
        let words = message.words(self.nodes, self.sent);
        Packet::message(PROTOCOL, self.nodes[1], &words, size)
    }

    /// Sends what waits for the session that there is now; returns whether there was anything.
    fn send_staged(
        &mut self,
        now: Time,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) -> bool {
        let any = !self.staged.is_empty();
        while let Some(packet) = self.staged.pop_front() {
            self.seal(now, packet, packets, actions);
        }
        any
    }

    fn answer(
        &mut self,
        now: Time,
        message: WireGuardMessage,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        match message {
            WireGuardMessage::Initiation => {
                self.session.respond(now);
                actions.sent.push(self.control(WireGuardMessage::Response));
            }
            WireGuardMessage::Response => {
                // The other end sends nothing before it has received something.
                if self.session.complete(now) && !self.send_staged(now, packets, actions) {
                    actions.sent.push(self.control(WireGuardMessage::Keepalive));
                    self.sent += 1;
                }
            }
            WireGuardMessage::Keepalive => self.confirm(now, packets, actions),
        }
    }

    /// Something arrived that was encrypted for this end.
    fn confirm(&mut self, now: Time, packets: &mut PacketStore, actions: &mut FunctionActions) {
        if self.session.confirm() {
            self.send_staged(now, packets, actions);
        }
    }

    /// Decrypts what is in a message.
    fn open(
        &mut self,
        now: Time,
        tunnelled: Tunnelled,
        outer: Ecn,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        let Encapsulation::WireGuard { padding, .. } = tunnelled.encapsulation else { return };
        let was_marked = packets[tunnelled.inside].marked();
        let encrypted = packets[tunnelled.inside].network_size + u16::from(padding);
        match packets.unwrap(tunnelled, outer) {
            Ok(packet) if self.cipher.has_room() => {
                self.counters.left += 1;
                self.counters.marks += u64::from(packet.marked() && !was_marked);
                self.cipher.take(now, encrypted, Job::Forward(packet), actions);
            }
            Ok(packet) => {
                self.counters.dropped += 1;
                packets.discard(&packet);
            }
            Err(packet) => {
                self.counters.unmarkable += 1;
                packets.discard(&packet);
            }
        }
    }
}

impl NetworkFunction for WireGuardEnd {
    fn receive(
        &mut self,
        now: Time,
        tap: Tap,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        if tap != LEAVE {
            self.enter(now, packet, packets, actions);
            return;
        }
        match packet.body {
            Body::Tunnelled(it) => {
                self.confirm(now, packets, actions);
                self.open(now, it, packet.ecn, packets, actions);
            }
            Body::Message(it) => {
                let message = WireGuardMessage::of(&it).into_iter();
                message.for_each(|(it, _)| self.answer(now, it, packets, actions));
            }
            _ => {}
        }
    }

    fn next_wake(&self, _link: LinkState) -> Time {
        self.cipher.next().min(self.session.retries_at())
    }

    fn wake(&mut self, now: Time, _link: LinkState, actions: &mut FunctionActions) {
        self.cipher.finish(now, actions);
        if self.session.retries_at() <= now {
            self.initiate(now, actions);
        }
    }
}
