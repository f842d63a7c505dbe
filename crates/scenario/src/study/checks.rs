//! What no part of a scenario can check alone.

use toml::Spanned;
use windtunnel_engine::Duration;
use windtunnel_transports::ndn::consumer::ConsumerWorkload;
use windtunnel_world::{ConsumerPlan, FlowPlan, Transport};

use crate::network::reachability;
use crate::network::stages::{Content, Routed};
use crate::reading::error::{Mistake, list};
use crate::study::scenario::Scenario;

/// How much time is simulated.
pub(crate) fn duration(scenario: &Scenario) -> Result<Duration, Mistake> {
    scenario.duration.checked(
        |it| it.0 > Duration::ZERO,
        || "`duration` must be greater than zero".to_owned(),
        "write one such as \"30 s\"",
    )?;
    Ok(scenario.duration.value.0)
}

/// There is a network.
pub(crate) fn has_nodes(scenario: &Scenario) -> Result<(), Mistake> {
    if scenario.nodes.is_empty() {
        return Err(Mistake::new("the scenario has no nodes")
            .help("write a table [nodes], or one such as [topologies.d] for a whole network"));
    }
    Ok(())
}

/// Checks a network and the flows of its scenario.
pub(crate) fn check(
    scenario: &Scenario,
    routed: &Routed,
    flows: &[FlowPlan],
) -> Result<(), Mistake> {
    names(scenario)?;
    faces(scenario, routed)?;
    paths(scenario, routed, flows)?;
    link_services(scenario, routed)?;
    packets_fit(scenario, routed, flows)?;
    local_answers(scenario, routed)
}

/// Nothing is asked of NDN's link services where nothing speaks NDN. Flows over IP, layers between
/// domains and real hosts have MTUs as well.
fn link_services(scenario: &Scenario, routed: &Routed) -> Result<(), Mistake> {
    if !scenario.consumers.is_empty() {
        return Ok(());
    }
    let uses_mtu = scenario.sessions.is_empty() || routed.domains.is_some();
    let found = scenario.links.values().find_map(|it| it.of_ndn(uses_mtu));
    let Some((key, it)) = found else { return Ok(()) };
    it.checked(
        |_| false,
        || format!("`{key}` requires NDN packets, but the scenario has no consumers"),
        "remove it, or write a table such as [consumers.c1]",
    )
}

/// No packet of a flow is larger than the MTU of a link, where that is one of IP: NDN's link services
/// have their own, and network layers between domains tell the sender.
fn packets_fit(scenario: &Scenario, routed: &Routed, flows: &[FlowPlan]) -> Result<(), Mistake> {
    if routed.domains.is_some() || !scenario.consumers.is_empty() {
        return Ok(());
    }
    let Some(flow) = flows.iter().max_by_key(|it| it.needed_mtu()) else { return Ok(()) };
    let largest = flow.needed_mtu();
    let mtus = scenario.links.values().filter_map(|it| it.mtu());
    let Some(mtu) = mtus.min_by_key(|it| it.value.0.0) else { return Ok(()) };
    let key = match &flow.transport {
        Transport::Tcp { .. } => Some("maximum_segment"),
        Transport::Udp(_) => Some("payload"),
        Transport::Stack { .. } => None,
    };
    let excess = u64::from(largest).saturating_sub(mtu.value.0.0);
    mtu.checked(
        |_| excess == 0,
        || format!("`mtu` is less than the packets of flow `{}`, of {largest} bytes", flow.name),
        &match key {
            Some(key) => {
                format!("set it to \"{largest} B\", or `{key}` of the flow to {excess} bytes less")
            }
            None => format!("set it to \"{largest} B\""),
        },
    )
}

/// No flow has the name of a consumer: both are rows of one table.
fn names(scenario: &Scenario) -> Result<(), Mistake> {
    match scenario.flows.keys().find(|it| scenario.consumers.contains_key(*it)) {
        Some(name) => {
            Err(Mistake::new(format!("`{}` is also the name of a consumer", name.get_ref()))
                .at(name.span())
                .help("give the flow another name"))
        }
        None => Ok(()),
    }
}

/// No node has more faces than can be numbered.
fn faces(scenario: &Scenario, Routed { network, content, .. }: &Routed) -> Result<(), Mistake> {
    let mut faces = vec![0_usize; network.nodes.len()];
    let links = network.links.iter().flat_map(|it| it.nodes);
    let producers = content.producers.iter().map(|it| it.node);
    let consumers = content.consumers.iter().map(|it| it.node);
    links.chain(producers).chain(consumers).for_each(|node| faces[node] += 1);
    let Some(node) = faces.iter().position(|it| *it > usize::from(u16::MAX)) else { return Ok(()) };
    let (name, _) = scenario.nodes.get_index(node).expect("it is in the plan");
    let message =
        format!("node `{}` has too many links and applications: {}", name.get_ref(), faces[node]);
    Err(Mistake::new(message)
        .at(name.span())
        .help(format!("distribute them over several nodes: at most {} each", u16::MAX)))
}

/// Every consumer reaches a producer of what it asks for, and every flow its
/// destination.
fn paths(scenario: &Scenario, routed: &Routed, flows: &[FlowPlan]) -> Result<(), Mistake> {
    if let Some(flow) = reachability::parted_flow(&routed.network, flows) {
        return Err(parted_flow(scenario, routed, flow, &flows[flow]));
    }
    if let Some(domains) = &routed.between {
        for (name, flow) in scenario.flows.keys().zip(flows) {
            domains.check_flow(flow).map_err(|it| it.at(name.span()))?;
        }
    }
    match reachability::parted_consumer(routed) {
        Some(consumer) => Err(parted_consumer(scenario, routed, consumer)),
        None => Ok(()),
    }
}

fn parted_flow(scenario: &Scenario, routed: &Routed, place: usize, flow: &FlowPlan) -> Mistake {
    let (name, _) = scenario.flows.get_index(place).expect("it is in the plan");
    let name_of = |node: usize| routed.network.nodes[node].name.as_str();
    let [from, to] = [flow.from, flow.to].map(name_of);
    let apart = reachability::lesser_part(&routed.network, [flow.from, flow.to]);
    let apart: Vec<&str> = apart.iter().map(|it| name_of(*it)).collect();
    let message = format!(
        "flow `{}` has no path from node `{from}` to `{to}`: no links join {} to other nodes",
        name.get_ref(),
        list(&apart)
    );
    let help = format!("connect `{from}` and `{to}` by links, or name other nodes in the flow");
    Mistake::new(message).at(name.span()).help(help)
}

fn parted_consumer(scenario: &Scenario, routed: &Routed, consumer: usize) -> Mistake {
    let (name, _) = scenario.consumers.get_index(consumer).expect("it is in the plan");
    let Content { prefixes, producers, consumers, .. } = &routed.content;
    let consumer = &consumers[consumer];
    let node = &routed.network.nodes[consumer.node].name;
    let prefix = &prefixes[consumer.settings.prefix.index()];
    let name: &Spanned<String> = name;
    let message = format!(
        "consumer `{}` on node `{node}` has no path to a producer of {prefix}",
        name.get_ref()
    );
    let served = producers.iter().map(|it| &prefixes[it.prefix]);
    let help = if served.clone().any(|it| it.is_prefix_of(prefix)) {
        format!("connect `{node}` to the producer's node by links")
    } else {
        let served: Vec<String> = served.map(ToString::to_string).collect();
        let served: Vec<&str> = served.iter().map(String::as_str).collect();
        format!("no producer serves it; served here: {}", list(&served))
    };
    Mistake::new(message).at(name.span()).help(help)
}

/// No consumer gets its answers in no time at all: it would ask for ever at one instant.
fn local_answers(scenario: &Scenario, routed: &Routed) -> Result<(), Mistake> {
    for (consumer, name) in routed.content.consumers.iter().zip(scenario.consumers.keys()) {
        let Some((answers, help)) = answers_at_once(routed, consumer) else { continue };
        let message = format!(
            "consumer `{}` is on the same node as a {answers} without delay",
            name.get_ref()
        );
        return Err(Mistake::new(message).at(name.span()).help(help));
    }
    Ok(())
}

/// What answers a consumer in no time, if anything, and what would help.
fn answers_at_once(
    routed: &Routed,
    consumer: &ConsumerPlan,
) -> Option<(&'static str, &'static str)> {
    let node = &routed.network.nodes[consumer.node];
    if node.processing_time > Duration::ZERO {
        return None;
    }
    let Content { prefixes, producers, .. } = &routed.content;
    let prefix = &prefixes[consumer.settings.prefix.index()];
    let mut producers = producers.iter().filter(|it| it.node == consumer.node);
    let is_at_once = producers.any(|it| {
        it.producer.response_delay == Duration::ZERO && prefixes[it.prefix].is_prefix_of(prefix)
    });
    let asks_again = matches!(consumer.settings.workload, ConsumerWorkload::Catalogue { .. });
    if is_at_once {
        return Some(("producer", "use two nodes, or give the producer a response_delay"));
    }
    (asks_again && node.cached > 0)
        .then_some(("content store", "cache on other nodes; here write capacity = \"0 packets\""))
}
