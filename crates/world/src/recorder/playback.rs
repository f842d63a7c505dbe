//! Players, at the receivers of flows over IP.

use crate::parts::Parts;
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::PlaybackSample;

/// The flows whose receivers may be players with a buffer, by their place.
#[derive(Clone)]
pub(super) struct Players(Vec<usize>);

impl Players {
    pub(super) fn new(plan: &Plan) -> Self {
        let has_playback = |flow: &usize| {
            plan.flows[*flow].transport.workload().is_some_and(|it| it.behaviour().playback)
        };
        Self((0..plan.flows.len()).filter(has_playback).collect())
    }
}

impl Source for Players {
    type Row = PlaybackSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(PlaybackSample)) {
        for flow in &self.0 {
            let [_, receiver] = parts.of_flow(*flow);
            let player = receiver.hosts.player(*flow);
            let Some(playback) = player.and_then(|it| it.playback(over.end)) else { continue };
            take(PlaybackSample {
                flow: *flow as u32,
                time_s: over.end.as_seconds(),
                buffer_s: playback.buffer.as_seconds(),
                quality_bps: playback.quality,
                is_playing: playback.is_playing,
            });
        }
    }
}
