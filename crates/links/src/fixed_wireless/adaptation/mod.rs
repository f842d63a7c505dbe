//! Rate adaptation: which scheme packets are sent with.
//!
//! **To add one:** its file, and a line in [`Adaptation`].

mod by_error;
mod by_snr;
mod fixed;
mod minstrel;
mod power;

use std::fmt::Debug;

use windtunnel_engine::{Duration, Random};

use super::mcs::{Mcs, SCHEMES, Thresholds};
use by_error::ByError;
use by_snr::BySnr;
use fixed::Fixed;
use minstrel::Minstrel;
use power::PowerControl;

/// The packets whose errors count.
const BYTES: u32 = 1548;

/// How the scheme is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adaptation {
    /// Always the same one.
    Fixed(&'static Mcs),
    /// By the SNR, with hysteresis.
    BySnr,
    /// By errors, as Terragraph does.
    ByError {
        /// The EIRP in dBm down to which the transmitted power is lowered while more than enough
        /// gets across; none: it is not.
        minimum_eirp: Option<f64>,
    },
    /// By the success of each, as Minstrel does.
    Minstrel,
}

/// A rate adaptation of one direction.
pub trait RateAdaptation: Debug + Send {
    /// Whether the direction has had packets to send since it was asked last; said before it is
    /// asked, and until then it has.
    fn on_traffic(&mut self, _has: bool) {}

    /// The scheme from now on, at a SNR in dB.
    fn choose(&mut self, snr: f64) -> &'static Mcs;

    /// After which time it must be asked again also where the SNR does not change; none if it
    /// need not.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// By how many dB the transmitted power is below the greatest from now on.
    fn power_reduction(&self) -> f64 {
        0.0
    }
}

impl Adaptation {
    /// One that has chosen nothing, over those schemes, of a direction with that greatest EIRP in
    /// dBm, with a random stream of its own.
    #[must_use]
    pub fn start(self, ladder: &Ladder, eirp: f64, random: Random) -> Box<dyn RateAdaptation> {
        let ladder = ladder.clone();
        match self {
            Self::Fixed(scheme) => Box::new(Fixed(scheme)),
            Self::BySnr => Box::new(BySnr::new(ladder)),
            Self::ByError { minimum_eirp } => {
                let range = minimum_eirp.map_or(0.0, |it| eirp - it);
                Box::new(ByError::new(ladder, PowerControl::new(range)))
            }
            Self::Minstrel => Box::new(Minstrel::new(ladder, random)),
        }
    }
}

/// The schemes that a rate adaptation may use, the slowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    thresholds: Thresholds,
    schemes: Vec<&'static Mcs>,
}

impl Ladder {
    /// Not used by rate adaptations: MCS 6 is faster and needs less.
    pub const SKIPPED: u8 = 5;

    /// Those between two indices.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn new(thresholds: Thresholds, [lowest, highest]: [u8; 2]) -> Self {
        let is_used =
            |it: &&Mcs| (lowest..=highest).contains(&it.index) && it.index != Self::SKIPPED;
        let schemes: Vec<_> = SCHEMES.iter().filter(is_used).collect();
        assert!(!schemes.is_empty(), "a ladder has a scheme");
        Self { thresholds, schemes }
    }

    /// From which SNR on they can be used.
    #[must_use]
    pub fn thresholds(&self) -> Thresholds {
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
    fn fastest_at(&self, snr: f64) -> Option<usize> {
        self.schemes.iter().rposition(|it| self.needed(it) <= snr)
    }

    /// The same among those up to an index.
    fn fastest_up_to(&self, index: u8, snr: f64) -> Option<usize> {
        self.schemes.iter().rposition(|it| it.index <= index && self.needed(it) <= snr)
    }

    /// The probability that a packet is wrong with the scheme of a place.
    fn error(&self, place: usize, snr: f64) -> f64 {
        self.schemes[place].error(self.thresholds, snr, BYTES)
    }
}
