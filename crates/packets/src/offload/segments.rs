//! The packets of a wire that a packet with an offload header stands for.

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, IpSlice};

use super::checksum::{complement, of_udp};
use super::header::{OffloadHeader, Segmented};
use super::layout::{
    ACK_NUMBER_END, CWR, FIN, FLAGS, PSH, SEQUENCE, TCP_CHECKSUM, TCP_MIN, UDP_CHECKSUM,
    UDP_HEADER, set_length,
};

/// The longest headers of IP and TCP together that are segmented, in bytes.
const LONGEST_HEADER: usize = 256;

/// An offload header that does not fit its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidOffload;

/// Calls `each` with the packets of a wire, in their order. `bytes` is used up.
///
/// # Errors
/// [`InvalidOffload`] before the first one.
pub fn for_each_segment(
    offload: &OffloadHeader,
    bytes: &mut [u8],
    mut each: impl FnMut(&[u8]),
) -> Result<(), InvalidOffload> {
    match offload.segments {
        None => {
            if let Some(place) = offload.checksum {
                complete(bytes, place)?;
            }
            each(bytes);
        }
        Some((segmented, size)) => {
            let cutter = Cutter::new(segmented, size, offload.checksum, bytes)?;
            cutter.cut(bytes, each);
        }
    }
    Ok(())
}

/// Computes the checksum that is left to do.
fn complete(bytes: &mut [u8], (start, offset): (usize, usize)) -> Result<(), InvalidOffload> {
    let is_udp = IpSlice::from_slice(bytes).is_ok_and(|it| it.payload_ip_number() == IpNumber::UDP);
    let at = start + offset;
    if start > bytes.len() || at + 2 > bytes.len() {
        return Err(InvalidOffload);
    }
    let sum = complement(Sum16BitWords::new().add_slice(&bytes[start..]));
    let sum = if is_udp { of_udp(sum) } else { sum };
    bytes[at..at + 2].copy_from_slice(&sum);
    Ok(())
}

/// Makes segments of one packet.
struct Cutter {
    segmented: Segmented,
    /// Bytes of data in each but the last.
    size: usize,
    /// The length of the IP header, with its options or extensions.
    network: usize,
    /// The length of all headers.
    header: usize,
    /// The headers of the packet.
    template: [u8; LONGEST_HEADER],
    /// The sum of the pseudo-header, without the length.
    pseudo: Sum16BitWords,
}

impl Cutter {
    fn new(
        segmented: Segmented,
        size: usize,
        checksum: Option<(usize, usize)>,
        bytes: &[u8],
    ) -> Result<Self, InvalidOffload> {
        let (network, offset) = checksum.ok_or(InvalidOffload)?;
        let (transport, wanted) = match segmented {
            Segmented::Udp => (UDP_HEADER, UDP_CHECKSUM),
            _ => {
                let words = bytes.get(network + ACK_NUMBER_END).ok_or(InvalidOffload)? >> 4;
                (usize::from(words) * 4, TCP_CHECKSUM)
            }
        };
        let header = network + transport;
        let (version, least) = match bytes.first().map(|it| it >> 4) {
            Some(4) => (4, 20),
            Some(6) => (6, 40),
            _ => return Err(InvalidOffload),
        };
        let fits = match segmented {
            Segmented::TcpV4 => version == 4 && transport >= TCP_MIN,
            Segmented::TcpV6 => version == 6 && transport >= TCP_MIN,
            Segmented::Udp => true,
        };
        let is_long_enough = network >= least && header <= LONGEST_HEADER && header < bytes.len();
        if !fits || !is_long_enough || offset != wanted || size == 0 {
            return Err(InvalidOffload);
        }
        if header + size > usize::from(u16::MAX) || bytes.len() - network > usize::from(u16::MAX) {
            return Err(InvalidOffload);
        }
        let mut template = [0; LONGEST_HEADER];
        template[..header].copy_from_slice(&bytes[..header]);
        let at = network + offset;
        // In one's complement, adding the complement is subtracting.
        let whole = (bytes.len() - network) as u16;
        let pseudo = Sum16BitWords::new()
            .add_2bytes([template[at], template[at + 1]])
            .add_2bytes((!whole).to_be_bytes());
        template[at..at + 2].fill(0);
        Ok(Self { segmented, size, network, header, template, pseudo })
    }

    /// Each segment is made where its data lies: its headers are put over the end of the data before,
    /// which is not needed any more.
    fn cut(&self, bytes: &mut [u8], mut each: impl FnMut(&[u8])) {
        let mut number = 0;
        let mut start = self.header;
        while start < bytes.len() {
            let end = (start + self.size).min(bytes.len());
            let is_last = end == bytes.len();
            let segment = &mut bytes[start - self.header..end];
            self.put_header(segment, number, is_last);
            each(segment);
            number += 1;
            start = end;
        }
    }

    fn put_header(&self, segment: &mut [u8], number: usize, is_last: bool) {
        let length = segment.len();
        segment[..self.header].copy_from_slice(&self.template[..self.header]);
        let (network, transport) = segment.split_at_mut(self.network);
        put_network(network, length, number);
        let length = (transport.len() as u16).to_be_bytes();
        let at = match self.segmented {
            Segmented::Udp => {
                transport[4..6].copy_from_slice(&length);
                UDP_CHECKSUM
            }
            _ => {
                put_tcp(transport, self.size, number, is_last);
                TCP_CHECKSUM
            }
        };
        let sum = complement(self.pseudo.clone().add_2bytes(length).add_slice(transport));
        let sum = if self.segmented == Segmented::Udp { of_udp(sum) } else { sum };
        transport[at..at + 2].copy_from_slice(&sum);
    }
}

/// The fields of an IP header that are each segment's own: its length and, over IPv4, identification,
/// which counts on as the kernel does it, and checksum.
fn put_network(header: &mut [u8], length: usize, number: usize) {
    if header[0] >> 4 == 4 {
        let identification = u16::from_be_bytes([header[4], header[5]]).wrapping_add(number as u16);
        header[4..6].copy_from_slice(&identification.to_be_bytes());
    }
    set_length(header, length);
}

/// The fields of a TCP header that are each segment's own: CWR is the first one's (RFC 3168, section
/// 6.1.2), FIN and PSH are the last one's.
fn put_tcp(header: &mut [u8], size: usize, number: usize, is_last: bool) {
    let skipped = (number * size) as u32;
    let sequence = header[SEQUENCE].try_into().map_or(0, u32::from_be_bytes);
    header[SEQUENCE].copy_from_slice(&sequence.wrapping_add(skipped).to_be_bytes());
    if number > 0 {
        header[FLAGS] &= !CWR;
    }
    if !is_last {
        header[FLAGS] &= !(FIN | PSH);
    }
}
