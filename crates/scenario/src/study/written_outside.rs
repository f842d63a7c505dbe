//! What of a case is written outside these crates.

use windtunnel_applications::Workload;
use windtunnel_applications::sessions::PagingPolicy;
use windtunnel_applications::video::rules::RuleSettings;
use windtunnel_transports::mptcp::scheduler::SchedulerSettings;
use windtunnel_world::{FlowPlan, Transport};

use crate::study::cases::Case;

impl Case {
    /// Whether something in it is written outside.
    #[must_use]
    pub fn uses_extensions(&self) -> bool {
        self.plan.flows.iter().any(flow_uses_extensions)
            || self.plan.consumers.iter().any(|it| it.controller.maker().is_some())
            || self
                .plan
                .sessions
                .iter()
                .any(|it| matches!(it.settings.policy, PagingPolicy::External(_)))
    }

    /// Whether there are real implementations of protocols in it, which cannot be copied.
    #[must_use]
    pub fn uses_stacks(&self) -> bool {
        self.plan.flows.iter().any(|it| matches!(it.transport, Transport::Stack { .. }))
    }
}

fn flow_uses_extensions(flow: &FlowPlan) -> bool {
    let has_controller = match &flow.transport {
        Transport::Tcp { settings, .. } => settings.controller.maker().is_some(),
        Transport::Stack { settings, .. } => settings.is_extended,
        Transport::Udp(_) => return false,
    };
    let scheduler = flow.multipath.as_ref().map(|it| &it.settings.scheduler);
    let has_rule = match flow.transport.workload() {
        Some(Workload::AdaptiveVideo(it)) => matches!(it.rule, RuleSettings::External(_)),
        _ => false,
    };
    has_controller || matches!(scheduler, Some(SchedulerSettings::External(_))) || has_rule
}
