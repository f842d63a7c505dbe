//! The subflows of flows over Multipath TCP.

use crate::hosts::SampledSubflow;
use crate::parts::Parts;
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::{SeriesPlan, SubflowSample};
use crate::side::Side;

/// The subflows that are sampled: each with its flow's place and its own, and what had been
/// counted.
#[derive(Clone)]
pub(super) struct Subflows(Vec<(usize, usize, SampledSubflow)>);

impl Subflows {
    /// Those of the flows that are recorded; none if there are none.
    pub(super) fn new(plan: &Plan, series: &SeriesPlan) -> Option<Self> {
        let consumers = plan.consumers.len();
        let places = series.places(consumers + plan.flows.len()).into_iter();
        let flows = places.filter_map(|it| it.checked_sub(consumers));
        let subflows = flows.flat_map(|flow| {
            let count = plan.flows[flow].multipath.as_ref().map_or(0, |it| it.paths.len());
            (0..count).map(move |it| (flow, it, SampledSubflow::default()))
        });
        let subflows: Vec<_> = subflows.collect();
        (!subflows.is_empty()).then_some(Self(subflows))
    }
}

impl Source for Subflows {
    type Row = SubflowSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(SubflowSample)) {
        for (flow, subflow, last) in &mut self.0 {
            let [sender, receiver] = parts.of_flow(*flow).map(|it| &it.hosts);
            let ends = [
                sender.subflow(*flow, *subflow, Side::Sender),
                receiver.subflow(*flow, *subflow, Side::Receiver),
            ];
            let sample = last.sample(&ends, over.end.as_seconds(), over.seconds());
            take(SubflowSample { flow: *flow as u32, subflow: *subflow as u32, ..sample });
        }
    }
}
