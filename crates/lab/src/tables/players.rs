//! Players: what they counted, the segments that they received, and their buffers.

use arrow_array::RecordBatch;
use windtunnel_applications::Workload;
use windtunnel_applications::video::{Player, PlayerTotals, Segment};
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{FlowPlan, Plan, PlaybackSample, Transport, World};

use super::columns::Columns;

/// The flows that have a player.
fn all<'a>(
    plan: &'a Plan,
    world: &'a World,
) -> impl Iterator<Item = (&'a FlowPlan, &'a dyn Player)> {
    let players = plan.flows.iter().zip(world.players());
    players.filter_map(|(flow, player)| Some((flow, player?)))
}

/// The rule that chooses the levels of a flow's segments.
fn rule(flow: &FlowPlan) -> Option<&str> {
    match &flow.transport {
        Transport::Tcp { workload: Workload::AdaptiveVideo(it), .. } => Some(it.rule.name()),
        Transport::Tcp { .. } | Transport::Udp(_) => None,
    }
}

/// What each player counted.
pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> RecordBatch {
    let rows: Vec<(&FlowPlan, PlayerTotals)> =
        all(plan, world).map(|(flow, it)| (flow, it.totals(end))).collect();
    let seconds = |it: Option<Duration>| it.map(Duration::as_seconds);
    Columns::of(&rows)
        .text("flow", |(flow, _)| &flow.name)
        .text_if_any("player_rule", |(flow, _)| rule(flow))
        .number("startup_s", |(_, it)| seconds(it.startup))
        .count_if_any("underflows", |(_, it)| it.underflows)
        .number("stalled_s", |(_, it)| seconds(it.stalled))
        .number("played_s", |(_, it)| seconds(it.played))
        .count_if_any("frames", |(_, it)| it.frames)
        .count_if_any("discarded_frames", |(_, it)| it.discarded)
        .count_if_any("late_frames", |(_, it)| it.late)
        .count_if_any("video_segments", |(_, it)| it.segments)
        .number("quality_bps", |(_, it)| it.quality)
        .count_if_any("switches", |(_, it)| it.switches)
        .number("experience", |(_, it)| it.experience)
        .batch()
}

/// The segments of adaptive streaming, in the order in which a player received them.
pub(super) fn segments(plan: &Plan, world: &World) -> RecordBatch {
    let of = |(flow, player): (&'_ FlowPlan, &'_ dyn Player)| {
        let segments = (0..).zip(player.segments());
        segments.map(|(number, it)| (flow.name.clone(), number, *it)).collect::<Vec<_>>()
    };
    let rows: Vec<(String, u64, Segment)> = all(plan, world).flat_map(of).collect();
    Columns::of(&rows)
        .text("flow", |(flow, ..)| flow)
        .count("number", |(_, number, _)| *number)
        .count("level", |(.., it)| it.level as u64)
        .number("quality_bps", |(.., it)| it.bitrate)
        .count("size_bytes", |(.., it)| it.bytes)
        .number("start_s", |(.., it)| it.requested.as_seconds())
        .number("completion_s", |(.., it)| it.download.as_seconds())
        .number("buffer_s", |(.., it)| it.buffer.as_seconds())
        .number("stalled_s", |(.., it)| it.stalled.as_seconds())
        .batch()
}

/// Samples of players.
pub(crate) fn playback_series(plan: &Plan, rows: &[PlaybackSample]) -> RecordBatch {
    Columns::of(rows)
        .text("flow", |it| &plan.flows[it.flow as usize].name)
        .number("time_s", |it| it.time_s)
        .number("buffer_s", |it| it.buffer_s)
        .number("quality_bps", |it| it.quality_bps)
        .flag_if_any("is_playing", |it| Some(it.is_playing))
        .batch()
}
