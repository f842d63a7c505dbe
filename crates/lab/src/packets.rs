//! Of which flows all packets are recorded, and where what is written besides goes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windtunnel_scenario::{Case, Mistake, ScenarioError, Study, suggestion};
use windtunnel_world::Plan;

use crate::qlog::Qlogs;
use crate::run_folder::of_run;

/// Of which flows and consumers all packets are recorded, by name.
#[derive(Clone, Debug, Default)]
pub struct PacketSettings {
    /// Their names.
    pub flows: Vec<String>,
}

/// The names of a plan's flows: first the consumers, then the flows over IP.
fn names(plan: &Plan) -> impl Iterator<Item = &str> {
    let consumers = plan.consumers.iter().map(|it| it.name.as_str());
    consumers.chain(plan.flows.iter().map(|it| it.name.as_str()))
}

impl PacketSettings {
    /// Whether each of them is in some case.
    pub(crate) fn check(&self, study: &Study) -> Result<(), ScenarioError> {
        let all = || study.cases.iter().flat_map(|it| names(&it.plan));
        let is_unknown = |name: &&String| !all().any(|it| it == name.as_str());
        let Some(unknown) = self.flows.iter().find(is_unknown) else { return Ok(()) };
        let mut known: Vec<&str> = all().collect();
        known.sort_unstable();
        known.dedup();
        let mistake = Mistake::new("there is no such flow").help(suggestion(unknown, &known));
        Err(mistake.locate(&format!("--events {unknown}"), "", None))
    }

    /// Their places in a plan: first the consumers, then the flows over IP.
    pub(crate) fn places(&self, plan: &Plan) -> Vec<usize> {
        let is_meant = |name: &str| self.flows.iter().any(|it| it == name);
        (0..).zip(names(plan)).filter(|it| is_meant(it.1)).map(|it| it.0).collect()
    }
}

/// The qlogs of one run: in a folder below folders named after the case.
pub(crate) fn qlogs(folder: &Path, case: &Case, plan: &Arc<Plan>) -> Qlogs {
    let folder: PathBuf = of_run(&folder.join("events"), case, plan.run);
    Qlogs::new(folder, Arc::clone(plan))
}
