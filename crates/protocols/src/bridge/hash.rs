//! The hash of numbers from headers, the same on every machine.

/// Two odd constants, and a multiplication whose halves are folded, so that every
/// bit of both numbers reaches every bit of the result.
#[inline]
pub(super) fn hash(high: u32, low: u32) -> u64 {
    let mixed = (u64::from(high) << 32 | u64::from(low)) ^ 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(mixed) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ ((product >> 64) as u64)
}
