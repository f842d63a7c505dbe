//! The header before each packet (virtio 1.2, section 5.1.6, `struct virtio_net_hdr` without the
//! number of buffers), in the byte order of the machine.

/// The length of the header, in bytes.
pub const OFFLOAD_HEADER: usize = 10;

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_NONE`, `_TCPV4`, `_TCPV6` and `_UDP_L4`.
const NOT_SEGMENTED: u8 = 0;
const TCP_V4: u8 = 1;
const TCP_V6: u8 = 4;
const UDP: u8 = 5;
/// `VIRTIO_NET_HDR_GSO_ECN`: the first segment has the flag CWR.
const WITH_CWR: u8 = 0x80;

/// What of a packet is segmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segmented {
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// UDP over either.
    Udp,
}

/// What is left to do with a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffloadHeader {
    /// From where in the packet the checksum is still to be computed, and where behind that it
    /// belongs, both in bytes. There is the sum of the pseudo-header.
    pub checksum: Option<(usize, usize)>,
    /// What is to be segmented, and the bytes of data in each segment but the last.
    pub segments: Option<(Segmented, usize)>,
    /// The length of the headers that each segment has, in bytes: a hint.
    pub header: usize,
}

impl OffloadHeader {
    /// Reads one; none if it has a kind of segments that is not known.
    #[must_use]
    pub fn read(bytes: &[u8; OFFLOAD_HEADER]) -> Option<Self> {
        let word = |at: usize| usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]));
        let needs_checksum = bytes[0] & NEEDS_CHECKSUM != 0;
        let segmented = match bytes[1] & !WITH_CWR {
            NOT_SEGMENTED => None,
            TCP_V4 => Some(Segmented::TcpV4),
            TCP_V6 => Some(Segmented::TcpV6),
            UDP => Some(Segmented::Udp),
            _ => return None,
        };
        Some(Self {
            checksum: needs_checksum.then(|| (word(6), word(8))),
            segments: segmented.map(|it| (it, word(4))),
            header: word(2),
        })
    }

    /// Writes it.
    #[must_use]
    pub fn to_bytes(self) -> [u8; OFFLOAD_HEADER] {
        let kind = match self.segments {
            None => NOT_SEGMENTED,
            Some((Segmented::TcpV4, _)) => TCP_V4,
            Some((Segmented::TcpV6, _)) => TCP_V6,
            Some((Segmented::Udp, _)) => UDP,
        };
        let flags = if self.checksum.is_some() { NEEDS_CHECKSUM } else { 0 };
        let (start, offset) = self.checksum.unwrap_or_default();
        let size = self.segments.map_or(0, |it| it.1);
        let [header, size, start, offset] =
            [self.header, size, start, offset].map(|it| (it as u16).to_ne_bytes());
        [
            flags, kind, header[0], header[1], size[0], size[1], start[0], start[1], offset[0],
            offset[1],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_out_as_it_went_in() {
        for segmented in [Segmented::TcpV4, Segmented::TcpV6, Segmented::Udp] {
            let header = OffloadHeader {
                checksum: Some((40, 16)),
                segments: Some((segmented, 1428)),
                header: 60,
            };
            assert_eq!(OffloadHeader::read(&header.to_bytes()), Some(header));
        }
        let none = OffloadHeader::default();
        assert_eq!(none.to_bytes(), [0; OFFLOAD_HEADER]);
        assert_eq!(OffloadHeader::read(&none.to_bytes()), Some(none));
    }

    #[test]
    fn kinds_that_are_not_known_are_refused() {
        // VIRTIO_NET_HDR_GSO_UDP, of fragments, which Linux does not make any more.
        let mut bytes = [0; OFFLOAD_HEADER];
        bytes[1] = 3;
        assert_eq!(OffloadHeader::read(&bytes), None);
    }
}
