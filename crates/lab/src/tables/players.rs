//! Players: what they counted, the segments that they received, and their buffers.

use windtunnel_applications::Workload;
use windtunnel_applications::video::{Player, PlayerTotals, Segment};
use windtunnel_engine::{Duration, Time};
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{FlowPlan, Plan, PlaybackSample, World};

use super::shared::{BUFFER_S, FLOW, QUALITY_BPS, SIZE_BYTES, TIME_S};

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
    match flow.transport.workload() {
        Some(Workload::AdaptiveVideo(it)) => Some(it.rule.name()),
        _ => None,
    }
}

/// What each player counted.
pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> Table {
    let rows: Vec<(&FlowPlan, PlayerTotals)> =
        all(plan, world).map(|(flow, it)| (flow, it.totals(end))).collect();
    let seconds = |it: Option<Duration>| it.map(Duration::as_seconds);
    Columns::of("players", "What each player of a video measured.", &rows)
        .text(FLOW, |(flow, _)| &flow.name)
        .text_if_any(column("player_rule", "The rule that chooses the levels."), |(flow, _)| {
            rule(flow)
        })
        .number(
            column("startup_s", "From the request to the first frame played.")
                .title("start-up delay")
                .less_is_better(),
            |(_, it)| seconds(it.startup),
        )
        .count_if_any(column("underflows", "How often nothing was left to play."), |(_, it)| {
            it.underflows
        })
        .number(
            column("stalled_s", "How long playing stalled for it.").less_is_better(),
            |(_, it)| seconds(it.stalled),
        )
        .number(column("played_s", "The media played."), |(_, it)| seconds(it.played))
        .count_if_any(
            column(
                "frames",
                "Frames whose time to be shown has passed; of live ones, frames made.",
            ),
            |(_, it)| it.frames,
        )
        .count_if_any(
            column(
                "discarded_frames",
                "Of them, those that were not shown: late themselves, or without a frame that \
                 they refer to.",
            ),
            |(_, it)| it.discarded,
        )
        .count_if_any(
            column(
                "late_frames",
                "Live frames that came after their deadline, or not at all by then.",
            ),
            |(_, it)| it.late,
        )
        .count_if_any(
            column("video_segments", "Segments received.").title("segments").unit(""),
            |(_, it)| it.segments,
        )
        .number(
            column("quality_bps", "The mean bitrate of the segments played; empty without levels.")
                .title("bitrate played")
                .more_is_better(),
            |(_, it)| it.quality,
        )
        .count_if_any(
            column("switches", "Changes of level from one segment played to the next."),
            |(_, it)| it.switches,
        )
        .number(
            column("experience", "The mean quality of experience of a segment (docs/video.md).")
                .title("quality of experience of a segment"),
            |(_, it)| it.experience,
        )
        .table()
}

/// The segments of adaptive streaming, in the order in which a player received them.
pub(super) fn segments(plan: &Plan, world: &World) -> Table {
    let of = |(flow, player): (&'_ FlowPlan, &'_ dyn Player)| {
        let segments = (0..).zip(player.segments());
        segments.map(|(number, it)| (flow.name.clone(), number, *it)).collect::<Vec<_>>()
    };
    let rows: Vec<(String, u64, Segment)> = all(plan, world).flat_map(of).collect();
    Columns::of(
        "video_segments",
        "Each segment that a player of adaptive streaming received.",
        &rows,
    )
    .text(FLOW, |(flow, ..)| flow)
    .count(column("number", "The number of the segment, from 0 on.").unit(""), |(_, number, _)| {
        *number
    })
    .count(column("level", "Its level, from 0 on.").unit(""), |(.., it)| it.level as u64)
    .number(
        column("quality_bps", "The bitrate of its level.").title("bitrate played").more_is_better(),
        |(.., it)| it.bitrate,
    )
    .count(SIZE_BYTES, |(.., it)| it.bytes)
    .number(column("start_s", "When it was requested."), |(.., it)| it.requested.as_seconds())
    .number(column("completion_s", "How long its download took."), |(.., it)| {
        it.download.as_seconds()
    })
    .number(column("buffer_s", "The media in the buffer when it had arrived."), |(.., it)| {
        it.buffer.as_seconds()
    })
    .number(
        column("stalled_s", "How long nothing was left to play while it was on its way."),
        |(.., it)| it.stalled.as_seconds(),
    )
    .table()
}

/// Samples of players.
pub(super) fn series(plan: &Plan, rows: &[PlaybackSample]) -> Table {
    Columns::of(
        "playback_series",
        "Samples of each player, for each interval of the recording.",
        rows,
    )
    .text(FLOW, |it| &plan.flows[it.flow as usize].name)
    .number(TIME_S, |it| it.time_s)
    .number(BUFFER_S, |it| it.buffer_s)
    .number(QUALITY_BPS, |it| it.quality_bps)
    .flag_if_any(column("is_playing", "Whether it plays."), |it| Some(it.is_playing))
    .table()
}
