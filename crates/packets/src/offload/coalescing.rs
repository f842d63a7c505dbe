//! Packets that follow each other, put into one for the kernel.

use std::ops::Range;

use super::checksum::partial;
use super::header::{OFFLOAD_HEADER, OffloadHeader, Segmented};
use super::layout::{FLAGS, Layout, PSH, SEQUENCE, set_length};

/// The most datagrams that the kernel takes as one (UDP_MAX_SEGMENTS until Linux 6.13).
const MOST_DATAGRAMS: usize = 64;

/// Packets of one flow that are one for the kernel. Only what follows the one before it is taken in, as
/// a segment with the same headers, so that nothing is lost of order, marks, options or checksums.
#[derive(Debug)]
pub struct Coalescer {
    /// The offload header, and behind it the packet.
    bytes: Vec<u8>,
    packets: usize,
    /// That of the first, if others may follow it.
    layout: Option<Layout>,
    /// The bytes of data of the first.
    size: usize,
    /// Whether the last has the flag PSH, or less data than the first: nothing follows it.
    is_complete: bool,
    /// The most datagrams of UDP.
    most_datagrams: usize,
}

impl Coalescer {
    /// An empty one, of TCP alone or of UDP as well.
    #[must_use]
    pub fn new(with_udp: bool) -> Self {
        let bytes = Vec::with_capacity(OFFLOAD_HEADER + usize::from(u16::MAX));
        let most_datagrams = if with_udp { MOST_DATAGRAMS } else { 1 };
        Self { bytes, packets: 0, layout: None, size: 0, is_complete: false, most_datagrams }
    }

    /// How many packets are in it.
    #[must_use]
    pub fn packets(&self) -> usize {
        self.packets
    }

    /// Takes in a packet; false if it does not follow those that are there, which must leave first.
    pub fn push(&mut self, packet: &[u8]) -> bool {
        if self.packets == 0 {
            self.begin(packet);
            return true;
        }
        let Some(layout) = self.layout.filter(|it| self.is_followed_by(it, packet)) else {
            return false;
        };
        self.bytes.extend_from_slice(&packet[layout.header..]);
        self.packets += 1;
        let is_pushed = has_push(&layout, packet);
        if is_pushed {
            self.bytes[OFFLOAD_HEADER + layout.network + FLAGS] |= PSH;
        }
        self.is_complete = is_pushed || packet.len() - layout.header < self.size;
        true
    }

    /// Gives `write` what is to be written, with the offload header before it, and is empty then.
    pub fn take<T>(&mut self, write: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(layout) = self.layout.filter(|_| self.packets > 1) {
            self.finish(&layout);
        }
        self.packets = 0;
        write(&self.bytes)
    }

    fn begin(&mut self, packet: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&OffloadHeader::default().to_bytes());
        self.bytes.extend_from_slice(packet);
        self.packets = 1;
        self.layout = Layout::of(packet);
        self.size = self.layout.map_or(0, |it| packet.len() - it.header);
        self.is_complete = self.layout.is_none_or(|it| has_push(&it, packet));
    }

    fn is_followed_by(&self, layout: &Layout, packet: &[u8]) -> bool {
        let whole = &self.bytes[OFFLOAD_HEADER..];
        !self.is_complete
            && Layout::of(packet) == Some(*layout)
            && (layout.segmented != Segmented::Udp || self.packets < self.most_datagrams)
            && packet.len() - layout.header <= self.size
            && whole.len() + packet.len() - layout.header <= usize::from(u16::MAX)
            && self.has_next_numbers(layout, packet)
            && has_equal_headers(layout, whole, packet)
            && (self.packets > 1 || layout.has_right_checksums(whole))
            && layout.has_right_checksums(packet)
    }

    /// Whether the identification of IPv4 and the sequence number of TCP are those of the next segment.
    fn has_next_numbers(&self, layout: &Layout, packet: &[u8]) -> bool {
        let whole = &self.bytes[OFFLOAD_HEADER..];
        let identification = |it: &[u8]| u16::from_be_bytes([it[4], it[5]]);
        let is_v4 = packet[0] >> 4 == 4;
        let data = whole.len() - layout.header;
        let sequence =
            |it: &[u8]| it[layout.network..][SEQUENCE].try_into().map_or(0, u32::from_be_bytes);
        (!is_v4
            || identification(packet) == identification(whole).wrapping_add(self.packets as u16))
            && (layout.segmented == Segmented::Udp
                || sequence(packet) == sequence(whole).wrapping_add(data as u32))
    }

    /// Makes the headers those of the whole, and the offload header with it.
    fn finish(&mut self, layout: &Layout) {
        let packet = &mut self.bytes[OFFLOAD_HEADER..];
        let length = packet.len();
        let checksum = layout.network + layout.checksum();
        if layout.segmented == Segmented::Udp {
            let length = (length - layout.network) as u16;
            packet[layout.network + 4..layout.network + 6].copy_from_slice(&length.to_be_bytes());
        }
        set_length(&mut packet[..layout.network], length);
        let sum = partial(layout.pseudo_header(packet));
        packet[checksum..checksum + 2].copy_from_slice(&sum);
        let header = OffloadHeader {
            checksum: Some((layout.network, layout.checksum())),
            segments: Some((layout.segmented, self.size)),
            header: layout.header,
        };
        self.bytes[..OFFLOAD_HEADER].copy_from_slice(&header.to_bytes());
    }
}

fn has_push(layout: &Layout, packet: &[u8]) -> bool {
    layout.segmented != Segmented::Udp && packet[layout.network + FLAGS] & PSH != 0
}

/// Whether the headers of two packets differ only in what is each segment's own.
fn has_equal_headers(layout: &Layout, one: &[u8], other: &[u8]) -> bool {
    // Without lengths, identifications, sequence numbers, the flag PSH and checksums.
    let network: [Range<usize>; 2] = match one[0] >> 4 {
        4 => [0..2, 6..10],
        _ => [0..4, 6..8],
    };
    let addresses = if one[0] >> 4 == 4 { 12..20 } else { 8..40 };
    let transport: [Range<usize>; 4] = match layout.segmented {
        Segmented::Udp => [0..4, 0..0, 0..0, 0..0],
        _ => [0..4, 8..13, 14..16, 18..layout.header - layout.network],
    };
    let transport = transport.map(|it| it.start + layout.network..it.end + layout.network);
    let mut all = network.into_iter().chain([addresses]).chain(transport);
    all.all(|it| one[it.clone()] == other[it])
}
