//! What is lost between one station and the user.

use libm::erfc;
use windtunnel_engine::{Streams, Time};

use super::blockage::Blockage;
use super::propagation::{Antennas, from_decibels, line_of_sight_probability, to_decibels};
use super::shadowing::{Field, Shadowing};
use super::{LineOfSight, Obstructed, Point, RadioPlan, Station};

/// Over which way the sight that is left to chance stays alike, in metres (TR 38.901,
/// table 7.6.3.1-2, UMi: LOS/NLOS state).
const SIGHT_CORRELATION: f64 = 50.0;

/// The user's part: the place, how far the way there was, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whereabouts {
    pub(super) position: Point,
    pub(super) walked: f64,
    pub(super) now: Time,
}

/// What is lost between one station and the user, in both directions alike.
#[derive(Clone, Debug)]
pub(super) struct Attenuation {
    /// What decides by chance whether there is a line of sight: there is, where its
    /// normal value has a lesser probability than sight has at the distance.
    sight: Option<Field>,
    shadowing: Option<Shadowing>,
    blockage: Option<Blockage>,
}

impl Attenuation {
    pub(super) fn new(plan: &RadioPlan, station: &Station, streams: &Streams, link: &str) -> Self {
        let stream = |what: &str| streams.stream(&format!("{what} {link} from {}", station.name));
        let by_chance = plan.line_of_sight == LineOfSight::Probability;
        Self {
            sight: by_chance.then(|| Field::new(stream("sight"))),
            shadowing: plan.shadowing.then(|| Shadowing::new(stream("shadowing"))),
            blockage: plan.blockage.map(|it| Blockage::new(it, stream("blockage"))),
        }
    }

    /// Whether the user sees the station, and the loss in dB.
    pub(super) fn at(
        &mut self,
        plan: &RadioPlan,
        station: &Station,
        user: Whereabouts,
    ) -> (bool, f64) {
        let ground = station.at.distance(user.position);
        let antennas = Antennas::new(ground, station.height, plan.map.user_height);
        let Seen { line_of_sight, share, loss } = match &mut self.sight {
            Some(field) => {
                let level = normal_distribution(field.after(user.walked, SIGHT_CORRELATION));
                by_chance(plan, antennas, level < line_of_sight_probability(ground))
            }
            None => by_map(plan, antennas, station, user.position),
        };
        let shadowing = self.shadowing.as_mut().map_or(0.0, |it| it.loss(user.walked, share));
        let blockage = self.blockage.as_mut().map_or(0.0, |it| it.loss(user.now));
        (line_of_sight, loss + shadowing + blockage)
    }
}

/// A station as the user's place has it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    line_of_sight: bool,
    /// The share of the power that comes as with line of sight.
    share: f64,
    /// The path loss, in dB.
    loss: f64,
}

fn by_chance(plan: &RadioPlan, antennas: Antennas, line_of_sight: bool) -> Seen {
    let (share, loss) = if line_of_sight {
        (1.0, antennas.line_of_sight_loss(plan.carrier))
    } else {
        (0.0, antennas.obstructed_loss(plan.carrier))
    };
    Seen { line_of_sight, share, loss }
}

fn by_map(plan: &RadioPlan, antennas: Antennas, station: &Station, user: Point) -> Seen {
    let shadow = plan.map.shadow(station, user, plan.carrier);
    let line_of_sight_loss = antennas.line_of_sight_loss(plan.carrier);
    let share = from_decibels(-shadow.loss);
    let loss = match plan.obstructed {
        Obstructed::Diffraction => line_of_sight_loss + shadow.loss,
        Obstructed::Scattering => {
            let obstructed_loss = antennas.obstructed_loss(plan.carrier);
            line_of_sight_loss + scattered(share, obstructed_loss - line_of_sight_loss)
        }
    };
    Seen { line_of_sight: shadow.line_of_sight, share, loss }
}

/// The loss beyond that of a line of sight when the share of the power that is
/// diffracted comes with the loss of a line of sight, and the rest scattered, with
/// `more` loss in dB. So the loss goes from that with line of sight to that without, and
/// has no jump.
fn scattered(diffracted: f64, more: f64) -> f64 {
    -to_decibels(diffracted + (1.0 - diffracted) * from_decibels(-more))
}

/// The distribution function of the standard normal distribution.
fn normal_distribution(value: f64) -> f64 {
    0.5 * erfc(-value * std::f64::consts::FRAC_1_SQRT_2)
}
