//! Routing: how Interests find producers, and IP packets their destination.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::Duration;
use windtunnel_world::{self as world, LinkPlan, RoutePlan};

use crate::choice::choice;
use crate::error::Mistake;
use crate::located::Located;
use crate::nodes::Names;
use crate::prefixes;
use crate::units::{Measured, milliseconds};

/// How Interests find producers, and IP packets their destination by the shortest
/// path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Routing {
    /// What a path's length is measured by.
    #[serde(default)]
    metric: Metric,
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
    /// Routes that replace the computed ones of that node and prefix; default: none.
    #[serde(default)]
    routes: Vec<Route>,
}

impl Default for Routing {
    fn default() -> Self {
        Self {
            metric: Metric::default(),
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
    /// They do.
    #[default]
    Dynamic,
    /// They stay as they are at the start.
    Static,
}

/// A route that the file gives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    /// The node where it applies.
    node: Located<String>,
    /// The prefix that it leads to.
    prefix: Located<String>,
    /// The link that it takes.
    link: Located<String>,
    /// Its cost; of several routes, the one of the lowest cost is preferred.
    #[serde(default)]
    cost: u64,
}

impl Routing {
    pub(crate) fn plan(
        &self,
        nodes: &Names<'_>,
        links: &Names<'_>,
        plans: &[LinkPlan],
    ) -> Result<world::Routing, Mistake> {
        let given = self.routes.iter().map(|it| it.plan(nodes, links, plans));
        Ok(world::Routing {
            metric: self.metric.into(),
            paths: self.paths.into(),
            sharing: self.sharing.into(),
            convergence: (self.update == Update::Dynamic).then_some(self.convergence.value.0),
            given: given.collect::<Result<_, _>>()?,
        })
    }
}

impl Route {
    fn plan(
        &self,
        nodes: &Names<'_>,
        links: &Names<'_>,
        plans: &[LinkPlan],
    ) -> Result<RoutePlan, Mistake> {
        let node = nodes.index(&self.node)?;
        let link = links.index(&self.link)?;
        if !plans[link].nodes.contains(&node) {
            let [first, second] = plans[link].nodes.map(|it| nodes.name(it));
            let message =
                format!("link `{}` is not at node `{}`", self.link.value, self.node.value);
            let help = format!("it joins `{first}` and `{second}`");
            return Err(self.link.mistake(message).help(help));
        }
        Ok(RoutePlan { node, prefix: prefixes::parse(&self.prefix)?.0, link, cost: self.cost })
    }
}
