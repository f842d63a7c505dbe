//! Who sends how much to whom, as the file of a topology says.

use std::collections::HashSet;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Rate;

use super::entries::text;
use super::pattern_flow::{Ends, PatternFlow};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::graphs;
use crate::reading::located::Located;
use crate::reading::tree::Entry;
use crate::reading::units::{Quantity, written};

/// The demands of each topology, by its name.
pub(super) type Demands = IndexMap<String, Vec<Demand>>;

/// How much one node sends to another.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    ends: Ends,
    /// In bit/s.
    rate: f64,
}

impl Demand {
    /// A demand of a file, among nodes with these names.
    pub(super) fn between(nodes: &[String], demand: &graphs::Demand) -> Self {
        Self { ends: demand.ends.map(|it| nodes[it].clone()), rate: demand.rate }
    }
}

/// The demands of a topology's file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FromFile {
    /// The topology, of kind `file`.
    topology: Located<String>,
    /// What the demands of the file are multiplied by: greater than zero.
    #[serde(default = "one")]
    scale: Located<f64>,
}

fn one() -> Located<f64> {
    1.0.into()
}

impl FromFile {
    /// The flows between these nodes, each with its rate.
    pub(super) fn flows(
        &self,
        group: &Entry,
        [from, to]: [&[&str]; 2],
        demands: &Demands,
    ) -> Result<Vec<PatternFlow>, Mistake> {
        self.scale.checked(
            |it| it.is_finite() && *it > 0.0,
            || "`scale` must be greater than zero".to_owned(),
            "write a number such as scale = 0.01",
        )?;
        let [from, to] = [from, to].map(|it| it.iter().copied().collect::<HashSet<&str>>());
        let all = self.of_topology(demands)?.iter();
        let among = all.filter(|it| from.contains(&*it.ends[0]) && to.contains(&*it.ends[1]));
        let flows: Vec<PatternFlow> =
            among.map(|it| self.flow(it, group)).collect::<Result<_, _>>()?;
        if flows.is_empty() {
            let message = format!("`{}` has no demand between these nodes", self.topology.value);
            return Err(self.topology.mistake(message).help("name other nodes in `from` or `to`"));
        }
        Ok(flows)
    }

    fn of_topology<'a>(&self, demands: &'a Demands) -> Result<&'a [Demand], Mistake> {
        let name = &self.topology.value;
        let found = demands.get(name).ok_or_else(|| {
            let known: Vec<&str> = demands.keys().map(String::as_str).collect();
            let message = format!("there is no topology `{name}`");
            self.topology.mistake(message).help(suggestion(name, &known))
        })?;
        self.topology.checked(
            |_| !found.is_empty(),
            || format!("the topology `{name}` has no demands"),
            "name one whose file has demands: node-link JSON with `demands`, or SNDlib's XML",
        )?;
        Ok(found)
    }

    fn flow(&self, demand: &Demand, group: &Entry) -> Result<PatternFlow, Mistake> {
        let [from, to] = &demand.ends;
        let rate = Rate::from_base(demand.rate * self.scale.value, "").map_err(|why| {
            let message = format!("the demand from `{from}` to `{to}` {why}");
            self.scale.mistake(message).help("write another `scale`")
        })?;
        let rate = text("rate", written(&rate), &group.span);
        let rate = Entry { found_under: Some("demands".to_owned()), ..rate };
        Ok(PatternFlow { ends: demand.ends.clone(), own: vec![rate] })
    }
}
