//! The bounds of flows over IP, each on its path.

use std::cell::RefCell;
use std::collections::HashMap;

use windtunnel_applications::udp::UdpWorkload;
use windtunnel_applications::{BulkSettings, FileSettings, Workload};
use windtunnel_engine::Duration;
use windtunnel_packets::udp;
use windtunnel_transports::mptcp::MultipathSettings;
use windtunnel_world::{FlowPlan, Plan, PortId, StackData, Topology, Transport, headers};

use super::link::{least_bit_delay, most_rate, takes_turns};

/// A flow with its path there and back.
pub(crate) struct FlowBounds<'a> {
    pub(crate) plan: &'a FlowPlan,
    pub(crate) there: Vec<PortId>,
    /// The path there and back whose round trip its sender measures: to its receiver, or
    /// to the first proxy.
    measured: [Vec<PortId>; 2],
    /// What its ends send and receive at most, where its packets choose among paths: `there` then
    /// has the ports that all of these cross.
    ends: f64,
    /// A path that its packets probably take, where they choose among paths or there is none at the
    /// start; otherwise `there`.
    probable: Option<Vec<PortId>>,
}

impl FlowBounds<'_> {
    /// The data in a full packet, and the bytes of its headers.
    fn packet(&self) -> (u32, u32) {
        match &self.plan.transport {
            Transport::Tcp { settings, .. } => {
                let multipath = self.plan.multipath.as_ref();
                let options =
                    multipath.map_or(0, |it| MultipathSettings::overhead(it.settings.version));
                let headers = headers(settings) + u32::from(options);
                (u32::from(settings.maximum_segment), headers)
            }
            Transport::Udp(it) => (u32::from(it.payload), u32::from(it.ip.header() + udp::HEADER)),
            Transport::Stack { settings, data } => {
                let most = match data {
                    StackData::Streams(_) | StackData::Packets => settings.largest_datagram(),
                    StackData::Datagrams(it) => it.payload,
                };
                (most.into(), settings.headers().into())
            }
        }
    }

    /// The most data over one link, in bits per second.
    pub(crate) fn data_rate(&self, plan: &Plan, port: PortId) -> f64 {
        let (data, headers) = self.packet();
        let overhead = plan.direction(port).overhead;
        most_rate(plan, port) * f64::from(data) / f64::from(data + headers + overhead)
    }

    /// The most data, were the flow alone.
    pub(crate) fn alone(&self, plan: &Plan) -> f64 {
        let links = self.there.iter().map(|it| self.data_rate(plan, *it));
        let own = match &self.plan.transport {
            Transport::Tcp { workload, .. }
            | Transport::Stack { data: StackData::Streams(workload), .. } => match workload {
                Workload::Bulk(BulkSettings { rate: Some(it) }) => it.bits_per_second() as f64,
                _ => f64::INFINITY,
            },
            Transport::Stack { data: StackData::Packets, .. } => f64::INFINITY,
            Transport::Udp(it) | Transport::Stack { data: StackData::Datagrams(it), .. } => {
                match &it.workload {
                    UdpWorkload::Rate { rate, .. } => rate.bits_per_second() as f64,
                    UdpWorkload::Frames(_) => f64::INFINITY,
                }
            }
        };
        links.fold(own.min(self.ends), f64::min)
    }

    /// The most data over any paths, one for each subflow, of a flow whose packets choose among
    /// paths: of each, the narrowest link limits it.
    fn widest(&self, plan: &Plan, topology: &Topology) -> f64 {
        if self.probable.is_none() {
            return f64::INFINITY;
        }
        let [from, to] = [self.plan.from, self.plan.to];
        let rate = |port: PortId| self.data_rate(plan, port);
        let all = (0..topology.nodes()).flat_map(|it| topology.ports(it)).map(|it| rate(*it));
        let mut rates: Vec<f64> = all.collect();
        rates.sort_by(|one, other| other.total_cmp(one));
        rates.dedup();
        let leads = |least: &f64| {
            let reached = topology.reach(to, |it| (rate(it) >= *least).then_some(1));
            reached.iter().any(|it| it.node == from)
        };
        let subflows = self.plan.multipath.as_ref().map_or(1, |it| it.paths.len());
        subflows as f64 * rates.into_iter().find(leads).unwrap_or(0.0)
    }

    /// How much data there is, in bits, if that is known.
    fn whole(&self) -> f64 {
        match self.plan.transport.workload() {
            Some(Workload::File(FileSettings { bytes })) => 8.0 * *bytes as f64,
            _ => f64::INFINITY,
        }
    }

    /// The least round trip of packets without data, or of a datagram the least
    /// one-way delay.
    fn delay(&self, plan: &Plan) -> Duration {
        let (data, headers) = self.packet();
        match &self.plan.transport {
            Transport::Tcp { .. }
            | Transport::Stack { data: StackData::Streams(_) | StackData::Packets, .. } => {
                let [there, back] = &self.measured;
                one_way(plan, there, headers) + one_way(plan, back, headers)
            }
            Transport::Udp(it) | Transport::Stack { data: StackData::Datagrams(it), .. } => {
                let least = match it.workload {
                    UdpWorkload::Rate { .. } => data,
                    // The last datagram of a frame may carry a byte.
                    UdpWorkload::Frames(_) => 1,
                };
                one_way(plan, &self.there, headers + least)
            }
        }
    }
}

fn one_way(plan: &Plan, path: &[PortId], size: u32) -> Duration {
    path.iter().fold(Duration::ZERO, |sum, &port| {
        let direction = plan.direction(port);
        let bits = 8.0 * f64::from(size + direction.overhead);
        let transmission = match takes_turns(plan, port) {
            true => None,
            false => Duration::from_seconds(bits / most_rate(plan, port)),
        };
        sum + least_bit_delay(plan, port) + transmission.unwrap_or(Duration::ZERO)
    })
}

/// The shortest path between two nodes by whatever carries packets, or where there is none at the
/// start, one of the fewest links that there ever are.
pub(super) fn probable(topology: &Topology, [from, to]: [usize; 2]) -> Vec<PortId> {
    let shortest = topology.tree(to).path(topology, from);
    shortest.unwrap_or_else(|| {
        let reached = topology.reach(to, |_| Some(1));
        let next = |node: usize| reached.iter().find(|it| it.node == node)?.port;
        std::iter::successors(next(from), |port| next(topology.far(*port))).collect()
    })
}

/// All flows, or subflows.
pub(crate) fn flows<'a>(plan: &'a Plan, topology: &Topology) -> Vec<FlowBounds<'a>> {
    // Many flows lead to the same nodes.
    let trees = RefCell::new(HashMap::new());
    let path = |from, to| {
        let mut trees = trees.borrow_mut();
        let tree = trees.entry(to).or_insert_with(|| topology.ip_tree(to, |_| true));
        tree.path(topology, from).unwrap_or_default()
    };
    let flow = |it: &'a FlowPlan| {
        let [from, to] = it.parts().next().unwrap_or([it.from, it.to]);
        let measured = [path(from, to), path(to, from)];
        let there = path(it.from, it.to);
        let probable = there.is_empty().then(|| probable(topology, [it.from, it.to]));
        FlowBounds { plan: it, there, measured, ends: f64::INFINITY, probable }
    };
    // Other layers than IP may take any path: only what all begin or end with limits.
    let carried = |it: &'a FlowPlan| {
        let leave = topology.ports(it.from).to_vec();
        let arrive: Vec<PortId> = topology.ports(it.to).iter().map(|it| it.reversed()).collect();
        let rate = |ports: &[PortId]| ports.iter().map(|it| most_rate(plan, *it)).sum::<f64>();
        let ends = rate(&leave).min(rate(&arrive));
        let there = [leave, arrive].into_iter().filter(|it| it.len() == 1).flatten().collect();
        let probable = Some(probable(topology, [it.from, it.to]));
        FlowBounds { there, ends, probable, ..flow(it) }
    };
    // A path of its own; that of each subflow as if it were a flow.
    let along = |it: &'a FlowPlan, there: &[PortId]| {
        let back = there.iter().rev().map(|it| it.reversed()).collect();
        let measured = [there.to_vec(), back];
        let there = there.to_vec();
        FlowBounds { plan: it, there, measured, ends: f64::INFINITY, probable: None }
    };
    let each = |it: &'a FlowPlan| match &it.path {
        _ if plan.are_apart([it.from, it.to]) => vec![carried(it)],
        _ if it.paths().next().is_some() => it.paths().map(|path| along(it, path)).collect(),
        None => vec![flow(it)],
        Some(path) => vec![along(it, path)],
    };
    plan.flows.iter().flat_map(each).collect()
}

/// The most data that all flows together can receive, in bits per second: no link
/// lets more through than its rate, with the headers of the largest packets.
pub(super) fn most_goodput(plan: &Plan, topology: &Topology) -> f64 {
    let flows = flows(plan, topology);
    let alone: Vec<f64> = flows.iter().map(|it| it.alone(plan)).collect();
    let all: f64 = alone.iter().sum();
    // For each direction of a link: what its flows could send without it, and the
    // most that it lets through.
    let mut crossing = vec![(0.0, 0.0_f64); 2 * plan.links.len()];
    for (flow, alone) in flows.iter().zip(&alone) {
        for port in &flow.there {
            let (without, through) = &mut crossing[port.index()];
            *without += alone;
            *through = through.max(flow.data_rate(plan, *port));
        }
    }
    let with_limit = |(without, through): &(f64, f64)| all - without + through.min(*without);
    crossing.iter().map(with_limit).fold(all, f64::min)
}

/// How many packets cross all links together at the most: those with data, and half as many
/// acknowledgements.
pub(super) fn most_packet_hops(plan: &Plan, topology: &Topology) -> f64 {
    let flows = flows(plan, topology);
    let seconds = plan.duration.as_seconds();
    let mut crossing = vec![(0.0, 0.0_f64); 2 * plan.links.len()];
    for flow in &flows {
        let data = 8.0 * f64::from(flow.packet().0);
        let answered = if flow.plan.is_over_tcp() { 1.5 } else { 1.0 };
        let most = flow.whole().min(flow.alone(plan).min(flow.widest(plan, topology)) * seconds);
        for port in flow.probable.as_ref().unwrap_or(&flow.there) {
            let (without, through) = &mut crossing[port.index()];
            *without += answered * most / data;
            *through = through.max(answered * flow.data_rate(plan, *port) * seconds / data);
        }
    }
    crossing.iter().map(|(without, through)| without.min(*through)).sum()
}

/// The least delay that any flow can measure; none without flows.
pub(super) fn least_delay(plan: &Plan, topology: &Topology) -> Option<Duration> {
    flows(plan, topology).iter().map(|it| it.delay(plan)).min()
}
