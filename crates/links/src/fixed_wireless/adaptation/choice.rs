//! All rate adaptations, with their parameters.

use windtunnel_engine::Random;

use super::by_error::ByError;
use super::by_snr::BySnr;
use super::fixed::Fixed;
use super::ladder::Ladder;
use super::minstrel::Minstrel;
use super::power::PowerControl;
use super::rate_adaptation::RateAdaptation;
use crate::fixed_wireless::mcs::Mcs;

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
