//! The policies that choose the paths of flows.

use windtunnel_networks::scion::policies::PolicySettings;
use windtunnel_networks::scion::{FlowNumber, FlowPolicies, FlowPolicy};
use windtunnel_scenario::FlowRequest;
use windtunnel_world::{FlowPlan, Transport};

/// The policies of all flows, by the numbers of their connections. `requests` are of the first
/// ones; the others have the default.
pub(super) fn of_flows(flows: &[FlowPlan], requests: &[FlowRequest<'_>]) -> FlowPolicies {
    let mut policies = FlowPolicies::default();
    for (place, flow) in flows.iter().enumerate() {
        let policy = requests.get(place).map_or(PolicySettings::First, |it| of_flow(flow, it));
        let mut add = |number, subflow, subflows, from: usize| {
            let (policy, from) = (policy.clone(), from as u32);
            let flow = FlowPolicy { number, flow: place, subflow, subflows, from, policy };
            policies.flows.push(flow);
        };
        if matches!(flow.transport, Transport::Udp(_)) {
            add(FlowNumber::Datagrams(place as u32), 0, 1, flow.from);
            continue;
        }
        let subflows = flow.multipath.as_ref().map_or(1, |it| it.paths.len());
        for (part, ([from, _], _)) in flow.connections().enumerate() {
            let subflow = if flow.multipath.is_some() { part } else { 0 };
            let number = FlowNumber::Connections(policies.classes);
            add(number, subflow, subflows, from);
            if flow.has_many_connections() {
                policies.many.push(policies.classes);
            }
            policies.classes += 1;
        }
    }
    policies
}

/// The subflows of Multipath TCP keep apart by default.
fn of_flow(flow: &FlowPlan, request: &FlowRequest<'_>) -> PolicySettings {
    let is_alone = flow.multipath.is_none();
    let usual = if is_alone { PolicySettings::First } else { PolicySettings::Disjoint };
    request.path_policy.clone().unwrap_or(usual)
}
