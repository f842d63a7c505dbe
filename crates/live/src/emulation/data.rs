//! How much of a packet is data.

/// The numbers of TCP and UDP (IANA, protocol numbers).
const TCP: u8 = 6;
const UDP: u8 = 17;
const IPV6_HEADER: usize = 40;
const UDP_HEADER: usize = 8;

/// The bytes of data in an IP packet that the world has carried: without the headers of IP, and of TCP
/// or UDP. Extensions of IPv6 count as data.
pub(super) fn data_bytes(packet: &[u8]) -> usize {
    let at = |place: usize| packet.get(place).copied().unwrap_or_default();
    let (network, protocol) = match at(0) >> 4 {
        6 => (IPV6_HEADER, at(6)),
        _ => (usize::from(at(0) & 0xf) * 4, at(9)),
    };
    let is_later_fragment = at(0) >> 4 == 4 && (at(6) & 0x1f != 0 || at(7) != 0);
    let transport = match protocol {
        _ if is_later_fragment => 0,
        TCP => usize::from(at(network + 12) >> 4) * 4,
        UDP => UDP_HEADER,
        _ => 0,
    };
    packet.len().saturating_sub(network + transport)
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;

    use super::*;

    #[test]
    fn headers_are_not_data() {
        let data = [7; 99];
        let v4 = || PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        let v6 = || PacketBuilder::ipv6([1; 16], [2; 16], 64);
        let mut packets = [const { Vec::new() }; 4];
        let options = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let [a, b, c, d] = &mut packets;
        v4().tcp(1, 2, 3, 4).options_raw(&options).unwrap().write(a, &data).unwrap();
        v6().tcp(1, 2, 3, 4).write(b, &data).unwrap();
        v4().udp(1, 2).write(c, &data).unwrap();
        v6().udp(1, 2).write(d, &data).unwrap();
        assert!(packets.iter().all(|it| data_bytes(it) == data.len()));
        assert_eq!(data_bytes(&[]), 0);
        assert_eq!(data_bytes(&packets[0][..25]), 5);
    }
}
