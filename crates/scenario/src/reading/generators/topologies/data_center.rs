//! Trees, and networks of data centers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::drawing::Drawing;
use super::limits::{not_too_many, within};
use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::reading::error::Mistake;
use crate::reading::generators::entries::MOST;
use crate::reading::located::Located;
use crate::study::defaults::Part;

/// A tree whose leaves are hosts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tree {
    /// How many links lead from the root to a host: at least 1.
    depth: Located<u32>,
    /// How many nodes are below each router: at least 1.
    branches: Located<u32>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

/// Leaves, each joined to each spine.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeafSpine {
    /// How many leaves: at least 1.
    leaves: Located<u32>,
    /// How many spines: at least 1.
    spines: Located<u32>,
    /// How many hosts each leaf has: at least 1.
    hosts_per_leaf: Located<u32>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

/// Pods of switches below core switches.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FatTree {
    /// How many ports each switch has: an even number from 2 to 64.
    ports: Located<u32>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

impl Tree {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let depth = within(&self.depth, 1, MOST / 2)?;
        let branches = within(&self.branches, 1, MOST)?;
        let hosts = u32::try_from(depth).ok().and_then(|it| branches.checked_pow(it));
        not_too_many(hosts.map_or(usize::MAX, |it| it.saturating_mul(2)), &self.depth)?;
        let mut level = vec![drawing.node("router-1")];
        let mut routers = 1;
        for _ in 1..depth {
            level = level.iter().flat_map(|it| vec![it.clone(); branches]).collect();
            for above in &mut level {
                routers += 1;
                let name = format!("router-{routers}");
                let router = drawing.node(&name);
                drawing.link(name, [&router, above]);
                *above = router;
            }
        }
        let hosts = level.iter().flat_map(|it| vec![it; branches]).enumerate();
        hosts.for_each(|(it, router)| drop(drawing.host(format!("host-{}", it + 1), router)));
        Ok(())
    }
}

impl LeafSpine {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let leaves = within(&self.leaves, 1, MOST)?;
        let spines = within(&self.spines, 1, MOST)?;
        let hosts = within(&self.hosts_per_leaf, 1, MOST)?;
        not_too_many((leaves * spines.max(hosts)).saturating_mul(2), &self.leaves)?;
        let spines = (1..=spines).map(|it| format!("spine-{it}"));
        let spines: Vec<_> = spines.map(|it| (drawing.node(&it), it)).collect();
        for leaf in 1..=leaves {
            let name = format!("leaf-{leaf}");
            let node = drawing.node(&name);
            for (spine, spine_name) in &spines {
                drawing.link(format!("{name}-{spine_name}"), [&node, spine]);
            }
            for it in 1..=hosts {
                drawing.host(format!("host-{}", (leaf - 1) * hosts + it), &node);
            }
        }
        Ok(())
    }
}

impl FatTree {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let ports = within(&self.ports, 2, 64)?;
        self.ports.checked(
            |_| ports % 2 == 0,
            || format!("`ports` must be even, not {ports}: half of them are uplinks"),
            "write an even number",
        )?;
        let half = ports / 2;
        let core = (1..=half * half).map(|it| format!("core-{it}"));
        let core: Vec<_> = core.map(|it| (drawing.node(&it), it)).collect();
        (0..ports).for_each(|it| pod(drawing, it * half, &core));
        Ok(())
    }
}

/// Draws a pod of a fat tree; `before` are how many switches of each kind are in the pods before.
fn pod(drawing: &mut Drawing, before: usize, core: &[(String, String)]) {
    let half = core.len().isqrt();
    let mut aggregation = Vec::with_capacity(half);
    for it in 0..half {
        let name = format!("aggregation-{}", before + it + 1);
        let node = drawing.node(&name);
        for (above, above_name) in &core[it * half..(it + 1) * half] {
            drawing.link(format!("{name}-{above_name}"), [&node, above]);
        }
        aggregation.push((node, name));
    }
    for it in before..before + half {
        let name = format!("edge-{}", it + 1);
        let node = drawing.node(&name);
        for (above, above_name) in &aggregation {
            drawing.link(format!("{name}-{above_name}"), [&node, above]);
        }
        (1..=half).for_each(|host| {
            drawing.host(format!("host-{}", it * half + host), &node);
        });
    }
}
