//! Free-space optical links: a beam of light from roof to roof.
//!
//! The received power is the transmitted one without what the beam's divergence spreads
//! beside the receiver, what [`fog`] takes, and with [`turbulence`]'s scintillation. Below the
//! receiver's sensitivity nothing gets across.
//!
//! Lengths are in metres, angles in radians, powers in dBm, losses and margins in dB.

pub mod fog;
pub mod turbulence;

mod channel;
mod keys;

use std::sync::Arc;

use libm::log10;
use windtunnel_engine::Duration;

use crate::budget::{BudgetTerm, LinkBudget};
use crate::course::Course;
use fog::FogModel;

pub use keys::OpticalKeys;

/// The whole of an optical link. A pair is for what its first node sends, and for what its
/// second node sends.
#[derive(Clone, Debug)]
pub struct OpticalPlan {
    /// The light's wavelength.
    pub wavelength: f64,
    /// From one end to the other.
    pub distance: f64,
    /// What is received in clear air.
    pub power: OpticalPower,
    /// How far one can see, at 2 % contrast.
    pub visibility: Arc<Course>,
    /// What fog takes.
    pub fog: FogModel,
    /// The air's turbulence, if there is any.
    pub turbulence: Option<TurbulencePlan>,
    /// What becomes of packets while too little is received.
    pub outage: Outage,
    /// How often the channel is sampled.
    pub period: Duration,
}

/// What an optical link receives in clear air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpticalPower {
    /// So many dB more than the receiver needs.
    Margin([f64; 2]),
    /// What follows from its parts.
    Parts(OpticalParts),
}

/// The parts of an optical link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpticalParts {
    /// The transmitted power.
    pub transmit_power: [f64; 2],
    /// The diameter of the beam where it leaves the transmitter.
    pub transmitter_aperture: f64,
    /// The full angle by which the beam widens.
    pub divergence: f64,
    /// The diameter of the receiver's lens.
    pub receiver_aperture: f64,
    /// What lenses, windows and imperfect pointing take.
    pub optics_loss: f64,
    /// The power that the receiver needs.
    pub sensitivity: [f64; 2],
}

/// The turbulence of the air between the ends, the same all the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurbulencePlan {
    /// The refractive-index structure parameter Cn², in m^(−2/3).
    pub structure: f64,
    /// The time after which the autocorrelation of eddies has fallen to 1/e.
    pub coherence: Duration,
}

/// What becomes of packets while less is received than the receiver needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// They are sent, and lost.
    Lose,
    /// They wait until there is enough power again.
    Wait,
}

/// What a beam spreads beside the receiver, in dB: the areas of both in relation (ITU-R
/// P.1814, section 2, where the beam begins as a point). A beam that is narrower than the
/// receiver is received whole.
#[must_use]
pub fn geometric_loss(parts: &OpticalParts, distance: f64) -> f64 {
    let beam = parts.transmitter_aperture + parts.divergence * distance;
    (20.0 * log10(beam / parts.receiver_aperture)).max(0.0)
}

impl OpticalPlan {
    /// What fog takes at a visibility, in dB.
    #[must_use]
    pub fn fog_loss(&self, visibility: f64) -> f64 {
        self.fog.attenuation(self.wavelength, visibility) * self.distance / 1e3
    }

    /// The budget of each direction.
    #[must_use]
    pub fn budgets(&self) -> [LinkBudget; 2] {
        let [worst, best] = self.visibility.range().map(|it| -self.fog_loss(it));
        [0, 1].map(|direction| {
            let mut budget = self.power.in_clear_air(direction, self.distance);
            budget.terms.push(BudgetTerm { name: "fog", best, worst });
            budget
        })
    }
}

impl OpticalPower {
    /// The budget of one direction over a distance without fog.
    fn in_clear_air(&self, direction: usize, distance: f64) -> LinkBudget {
        let parts = match self {
            Self::Margin(margin) => {
                let terms = vec![BudgetTerm::constant("margin in clear air", margin[direction])];
                return LinkBudget { terms, sensitivity: None, results: Vec::new() };
            }
            Self::Parts(parts) => parts,
        };
        let terms = [
            ("transmitted power", parts.transmit_power[direction]),
            ("optics", -parts.optics_loss),
            ("divergence of the beam", -geometric_loss(parts, distance)),
        ];
        LinkBudget {
            terms: terms.map(|(name, value)| BudgetTerm::constant(name, value)).into(),
            sensitivity: Some([parts.sensitivity[direction]; 2]),
            results: Vec::new(),
        }
    }
}
