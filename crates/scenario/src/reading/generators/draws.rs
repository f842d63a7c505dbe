//! Draws of nodes.

use windtunnel_engine::Random;

/// A whole number below a limit, drawn at random.
pub(super) fn below(limit: usize, random: &mut Random) -> usize {
    // A draw is less than one, but the product may be rounded up.
    ((random.unit() * limit as f64) as usize).min(limit - 1)
}

/// Puts all in a random order (Fisher and Yates).
pub(super) fn shuffle<T>(all: &mut [T], random: &mut Random) {
    for last in (1..all.len()).rev() {
        all.swap(last, below(last + 1, random));
    }
}
