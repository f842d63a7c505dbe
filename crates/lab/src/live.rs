//! What runs in progress have sampled so far: of each flow and each queue a line.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use windtunnel_engine::Time;
use windtunnel_scenario::Case;
use windtunnel_world::{Chunk, Plan, PortId};

use crate::tables::flow_name;

/// The shares of a run's duration of which a line has a mean each.
const SHARES: usize = 40;

/// A flow or a queue in the course of a run.
#[derive(Clone, Debug)]
struct Line {
    last: f64,
    sums: [f64; SHARES],
    counts: [u32; SHARES],
}

impl Default for Line {
    fn default() -> Self {
        Self { last: 0.0, sums: [0.0; SHARES], counts: [0; SHARES] }
    }
}

impl Line {
    fn take(&mut self, share: usize, value: f64) {
        self.last = value;
        self.sums[share] += value;
        self.counts[share] += 1;
    }

    fn total(&self) -> f64 {
        self.sums.iter().sum()
    }

    fn shown(&self, name: String) -> LiveLine {
        let means = self.sums.iter().zip(&self.counts);
        let means = means.map(|(sum, count)| (*count > 0).then(|| sum / f64::from(*count)));
        LiveLine { name, last: self.last, means: means.collect() }
    }
}

/// A run in progress, on the thread that runs it and on the one that watches.
pub(crate) type SharedLive = Arc<Mutex<Live>>;

/// A run in progress.
#[derive(Debug)]
pub(crate) struct Live {
    plan: Arc<Plan>,
    case: Vec<String>,
    /// By the flow's place: first the consumers, then the flows over IP.
    flows: BTreeMap<u32, Line>,
    queues: BTreeMap<usize, (PortId, Line)>,
}

/// A line to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveLine {
    /// The name of the flow, or of the link and its direction.
    pub name: String,
    /// The last value: bits per second of goodput, or packets that wait.
    pub last: f64,
    /// The means of equal shares of the run's duration; none of one without a sample.
    pub means: Vec<Option<f64>>,
}

/// A run in progress, to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveRun {
    /// The names of its case.
    pub case: Vec<String>,
    /// Which replication of that.
    pub number: u64,
    /// Simulated seconds done.
    pub simulated_s: f64,
    /// Simulated seconds in all.
    pub duration_s: f64,
    /// The busiest flows, in the plan's order.
    pub flows: Vec<LiveLine>,
    /// How many flows are recorded.
    pub all_flows: usize,
    /// The queues in which most waits, in the plan's order; none in which nothing ever has.
    pub queues: Vec<LiveLine>,
    /// How many queues something waited in.
    pub all_queues: usize,
}

impl Live {
    pub(crate) fn new(plan: Arc<Plan>, case: &Case) -> Self {
        let case = case.names.clone();
        Self { plan, case, flows: BTreeMap::new(), queues: BTreeMap::new() }
    }

    /// Takes samples of flows and of directions of links.
    pub(crate) fn take(&mut self, rows: Chunk<'_>) {
        match rows {
            Chunk::Flows(rows) => {
                for row in rows {
                    let share = self.share(row.time_s);
                    self.flows.entry(row.flow).or_default().take(share, row.goodput_bps);
                }
            }
            Chunk::Ports(rows) => {
                for row in rows {
                    let share = self.share(row.time_s);
                    let queue = self.queues.entry(row.port.index());
                    let (_, line) = queue.or_insert_with(|| (row.port, Line::default()));
                    line.take(share, f64::from(row.queue_packets));
                }
            }
            _ => {}
        }
    }

    /// The share of the duration in which the interval lies that ends at a time.
    fn share(&self, time_s: f64) -> usize {
        let share = (time_s / self.plan.duration.as_seconds() * SHARES as f64).ceil();
        (share as usize).saturating_sub(1).min(SHARES - 1)
    }

    /// What is shown at a time: of flows and queues the busiest, this many at the most.
    pub(crate) fn shown(&self, now: Time, most: usize) -> LiveRun {
        let flows = self.flows.iter().map(|(flow, line)| (*flow, line)).collect();
        let queues = self.queues.values().filter(|it| it.1.total() > 0.0);
        let queues: Vec<(PortId, &Line)> = queues.map(|(port, line)| (*port, line)).collect();
        LiveRun {
            case: self.case.clone(),
            number: self.plan.run,
            simulated_s: now.as_seconds(),
            duration_s: self.plan.duration.as_seconds(),
            all_flows: self.flows.len(),
            flows: busiest(flows, most, |it| flow_name(&self.plan, it).to_owned()),
            all_queues: queues.len(),
            queues: busiest(queues, most, |it| self.queue(it)),
        }
    }

    fn queue(&self, port: PortId) -> String {
        let link = &self.plan.links[port.link()];
        let from = link.nodes[port.direction()];
        format!("{} from {}", link.name, self.plan.nodes[from].name)
    }
}

/// The lines with the greatest sums, in the order that they have.
fn busiest<K: Copy>(
    lines: Vec<(K, &Line)>,
    most: usize,
    name: impl Fn(K) -> String,
) -> Vec<LiveLine> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by(|one, other| lines[*other].1.total().total_cmp(&lines[*one].1.total()));
    places.truncate(most);
    places.sort_unstable();
    places.into_iter().map(|it| lines[it].1.shown(name(lines[it].0))).collect()
}
