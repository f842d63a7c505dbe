//! The link protocol of a face (NDNLPv2), with bytes: the simulator's link service says what is
//! fragmented how, and when a packet is whole; the bytes are here.

use std::collections::BTreeMap;

use windtunnel_engine::Time;
use windtunnel_networks::ndn::link_service::{
    Fragment, LinkService, LinkServiceCounters, LinkServiceSettings,
};
use windtunnel_packets::ndn::NackReason;
use windtunnel_packets::ndn::wire::tlv::Reader;
use windtunnel_packets::ndn::wire::{DecodeError, LpPacket, MAX_NDN_PACKET_SIZE};
use windtunnel_packets::{Body, Packet, PacketStore};

/// A PIT token: 1 to 32 bytes.
pub(super) type Token = Vec<u8>;

/// An Interest or Data as it came over a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NetworkPacket {
    /// The whole packet.
    pub(super) bytes: Vec<u8>,
    /// Makes it the NACK of that Interest.
    pub(super) nack: Option<NackReason>,
    /// Returns with what answers it.
    pub(super) token: Option<Token>,
    /// Whether it carries a congestion mark.
    pub(super) marked: bool,
}

/// The parts of a packet that have come.
#[derive(Debug)]
struct Partial {
    parts: Vec<Option<Vec<u8>>>,
    bytes: usize,
    nack: Option<NackReason>,
    token: Option<Token>,
}

/// One end of a link.
#[derive(Debug)]
pub(super) struct Link {
    service: LinkService,
    packets: PacketStore,
    /// By the sequence number of the first fragment.
    partial: BTreeMap<u64, Partial>,
    out: Vec<Packet>,
}

/// Why what came over a link is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<DecodeError> for Malformed {
    fn from(_: DecodeError) -> Self {
        Self
    }
}

impl Link {
    /// The most packets of which fragments are awaited.
    const MOST_PARTIAL: usize = 64;

    /// A link that carries packets of this many bytes, link headers included.
    pub(super) fn new(mtu: u16) -> Self {
        let settings = LinkServiceSettings { mtu: Some(mtu), pit_token: 0 };
        Self {
            service: LinkService::new(settings).expect("an MTU needs a link service"),
            packets: PacketStore::default(),
            partial: BTreeMap::new(),
            out: Vec::new(),
        }
    }

    /// What was counted so far.
    pub(super) fn counters(&self) -> &LinkServiceCounters {
        self.service.counters()
    }

    /// Hands the link packets to `emit` that carry `bytes`: those of an Interest or Data that
    /// `packet` describes, or of the Interest in a NACK.
    pub(super) fn send(
        &mut self,
        packet: &Packet,
        bytes: &[u8],
        token: Option<&[u8]>,
        mut emit: impl FnMut(&[u8]),
    ) {
        let reason = if let Body::Nack(it) = &packet.body { Some(it.reason) } else { None };
        let packet = Packet { network_size: bytes.len() as u16, ..*packet };
        self.service.set_pit_token(token.map_or(0, |it| it.len() as u8));
        self.service.send(&packet, &mut self.packets, &mut self.out);
        for sent in self.out.drain(..) {
            let congestion_mark = sent.marked().then_some(1);
            let link_packet = match sent.body {
                Body::LinkPacket(it) => {
                    self.packets.take(it.inside);
                    let (is_fragment, is_first) = (it.count > 1, it.index == 0);
                    let start = usize::from(it.offset);
                    LpPacket {
                        sequence: is_fragment.then_some(it.sequence),
                        fragment_index: is_fragment.then_some(u64::from(it.index)),
                        fragment_count: is_fragment.then_some(u64::from(it.count)),
                        pit_token: token.filter(|_| is_first),
                        nack: reason.filter(|_| is_first),
                        congestion_mark,
                        fragment: Some(&bytes[start..start + usize::from(sent.network_size)]),
                        ..LpPacket::default()
                    }
                }
                _ => LpPacket {
                    nack: reason,
                    congestion_mark,
                    fragment: Some(bytes),
                    ..LpPacket::default()
                },
            };
            // Larger than the largest packet it cannot be: the MTU is no larger.
            if let Ok(encoded) = link_packet.encode() {
                emit(&encoded);
            }
        }
    }

    /// Takes in a link packet; gives the packet that is whole with it.
    pub(super) fn receive(
        &mut self,
        now: Time,
        input: &[u8],
    ) -> Result<Option<NetworkPacket>, Malformed> {
        let link_packet = LpPacket::decode(input)?;
        let Some(payload) = link_packet.fragment else { return Ok(None) };
        let nack = link_packet.nack;
        let token = link_packet.pit_token.map(<[u8]>::to_vec);
        let marked = link_packet.congestion_mark.is_some_and(|it| it > 0);
        let count = link_packet.fragment_count.unwrap_or(1);
        let index = link_packet.fragment_index.unwrap_or(0);
        if (index, count) == (0, 1) {
            return Ok(Some(NetworkPacket { bytes: payload.to_vec(), nack, token, marked }));
        }
        let [Ok(index), Ok(count)] = [index, count].map(u8::try_from) else {
            return Err(Malformed);
        };
        let sequence = link_packet.sequence.filter(|_| index < count).ok_or(Malformed)?;
        let fragment = Fragment { sequence, index, count };
        self.keep(now, &fragment, payload, nack, token)?;
        let Some(marked) = self.service.receive_fragment(now, fragment, marked) else {
            return Ok(None);
        };
        let whole = self.partial.remove(&fragment.message()).ok_or(Malformed)?;
        let bytes = whole.parts.into_iter().flatten().flatten().collect();
        Ok(Some(NetworkPacket { bytes, nack: whole.nack, token: whole.token, marked }))
    }

    fn keep(
        &mut self,
        now: Time,
        fragment: &Fragment,
        payload: &[u8],
        nack: Option<NackReason>,
        token: Option<Token>,
    ) -> Result<(), Malformed> {
        self.service.give_up(now);
        let service = &self.service;
        self.partial.retain(|message, _| service.waits_for(*message));
        if self.partial.len() >= Self::MOST_PARTIAL
            && !self.partial.contains_key(&fragment.message())
        {
            return Err(Malformed);
        }
        let count = usize::from(fragment.count);
        let partial = self.partial.entry(fragment.message()).or_insert_with(|| Partial {
            parts: vec![None; count],
            bytes: 0,
            nack: None,
            token: None,
        });
        let is_new = partial.parts.get(usize::from(fragment.index)).is_some_and(Option::is_none);
        if partial.parts.len() != count
            || partial.bytes + payload.len() > MAX_NDN_PACKET_SIZE && is_new
        {
            return Err(Malformed);
        }
        if is_new {
            partial.bytes += payload.len();
            partial.parts[usize::from(fragment.index)] = Some(payload.to_vec());
        }
        partial.nack = partial.nack.or(nack);
        partial.token = partial.token.take().or(token);
        Ok(())
    }
}

/// The size of the link packet at the front of a stream, once that is known: its bytes may not
/// all be there.
pub(super) fn size_at_front(stream: &[u8]) -> Result<Option<usize>, Malformed> {
    let mut reader = Reader::new(stream);
    let mut numbers = [0; 2];
    for number in &mut numbers {
        match reader.var_number() {
            Ok(it) => *number = it,
            Err(DecodeError::Truncated { .. }) => return Ok(None),
            Err(_) => return Err(Malformed),
        }
    }
    let headers = [numbers[0], numbers[1]]
        .map(windtunnel_packets::ndn::wire::tlv::var_number_size)
        .iter()
        .sum::<u32>();
    let size = usize::try_from(numbers[1]).ok().and_then(|it| it.checked_add(headers as usize));
    size.filter(|it| *it <= MAX_NDN_PACKET_SIZE).map(Some).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use windtunnel_packets::ndn::{Data, Name, PacketFormat, PrefixId, wire};

    use super::*;

    fn described() -> Packet {
        let name = Name { prefix: PrefixId::new(0, PacketFormat::Ndn), segment: 0 };
        Packet::ndn(Body::Data(Data { name, content: 0, freshness_ms: 0 }), 0)
    }

    fn data(content: usize) -> Vec<u8> {
        wire::Data {
            name: "/a".parse().unwrap(),
            meta_info: wire::MetaInfo::default(),
            content: Some(&vec![7; content]),
            signature_info: wire::SignatureInfo::new(wire::SignatureType::NULL),
            signature_value: &[],
        }
        .encode()
        .unwrap()
    }

    fn sent(link: &mut Link, bytes: &[u8], token: Option<&[u8]>) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        link.send(&described(), bytes, token, |it| all.push(it.to_vec()));
        all
    }

    #[test]
    fn a_large_packet_crosses_in_fragments_of_any_order_with_its_token() {
        let (mut here, mut there) = (Link::new(1472), Link::new(1472));
        let bytes = data(8000);
        let mut fragments = sent(&mut here, &bytes, Some(&[1, 2, 3]));
        assert_eq!(fragments.len(), 6);
        assert!(fragments.iter().all(|it| it.len() <= 1472));
        fragments.reverse();
        let got: Vec<_> =
            fragments.iter().filter_map(|it| there.receive(Time::ZERO, it).unwrap()).collect();
        let expected =
            NetworkPacket { bytes, nack: None, token: Some(vec![1, 2, 3]), marked: false };
        assert_eq!(got, [expected]);
        assert!(there.partial.is_empty());
    }

    #[test]
    fn what_fits_goes_bare_unless_a_token_is_with_it() {
        let mut link = Link::new(8800);
        let bytes = data(8000);
        assert_eq!(sent(&mut link, &bytes, None), std::slice::from_ref(&bytes));
        let [with_token] = &sent(&mut link, &bytes, Some(&[9]))[..] else { panic!("it is one") };
        let got = link.receive(Time::ZERO, with_token).unwrap().unwrap();
        assert_eq!((got.bytes, got.token), (bytes, Some(vec![9])));
    }

    #[test]
    fn fragments_that_contradict_each_other_are_refused_and_few_packets_are_awaited() {
        let mut link = Link::new(1472);
        let fragment = |sequence: u64, index: u64, count: u64| {
            let it = LpPacket {
                sequence: Some(sequence),
                fragment_index: Some(index),
                fragment_count: Some(count),
                fragment: Some(&[0; 10]),
                ..LpPacket::default()
            };
            it.encode().unwrap()
        };
        assert_eq!(link.receive(Time::ZERO, &fragment(0, 3, 3)), Err(Malformed));
        assert_eq!(link.receive(Time::ZERO, &fragment(0, 0, 300)), Err(Malformed));
        assert_eq!(link.receive(Time::ZERO, &fragment(0, 0, 3)), Ok(None));
        assert_eq!(link.receive(Time::ZERO, &fragment(1, 1, 4)), Err(Malformed));
        let large = |index: u64| {
            let it = LpPacket {
                sequence: Some(u64::MAX - 10 + index),
                fragment_index: Some(index),
                fragment_count: Some(3),
                fragment: Some(&[0; 5000]),
                ..LpPacket::default()
            };
            it.encode().unwrap()
        };
        let mut other = Link::new(1472);
        assert_eq!(other.receive(Time::ZERO, &large(0)), Ok(None));
        assert_eq!(other.receive(Time::ZERO, &large(1)), Err(Malformed), "it is above 8800 bytes");
        for message in 1..1000 {
            let _ = link.receive(Time::ZERO, &fragment(message * 10, 0, 2));
        }
        assert_eq!(link.partial.len(), Link::MOST_PARTIAL);
    }

    proptest! {
        /// Bytes that are nearly link packets do no harm.
        #[test]
        fn any_bytes_are_taken_or_refused(
            inputs in vec((vec(any::<u8>(), 0..60), any::<bool>()), 0..40),
            changes in vec((0..200_usize, any::<u8>()), 0..4),
        ) {
            let mut link = Link::new(200);
            let mut fragments = sent(&mut link, &data(500), Some(&[1]));
            for (at, byte) in changes {
                let fragment = &mut fragments[at % 3];
                let place = at % fragment.len();
                fragment[place] = byte;
            }
            let inputs = inputs.into_iter().map(|(mut it, is_link_packet)| {
                if is_link_packet && it.len() > 2 {
                    (it[0], it[1]) = (100, it.len() as u8 - 2);
                }
                it
            });
            for input in inputs.chain(fragments) {
                let _ = size_at_front(&input);
                let _ = link.receive(Time::ZERO, &input);
            }
        }
    }
}
