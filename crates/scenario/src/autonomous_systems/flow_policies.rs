//! The policies of a scenario's flows.

use std::sync::Arc;

use windtunnel_networks::scion::ScionMaker;
use windtunnel_networks::scion::policies::{PolicyMaker, PolicySettings};
use windtunnel_world::{FlowPlan, Plan};

use super::policies::AnyPolicy;
use crate::error::Mistake;
use crate::flows::Flow;
use crate::located::Named;

/// The policies of a scenario's flows, which are the first of its plan.
pub(crate) fn of_flows(
    flows: &Named<Flow>,
    plan: &Plan,
    makers: &[Arc<dyn PolicyMaker>],
) -> Result<Vec<PolicySettings>, Mistake> {
    flows.values().zip(&plan.flows).map(|(flow, it)| of_flow(flow, it, plan, makers)).collect()
}

fn of_flow(
    flow: &Flow,
    planned: &FlowPlan,
    plan: &Plan,
    makers: &[Arc<dyn PolicyMaker>],
) -> Result<PolicySettings, Mistake> {
    let Some(policy) = &flow.common.path_policy else {
        let is_alone = planned.multipath.is_none();
        return Ok(if is_alone { PolicySettings::First } else { PolicySettings::Disjoint });
    };
    policy.checked(
        |_| plan.carrier::<ScionMaker>().is_some(),
        || "`path_policy` requires autonomous systems".to_owned(),
        "write tables such as [autonomous_systems.a], or remove `path_policy`",
    )?;
    let systems =
        plan.domains.as_ref().map(|it| [planned.from, planned.to].map(|node| it.of[node]));
    policy.checked(
        |_| systems.is_none_or(|[from, to]| from != to),
        || {
            "both ends of the flow are in the same autonomous system: there is no path to choose"
                .to_owned()
        },
        "leave out `path_policy`",
    )?;
    AnyPolicy::plan(policy, makers)
}
