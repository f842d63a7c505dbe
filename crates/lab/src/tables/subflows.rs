//! The subflows of flows over Multipath TCP.

use windtunnel_engine::Time;
use windtunnel_tables::{Columns, Table, column, mean};
use windtunnel_world::{FlowPlan, Plan, Subflow, SubflowSample, World};

use super::shared::{
    CWND_SEGMENTS, DECREASES, FLOW, IN_FLIGHT, MARKS, PATH, REINJECTED_BYTES, RETRANSMISSIONS,
    SMOOTHED_RTT_S, SSTHRESH_SEGMENTS, SUBFLOW, TIME_S, TIMEOUTS,
};

/// A subflow: its flow, its place there, its links, and what was counted.
struct Row<'a> {
    flow: &'a FlowPlan,
    place: usize,
    path: String,
    is_backup: bool,
    subflow: Subflow,
    /// The share of the flow's data that went over it for the first time; none of none.
    share: Option<f64>,
}

/// The links of a flow's path, in order.
fn path(plan: &Plan, flow: &FlowPlan, place: usize) -> String {
    let ports = flow.multipath.iter().flat_map(|it| &it.paths[place]);
    let links: Vec<&str> = ports.map(|it| plan.links[it.link()].name.as_str()).collect();
    if links.is_empty() {
        // It has no links of its own: its packets choose among paths.
        return format!("subflow {place}");
    }
    links.join(" ")
}

/// The totals of each subflow.
pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> Table {
    let mut rows = Vec::new();
    for (index, flow) in plan.flows.iter().enumerate() {
        let subflows = world.subflows(index);
        let all: u64 = subflows.iter().map(|it| it.ends[0].first_bytes).sum();
        for (place, subflow) in subflows.into_iter().enumerate() {
            let first = subflow.ends[0].first_bytes;
            rows.push(Row {
                flow,
                place,
                path: path(plan, flow, place),
                is_backup: flow.multipath.iter().any(|it| it.settings.paths[place].is_backup),
                subflow,
                share: (all > 0).then(|| first as f64 / all as f64),
            });
        }
    }
    let seconds = |it: &Row<'_>| end.min(it.flow.stop).since(it.flow.start).as_seconds();
    Columns::of("subflows", "What each subflow of a flow over Multipath TCP measured.", &rows)
        .text(FLOW, |it| &it.flow.name)
        .count(SUBFLOW, |it| it.place as u64)
        .text(PATH, |it| &it.path)
        .flag_if_any(
            column("is_backup", "Whether it is used only when no other is usable."),
            |it| Some(it.is_backup),
        )
        .flag_if_any(column("is_established", "Whether its handshake is over."), |it| {
            Some(it.subflow.ends[0].is_established)
        })
        .number(
            column("data_share", "Its share of the flow's data that was sent for the first time.")
                .unit("share"),
            |it| it.share,
        )
        .number(
            column(
                "throughput_bps",
                "Data received in the subflow's order, what was sent again on another subflow \
                 included.",
            ),
            |it| it.subflow.ends[1].tcp.received_bytes as f64 * 8.0 / seconds(it),
        )
        .count(column("sent_bytes", "Data given to it, reinjected data included."), |it| {
            it.subflow.ends[0].first_bytes
        })
        .count(REINJECTED_BYTES, |it| it.subflow.ends[0].reinjected_bytes)
        .count(column("segments", "Segments with data sent, retransmissions included."), |it| {
            it.subflow.ends[0].tcp.segments
        })
        .count(RETRANSMISSIONS, |it| it.subflow.ends[0].tcp.retransmissions)
        .count(TIMEOUTS, |it| it.subflow.ends[0].tcp.timeouts)
        .count(DECREASES, |it| it.subflow.ends[0].tcp.decreases)
        .count(MARKS, |it| it.subflow.ends[1].tcp.marks)
        .number(column("rtt_s", "The mean of the measured round-trip times."), |it| {
            let tcp = &it.subflow.ends[0].tcp;
            mean(tcp.rtt_sum, tcp.rtt_samples)
        })
        .table()
}

/// Samples of subflows.
pub(super) fn series(plan: &Plan, rows: &[SubflowSample]) -> Table {
    Columns::of(
        "subflow_series",
        "Samples of each subflow, for each interval of the recording.",
        rows,
    )
    .text(FLOW, |it| &plan.flows[it.flow as usize].name)
    .count(SUBFLOW, |it| u64::from(it.subflow))
    .number(TIME_S, |it| it.time_s)
    .number(
        column(
            "throughput_bps",
            "Data received in the subflow's order, what was sent again on another subflow \
             included.",
        ),
        |it| it.throughput_bps,
    )
    .number(CWND_SEGMENTS, |it| it.cwnd)
    .number(SSTHRESH_SEGMENTS, |it| it.ssthresh)
    .count(IN_FLIGHT, |it| it.in_flight)
    .number(SMOOTHED_RTT_S, |it| it.smoothed_rtt_s)
    .count(RETRANSMISSIONS, |it| it.retransmissions)
    .count(TIMEOUTS, |it| it.timeouts)
    .count(DECREASES, |it| it.decreases)
    .count(REINJECTED_BYTES, |it| it.reinjected_bytes)
    .number(
        column(
            "estimated_bandwidth_bps",
            "The bottleneck's bandwidth that the controller estimates; empty if it does not.",
        ),
        |it| it.estimated_bandwidth_bps,
    )
    .number(
        column(
            "estimated_rtt_s",
            "The round trip without queues that the controller estimates; empty if it does \
             not.",
        ),
        |it| it.estimated_rtt_s,
    )
    .table()
}
