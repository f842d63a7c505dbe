//! Routing: how Interests find producers, and IP packets their destination.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_world::{self as world, LinkPlan, RoutePlan};

use crate::choice::choice;
use crate::error::Mistake;
use crate::located::Located;
use crate::nodes::Names;
use crate::producers::parse_prefix;

/// How Interests find producers, and IP packets their destination by the shortest
/// path.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Routing {
    /// What a path's length is measured by.
    #[serde(default)]
    metric: Metric,
    /// Which paths become next hops.
    #[serde(default)]
    paths: Paths,
    /// Routes that replace the computed ones of that node and prefix; default: none.
    #[serde(default)]
    routes: Vec<Route>,
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
        Ok(RoutePlan { node, prefix: parse_prefix(&self.prefix)?, link, cost: self.cost })
    }
}
