//! Timing of single lookups, with full and with empty caches.

use std::hint::black_box;
use std::time::Instant;

/// The rounds of which the fastest counts: others were interrupted. Each is short enough that some
/// are not.
const ROUNDS: usize = 31;
/// More than the caches of a processor hold, in words of 64 bytes.
const LARGER_THAN_CACHES: usize = (96 << 20) / 64;

/// The time of a lookup in ns when all of a table that is asked for was asked for before.
pub(super) fn warm(destinations: &[u32], find: impl Fn(u32) -> u32) -> f64 {
    let round = || {
        // Zero, which only the program that runs knows: each lookup needs the one before it, also
        // where it is the first byte alone that is looked up. And other destinations than in the
        // round before, as far as the compiler knows.
        let (zero, destinations) = (black_box(0), black_box(destinations));
        let start = Instant::now();
        let last =
            destinations.iter().fold(0_u32, |found, it| find(it ^ (found.rotate_left(24) & zero)));
        black_box(last);
        start.elapsed().as_secs_f64() * 1e9 / destinations.len() as f64
    };
    // The first fills the caches.
    round();
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// What empties the caches.
pub(super) struct Cold {
    lines: Vec<[u64; 8]>,
    evictions: usize,
}

impl Cold {
    pub(super) fn new(evictions: usize) -> Self {
        Self { lines: vec![[1; 8]; LARGER_THAN_CACHES], evictions }
    }

    /// The median time of a lookup in ns right after the caches were emptied: of the table, and
    /// of the program that looks it up.
    pub(super) fn time(&mut self, destinations: &[u32], find: impl Fn(u32) -> u32) -> f64 {
        let mut took = Vec::new();
        let mut clock = Vec::new();
        for destination in destinations.iter().copied().cycle().take(self.evictions) {
            self.evict();
            let destination = black_box(destination);
            // What the clock itself takes, which is not cold the second time.
            clock.push(elapsed(|| 0));
            clock.push(elapsed(|| 0));
            took.push(elapsed(|| find(destination)));
        }
        (median(took) - median(clock)).max(0.0)
    }

    fn evict(&mut self) {
        for line in &mut self.lines {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&self.lines);
    }
}

fn elapsed(act: impl Fn() -> u32) -> f64 {
    let start = Instant::now();
    black_box(act());
    start.elapsed().as_secs_f64() * 1e9
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(0.0)
}
