//! Links between the ground and satellites: who is seen, and which of those is used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Rate};
use windtunnel_orbits::{Policy, Reach, SatelliteChoice, Slots};
use windtunnel_queues::QueueKeys;

use crate::reading::error::Mistake;
use crate::reading::located::{Each, Located};
use crate::reading::units::{Angle, Length, Measured};

/// The links between nodes with a place and the satellites in their view. Their delay is that
/// of light. A node with a place does not forward from one satellite to another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GroundLinks {
    /// How fast they send; an array of two is the rate up, and down. It is that of every node
    /// that uses them: a path between two of these, such as a gateway and a user, goes up at the
    /// one and down at the other, and has no more than the smaller of the two.
    pub(super) rate: Each<Measured<Rate>>,
    /// The queue before each direction, or up and down; default: drop-tail of 100 packets.
    pub(super) queue: Option<Each<QueueKeys>>,
    /// The names of the nodes that use this constellation; default: all with a place.
    pub(super) nodes: Option<Vec<Located<String>>>,
    /// How high over the horizon a satellite must be; default: that of the preset, else 25°.
    minimum_elevation: Option<Located<Measured<Angle>>>,
    /// How far away a satellite may be, in place of an elevation; default: by elevation.
    maximum_range: Option<Located<Measured<Length>>>,
    /// Which of the satellites in view are used.
    #[serde(default)]
    handover: Handover,
    /// With `highest`: by how much another satellite must be higher to be used instead;
    /// default: 0°.
    hysteresis: Option<Located<Measured<Angle>>>,
    /// How long a choice holds unless the satellite is lost: all nodes choose at the same
    /// instants; default: until the next computation of routes.
    slot: Option<Located<Measured<Duration>>>,
    /// When the first slot begins; default: at the start.
    slot_offset: Option<Located<Measured<Duration>>>,
    /// For how long a node has no link between one satellite and the next: what is under way
    /// and what waits at the old one is lost. Default: no gap, and nothing is lost: what was
    /// queued for the old link is sent on it.
    gap: Option<Located<Measured<Duration>>>,
    /// For how long the old link goes on sending what waits there; what is left then is lost.
    /// Default: until it has sent it.
    overlap: Option<Located<Measured<Duration>>>,
}

/// Which of the satellites in view a node uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Handover {
    /// All: each path takes that by which it is the shortest.
    #[default]
    Any,
    /// The highest.
    Highest,
    /// One until it is out of view, then the highest.
    HoldHighest,
    /// One until it is out of view, then the one that will be in view for the longest time.
    HoldLongest,
}

impl GroundLinks {
    /// How nodes choose, with an elevation where none is written; steps are of that length.
    pub(super) fn policy(&self, elevation: f64, step: Duration) -> Result<Policy, Mistake> {
        let hysteresis = self.hysteresis.as_ref().map_or(0.0, |it| it.value.0.0);
        if let Some(it) = self.hysteresis.as_ref().filter(|_| self.handover != Handover::Highest) {
            let message = "`hysteresis` requires `handover = \"highest\"`";
            return Err(it.mistake(message).help("write handover = \"highest\", or remove it"));
        }
        let choice = match self.handover {
            Handover::Any => SatelliteChoice::Any,
            Handover::Highest => SatelliteChoice::Highest { hysteresis },
            Handover::HoldHighest => SatelliteChoice::HoldHighest,
            Handover::HoldLongest => SatelliteChoice::HoldLongest,
        };
        Ok(Policy { reach: self.reach(elevation)?, choice, slots: self.slots(step)? })
    }

    fn reach(&self, elevation: f64) -> Result<Reach, Mistake> {
        match (&self.minimum_elevation, &self.maximum_range) {
            (Some(_), Some(range)) => {
                let message = "`minimum_elevation` and `maximum_range` cannot both be set";
                Err(range.mistake(message).help("remove one of them"))
            }
            (None, Some(range)) => Ok(Reach::Range(range.value.0.0 / 1e3)),
            (Some(written), None) => {
                let degrees = written.value.0.0;
                written.checked(
                    |_| (0.0..90.0).contains(&degrees),
                    || format!("a minimum elevation of {degrees}° is out of range"),
                    "write one from \"0°\" to less than \"90°\"",
                )?;
                Ok(Reach::Elevation(degrees))
            }
            (None, None) => Ok(Reach::Elevation(elevation)),
        }
    }

    fn slots(&self, step: Duration) -> Result<Option<Slots>, Mistake> {
        let steps = |it: &Located<Measured<Duration>>| {
            let (length, step) = (it.value.0.as_picos(), step.as_picos());
            it.checked(
                |_| length % step == 0,
                || "it is not a multiple of the interval of routes".to_owned(),
                "write a multiple, or another `routing.interval`",
            )?;
            Ok(length / step)
        };
        let Some(slot) = &self.slot else {
            return match &self.slot_offset {
                Some(it) => Err(it
                    .mistake("`slot_offset` requires `slot`")
                    .help("write one such as slot = \"15 s\"")),
                None => Ok(None),
            };
        };
        slot.checked(
            |it| it.0 > Duration::ZERO,
            || "`slot` must be greater than zero".to_owned(),
            "write one such as \"15 s\"",
        )?;
        let offset = self.slot_offset.as_ref().map_or(Ok(0), steps)?;
        Ok(Some(Slots { length: steps(slot)?, offset }))
    }

    /// The gap before a contact, and how long after it the link is cut, if it is.
    pub(super) fn break_of(&self) -> Result<(Duration, Option<Duration>), Mistake> {
        match (&self.gap, &self.overlap) {
            (Some(gap), Some(_)) => {
                let message = "`gap` and `overlap` cannot both be set";
                Err(gap.mistake(message).help("remove one of them"))
            }
            (Some(gap), None) => Ok((gap.value.0, Some(Duration::ZERO))),
            (None, Some(overlap)) => Ok((Duration::ZERO, Some(overlap.value.0))),
            (None, None) => Ok((Duration::ZERO, None)),
        }
    }
}
