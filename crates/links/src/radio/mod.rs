//! Radio links: from where a user walks to how fast a link sends.
//!
//! A [`Radio`] is sampled at stated times, not for every packet: a place on the
//! [`Map`] gives the path loss to each base station ([`propagation`]), with
//! [`shadowing`] and [`blockage`] on top; that gives the SINR, and the SINR the
//! rate ([`efficiency`]). What the air interface then does to single packets is decided
//! by a physical layer.
//!
//! Lengths are in metres, powers in dBm, gains, losses and SINR in dB, frequencies
//! in hertz.

pub mod blockage;
pub mod efficiency;
pub mod map;
pub mod propagation;
pub mod shadowing;

mod attenuation;
mod channel;
mod handover;
mod keys;

pub use blockage::BlockagePlan;
pub use channel::Radio;
pub use efficiency::Efficiency;
pub use keys::RadioKeys;
pub use map::{Building, Map, Point, Station};

use windtunnel_engine::Duration;

use crate::channel::ReportPlan;

/// What decides whether there is a line of sight to a base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOfSight {
    /// The buildings on the map.
    Map,
    /// Chance: a line of sight with the probability that belongs to the distance
    /// (TR 38.901, table 7.4.2-1), alike at places that lie close together. The
    /// buildings on the map then count for nothing, and without line of sight the
    /// path loss is that of TR 38.901 ([`Obstructed`] counts for nothing either).
    Probability,
}

/// What reaches a user who does not see the base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstructed {
    /// What is diffracted around the buildings' corners (ITU-R P.526-15, section
    /// 4.1), and nothing else.
    Diffraction,
    /// What is scattered and reflected as well: the share of the power that diffraction
    /// leaves has the path loss with line of sight of TR 38.901, the rest has that
    /// without.
    Scattering,
}

/// The whole of a radio link, the same for both directions but where it says so.
/// A pair is for what the link's first node sends, and for what the user sends.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioPlan {
    /// The carrier's frequency, in Hz.
    pub carrier: f64,
    /// The bandwidth of each direction, in Hz.
    pub bandwidth: [f64; 2],
    /// The transmitted power, in dBm.
    pub transmit_power: [f64; 2],
    /// The gain of both ends' antennas together, in dB, towards the serving station.
    pub antenna_gain: f64,
    /// The receivers' noise figure, in dB.
    pub noise_figure: f64,
    /// Stations, buildings and the user's path.
    pub map: Map,
    /// How fast the user goes along it, in m/s.
    pub speed: f64,
    /// What decides whether the user sees a station.
    pub line_of_sight: LineOfSight,
    /// What reaches the user who does not.
    pub obstructed: Obstructed,
    /// Whether there is shadowing.
    pub shadowing: bool,
    /// What passes between the user and the station, if anything does.
    pub blockage: Option<BlockagePlan>,
    /// From SINR to spectral efficiency.
    pub efficiency: Efficiency,
    /// The share of the rate that reference signals and control take.
    pub overhead: f64,
    /// How often the channel is sampled.
    pub period: Duration,
    /// When the user changes from one station to another.
    pub handover: HandoverPlan,
    /// How the SINR is reported to senders: every this many periods.
    pub report: ReportPlan,
}

/// When the user changes from one base station to another (TS 38.331, event A3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandoverPlan {
    /// By how much the other station must be better, in dB.
    pub margin: f64,
    /// For how long.
    pub after: Duration,
    /// How long nothing is sent then; what waits goes on waiting.
    pub interruption: Duration,
}
