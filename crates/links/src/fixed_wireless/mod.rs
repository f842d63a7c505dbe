//! Fixed radio links: two antennas that look at each other, as at 60 GHz from roof to roof.
//!
//! The received power is the EIRP without what is lost in free space, in the [`Air`] and in rain
//! and fog, and beside the axis of each antenna ([`End`]), with a second ray over water
//! ([`Reflection`]) where there is one. The SNR that it gives decides with which [`Mcs`] packets
//! are sent ([`Adaptation`]), and how many of them are wrong; [`MediumAccess`] says when they are
//! sent, and wrong ones again.
//!
//! Lengths are in metres, angles in degrees, powers in dBm, gains in dBi, losses and SNR in dB.
//!
//! `path` computes what is received, `time_division` and `exchange` how packets get across; what
//! the air takes is in [`crate::atmosphere`].

mod adaptation;
mod antenna;
mod beam;
mod block_ack;
mod channel;
mod exchange;
mod keys;
pub mod mcs;
mod packet_errors;
mod path;
mod reflection;
mod time_division;
pub mod timing;

use std::sync::Arc;

use windtunnel_engine::Duration;

use crate::atmosphere::{Air, Polarisation};
use crate::course::Course;
pub use adaptation::{Adaptation, Ladder, RateAdaptation};
pub use antenna::{
    Antenna, AntennaPattern, PatternCurve, diameter_of, greatest_gain, greatest_gain_of_dish,
    in_wavelengths,
};
pub use beam::{Beam, Codebook, End};
pub use exchange::ExchangePlan;
pub use keys::FixedWirelessKeys;
pub use mcs::{Mcs, SnrThresholds};
pub use reflection::Reflection;
pub use time_division::TimeDivisionPlan;
pub use timing::{Access, MediumAccess};

/// The whole of a fixed radio link. A pair is for what its first node sends, and for what its
/// second node sends; or for the first node's end, and the second's.
#[derive(Clone, Debug)]
pub struct FixedWirelessPlan {
    /// The carrier's frequency, in Hz.
    pub carrier: f64,
    /// From one antenna to the other.
    pub distance: f64,
    /// The transmitted power, with the transmitting antenna's gain: the greatest, if it is
    /// controlled.
    pub eirp: [f64; 2],
    /// The antennas.
    pub ends: [End; 2],
    /// The air between them.
    pub air: Air,
    /// The rain.
    pub rain: Rain,
    /// The liquid water of fog, in g/m³.
    pub fog: Arc<Course>,
    /// The ray that water reflects, if there is any.
    pub reflection: Option<Reflection>,
    /// The receivers' noise figure.
    pub noise_figure: f64,
    /// The schemes that may be used.
    pub ladder: Ladder,
    /// Which of them is.
    pub adaptation: Adaptation,
    /// How the ends share the medium.
    pub access: MediumAccess,
    /// How often the channel is sampled while the weather changes it; rate adaptations that
    /// have a period of their own are asked after that.
    pub period: Duration,
}

/// Rain on a link.
#[derive(Clone, Debug)]
pub struct Rain {
    /// Its rate in the course of time, in mm/h.
    pub rate: Arc<Course>,
    /// How the waves swing.
    pub polarisation: Polarisation,
    /// On how much of the path it falls.
    pub extent: RainExtent,
}

/// On how much of a path rain falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RainExtent {
    /// On all of it alike.
    Whole,
    /// On the effective path length of ITU-R P.530: a strong shower is small.
    Effective,
}
