//! Routing: how Interests find producers, and IP packets their destination.

mod routes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::Duration;
use windtunnel_reading::choice;
use windtunnel_world::{self as world, LinkPlan};

use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Measured, milliseconds};
use routes::Route;

/// How Interests find producers, and IP packets their destination by the shortest
/// path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Routing {
    /// What a path's length is measured by. Default: `weight` if a link has a `weight`, otherwise
    /// `delay`.
    metric: Option<Located<Metric>>,
    /// Which paths become next hops.
    #[serde(default)]
    paths: Paths,
    /// How IP packets are shared among paths of equal length.
    #[serde(default)]
    sharing: Sharing,
    /// Whether paths follow links that fail, return or change their delay.
    #[serde(default)]
    update: Update,
    /// With `dynamic`: how long after a change all nodes forward by the new paths. A
    /// destination that is not reachable any more keeps its paths.
    #[serde(default = "milliseconds::<100>")]
    convergence: Located<Measured<Duration>>,
    /// With constellations, in place of `convergence`: from one computation of all paths to the
    /// next.
    #[serde(default = "milliseconds::<100>")]
    pub(crate) interval: Located<Measured<Duration>>,
    /// With constellations: within what time after that the nodes forward by the new paths,
    /// each after a delay of its own that is drawn once; by default all do at once.
    #[serde(default = "milliseconds::<0>")]
    pub(crate) spread: Located<Measured<Duration>>,
    /// Routes that replace the computed ones of that node and prefix, or destination; default:
    /// none.
    #[serde(default)]
    routes: Vec<Route>,
}

impl Default for Routing {
    fn default() -> Self {
        Self {
            metric: None,
            paths: Paths::default(),
            sharing: Sharing::default(),
            update: Update::default(),
            convergence: milliseconds::<100>(),
            interval: milliseconds::<100>(),
            spread: milliseconds::<0>(),
            routes: Vec::new(),
        }
    }
}

choice! {
    /// What a path's length is measured by.
    Metric as world::Metric {
        /// Propagation delay.
        Delay,
        /// Links.
        Hops,
        /// The weights of links: delays, and how they change, do not matter. Links of a
        /// constellation have the weight 1.
        Weight,
    }
}

choice! {
    /// Which paths become next hops.
    Paths as world::Paths {
        /// The shortest to each producer.
        Shortest,
        /// The shortest to each producer through each neighbour.
        All,
    }
}

choice! {
    /// How IP packets are shared among paths of equal length.
    Sharing as world::Sharing {
        /// They are not: all packets between two nodes take one path.
        None,
        /// By a hash of the connection: all its packets take one path.
        Flows,
        /// Packet by packet, in turn.
        Packets,
    }
}

/// Whether paths follow changes of the topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Update {
    /// Paths follow each change.
    #[default]
    Dynamic,
    /// They stay as they are at the start.
    Static,
}

impl Routing {
    pub(crate) fn plan(
        &self,
        nodes: &Names<'_>,
        links: &Names<'_>,
        plans: &[LinkPlan],
        is_weighted: bool,
    ) -> Result<world::Routing, Mistake> {
        let (given, static_routes) = routes::plans(&self.routes, nodes, links, plans)?;
        Ok(world::Routing {
            metric: self.metric(is_weighted)?,
            paths: self.paths.into(),
            sharing: self.sharing.into(),
            convergence: (self.update == Update::Dynamic).then_some(self.convergence.value.0),
            given,
            static_routes,
        })
    }

    fn metric(&self, is_weighted: bool) -> Result<world::Metric, Mistake> {
        let Some(metric) = &self.metric else {
            return Ok(if is_weighted { world::Metric::Weight } else { world::Metric::Delay });
        };
        metric.checked(
            |it| is_weighted || !matches!(it, Metric::Weight),
            || "no link has a weight".to_owned(),
            "write one such as weight = 10 at a link, or metric = \"hops\"",
        )?;
        Ok(metric.value.into())
    }

    /// Checks the routes that the file gives.
    pub(crate) fn check(&self, routed: &Routed) -> Result<(), Mistake> {
        routes::check(&self.routes, routed)
    }
}
