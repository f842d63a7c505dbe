//! How large packets are, without making them: those of bulk transfer, an Interest for a chunk
//! and the Content Object that answers it. Sizes are in bytes.

use super::FIXED_HEADER;

/// How long an Interest is kept pending that does not say so, in milliseconds.
pub const DEFAULT_LIFETIME_MS: u64 = 2000;

/// The bytes of an element's type and length.
const HEADER: u32 = 4;
/// Those of a fixed header, and of the elements of a message and of a name without their values.
const AROUND: u32 = FIXED_HEADER as u32 + 2 * HEADER;
/// Those of an absolute time in milliseconds.
const TIME: u32 = HEADER + 8;

/// The bytes of a number that is encoded in as few as it needs.
#[inline]
#[must_use]
pub const fn number_size(number: u64) -> u32 {
    let bits = u64::BITS - number.leading_zeros();
    if bits == 0 { 1 } else { bits.div_ceil(8) }
}

/// The bytes of the segment of a name with the number of a chunk.
#[inline]
#[must_use]
pub const fn chunk_size(chunk: u64) -> u32 {
    HEADER + number_size(chunk)
}

/// The bytes of the Interest for a chunk below a name whose segments have `name` bytes; with the
/// lifetime in milliseconds.
#[inline]
#[must_use]
pub const fn interest_size(name: u32, chunk: u64, lifetime_ms: u64) -> u32 {
    AROUND + HEADER + number_size(lifetime_ms) + name + chunk_size(chunk)
}

/// The bytes of the Content Object of a chunk with so much payload, a recommended cache time, an
/// expiry time and no validation; `is_last`: it says that it is the last chunk.
#[inline]
#[must_use]
pub const fn content_object_size(name: u32, chunk: u64, payload: u32, is_last: bool) -> u32 {
    let end = if is_last { HEADER + number_size(chunk) } else { 0 };
    AROUND + TIME + name + chunk_size(chunk) + TIME + end + HEADER + payload
}
