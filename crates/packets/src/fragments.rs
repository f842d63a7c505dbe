//! What a router does with an IPv4 packet that is larger than the MTU of the next link (RFC 791,
//! section 3.2).

use etherparse::{IpFragOffset, Ipv4Header};

/// The bytes that offsets of fragments count.
const UNIT: usize = 8;

/// The fragments of an IPv4 packet, of at most `mtu` bytes each; none if it must not be
/// fragmented, or `mtu` has no room for data. Each has the whole header: options that RFC 791 has
/// in the first one alone are in all of them.
#[must_use]
pub fn fragments(packet: &[u8], mtu: u16) -> Option<Vec<Vec<u8>>> {
    let (header, data) = Ipv4Header::from_slice(packet).ok()?;
    let room = usize::from(mtu).checked_sub(header.header_len())? / UNIT * UNIT;
    if header.dont_fragment || room == 0 {
        return None;
    }
    let count = data.len().div_ceil(room);
    let of = |(place, part): (usize, &[u8])| {
        let is_last = place + 1 == count;
        fragment(&header, place * (room / UNIT), is_last, part)
    };
    data.chunks(room).enumerate().map(of).collect()
}

/// The fragment with this part of the data, `skipped` units behind the beginning of `whole`'s.
fn fragment(whole: &Ipv4Header, skipped: usize, is_last: bool, part: &[u8]) -> Option<Vec<u8>> {
    let offset = whole.fragment_offset.value() + u16::try_from(skipped).ok()?;
    let mut header = Ipv4Header {
        more_fragments: whole.more_fragments || !is_last,
        fragment_offset: IpFragOffset::try_new(offset).ok()?,
        ..whole.clone()
    };
    header.set_payload_len(part.len()).ok()?;
    header.header_checksum = header.calc_header_checksum();
    Some([&header.to_bytes()[..], part].concat())
}
