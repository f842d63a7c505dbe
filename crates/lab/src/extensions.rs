//! What of a scenario is written outside these crates.

use windtunnel_applications::Workload;
use windtunnel_applications::sessions::PagingPolicy;
use windtunnel_applications::video::rules::RuleSettings;
use windtunnel_scenario::Case;
use windtunnel_transports::mptcp::scheduler::SchedulerSettings;
use windtunnel_world::{FlowPlan, Transport};

/// Whether something in it is written outside.
pub(crate) fn uses_extensions(case: &Case) -> bool {
    case.plan.flows.iter().any(flow_uses_extensions)
        || case.plan.consumers.iter().any(|it| it.controller.maker().is_some())
        || case
            .plan
            .sessions
            .iter()
            .any(|it| matches!(it.settings.policy, PagingPolicy::External(_)))
}

fn flow_uses_extensions(flow: &FlowPlan) -> bool {
    let Transport::Tcp { settings, workload } = &flow.transport else { return false };
    let scheduler = flow.multipath.as_ref().map(|it| &it.settings.scheduler);
    let has_rule = match workload {
        Workload::AdaptiveVideo(it) => matches!(it.rule, RuleSettings::External(_)),
        _ => false,
    };
    settings.controller.maker().is_some()
        || matches!(scheduler, Some(SchedulerSettings::External(_)))
        || has_rule
}
