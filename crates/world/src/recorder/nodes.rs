//! The forwarders of nodes.

use windtunnel_networks::ndn::forwarder::ForwarderCounters;

use crate::parts::Parts;
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::{NodeSample, SeriesPlan};

/// The nodes that are sampled, each with what it had counted at the last sample.
#[derive(Clone)]
pub(super) struct Nodes(Vec<(usize, ForwarderCounters)>);

impl Nodes {
    pub(super) fn new(plan: &Plan, series: &SeriesPlan) -> Self {
        let nodes = series.places(plan.nodes.len()).into_iter();
        Self(nodes.map(|it| (it, ForwarderCounters::default())).collect())
    }
}

impl Source for Nodes {
    type Row = NodeSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(NodeSample)) {
        for (node, last) in &mut self.0 {
            let Some(forwarder) = parts.of_node(*node).nodes.forwarder(*node) else { return };
            let now = *forwarder.counters();
            let before = std::mem::replace(last, now);
            take(NodeSample {
                node: *node as u32,
                time_s: over.end.as_seconds(),
                pit_entries: forwarder.pending() as u64,
                content_store_entries: forwarder.cached() as u64,
                content_store_hits: now.content_store_hits - before.content_store_hits,
                content_store_misses: now.content_store_misses - before.content_store_misses,
            });
        }
    }
}
