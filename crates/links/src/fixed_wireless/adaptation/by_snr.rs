//! Rate adaptation by the SNR.

use super::{Ladder, RateAdaptation};
use crate::fixed_wireless::Mcs;

/// A faster scheme is used with this many dB more than it needs, the present one is left with so
/// many less: between these nothing changes.
const UP: f64 = 1.0;
const DOWN: f64 = 0.5;

/// The fastest scheme that the SNR allows, with hysteresis.
#[derive(Clone, Debug)]
pub(super) struct BySnr {
    ladder: Ladder,
    present: usize,
}

impl BySnr {
    pub(super) fn new(ladder: Ladder) -> Self {
        Self { ladder, present: 0 }
    }
}

impl RateAdaptation for BySnr {
    fn choose(&mut self, snr: f64) -> &'static Mcs {
        let Self { ladder, present } = self;
        let up = ladder.fastest_at(snr - UP).filter(|it| it > present);
        let is_too_fast = snr < ladder.needed(ladder.schemes[*present]) - DOWN;
        let down = is_too_fast.then(|| ladder.fastest_at(snr + DOWN).unwrap_or(0));
        *present = up.or(down).unwrap_or(*present);
        ladder.schemes[*present]
    }
}
