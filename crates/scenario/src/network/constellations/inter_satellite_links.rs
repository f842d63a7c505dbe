//! Links between satellites.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Rate;
use windtunnel_orbits::{self as orbits, Walker};
use windtunnel_queues::QueueKeys;

use crate::reading::located::Located;
use crate::reading::units::{Angle, Measured};

/// The links between satellites: each is joined to the next one and the one before it in its
/// plane, and to one in each plane beside it (+Grid). Their delay is that of light. They are not
/// used while the Earth or its air, up to 80 km, is in the way.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InterSatelliteLinks {
    /// How fast they send.
    pub(super) rate: Measured<Rate>,
    /// The queue before each direction; default: drop-tail of 100 packets.
    pub(super) queue: Option<QueueKeys>,
    /// How many slots ahead of a satellite's own its neighbour in the next plane is; default:
    /// that of the shortest links.
    pub(super) partner: Option<i64>,
    /// Whether the last plane is joined to the first; default: not in a star, where satellites
    /// on the two sides of the seam move in opposite directions.
    pub(super) seam: Option<bool>,
    /// The latitude, north and south, beyond which links between planes are off; default:
    /// none.
    pub(super) maximum_latitude: Option<Located<Measured<Angle>>>,
}

impl InterSatelliteLinks {
    /// Which satellites of a pattern are joined.
    pub(super) fn grid(&self, walker: &Walker) -> orbits::Grid {
        let nearest = || orbits::Grid::nearest(walker);
        let usual = orbits::Grid {
            partner: self.partner.unwrap_or_else(|| nearest().partner),
            seam: walker.pattern == orbits::WalkerPattern::Delta,
        };
        orbits::Grid { seam: self.seam.unwrap_or(usual.seam), ..usual }
    }
}
