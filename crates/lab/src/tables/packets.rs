//! What happened to the packets of flows.

use windtunnel_engine::Duration;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{PacketEvent, PacketEventKind, PacketEventLocation, Plan, PortId};

use super::shared::FLOW;

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
pub(super) fn packet_events(plan: &Plan, rows: &[PacketEvent]) -> Table {
    Columns::of(
        "packet_events",
        "What happened to the packets of the flows that `--events` names: a row for each event, \
         in the order of time.",
        rows,
    )
    .text(FLOW, |it| flow(plan, it.flow))
    .count_if_any(
        column("connection", "Which connection of the flow, from 0 on; empty without connections.")
            .unit(""),
        |it| it.connection,
    )
    .count_if_any(
        column("subflow", "Which subflow of the connection, from 0 on; empty without subflows.")
            .unit(""),
        |it| it.subflow.map(u64::from),
    )
    .number(column("time_s", "When it happened."), |it| it.time.as_seconds())
    .text(
        column(
            "at",
            "`sender` or `receiver` of the flow's data, `consumer`, `queue`, `link`, or \
             another place on the `path`.",
        ),
        |it| place(it.place),
    )
    .text_if_any(
        column("node", "The node; of a queue and a link, the one that it leads from."),
        |it| node(plan, it),
    )
    .text_if_any(
        column("link", "The link where the packet was dropped or lost; empty elsewhere."),
        |it| port(it).map(|port| plan.links[port.link()].name.as_str()),
    )
    .text(
        column(
            "kind",
            "What happened: `sent`, `retransmitted`, `received`, `acknowledgement sent`, \
             `acknowledgement received`, `sacked`, `polled`, `NACK received`, `dropped` or \
             `lost`.",
        ),
        |it| name(it.kind),
    )
    .count_if_any(
        column(
            "number",
            "TCP: the number of the first byte, relative as Wireshark shows it: a SYN has 0, \
             the first byte of data 1. UDP: the number of the datagram. NDN and CCNx: the \
             segment.",
        )
        .unit(""),
        |it| it.number,
    )
    .count(
        column(
            "data_bytes",
            "Data in the packet, or in the range that was acknowledged selectively.",
        ),
        |it| it.bytes,
    )
    .count_if_any(
        column(
            "size_bytes",
            "The packet with its headers, without those of links; empty where there is no \
             packet.",
        ),
        |it| it.size.map(u64::from),
    )
    .count_if_any(
        column(
            "dscp",
            "The class of service in the packet's header, as a differentiated services \
             codepoint (46 is EF); between regions, on SCION paths and in tunnels the headers \
             around it have the same. Empty for NDN, and where there is no packet.",
        )
        .unit(""),
        |it| it.dscp.map(|it| it.value().into()),
    )
    .count_if_any(
        column(
            "acknowledgement",
            "The byte that the sender of the segment expects next; empty without an \
             acknowledgement.",
        )
        .unit(""),
        |it| it.acknowledgement,
    )
    .flag_if_any(column("is_marked", "Whether the packet has a congestion mark."), |it| {
        Some(it.is_marked)
    })
    .number(
        column(
            "rtt_s",
            "The round-trip time that was measured by it; empty where none was. Where the \
             host merges what it receives, the mean of several.",
        ),
        |it| it.rtt.map(Duration::as_seconds),
    )
    .number(
        column(
            "cwnd_segments",
            "The congestion window after the event and what it led to; empty where no data \
             was sent.",
        ),
        |it| it.state.map(|it| it.cwnd),
    )
    .number(
        column(
            "ssthresh_segments",
            "The slow-start threshold then; empty while it is unlimited, and where no data \
             was sent.",
        ),
        |it| it.state.map(|it| it.ssthresh),
    )
    .count_if_any(
        column("in_flight", "Interests or segments in flight then; empty where no data was sent."),
        |it| it.state?.in_flight,
    )
    .number(
        column(
            "smoothed_rtt_s",
            "The smoothed round-trip time then; empty before the first sample.",
        ),
        |it| it.state.and_then(|it| it.smoothed_rtt).map(Duration::as_seconds),
    )
    .number(
        column(
            "pacing_rate_bps",
            "The rate at which the controller lets data be sent; empty if it sets none.",
        ),
        |it| it.state.and_then(|it| it.pacing_rate_bps),
    )
    .table()
}
