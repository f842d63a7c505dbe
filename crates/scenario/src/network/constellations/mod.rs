//! Constellations: their satellites, the links between them, and those to the ground.

mod build;
mod elements;
mod ground;
mod inter_satellite_links;
mod places;
mod satellites;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_links::{Impairment, Loss, Victims};
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_queues::{QueueKeys, QueueLimit};
use windtunnel_world::{DirectionPlan, LinkPlan};

use crate::reading::error::Mistake;
use crate::reading::located::Both;
pub(crate) use build::{ConstellationContext, plan};
use ground::GroundLinks;
use inter_satellite_links::InterSatelliteLinks;
pub(crate) use places::{GeographicPosition, Journey, path};
use satellites::Satellites;

/// A constellation of some kind.
pub(crate) type Constellation = Both<Common, Satellites>;

/// Satellites, which nodes with a place can use. Each satellite is a node, called after the
/// constellation, its plane and its slot there, from 0 on, such as `starlink-3-14`; in a preset
/// with several shells, the shell comes before the plane. Satellites of a file have the names
/// that they have there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Constellation")]
pub(crate) struct Common {
    /// The links between its satellites.
    inter_satellite_links: InterSatelliteLinks,
    /// The links between nodes with a place and its satellites.
    ground_links: GroundLinks,
}

/// A link of a constellation: it sends at the same rates all the time, and loses nothing.
fn link(
    name: String,
    nodes: [usize; 2],
    rates: [Rate; 2],
    queue: Option<&QueueKeys>,
    delay: Duration,
) -> Result<LinkPlan, Mistake> {
    let default = QueueKeys::default();
    let queue = queue.unwrap_or(&default);
    let (limit, discipline): (QueueLimit, _) = (queue.limit(), queue.discipline()?);
    let directions = rates.map(|rate| DirectionPlan {
        rate,
        opportunities: None,
        physical_layer: None,
        delay,
        loss: Loss::None,
        victims: Victims::All,
        impairment: Impairment::default(),
        limit,
        discipline: discipline.clone(),
        overhead: 0,
        weight: DirectionPlan::USUAL_WEIGHT,
    });
    let link_service = LinkServiceSettings::default();
    Ok(LinkPlan { name, nodes, directions, channel: None, medium: None, link_service })
}
