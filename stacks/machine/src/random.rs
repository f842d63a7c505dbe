//! Random numbers from the seed of the end that is at work.

use std::cell::Cell;

thread_local! {
    /// The state of the generator of the end that is at work.
    static STATE: Cell<u64> = const { Cell::new(0) };
}

/// Does something with random numbers of a generator of which this is the state.
pub(crate) fn by<T>(state: &mut u64, work: impl FnOnce() -> T) -> T {
    STATE.set(*state);
    let done = work();
    *state = STATE.get();
    done
}

/// The next 64 bits, by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators").
#[must_use]
pub fn next() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Fills these bytes.
pub fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&next().to_le_bytes()[..chunk.len()]);
    }
}
