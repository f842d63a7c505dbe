//! What flows ask of the network layer that carries their packets between domains.

use std::sync::Arc;

use windtunnel_networks::scion::policies::{PolicyMaker, PolicySettings};
use windtunnel_world::{DomainsPlan, FlowPlan, RootPlan};

use super::Flow;
use super::path_policy::AnyPolicy;
use crate::network::layers::{FlowRequest, ServedDomains};
use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::Named;

/// The domains with what flows ask of them, and the roots that these ask for names. `plans` begins
/// with those of the scenario's flows.
pub(crate) fn serve(
    flows: &Named<Flow>,
    plans: &mut [FlowPlan],
    routed: &Routed,
    nodes: &Names<'_>,
    makers: &[Arc<dyn PolicyMaker>],
) -> Result<(Option<DomainsPlan>, Vec<RootPlan>), Mistake> {
    let mut all =
        flows.values().zip(plans.iter()).map(|(flow, it)| flow.request(it, routed, makers));
    let Some(between) = &routed.between else {
        // There may be a million: none is kept.
        all.try_for_each(|it| it.map(drop))?;
        check_names(flows, plans)?;
        return Ok((None, Vec::new()));
    };
    let requests: Vec<FlowRequest<'_>> = all.collect::<Result<_, _>>()?;
    let ServedDomains { plan, roots, lookups } = between.serve(plans, &requests, nodes)?;
    for (flow, lookup) in lookups {
        plans[flow].lookup = Some(lookup);
    }
    check_names(flows, plans)?;
    Ok((Some(plan), roots))
}

/// Some layer answers each question for a name.
fn check_names(flows: &Named<Flow>, plans: &[FlowPlan]) -> Result<(), Mistake> {
    let mut asking = flows.values().zip(plans).filter(|it| it.1.lookup.is_none());
    match asking.find_map(|it| it.0.0.value.common.peer_name.as_ref()) {
        None => Ok(()),
        Some(name) => Err(name
            .mistake("`peer_name` is asked of the root of a region, and there are no regions")
            .help("remove it, or write tables such as [regions.ct1]")),
    }
}

impl Flow {
    fn request(
        &self,
        planned: &FlowPlan,
        routed: &Routed,
        makers: &[Arc<dyn PolicyMaker>],
    ) -> Result<FlowRequest<'_>, Mistake> {
        let mut ends = [planned.from, planned.to];
        let path_policy = self.path_policy(ends, routed, makers)?;
        if self.receiver_opens() {
            ends.reverse();
        }
        Ok(FlowRequest { path_policy, peer_name: self.0.value.common.peer_name.as_ref(), ends })
    }

    fn path_policy(
        &self,
        ends: [usize; 2],
        routed: &Routed,
        makers: &[Arc<dyn PolicyMaker>],
    ) -> Result<Option<PolicySettings>, Mistake> {
        let Some(policy) = &self.0.value.common.path_policy else { return Ok(None) };
        policy.checked(
            |_| routed.hosts_choose_paths(),
            || "`path_policy` requires autonomous systems".to_owned(),
            "write tables such as [autonomous_systems.a], or remove `path_policy`",
        )?;
        policy.checked(
            |_| routed.are_apart(ends),
            || {
                "both ends of the flow are in the same autonomous system: there is no path to \
                 choose"
                    .to_owned()
            },
            "leave out `path_policy`",
        )?;
        AnyPolicy::plan(policy, makers).map(Some)
    }
}
