//! Sums of the Internet checksum (RFC 1071), with what is changed in packets for it.

use etherparse::checksum::Sum16BitWords;

/// The bytes of a checksum that has that sum.
pub(super) fn complement(sum: Sum16BitWords) -> [u8; 2] {
    sum.ones_complement().to_ne_bytes()
}

/// The bytes of the sum itself, as the kernel has it where a checksum is still to be computed.
pub(super) fn partial(sum: Sum16BitWords) -> [u8; 2] {
    (!sum.ones_complement()).to_ne_bytes()
}

/// Whether bytes with their checksum are right.
pub(super) fn is_right(sum: Sum16BitWords) -> bool {
    sum.ones_complement() == 0
}

/// Sets the checksum of an IPv4 header.
pub(super) fn set_of_ipv4(header: &mut [u8]) {
    header[10..12].fill(0);
    let sum = complement(Sum16BitWords::new().add_slice(header));
    header[10..12].copy_from_slice(&sum);
}

/// A checksum as UDP has it, in which zero means that there is none (RFC 768).
pub(super) fn of_udp(checksum: [u8; 2]) -> [u8; 2] {
    if checksum == [0; 2] { [0xff; 2] } else { checksum }
}
