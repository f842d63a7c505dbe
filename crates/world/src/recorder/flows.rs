//! Flows: first the consumers, then the flows over IP.

use windtunnel_transports::ndn::consumer::ConsumerCounters;

use crate::hosts::Sampled;
use crate::nodes;
use crate::parts::Parts;
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::{FlowSample, SeriesPlan};

/// The flows that are sampled, by their place, with what had been counted.
#[derive(Clone)]
pub(super) struct Flows {
    /// Consumers in the plan: the place of the first flow over IP.
    consumers: usize,
    last: Vec<(usize, Last)>,
}

/// What a flow had counted at the last sample.
#[derive(Clone)]
enum Last {
    Consumer(Box<ConsumerCounters>),
    Flow(Box<Sampled>),
}

impl Flows {
    pub(super) fn new(plan: &Plan, series: &SeriesPlan) -> Self {
        let consumers = plan.consumers.len();
        let last = |place| match place < consumers {
            true => Last::Consumer(Box::default()),
            false => Last::Flow(Box::default()),
        };
        let places = series.places(consumers + plan.flows.len());
        Self { consumers, last: places.into_iter().map(|it| (it, last(it))).collect() }
    }
}

impl Source for Flows {
    type Row = FlowSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(FlowSample)) {
        let (time_s, seconds) = (over.end.as_seconds(), over.seconds());
        for (place, last) in &mut self.last {
            let sample = match last {
                Last::Consumer(last) => {
                    nodes::sample(parts.consumer(*place), last, time_s, seconds)
                }
                Last::Flow(last) => {
                    let flow = *place - self.consumers;
                    let [sender, receiver] = parts.of_flow(flow).map(|it| &it.hosts);
                    let (sender, receiver) = (sender.sender(flow), receiver.receiver(flow));
                    last.sample(&sender, &receiver, time_s, seconds)
                }
            };
            take(FlowSample { flow: *place as u32, ..sample });
        }
    }
}
