//! How much work there will be at each node, as far as that is known before a run.

use crate::forwarding::Forwarding;
use crate::path;
use crate::plan::{Plan, Transport};
use crate::port_id::PortId;

/// What a packet costs at a node that it leaves, and an acknowledgement of every second one. A node
/// that no packet leaves has the load 1.
const DATA: u64 = 4;
const BACK: u64 = 2;
/// What the ends of a connection spend on a packet: at the sender 3 to 8 times what passing it on
/// costs, and at the receiver 2 to 3 times, measured in processor cycles, the more the less of all
/// connections lies in the caches.
const SENDER: u64 = 4 * DATA;
const RECEIVER: u64 = 2 * DATA;

/// By node: of what flows and consumers exchange, each as if it had as many packets as any other.
pub(crate) fn loads(plan: &Plan, forwarding: &Forwarding) -> Vec<u64> {
    let mut loads = vec![1; plan.nodes.len()];
    add_flows(&mut loads, plan, forwarding);
    leave(&mut loads, forwarding, forwarding.ports_of_functions(), DATA);
    add_consumers(&mut loads, plan, forwarding);
    loads
}

/// Packets leave by these ports.
fn leave<'a>(
    loads: &mut [u64],
    forwarding: &Forwarding,
    ports: impl IntoIterator<Item = &'a PortId>,
    cost: u64,
) {
    ports.into_iter().for_each(|it| loads[forwarding.topology().near(*it)] += cost);
}

/// The messages of sessions are few.
fn add_flows(loads: &mut [u64], plan: &Plan, forwarding: &Forwarding) {
    let mut number = 0;
    for (index, flow) in plan.flows.iter().enumerate() {
        let is_of_sessions = plan.sessions.iter().any(|it| it.flows.contains(&index));
        for ([sender, receiver], _) in flow.connections() {
            let variant = path::variant(forwarding.sharing(), flow, number);
            number += 1;
            if is_of_sessions {
                continue;
            }
            let [forth, back] = path::keys([sender, receiver], variant);
            leave(loads, forwarding, forwarding.ports(forth), DATA);
            if !matches!(flow.transport, Transport::Udp(_)) {
                leave(loads, forwarding, forwarding.ports(back), BACK);
                loads[sender] += SENDER;
                loads[receiver] += RECEIVER;
            }
        }
    }
}

/// Each Data packet answers an Interest, which took the same path.
fn add_consumers(loads: &mut [u64], plan: &Plan, forwarding: &Forwarding) {
    let topology = forwarding.topology();
    for producer in &plan.producers {
        let tree = topology.tree(producer.node);
        let prefix = &plan.prefixes[producer.prefix];
        let consumers = plan
            .consumers
            .iter()
            .filter(|it| prefix.is_prefix_of(&plan.prefixes[it.settings.prefix.index()]));
        for path in consumers.filter_map(|it| tree.path(topology, it.node)) {
            leave(loads, forwarding, &path, 2 * DATA);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windtunnel_applications::{BulkSettings, Workload};
    use windtunnel_controllers::{DESCRIPTIONS, Settings};
    use windtunnel_engine::Duration;
    use windtunnel_transports::tcp::TcpSettings;

    use super::*;
    use crate::forwarding::tests::flow;
    use crate::partition::Partition;
    use crate::plan::FlowPlan;
    use crate::routing::tests::plan;

    /// Nodes that are joined so, and flows between them.
    fn network(nodes: usize, links: &[[usize; 2]], flows: &[[usize; 2]]) -> Plan {
        let millisecond = Duration::from_millis(1);
        let links: Vec<_> = links.iter().map(|it| (*it, [millisecond; 2], [true; 2])).collect();
        let mut plan = plan(nodes, &links);
        plan.flows.extend(flows.iter().map(|[from, to]| over_tcp(flow(*from, *to))));
        plan
    }

    fn over_tcp(flow: FlowPlan) -> FlowPlan {
        let settings = Arc::new(TcpSettings::new(Settings::defaults(DESCRIPTIONS[0])));
        let workload = Workload::Bulk(BulkSettings { rate: None });
        FlowPlan { transport: Transport::Tcp { settings, workload }, ..flow }
    }

    fn halves(plan: &Plan) -> Partition {
        Partition::of(plan, &Forwarding::new(plan).expect("links join all nodes"), 2)
    }

    #[test]
    fn ends_have_more_work_than_nodes_on_the_path_and_others_least() {
        let plan = network(6, &[[0, 1], [1, 2], [2, 3], [3, 4], [2, 5]], &[[0, 3]]);
        let loads = loads(&plan, &Forwarding::new(&plan).expect("links join all nodes"));
        assert!(loads[0] > loads[3] && loads[3] > loads[1], "{loads:?}");
        assert_eq!((loads[1], loads[4], loads[5]), (loads[2], 1, 1), "{loads:?}");
    }

    #[test]
    fn hosts_at_one_switch_are_shared_out() {
        let links: Vec<[usize; 2]> = (1..=8).map(|host| [0, host]).collect();
        let flows: Vec<[usize; 2]> = (1..=8).map(|host| [host, host % 8 + 1]).collect();
        let halves = halves(&network(9, &links, &flows));
        let beside_the_switch = (1..=8).filter(|it| halves.part(*it) == halves.part(0)).count();
        assert!((2..=4).contains(&beside_the_switch), "{beside_the_switch}");
    }
}
