//! The subflows of flows over Multipath TCP.

use arrow_array::RecordBatch;
use windtunnel_engine::Time;
use windtunnel_world::{FlowPlan, Plan, Subflow, SubflowSample, World};

use super::columns::{Columns, mean};

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
pub(super) fn totals(plan: &Plan, world: &World, end: Time) -> RecordBatch {
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
    Columns::of(&rows)
        .text("flow", |it| &it.flow.name)
        .count("subflow", |it| it.place as u64)
        .text("path", |it| &it.path)
        .flag_if_any("is_backup", |it| Some(it.is_backup))
        .flag_if_any("is_established", |it| Some(it.subflow.ends[0].is_established))
        .number("data_share", |it| it.share)
        .number("throughput_bps", |it| {
            it.subflow.ends[1].tcp.received_bytes as f64 * 8.0 / seconds(it)
        })
        .count("sent_bytes", |it| it.subflow.ends[0].first_bytes)
        .count("reinjected_bytes", |it| it.subflow.ends[0].reinjected_bytes)
        .count("segments", |it| it.subflow.ends[0].tcp.segments)
        .count("retransmissions", |it| it.subflow.ends[0].tcp.retransmissions)
        .count("timeouts", |it| it.subflow.ends[0].tcp.timeouts)
        .count("decreases", |it| it.subflow.ends[0].tcp.decreases)
        .count("marks", |it| it.subflow.ends[1].tcp.marks)
        .number("rtt_s", |it| {
            let tcp = &it.subflow.ends[0].tcp;
            mean(tcp.rtt_sum, tcp.rtt_samples)
        })
        .batch()
}

/// Samples of subflows.
pub(crate) fn subflow_series(plan: &Plan, rows: &[SubflowSample]) -> RecordBatch {
    Columns::of(rows)
        .text("flow", |it| &plan.flows[it.flow as usize].name)
        .count("subflow", |it| u64::from(it.subflow))
        .number("time_s", |it| it.time_s)
        .number("throughput_bps", |it| it.throughput_bps)
        .number("cwnd_segments", |it| it.cwnd)
        .number("ssthresh_segments", |it| it.ssthresh)
        .count("in_flight", |it| it.in_flight)
        .number("smoothed_rtt_s", |it| it.smoothed_rtt_s)
        .count("retransmissions", |it| it.retransmissions)
        .count("timeouts", |it| it.timeouts)
        .count("decreases", |it| it.decreases)
        .count("reinjected_bytes", |it| it.reinjected_bytes)
        .number("estimated_bandwidth_bps", |it| it.estimated_bandwidth_bps)
        .number("estimated_rtt_s", |it| it.estimated_rtt_s)
        .batch()
}
