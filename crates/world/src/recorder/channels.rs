//! Links that follow a channel.

use crate::parts::Parts;
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::ChannelSample;

/// For each link that follows a channel the node that it leads from.
#[derive(Clone)]
pub(super) struct Channels(Vec<usize>);

impl Channels {
    pub(super) fn new(plan: &Plan) -> Self {
        let links = plan.links.iter().filter(|it| it.channel.is_some());
        Self(links.map(|it| it.nodes[0]).collect())
    }
}

impl Source for Channels {
    type Row = ChannelSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(ChannelSample)) {
        for (place, node) in self.0.iter().enumerate() {
            let channels = &parts.of_node(*node).channels;
            channels.sample(place, over.start, over.end).into_iter().for_each(&mut take);
        }
    }
}
