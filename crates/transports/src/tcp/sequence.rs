//! Sequence numbers: 32 bits on the wire, 64 inside, so that they never wrap
//! there (RFC 9293, section 3.4).

/// The first byte of data; the SYN is the one before. There are numbers before that, for
/// segments that are older than the connection.
pub(crate) const FIRST: u64 = (1 << 32) + 1;

/// The 64-bit number next to `near` whose low bits are `wire`.
#[inline]
pub(crate) fn extend(near: u64, wire: u32) -> u64 {
    let distance = wire.wrapping_sub(near as u32) as i32;
    near.wrapping_add_signed(i64::from(distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_extend_across_the_wrap() {
        let near = (7_u64 << 32) - 10;
        for number in [near - 1_000_000, near - 1, near, near + 5, near + 10, near + 1_000_000] {
            assert_eq!(extend(near, number as u32), number);
        }
        assert_eq!(extend(0, 5), 5);
    }
}
