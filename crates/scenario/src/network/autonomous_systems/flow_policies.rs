//! The policies of a scenario's flows.

use std::sync::Arc;

use windtunnel_networks::scion::policies::{PolicyMaker, PolicySettings};
use windtunnel_world::FlowPlan;

use super::policies::AnyPolicy;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::Named;
use crate::traffic::flows::Flow;

/// The policies of a scenario's flows, which are the first of `plans`.
pub(crate) fn of_flows(
    flows: &Named<Flow>,
    plans: &[FlowPlan],
    routed: &Routed,
    makers: &[Arc<dyn PolicyMaker>],
) -> Result<Vec<PolicySettings>, Mistake> {
    flows.values().zip(plans).map(|(flow, it)| of_flow(flow, it, routed, makers)).collect()
}

fn of_flow(
    flow: &Flow,
    planned: &FlowPlan,
    routed: &Routed,
    makers: &[Arc<dyn PolicyMaker>],
) -> Result<PolicySettings, Mistake> {
    let Some(policy) = &flow.0.common.path_policy else {
        let is_alone = planned.multipath.is_none();
        return Ok(if is_alone { PolicySettings::First } else { PolicySettings::Disjoint });
    };
    policy.checked(
        |_| routed.systems.is_some(),
        || "`path_policy` requires autonomous systems".to_owned(),
        "write tables such as [autonomous_systems.a], or remove `path_policy`",
    )?;
    policy.checked(
        |_| routed.are_apart([planned.from, planned.to]),
        || {
            "both ends of the flow are in the same autonomous system: there is no path to choose"
                .to_owned()
        },
        "leave out `path_policy`",
    )?;
    AnyPolicy::plan(policy, makers)
}
