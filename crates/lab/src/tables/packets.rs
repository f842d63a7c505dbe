//! What happened to the packets of flows.

use arrow_array::RecordBatch;
use windtunnel_engine::Duration;
use windtunnel_world::{PacketEvent, PacketEventKind, PacketEventLocation, Plan, PortId};

use super::columns::Columns;

/// The name of a kind of event.
fn name(kind: PacketEventKind) -> &'static str {
    match kind {
        PacketEventKind::Sent => "sent",
        PacketEventKind::Retransmitted => "retransmitted",
        PacketEventKind::Received => "received",
        PacketEventKind::AcknowledgementSent => "acknowledgement sent",
        PacketEventKind::AcknowledgementReceived => "acknowledgement received",
        PacketEventKind::Sacked => "sacked",
        PacketEventKind::Polled => "polled",
        PacketEventKind::NackReceived => "NACK received",
        PacketEventKind::Dropped => "dropped",
        PacketEventKind::Lost => "lost",
    }
}

/// The name of the place of an event.
pub(crate) fn place(place: PacketEventLocation) -> &'static str {
    match place {
        PacketEventLocation::Sender => "sender",
        PacketEventLocation::Receiver => "receiver",
        PacketEventLocation::Consumer => "consumer",
        PacketEventLocation::Queue(_) => "queue",
        PacketEventLocation::Link(_) => "link",
        PacketEventLocation::Path => "path",
    }
}

/// The port of an event that happened at one.
fn port(event: &PacketEvent) -> Option<PortId> {
    match event.place {
        PacketEventLocation::Queue(port) | PacketEventLocation::Link(port) => Some(port),
        _ => None,
    }
}

/// The name of a flow, by its place: first the consumers, then the flows over IP.
pub(crate) fn flow(plan: &Plan, place: u32) -> &str {
    let place = place as usize;
    match place.checked_sub(plan.consumers.len()) {
        None => &plan.consumers[place].name,
        Some(flow) => &plan.flows[flow].name,
    }
}

/// The node of an event: of one at a port, where that leads from.
fn node<'a>(plan: &'a Plan, event: &PacketEvent) -> Option<&'a str> {
    let near = port(event).map(|it| plan.links[it.link()].nodes[it.direction()]);
    let node = event.node.map(|it| it as usize).or(near);
    node.map(|it| plan.nodes[it].name.as_str())
}

/// Events of packets.
pub(crate) fn packet_events(plan: &Plan, rows: &[PacketEvent]) -> RecordBatch {
    Columns::of(rows)
        .text("flow", |it| flow(plan, it.flow))
        .count_if_any("connection", |it| it.connection)
        .count_if_any("subflow", |it| it.subflow.map(u64::from))
        .number("time_s", |it| it.time.as_seconds())
        .text("at", |it| place(it.place))
        .text_if_any("node", |it| node(plan, it))
        .text_if_any("link", |it| port(it).map(|port| plan.links[port.link()].name.as_str()))
        .text("kind", |it| name(it.kind))
        .count_if_any("number", |it| it.number)
        .count("data_bytes", |it| it.bytes)
        .count_if_any("size_bytes", |it| it.size.map(u64::from))
        .count_if_any("dscp", |it| it.dscp.map(|it| it.value().into()))
        .count_if_any("acknowledgement", |it| it.acknowledgement)
        .flag_if_any("is_marked", |it| Some(it.is_marked))
        .number("rtt_s", |it| it.rtt.map(Duration::as_seconds))
        .number("cwnd_segments", |it| it.state.map(|it| it.cwnd))
        .number("ssthresh_segments", |it| it.state.map(|it| it.ssthresh))
        .count_if_any("in_flight", |it| it.state.map(|it| it.in_flight))
        .number("smoothed_rtt_s", |it| {
            it.state.and_then(|it| it.smoothed_rtt).map(Duration::as_seconds)
        })
        .number("pacing_rate_bps", |it| it.state.and_then(|it| it.pacing_rate_bps))
        .batch()
}
