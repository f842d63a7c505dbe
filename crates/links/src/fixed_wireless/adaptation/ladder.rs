//! The schemes among which a rate adaptation chooses.

use crate::fixed_wireless::mcs::{Mcs, SCHEMES, SnrThresholds};

/// The packets whose errors count.
const BYTES: u32 = 1548;

/// The schemes that a rate adaptation may use, the slowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    thresholds: SnrThresholds,
    pub(super) schemes: Vec<&'static Mcs>,
}

impl Ladder {
    /// Not used by rate adaptations: MCS 6 is faster and needs less.
    pub const SKIPPED: u8 = 5;

    /// Those between two indices.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn new(thresholds: SnrThresholds, [lowest, highest]: [u8; 2]) -> Self {
        let is_used =
            |it: &&Mcs| (lowest..=highest).contains(&it.index) && it.index != Self::SKIPPED;
        let schemes: Vec<_> = SCHEMES.iter().filter(is_used).collect();
        assert!(!schemes.is_empty(), "a ladder has a scheme");
        Self { thresholds, schemes }
    }

    /// From which SNR on they can be used.
    #[must_use]
    pub fn thresholds(&self) -> SnrThresholds {
        self.thresholds
    }

    /// The SNR that a scheme needs.
    #[must_use]
    pub fn needed(&self, scheme: &Mcs) -> f64 {
        scheme.needed(self.thresholds)
    }

    /// The fastest scheme that does not need more than a SNR; the slowest if all do.
    #[must_use]
    pub fn best_at(&self, snr: f64) -> &'static Mcs {
        self.schemes[self.fastest_at(snr).unwrap_or(0)]
    }

    /// The place of the fastest scheme that does not need more than a SNR.
    pub(super) fn fastest_at(&self, snr: f64) -> Option<usize> {
        self.schemes.iter().rposition(|it| self.needed(it) <= snr)
    }

    /// The same among those up to an index.
    pub(super) fn fastest_up_to(&self, index: u8, snr: f64) -> Option<usize> {
        self.schemes.iter().rposition(|it| it.index <= index && self.needed(it) <= snr)
    }

    /// The probability that a packet is wrong with the scheme of a place.
    pub(super) fn error(&self, place: usize, snr: f64) -> f64 {
        self.schemes[place].error(self.thresholds, snr, BYTES)
    }
}
