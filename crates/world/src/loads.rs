//! How much work there will be at each node, as far as that is known before a run.

use crate::forwarding::Forwarding;
use crate::path;
use crate::plan::{Plan, Transport};
use crate::port_id::PortId;

/// What a packet costs at a node that it leaves, and an acknowledgement of every second one. A node
/// that no packet leaves has the load 1.
const DATA: u64 = 4_000;
const BACK: u64 = 2_000;
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
