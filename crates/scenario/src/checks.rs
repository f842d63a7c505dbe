//! What no part of a scenario can check alone.

use toml::Spanned;
use windtunnel_engine::Duration;
use windtunnel_transports::ndn::consumer::ConsumerWorkload;
use windtunnel_world::{ConsumerPlan, Plan};

use crate::error::{Mistake, list};
use crate::reachability;
use crate::scenario::Scenario;

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

/// Checks a plan that has all but bridges.
pub(crate) fn check(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    names(scenario)?;
    faces(scenario, plan)?;
    paths(scenario, plan)?;
    link_services(scenario)?;
    local_answers(scenario, plan)
}

/// Nothing is asked of NDN's link services where nothing speaks NDN. A network for real hosts alone
/// may have MTUs.
fn link_services(scenario: &Scenario) -> Result<(), Mistake> {
    if !scenario.consumers.is_empty() || !scenario.autonomous_systems.is_empty() {
        return Ok(());
    }
    let is_idle = scenario.flows.is_empty() && scenario.sessions.is_empty();
    let uses_mtu = is_idle || !scenario.regions.is_empty();
    let found = scenario.links.values().find_map(|it| it.of_ndn(uses_mtu));
    let Some((key, it)) = found else { return Ok(()) };
    it.checked(
        |_| false,
        || format!("`{key}` requires NDN packets, but the scenario has no consumers"),
        "remove it, or write a table such as [consumers.c1]",
    )
}

/// Nodes are in regions or in autonomous systems.
pub(crate) fn one_kind_of_domains(scenario: &Scenario) -> Result<(), Mistake> {
    match scenario.regions.keys().next().filter(|_| !scenario.autonomous_systems.is_empty()) {
        None => Ok(()),
        Some(name) => {
            Err(Mistake::new("a scenario cannot have both regions and autonomous systems")
                .at(name.span())
                .help("remove one of the two"))
        }
    }
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
fn faces(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    let mut faces = vec![0_usize; plan.nodes.len()];
    let links = plan.links.iter().flat_map(|it| it.nodes);
    let producers = plan.producers.iter().map(|it| it.node);
    let consumers = plan.consumers.iter().map(|it| it.node);
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
fn paths(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    if let Some(flow) = reachability::parted_flow(plan) {
        return Err(parted_flow(scenario, plan, flow));
    }
    if let Some(flow) = reachability::pathless_flow(plan) {
        return Err(pathless_flow(scenario, plan, flow));
    }
    match reachability::parted_consumer(plan) {
        Some(consumer) => Err(parted_consumer(scenario, plan, consumer)),
        None => Ok(()),
    }
}

fn parted_flow(scenario: &Scenario, plan: &Plan, flow: usize) -> Mistake {
    let (name, _) = scenario.flows.get_index(flow).expect("it is in the plan");
    let [from, to] = [plan.flows[flow].from, plan.flows[flow].to];
    let [from, to] = [from, to].map(|it| plan.nodes[it].name.as_str());
    let apart = reachability::lesser_part(plan, [plan.flows[flow].from, plan.flows[flow].to]);
    let apart: Vec<&str> = apart.iter().map(|it| plan.nodes[*it].name.as_str()).collect();
    let message = format!(
        "flow `{}` has no path from node `{from}` to `{to}`: no links join {} to other nodes",
        name.get_ref(),
        list(&apart)
    );
    let help = format!("connect `{from}` and `{to}` by links, or name other nodes in the flow");
    Mistake::new(message).at(name.span()).help(help)
}

fn pathless_flow(scenario: &Scenario, plan: &Plan, flow: usize) -> Mistake {
    let (name, _) = scenario.flows.get_index(flow).expect("it is in the plan");
    let flow = &plan.flows[flow];
    let systems = plan.autonomous_systems.as_ref();
    let [from, to] = [flow.from, flow.to]
        .map(|it| systems.map_or("", |of| &of.names[of.settings.places[it].system as usize]));
    let message = format!(
        "flow `{}` has no path from autonomous system `{from}` to `{to}`: links join them, but \
         none leads up to the core, across it and down again",
        name.get_ref()
    );
    let help = "join the core of their isolation domains, or raise `most_hops` in [beaconing]";
    Mistake::new(message).at(name.span()).help(help)
}

fn parted_consumer(scenario: &Scenario, plan: &Plan, consumer: usize) -> Mistake {
    let (name, _) = scenario.consumers.get_index(consumer).expect("it is in the plan");
    let consumer = &plan.consumers[consumer];
    let node = &plan.nodes[consumer.node].name;
    let prefix = &plan.prefixes[consumer.settings.prefix.index()];
    let name: &Spanned<String> = name;
    let message = format!(
        "consumer `{}` on node `{node}` has no path to a producer of {prefix}",
        name.get_ref()
    );
    let served = plan.producers.iter().map(|it| &plan.prefixes[it.prefix]);
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
fn local_answers(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    for (consumer, name) in plan.consumers.iter().zip(scenario.consumers.keys()) {
        let Some((answers, help)) = answers_at_once(plan, consumer) else { continue };
        let message = format!(
            "consumer `{}` is on the same node as a {answers} without delay",
            name.get_ref()
        );
        return Err(Mistake::new(message).at(name.span()).help(help));
    }
    Ok(())
}

/// What answers a consumer in no time, if anything, and what would help.
fn answers_at_once(plan: &Plan, consumer: &ConsumerPlan) -> Option<(&'static str, &'static str)> {
    if plan.nodes[consumer.node].processing_time > Duration::ZERO {
        return None;
    }
    let prefix = &plan.prefixes[consumer.settings.prefix.index()];
    let mut producers = plan.producers.iter().filter(|it| it.node == consumer.node);
    let is_at_once = producers.any(|it| {
        it.producer.response_delay == Duration::ZERO
            && plan.prefixes[it.prefix].is_prefix_of(prefix)
    });
    let asks_again = matches!(consumer.settings.workload, ConsumerWorkload::Catalogue { .. });
    if is_at_once {
        return Some(("producer", "use two nodes, or give the producer a response_delay"));
    }
    (asks_again && plan.nodes[consumer.node].cached > 0)
        .then_some(("content store", "cache on other nodes; here write capacity = \"0 packets\""))
}
