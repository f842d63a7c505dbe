//! What a plan says that is probably not meant, and how much work its runs are.

use std::collections::BTreeSet;

use windtunnel_applications::udp::UdpWorkload;
use windtunnel_applications::{ArrivalsSettings, BulkSettings, FileSettings, Workload};
use windtunnel_engine::{Duration, Time};
use windtunnel_scenario::Study;
use windtunnel_transports::tcp::EcnMode;
use windtunnel_world::{FlowPlan, Plan, PortId, StackData, Topology, Transport};

use crate::after_the_end::after_the_end;
use crate::bounds::ip::{FlowBounds, flows};
use crate::bounds::most_packet_hops;
use crate::randomness::without_randomness;

/// What is probably not meant in the cases of a study, each once.
#[must_use]
pub fn advice(study: &Study) -> Vec<String> {
    let mut told = BTreeSet::new();
    let late = after_the_end(study).into_iter();
    let all = late.chain(study.cases.iter().flat_map(|it| of_plan(&it.plan)));
    all.chain(equal_runs(study)).filter(|it| told.insert(it.clone())).collect()
}

/// Several runs of what is the same in each.
fn equal_runs(study: &Study) -> Option<String> {
    let equal = without_randomness(study);
    if study.runs == 1 || equal.is_empty() {
        return None;
    }
    let names: Vec<String> = equal.iter().map(|it| study.cases[*it].names.join(", ")).collect();
    let of = match equal.len() == study.cases.len() {
        true => String::new(),
        false => format!(" of the case {}", names.join("; of ")),
    };
    Some(format!(
        "nothing is random, and so the {} runs{of} are the same: `start_within` of flows, or \
         `jitter` or `loss` of links, makes them differ",
        study.runs
    ))
}

/// How many packet-hops all runs of a study take at the most, about: links of paths are full
/// where flows fill them, and consumers alone. Equal cases are simulated once.
#[must_use]
pub fn packet_hops(study: &Study) -> f64 {
    let runs = study.total_runs() as f64 / study.cases.len().max(1) as f64;
    let of_case = |plan: &Plan| most_packet_hops(plan) * runs;
    let simulated = study.cases.iter().filter(|it| it.same_as.is_none());
    simulated.map(|it| of_case(&it.plan)).sum()
}

fn of_plan(plan: &Plan) -> Vec<String> {
    let topology = Topology::new(plan);
    let flows = flows(plan, &topology);
    let mut advice = isolated_nodes(plan);
    advice.extend(unused_routes(plan));
    advice.extend(overloads(plan, &flows));
    advice.extend(unfinished_files(plan, &flows));
    advice.extend(marks_that_nobody_makes(plan, &flows));
    advice.extend(stacks_that_differ(plan));
    advice.extend(memory_of_stacks(plan));
    advice
}

fn isolated_nodes(plan: &Plan) -> Vec<String> {
    let has_link = |node: usize| plan.interfaces(node).next().is_some();
    let alone = (0..plan.nodes.len()).filter(|it| plan.nodes.len() > 1 && !has_link(*it));
    alone.map(|it| format!("node `{}` has no link", plan.nodes[it].name)).collect()
}

/// Static routes to where no packets of the plan go; those of real hosts may.
fn unused_routes(plan: &Plan) -> Vec<String> {
    let flows = plan.flows.iter().flat_map(|it| it.parts().flatten());
    let bridges = plan.bridges.iter().flat_map(|it| [it.from, it.to]);
    let tunnels = plan.tunnels.iter().flat_map(|it| it.ends);
    let ends: BTreeSet<usize> = flows.chain(bridges).chain(tunnels).collect();
    let unused = plan.routing.static_routes.iter().filter(|it| !ends.contains(&it.destination));
    let words = unused.map(|it| {
        let node = plan.links[it.port.link()].nodes[it.port.direction()];
        let [node, destination] = [node, it.destination].map(|it| &plan.nodes[it].name);
        format!(
            "no flow begins or ends at `{destination}`: the route to it at `{node}` is not used"
        )
    });
    words.collect()
}

/// What an application offers, in bits of data per second, if it says so.
fn offered(flow: &FlowPlan) -> Option<f64> {
    match &flow.transport {
        Transport::Udp(it) | Transport::Stack { data: StackData::Datagrams(it), .. } => {
            match it.workload {
                UdpWorkload::Rate { rate, .. } => Some(rate.bits_per_second() as f64),
                UdpWorkload::Frames(_) => None,
            }
        }
        Transport::Stack { data: StackData::Packets, .. } => None,
        Transport::Tcp { workload, .. }
        | Transport::Stack { data: StackData::Streams(workload), .. } => match workload {
            Workload::Bulk(BulkSettings { rate }) => rate.map(|it| it.bits_per_second() as f64),
            Workload::Arrivals(ArrivalsSettings { per_second, sizes }) => {
                Some(8.0 * per_second * sizes.mean())
            }
            _ => None,
        },
    }
}

/// Links that flows with a rate of their own fill beyond what they carry. Flows that are never
/// active at the same time are not distinguished.
fn overloads(plan: &Plan, flows: &[FlowBounds<'_>]) -> Vec<String> {
    let mut loads = vec![0.0; 2 * plan.links.len()];
    for flow in flows {
        let Some(rate) = offered(flow.plan) else { continue };
        for port in &flow.there {
            loads[port.index()] += rate / flow.data_rate(plan, *port);
        }
    }
    let ports = (0..plan.links.len()).flat_map(|it| [0, 1].map(|side| PortId::new(it, side)));
    let over = ports.filter(|it| loads[it.index()] > 1.0);
    let words = over.map(|port| {
        let link = &plan.links[port.link()];
        let from = &plan.nodes[link.nodes[port.direction()]].name;
        let load = 100.0 * loads[port.index()];
        format!("flows offer link `{}` from `{from}` {load:.0} % of its capacity", link.name)
    });
    words.collect()
}

fn unfinished_files(plan: &Plan, flows: &[FlowBounds<'_>]) -> Vec<String> {
    let unfinished = flows.iter().filter_map(|flow| {
        let Some(Workload::File(FileSettings { bytes })) = flow.plan.transport.workload() else {
            return None;
        };
        let needed = Duration::from_seconds(8.0 * *bytes as f64 / flow.alone(plan))?;
        let left =
            (Time::ZERO + plan.duration).since(flow.plan.start.min(Time::ZERO + plan.duration));
        (flow.plan.multipath.is_none() && needed > left).then(|| {
            let [needed, left] = [needed, left].map(Duration::as_seconds);
            format!(
                "flow `{}` cannot finish: its file takes {needed:.1} s at least, and the run ends \
                 {left} s after its start",
                flow.plan.name
            )
        })
    });
    unfinished.collect()
}

/// Flows over implementations that do not repeat what they did.
fn stacks_that_differ(plan: &Plan) -> Vec<String> {
    let differs = plan.flows.iter().filter_map(|flow| match &flow.transport {
        Transport::Stack { settings, .. }
            if settings.makers().any(|it| !it.is_deterministic()) => Some(format!(
            "flow `{}`: {} draws random numbers of its own, and each run differs a little, also \
             with the same seed",
            flow.name, settings.controller
        )),
        _ => None,
    });
    differs.collect()
}

/// What ends in processes of their own take together, from which it is worth a thought.
const MUCH_MEMORY: u64 = 1_000_000_000;

fn memory_of_stacks(plan: &Plan) -> Option<String> {
    let hosts = plan.flows.iter().flat_map(|flow| match &flow.transport {
        Transport::Stack { settings, .. } => settings.makers().zip([flow.from, flow.to]).collect(),
        _ => Vec::new(),
    });
    let mut shared = BTreeSet::new();
    let hosts = hosts.filter(|(it, node)| !it.shares_host() || shared.insert(*node));
    let of_each: Vec<u64> = hosts.map(|it| it.0.memory()).filter(|it| *it > 0).collect();
    let bytes: u64 = of_each.iter().sum();
    (bytes >= MUCH_MEMORY).then(|| {
        format!(
            "each run has {} hosts of flows in processes of their own, which take some {:.1} GB of \
             memory",
            of_each.len(),
            bytes as f64 / 1e9
        )
    })
}

/// Flows that would answer marks, where no queue on their path makes any.
fn marks_that_nobody_makes(plan: &Plan, flows: &[FlowBounds<'_>]) -> Vec<String> {
    let marks = |port: &PortId| plan.direction(*port).discipline.marks();
    let in_vain = flows.iter().filter(|flow| {
        let Transport::Tcp { settings, .. } = &flow.plan.transport else { return false };
        let needs = matches!(
            settings.ecn,
            EcnMode::Dctcp | EcnMode::Accurate | EcnMode::Scalable | EcnMode::SomeCongestion
        );
        needs && !flow.there.is_empty() && !flow.there.iter().any(marks)
    });
    let words = in_vain.map(|it| {
        let name = &it.plan.name;
        format!("flow `{name}` responds to congestion marks, but no queue on its path marks")
    });
    words.collect()
}
