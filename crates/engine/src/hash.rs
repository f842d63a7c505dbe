//! Hashes of numbers, the same on every machine.

const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// Two odd constants, and a multiplication whose halves are folded, so that every
/// bit of `value` reaches every bit of the result.
#[inline]
#[must_use]
pub fn hash(value: u64) -> u64 {
    folded(value ^ FIRST, SECOND)
}

/// The same of two numbers.
#[inline]
#[must_use]
pub fn hash_pair(high: u32, low: u32) -> u64 {
    hash(u64::from(high) << 32 | u64::from(low))
}

/// The same with a second multiplication, for values of which some bits count more
/// than others.
#[inline]
#[must_use]
pub fn hash_twice(value: u64) -> u64 {
    folded(hash(value) ^ SECOND, FIRST)
}

#[inline]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}
