//! The options of Multipath TCP as bytes, for captures: RFC 8684, section 3, and of version 0
//! RFC 6824.
//!
//! Keys and nonces are functions of the connection's number. What follows from them is what an
//! implementation would send: tokens, initial data numbers, and authentication.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::{Multipath, Version};
use crate::tcp::{Flags, Segment};

/// The kind of the option.
const KIND: u8 = 30;
/// The reason of MP_TCPRST where the subflow is administratively prohibited (section 3.6).
const PROHIBITED: u8 = 3;
/// Fills an option up to four bytes.
const NO_OPERATION: u8 = 1;

/// Who sends a segment of a multipath connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// The number of the connection's first subflow.
    pub connection: u32,
    /// Whether it is the end that opened the connection.
    pub is_client: bool,
}

/// Bytes that follow from a purpose and a number, and look like any others.
fn derived(purpose: &str, number: u32, is_client: bool) -> [u8; 8] {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(number.to_be_bytes());
    hash.update([u8::from(is_client)]);
    first(&hash.finalize())
}

/// The first bytes.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|it| bytes[it])
}

/// The last bytes.
fn last<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|it| bytes[bytes.len() - N + it])
}

/// The hash of a version.
fn hash(version: Version, bytes: &[u8]) -> Vec<u8> {
    match version {
        Version::V0 => Sha1::digest(bytes).to_vec(),
        Version::V1 => Sha256::digest(bytes).to_vec(),
    }
}

/// The authentication of a message, whose key is two keys.
fn authentication(version: Version, keys: [[u8; 8]; 2], message: &[u8]) -> Vec<u8> {
    let key = keys.concat();
    match version {
        Version::V0 => {
            let mut mac = Hmac::<Sha1>::new_from_slice(&key).expect("a key may have any length");
            mac.update(message);
            mac.finalize().into_bytes().to_vec()
        }
        Version::V1 => {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key may have any length");
            mac.update(message);
            mac.finalize().into_bytes().to_vec()
        }
    }
}

/// The sum of 16-bit words in ones' complement (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let words =
        bytes.chunks(2).map(|it| u32::from(it[0]) << 8 | it.get(1).map_or(0, |it| u32::from(*it)));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

impl Speaker {
    /// The other end.
    fn peer(self) -> Self {
        Self { is_client: !self.is_client, ..self }
    }

    /// Its key.
    fn key(self) -> [u8; 8] {
        derived("key", self.connection, self.is_client)
    }

    /// The token by which others name its end of the connection (section 3.2).
    #[must_use]
    pub fn token(self, version: Version) -> u32 {
        u32::from_be_bytes(first(&hash(version, &self.key())))
    }

    /// The number before that of its first byte of data (section 3.1).
    #[must_use]
    pub fn initial_number(self, version: Version) -> u64 {
        u64::from_be_bytes(last(&hash(version, &self.key())))
    }

    /// The number on the wire of data that is counted from 0.
    fn number(self, version: Version, data: u64) -> u64 {
        self.initial_number(version).wrapping_add(1).wrapping_add(data)
    }

    /// Its nonce in the handshake of a subflow.
    fn nonce(self, subflow: u32) -> [u8; 4] {
        first(&derived("nonce", subflow, self.is_client))
    }

    /// The authentication that it sends in the handshake of a subflow (section 3.2).
    fn join_authentication(self, version: Version, subflow: u32) -> Vec<u8> {
        let peer = self.peer();
        let message = [self.nonce(subflow), peer.nonce(subflow)].concat();
        authentication(version, [self.key(), peer.key()], &message)
    }

    /// What a segment that it sends says about its connection, padded to four bytes; `address`
    /// is the one that an ADD_ADDR tells, and no bytes are those of a segment that says nothing.
    #[must_use]
    pub fn encode(self, segment: &Segment, address: IpAddr) -> Vec<u8> {
        let version = segment.multipath_version();
        let Some(multipath) = segment.multipath() else { return Vec::new() };
        let mut bytes = match multipath {
            Multipath::Capable => self.capable(segment, version),
            Multipath::Join { address, backup } => self.join(segment, version, address, backup),
            Multipath::Acknowledgement { acknowledgement } => {
                self.signal(version, acknowledgement, None, segment)
            }
            Multipath::Mapping { sequence, acknowledgement, fin } => {
                self.signal(version, acknowledgement, Some((sequence, fin)), segment)
            }
            Multipath::AddAddress { address: id, echo, .. } => {
                self.add_address(version, id, echo, address)
            }
            Multipath::Priority { backup } => vec![KIND, 0, 5 << 4 | u8::from(backup)],
            Multipath::RemoveAddress { address } => vec![KIND, 0, 4 << 4, address],
            Multipath::Reset if version == Version::V0 => return Vec::new(),
            Multipath::Reset => vec![KIND, 0, 8 << 4, PROHIBITED],
        };
        bytes[1] = bytes.len() as u8;
        bytes.resize(bytes.len().next_multiple_of(4), NO_OPERATION);
        bytes
    }

    /// MP_CAPABLE (section 3.1): with SHA, and in version 0 with checksums.
    fn capable(self, segment: &Segment, version: Version) -> Vec<u8> {
        let (number, flags) = match version {
            Version::V0 => (0, 0x81),
            Version::V1 => (1, 0x01),
        };
        let mut bytes = vec![KIND, 0, number, flags];
        let syn = segment.flags.has(Flags::SYN);
        if !syn || segment.flags.has(Flags::ACK) || version == Version::V0 {
            bytes.extend(self.key());
        }
        if !syn {
            bytes.extend(self.peer().key());
        }
        if segment.length > 0 {
            bytes.extend(segment.length.to_be_bytes());
        }
        bytes
    }

    /// MP_JOIN (section 3.2).
    fn join(self, segment: &Segment, version: Version, address: u8, backup: bool) -> Vec<u8> {
        let subflow = segment.connection;
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        let mut bytes =
            vec![KIND, 0, 1 << 4 | u8::from(backup && syn), if syn { address } else { 0 }];
        match (syn, ack) {
            (true, false) => {
                bytes.extend(self.peer().token(version).to_be_bytes());
                bytes.extend(self.nonce(subflow));
            }
            (true, true) => {
                bytes.extend(&self.join_authentication(version, subflow)[..8]);
                bytes.extend(self.nonce(subflow));
            }
            (false, _) => bytes.extend(&self.join_authentication(version, subflow)[..20]),
        }
        bytes
    }

    /// DSS (section 3.3): a data acknowledgement, and of data its number and place.
    fn signal(
        self,
        version: Version,
        acknowledgement: u64,
        mapping: Option<(u64, bool)>,
        segment: &Segment,
    ) -> Vec<u8> {
        const ACKNOWLEDGEMENT: u8 = 0x01;
        const LONG_ACKNOWLEDGEMENT: u8 = 0x02;
        const MAPPING: u8 = 0x04;
        const LONG_NUMBER: u8 = 0x08;
        const FIN: u8 = 0x10;
        let is_long = version == Version::V1;
        let push = |bytes: &mut Vec<u8>, number: u64| match is_long {
            true => bytes.extend(number.to_be_bytes()),
            false => bytes.extend((number as u32).to_be_bytes()),
        };
        let mut flags = ACKNOWLEDGEMENT | if is_long { LONG_ACKNOWLEDGEMENT } else { 0 };
        let mut bytes = vec![KIND, 0, 2 << 4, 0];
        push(&mut bytes, self.peer().number(version, acknowledgement));
        if let Some((data, fin)) = mapping {
            flags |= MAPPING | if is_long { LONG_NUMBER } else { 0 } | if fin { FIN } else { 0 };
            let number = self.number(version, data);
            // The SYN has the number 0 of its subflow.
            let place = if segment.length > 0 { segment.sequence } else { 0 };
            let length = segment.length + u16::from(fin);
            push(&mut bytes, number);
            bytes.extend(place.to_be_bytes());
            bytes.extend(length.to_be_bytes());
            if !is_long {
                // Data are zeros.
                let covered =
                    [&number.to_be_bytes()[..], &place.to_be_bytes(), &length.to_be_bytes()];
                bytes.extend(checksum(&covered.concat()).to_be_bytes());
            }
        }
        bytes[3] = flags;
        bytes
    }

    /// ADD_ADDR, or its echo (section 3.4.1).
    fn add_address(self, version: Version, id: u8, echo: bool, address: IpAddr) -> Vec<u8> {
        const NO_PORT: [u8; 2] = [0, 0];
        let (family, octets) = match address {
            IpAddr::V4(it) => (4, it.octets().to_vec()),
            IpAddr::V6(it) => (6, it.octets().to_vec()),
        };
        let low = if version == Version::V0 { family } else { u8::from(echo) };
        let mut bytes = vec![KIND, 0, 3 << 4 | low, id];
        bytes.extend(&octets);
        if version == Version::V1 && !echo {
            let message = [&[id][..], &octets, &NO_PORT].concat();
            let keys = [self.key(), self.peer().key()];
            bytes.extend(last::<8>(&authentication(version, keys, &message)));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    const CLIENT: Speaker = Speaker { connection: 3, is_client: true };
    const SERVER: Speaker = Speaker { connection: 3, is_client: false };
    const V4: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 32, 0, 5));

    fn segment(flags: Flags, length: u16, multipath: Multipath, version: Version) -> Segment {
        let mut it = Segment::new(4, 1, flags);
        it.length = length;
        it.set_multipath(multipath, version);
        it
    }

    /// RFC 8684, figures 4 to 7.
    #[test]
    fn the_handshake_has_the_fields_of_the_rfc() {
        let capable = |flags, length| segment(flags, length, Multipath::Capable, Version::V1);
        assert_eq!(CLIENT.encode(&capable(Flags::SYN, 0), V4), [30, 4, 0x01, 0x01]);
        let answer = SERVER.encode(&capable(Flags::SYN.with(Flags::ACK), 0), V4);
        assert_eq!(answer, [&[30, 12, 0x01, 0x01][..], &SERVER.key()].concat());
        let third = CLIENT.encode(&capable(Flags::ACK, 0), V4);
        let keys = [CLIENT.key(), SERVER.key()].concat();
        assert_eq!(third, [&[30, 20, 0x01, 0x01][..], &keys].concat());
        let data = CLIENT.encode(&capable(Flags::ACK, 0x0123), V4);
        assert_eq!(data, [&[30, 22, 0x01, 0x01][..], &keys, &[0x01, 0x23, 1, 1]].concat());
    }

    #[test]
    fn a_join_names_the_server_by_its_token_and_both_ends_prove_the_keys() {
        let join = Multipath::Join { address: 7, backup: true };
        let of = |flags| segment(flags, 0, join, Version::V1);
        let syn = CLIENT.encode(&of(Flags::SYN), V4);
        assert_eq!(syn[..4], [30, 12, 0x11, 7]);
        assert_eq!(syn[4..8], Sha256::digest(SERVER.key())[..4]);
        let nonces = [CLIENT.nonce(4), SERVER.nonce(4)];
        assert_eq!(syn[8..], nonces[0]);
        let answer = SERVER.encode(&of(Flags::SYN.with(Flags::ACK)), V4);
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&[SERVER.key(), CLIENT.key()].concat()).unwrap();
        mac.update(&[nonces[1], nonces[0]].concat());
        assert_eq!(answer[4..12], mac.finalize().into_bytes()[..8]);
        assert_eq!((answer[1], &answer[12..]), (16, &nonces[1][..]));
        let third = CLIENT.encode(&of(Flags::ACK), V4);
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&[CLIENT.key(), SERVER.key()].concat()).unwrap();
        mac.update(&[nonces[0], nonces[1]].concat());
        assert_eq!(third[..4], [30, 24, 0x10, 0]);
        assert_eq!(third[4..], mac.finalize().into_bytes()[..20]);
    }

    #[test]
    fn data_have_the_numbers_of_their_sender_and_are_acknowledged_with_those_of_the_other() {
        let mapping = Multipath::Mapping { sequence: 10, acknowledgement: 20, fin: true };
        let bytes = CLIENT.encode(&segment(Flags::ACK, 100, mapping, Version::V1), V4);
        assert_eq!(bytes[..4], [30, 26, 0x20, 0x1f]);
        let acknowledged = SERVER.initial_number(Version::V1).wrapping_add(21);
        assert_eq!(bytes[4..12], acknowledged.to_be_bytes());
        let number = CLIENT.initial_number(Version::V1).wrapping_add(11);
        assert_eq!(bytes[12..20], number.to_be_bytes());
        assert_eq!(bytes[20..], [0, 0, 0, 1, 0, 101, 1, 1]);
        assert_eq!(number - 11, u64::from_be_bytes(last(&Sha256::digest(CLIENT.key()))));
    }

    /// RFC 6824, section 3.3.1: a receiver that sums all it covers, the checksum included, gets
    /// all ones.
    #[test]
    fn version_0_has_short_numbers_and_a_checksum() {
        let mapping = Multipath::Mapping { sequence: 10, acknowledgement: 20, fin: false };
        let bytes = CLIENT.encode(&segment(Flags::ACK, 100, mapping, Version::V0), V4);
        assert_eq!(bytes[..4], [30, 20, 0x20, 0x05]);
        let number = CLIENT.initial_number(Version::V0).wrapping_add(11);
        assert_eq!(bytes[8..12], number.to_be_bytes()[4..]);
        let covered = [&number.to_be_bytes()[..], &bytes[12..20]].concat();
        assert_eq!(checksum(&covered), 0);
    }

    proptest! {
        /// The bytes are as many as the segment counts.
        #[test]
        fn options_are_as_long_as_they_are_counted(
            kind in 0..6, syn in any::<bool>(), answer in any::<bool>(), data in any::<bool>(),
            numbers in any::<[u64; 2]>(), flag in any::<bool>(), old in any::<bool>(),
        ) {
            let version = if old { Version::V0 } else { Version::V1 };
            let [sequence, acknowledgement] = numbers;
            let multipath = match kind {
                0 => Multipath::Capable,
                1 => Multipath::Join { address: 3, backup: flag },
                2 => Multipath::Acknowledgement { acknowledgement },
                3 => Multipath::Mapping { sequence, acknowledgement, fin: flag },
                4 => Multipath::AddAddress { address: 3, echo: flag && !old, wide: answer },
                _ => Multipath::Priority { backup: flag },
            };
            let syn = syn && kind < 2;
            let flags = Flags::default().with_if(Flags::SYN, syn).with_if(Flags::ACK, answer || !syn);
            // What has no place for data's own option has no data.
            let length = if data && !syn && (kind == 3 || kind == 0 && !old) { 9 } else { 0 };
            let it = segment(flags, length, multipath, version);
            let address = if answer { IpAddr::V6(Ipv6Addr::LOCALHOST) } else { V4 };
            let bytes = CLIENT.encode(&it, address);
            let mut plain = Segment::new(4, 1, flags);
            plain.length = length;
            prop_assert_eq!(bytes.len() as u16, it.options_size() - plain.options_size());
        }
    }
}
