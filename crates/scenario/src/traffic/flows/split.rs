//! Proxies that split the connections of a flow.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_world::SplitPlan;

use super::paths::FlowContext;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::sizes::{MOST_BUFFER, within};
use crate::reading::units::{Bytes, Measured, bytes};

/// Proxies that split a flow's connections: each answers the node before in the
/// receiver's name, and has a connection of its own to the next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Split {
    /// The nodes of the proxies, in the order of the path.
    at: Located<Vec<Located<String>>>,
    /// How much of a connection each holds; the default limits nothing.
    #[serde(default = "bytes::<MOST_BUFFER>")]
    buffer: Located<Measured<Bytes>>,
}

impl Split {
    /// The proxies of a flow between two nodes.
    pub(super) fn plan(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
    ) -> Result<SplitPlan, Mistake> {
        self.at.checked(
            |it| !it.is_empty(),
            || "`split` is empty".to_owned(),
            "name the nodes of the proxies, or leave `split` out",
        )?;
        let path = context.paths.nodes(ends);
        let mut between = path.iter().skip(1).take_while(|it| **it != ends[1]);
        let mut at = Vec::new();
        for proxy in &self.at.value {
            let node = context.nodes.index(proxy)?;
            if !between.any(|it| *it == node) {
                return Err(not_next(context, &path, proxy));
            }
            at.push(node);
        }
        Ok(SplitPlan { at, buffer: within(&self.buffer, MOST_BUFFER, "buffer")? })
    }
}

fn not_next(context: &FlowContext<'_>, path: &[usize], proxy: &Located<String>) -> Mistake {
    let names: Vec<&str> = path.iter().map(|it| context.nodes.name(*it)).collect();
    let message = format!("proxy `{}` is not the next one on the path of the flow", proxy.value);
    proxy.mistake(message).help(format!(
        "name nodes between its ends, in the order of its path: {}",
        names.join(", ")
    ))
}
