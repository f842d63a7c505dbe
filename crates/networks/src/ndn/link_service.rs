//! The link service of a face: fragments packets for a link and reassembles them, and adds
//! the link headers that every packet there has.
//!
//! Source: NDNLPv2 (<https://redmine.named-data.net/projects/nfd/wiki/NDNLPv2>), indexed
//! fragmentation. A packet that exceeds the MTU becomes fragments with consecutive sequence
//! numbers, each with its index and their number; the headers of the whole packet are on the
//! first. A packet is reassembled when all its fragments have come, in any order; one whose
//! next fragment does not come within 500 ms of the last (NFD's default) is given up. It is
//! marked if any of its fragments is, as RFC 3168, section 5.3, has it for IP.
//!
//! In a fragment, and in a packet that is not sent bare, there is room for a congestion
//! mark that a queue may add.

use std::collections::VecDeque;
use std::ops::Add;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::wire::size::{
    CONGESTION_MARK_SIZE, LinkHeaders, link_payload, link_size,
};
use windtunnel_packets::ndn::{LinkPacket, NackReason, PacketFormat, PrefixId};
use windtunnel_packets::{Body, Ecn, Packet, PacketStore, Route};

/// What a link asks of the link services at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkServiceSettings {
    /// The most bytes of a packet with its link headers, if limited: at least
    /// [`LinkService::MINIMUM_MTU`].
    pub mtu: Option<u16>,
    /// Bytes of the PIT token that each packet carries, up to 32; 0: none.
    pub pit_token: u8,
}

/// What a link service counted. At any time `fragments_in` are those of reassembled packets,
/// of those given up, of those that wait, and duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkServiceCounters {
    /// Packets that were fragmented.
    pub fragmented: u64,
    /// Fragments sent.
    pub fragments_out: u64,
    /// Fragments that came in.
    pub fragments_in: u64,
    /// Packets put together from fragments.
    pub reassembled: u64,
    /// Packets given up because a fragment did not come in time.
    pub reassembly_timeouts: u64,
    /// Fragments that were there already.
    pub duplicates: u64,
    /// Packets dropped because they would need more than 255 fragments.
    pub too_large: u64,
}

impl Add for LinkServiceCounters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            fragmented: self.fragmented + other.fragmented,
            fragments_out: self.fragments_out + other.fragments_out,
            fragments_in: self.fragments_in + other.fragments_in,
            reassembled: self.reassembled + other.reassembled,
            reassembly_timeouts: self.reassembly_timeouts + other.reassembly_timeouts,
            duplicates: self.duplicates + other.duplicates,
            too_large: self.too_large + other.too_large,
        }
    }
}

/// What a fragment says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its sequence number.
    pub sequence: u64,
    /// Which fragment of its packet it is, from 0.
    pub index: u8,
    /// How many there are.
    pub count: u8,
}

impl Fragment {
    /// The sequence number of the packet's first fragment, which is the packet's own.
    #[must_use]
    pub fn message(&self) -> u64 {
        self.sequence.wrapping_sub(u64::from(self.index))
    }
}

/// A packet of which some fragments have come.
#[derive(Clone, Copy, Debug)]
struct Partial {
    /// The sequence number of its first fragment.
    message: u64,
    /// Which fragments have come.
    received: [u64; 4],
    missing: u8,
    marked: bool,
    /// When the last of them came.
    last: Time,
}

/// The link service at one end of a link.
#[derive(Clone, Debug)]
pub struct LinkService {
    settings: LinkServiceSettings,
    next_sequence: u64,
    /// In the order of the last fragment's arrival.
    partial: VecDeque<Partial>,
    counters: LinkServiceCounters,
}

impl LinkService {
    /// The frame of IEEE 802.15.4, the least of those that NDN is used on.
    pub const MINIMUM_MTU: u16 = 127;
    const TIMEOUT: Duration = Duration::from_millis(500);

    /// One that has sent nothing yet, if the link needs it.
    #[must_use]
    pub fn new(settings: LinkServiceSettings) -> Option<Self> {
        (settings != LinkServiceSettings::default()).then(|| Self {
            settings,
            next_sequence: 0,
            partial: VecDeque::new(),
            counters: LinkServiceCounters::default(),
        })
    }

    /// Packets sent from now on carry a PIT token of this many bytes, up to 32; 0: none.
    pub fn set_pit_token(&mut self, bytes: u8) {
        self.settings.pit_token = bytes;
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &LinkServiceCounters {
        &self.counters
    }

    /// Sends a packet: what goes over the link is appended to `out`.
    pub fn send(&mut self, packet: &Packet, packets: &mut PacketStore, out: &mut Vec<Packet>) {
        let Some((prefix, nack)) = identify(packet) else { return out.push(*packet) };
        let token = self.settings.pit_token;
        let pit_token = (token > 0).then(|| u32::from(token));
        let whole = LinkHeaders { pit_token, nack, ..LinkHeaders::default() };
        let mtu = self.settings.mtu.map_or(u32::MAX, u32::from);
        let marked = LinkHeaders { congestion_mark: true, ..whole };
        if link_size(u32::from(packet.network_size), &marked) > mtu {
            return self.send_fragments(packet, prefix, &whole, mtu, packets, out);
        }
        if token == 0 {
            return out.push(*packet);
        }
        let inside = packets.insert(*packet);
        let headers = whole.size() as u16;
        let (sequence, offset, index, count) = (0, 0, 0, 1);
        let pit_token = token;
        let link_packet =
            LinkPacket { inside, prefix, sequence, offset, headers, pit_token, index, count };
        out.push(carrying(link_packet, packet.network_size, packet.ecn));
    }

    /// Sends a packet that is too large, whose headers go with the first fragment.
    fn send_fragments(
        &mut self,
        packet: &Packet,
        prefix: PrefixId,
        whole: &LinkHeaders,
        mtu: u32,
        packets: &mut PacketStore,
        out: &mut Vec<Packet>,
    ) {
        // Index and count take one byte each.
        let fragment = Some([u64::from(u8::MAX); 2]);
        let first = LinkHeaders { fragment, ..*whole }.size();
        let other = LinkHeaders { fragment, ..LinkHeaders::default() }.size();
        let [first_room, other_room] =
            [first, other].map(|it| link_payload(it + CONGESTION_MARK_SIZE, mtu) as u16);
        let size = packet.network_size;
        let Ok(count) = u8::try_from(1 + size.saturating_sub(first_room).div_ceil(other_room))
        else {
            self.counters.too_large += 1;
            return;
        };
        self.counters.fragmented += 1;
        self.counters.fragments_out += u64::from(count);
        let mut offset = 0;
        for index in 0..count {
            let is_first = index == 0;
            let (headers, room) = if is_first { (first, first_room) } else { (other, other_room) };
            let part = room.min(size - offset);
            let link_packet = LinkPacket {
                inside: packets.insert(*packet),
                prefix,
                sequence: self.next_sequence,
                offset,
                headers: headers as u16,
                pit_token: if is_first { self.settings.pit_token } else { 0 },
                index,
                count,
            };
            out.push(carrying(link_packet, part, if is_first { packet.ecn } else { Ecn::Capable }));
            self.next_sequence += 1;
            offset += part;
        }
    }

    /// Takes in what came over the link; gives the packet that is whole with it.
    pub fn receive(
        &mut self,
        now: Time,
        link_packet: &LinkPacket,
        marked: bool,
        packets: &mut PacketStore,
    ) -> Option<Packet> {
        let packet = packets.take(link_packet.inside);
        let LinkPacket { sequence, index, count, .. } = *link_packet;
        if count == 1 {
            return Some(packet.marked_if(marked));
        }
        let marked = self.receive_fragment(now, Fragment { sequence, index, count }, marked)?;
        Some(packet.marked_if(marked))
    }

    /// Takes in a fragment; if its packet is whole with it, returns whether that is marked.
    pub fn receive_fragment(
        &mut self,
        now: Time,
        fragment: Fragment,
        marked: bool,
    ) -> Option<bool> {
        self.counters.fragments_in += 1;
        self.give_up(now);
        let message = fragment.message();
        let place = self.partial.iter().position(|it| it.message == message);
        let partial = place.and_then(|it| self.partial.remove(it));
        let missing = fragment.count;
        let mut partial = partial.unwrap_or(Partial {
            message,
            received: [0; 4],
            missing,
            marked: false,
            last: now,
        });
        let [word, bit] = [fragment.index / 64, fragment.index % 64];
        let received = &mut partial.received[usize::from(word)];
        if *received >> bit & 1 == 1 {
            self.counters.duplicates += 1;
        } else {
            *received |= 1 << bit;
            partial.missing -= 1;
        }
        partial.marked |= marked;
        partial.last = now;
        if partial.missing > 0 {
            self.partial.push_back(partial);
            return None;
        }
        self.counters.reassembled += 1;
        Some(partial.marked)
    }

    /// Forgets the packets whose next fragment is late.
    pub fn give_up(&mut self, now: Time) {
        while self.partial.front().is_some_and(|it| now.since(it.last) >= Self::TIMEOUT) {
            self.partial.pop_front();
            self.counters.reassembly_timeouts += 1;
        }
    }

    /// Whether the packet of that first sequence number waits for fragments.
    #[must_use]
    pub fn waits_for(&self, message: u64) -> bool {
        self.partial.iter().any(|it| it.message == message)
    }

    /// How many packets wait for fragments.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.partial.len()
    }
}

/// The prefix of an NDN packet's name, and the reason if it is a NACK; none of other packets,
/// CCNx's among them.
fn identify(packet: &Packet) -> Option<(PrefixId, Option<NackReason>)> {
    let (name, reason) = match &packet.body {
        Body::Interest(it) => (it.name, None),
        Body::Data(it) => (it.name, None),
        Body::Nack(it) => (it.interest.name, Some(it.reason)),
        _ => return None,
    };
    (name.prefix.format() == PacketFormat::Ndn).then_some((name.prefix, reason))
}

/// A link packet with this many bytes of the network packet.
fn carrying(link_packet: LinkPacket, network_size: u16, ecn: Ecn) -> Packet {
    let body = Body::LinkPacket(link_packet);
    Packet { body, ecn, network_size, hops: 0, route: Route::default() }
}
