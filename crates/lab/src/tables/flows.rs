//! Flows of all transports: NDN consumers, TCP and UDP.

mod row;

use windtunnel_engine::Time;
use windtunnel_tables::{Columns, Table, column, mean};
use windtunnel_transports::tcp::Limit;
use windtunnel_world::{FlowSample, Plan, World};

use super::shared::{
    CWND_SEGMENTS, DECREASES, FLOW, IN_FLIGHT, JITTER_S, MARKS, REINJECTED_BYTES, RETRANSMISSIONS,
    SMOOTHED_RTT_S, SSTHRESH_SEGMENTS, TIME_S, TIMEOUTS,
};
use row::Row;

/// The totals of each flow: consumers first, then flows over IP.
pub(super) fn totals(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> Table {
    let consumers = plan.consumers.iter().zip(prefixes).zip(world.consumers());
    let consumers =
        consumers.map(|((consumer, prefix), it)| Row::of_consumer(plan, consumer, prefix, it, end));
    let flows = plan.flows.iter().zip(world.flows()).zip(world.limits(end));
    let flows = flows.map(|((flow, it), limits)| Row::of_flow(plan, flow, it, limits));
    let rows: Vec<Row<'_>> = consumers.chain(flows).collect();
    Columns::of(
        "flows",
        "What each consumer of NDN or CCNx and each flow over IP measured over the whole run.",
        &rows,
    )
    .text(FLOW, |it| it.name)
    .text(column("protocol", "`ndn`, `tcp`, `mptcp`, `udp`, `quic` or `stack`."), |it| it.protocol)
    .text(column("node", "The destination of the data."), |it| it.node)
    .text_if_any(
        column(
            "peer",
            "The source of the data; empty for a consumer, whose Data can come from several \
             nodes.",
        ),
        |it| it.peer,
    )
    .text_if_any(column("prefix", "The prefix of a consumer's names."), |it| it.prefix)
    .text_if_any(
        column("flow_controller", "The congestion controller; empty for UDP.")
            .title("flow's controller"),
        |it| it.controller.as_deref(),
    )
    .number(
        column("goodput_bps", "Content received, over the whole run, `duration_s`.")
            .more_is_better(),
        |it| it.bytes() as f64 * 8.0 / end.since(Time::ZERO).as_seconds(),
    )
    .number(
        column(
            "active_s",
            "The time from the flow's start until it ended, stopped or gave up, or the run \
             ended. Over it, what was received is the goodput of the flow while it was \
             active.",
        ),
        |it| it.active_seconds(end),
    )
    .count(column("received_bytes", "Content received: distinct Data, or data in order; of programs, IP packets with their headers."), |it| {
        it.bytes()
    })
    .count_if_any(column("data", "Distinct Data received by a consumer."), |it| {
        Some(it.ndn()?.data)
    })
    .count_if_any(
        column("interests", "Interests sent by a consumer, retransmissions included."),
        |it| Some(it.ndn()?.interests),
    )
    .count_if_any(
        column("segments", "Segments with data sent by TCP, retransmissions included."),
        |it| Some(it.tcp()?.sender.segments),
    )
    .count_if_any(
        column(
            "datagrams",
            "Datagrams sent over UDP, and those or the packets that the source of the data sent of a \
             flow over an implementation of QUIC or TCP; of one with `datagrams` those that its source \
             made.",
        ),
        |it| it.datagrams(),
    )
    .count_if_any(column("connections", "TCP connections that the flow used."), |it| {
        Some(it.tcp()?.connections)
    })
    .count_if_any(
        column(
            "transfers",
            "Files, answers or frames received to their end; empty where there are none, and \
             for consumers.",
        ),
        |it| it.transfers,
    )
    .count_if_any(
        column(
            "unfinished_transfers",
            "Files, answers or frames that had begun and were not received to their end \
             within the run; empty where there are none.",
        )
        .less_is_better(),
        |it| it.unfinished,
    )
    .count_if_any(RETRANSMISSIONS, |it| match it.stack() {
        Some([sender, _]) => sender.state.retransmissions,
        None => it.of_sender(|ndn| ndn.retransmissions, |tcp| tcp.sender.retransmissions),
    })
    .count_if_any(TIMEOUTS, |it| it.of_sender(|ndn| ndn.timeouts, |tcp| tcp.sender.timeouts))
    .count(MARKS, |it| it.marks())
    .count_if_any(column("nacks", "NACKs received by a consumer."), |it| Some(it.ndn()?.nacks))
    .count_if_any(DECREASES, |it| match it.stack() {
        Some([sender, _]) => sender.state.decreases,
        None => it.of_sender(|ndn| ndn.decreases, |tcp| tcp.sender.decreases),
    })
    .count_if_any(
        column("decreases_undone", "Decreases that turned out to be spurious and were undone."),
        |it| Some(it.tcp()?.sender.decreases_undone),
    )
    .count_if_any(column("probes", "Tail loss probes sent.").title("tail loss probes"), |it| {
        Some(it.tcp()?.sender.probes)
    })
    .count_if_any(REINJECTED_BYTES, |it| Some(it.tcp()?.multipath?.reinjected_bytes))
    .count_if_any(
        column(
            "path_switches",
            "How often new data went over another subflow than the data before.",
        ),
        |it| Some(it.tcp()?.multipath?.switches),
    )
    .count(column("duplicates", "Packets received whose content had been received before."), |it| {
        it.duplicates()
    })
    .count_if_any(
        column(
            "reordered",
            "Segments or datagrams received after one that was sent later (RFC 4737); empty \
             for NDN.",
        ),
        |it| it.reordered(),
    )
    .count_if_any(
        column(
            "lost",
            "Datagrams whose numbers are missing before the highest received: what was lost \
             after that is not yet among them. Of streams over QUIC, the packets that the source of \
             the data considered lost. Empty for others.",
        )
        .title("datagrams lost"),
        |it| match (it.sink(), it.stack()) {
            (Some(sink), _) => Some(sink.lost),
            (None, Some([sender, _])) => sender.state.lost_packets,
            (None, None) => None,
        },
    )
    .count_if_any(
        column(
            "socket_drops",
            "Datagrams or packets that arrived at either end while its `socket_buffer` had no room for \
             them; empty without one.",
        )
        .title("dropped at the socket")
        .less_is_better(),
        |it| it.socket_drops(),
    )
    .number(JITTER_S, |it| it.jitter())
    .count_if_any(IN_FLIGHT, |it| it.in_flight())
    .number(
        column(
            "rtt_s",
            "The mean of the measured round-trip times, or of QUIC of the smoothed ones whenever a \
             datagram arrived at the source of the data; empty for UDP.",
        )
        .less_is_better(),
        |it| it.rtt(),
    )
    .number(
        column(
            "delay_s",
            "The mean delay: from a Data's first Interest to the Data, from a segment's first \
             transmission to its acknowledgement, or from a datagram's transmission to its \
             arrival; empty for streams over QUIC.",
        )
        .less_is_better(),
        |it| it.delay(),
    )
    .number(
        column(
            "last_delay_s",
            "The mean delay from the last Interest for each Data; only for consumers.",
        ),
        |it| it.ndn().and_then(|it| mean(it.last_delay_sum, it.data)),
    )
    .number(
        column("delay_minimum_s", "The least delay; of TCP and streams over QUIC the least round trip.")
            .title("minimum delay"),
        |it| it.least_delay(),
    )
    .number(
        column("delay_maximum_s", "The greatest delay; empty for TCP.").title("maximum delay"),
        |it| it.greatest_delay(),
    )
    .number(
        column("delay_p50_s", "The median delay of datagrams, to 1 %; empty for others.")
            .title("median delay"),
        |it| it.delays.map(|it| it.p50.as_seconds()),
    )
    .number(
        column("delay_p95_s", "The 95th percentile of that delay.")
            .title("95th percentile of the delay"),
        |it| it.delays.map(|it| it.p95.as_seconds()),
    )
    .number(
        column("delay_p99_s", "The 99th percentile of that delay.")
            .title("99th percentile of the delay"),
        |it| it.delays.map(|it| it.p99.as_seconds()),
    )
    .number(
        column(
            "handshake_s",
            "The time in which the sender's connections were being opened. This and the next \
             seven are together the time from a connection's beginning until all data and its \
             end are acknowledged, over all of the flow's connections: at each moment one of \
             them applies. Over several paths it is what would have to change first for more \
             data to leave: the receive window or the send buffer, where a subflow has room \
             for what they hold back; else what keeps a subflow from sending what it has, of \
             several subflows pacing before the host's queue and that before the congestion \
             window. Empty for others than TCP.",
        ),
        |it| it.limited(Limit::Handshake),
    )
    .number(column("idle_s", "The time without data to send and without data in flight."), |it| {
        it.limited(Limit::Idle)
    })
    .number(
        column(
            "application_limited_s",
            "The time in which all data that the application had written was in flight.",
        ),
        |it| it.limited(Limit::Application),
    )
    .number(
        column(
            "cwnd_limited_s",
            "The time in which the congestion window kept the sender from sending more, also \
             while losses were repaired.",
        ),
        |it| it.limited(Limit::CongestionWindow),
    )
    .number(column("pacing_limited_s", "The time in which the pacing rate did."), |it| {
        it.limited(Limit::Pacing)
    })
    .number(
        column(
            "host_queue_limited_s",
            "The time in which the queue of the sender's own host did, which `small_queues` \
             keeps small.",
        ),
        |it| it.limited(Limit::HostQueue),
    )
    .number(
        column(
            "receive_window_limited_s",
            "The time in which the window did that the receiver advertised (`rwnd_limited` in \
             `ss`).",
        ),
        |it| it.limited(Limit::ReceiveWindow),
    )
    .number(
        column(
            "send_buffer_limited_s",
            "The time in which `buffers.send` did, which holds data until it is acknowledged \
             (`sndbuf_limited` in `ss`). Together with the five before it is `busy` in `ss`.",
        ),
        |it| it.limited(Limit::SendBuffer),
    )
    .number(
        column(
            "completion_s",
            "The time from the start to the end of a flow that ends; empty for others.",
        )
        .less_is_better(),
        |it| it.finished.map(|end| end.since(it.start).as_seconds()),
    )
    .number(
        column(
            "gave_up_s",
            "The time from a consumer's start until it gave up; empty if it did not.",
        )
        .title("time until it gave up"),
        |it| it.gave_up.map(|end| end.since(it.start).as_seconds()),
    )
    .text_if_any(
        column("failure", "Why the implementation of TCP or QUIC at one of the ends could not go on."),
        |it| it.stack()?.iter().find_map(|it| it.failure.as_deref()),
    )
    .number(
        column(
            "read_throughput_bps",
            "What a consumer read, with the prefix of each packet, over the time from its \
             first read to its last.",
        )
        .title("throughput between reads"),
        |it| it.read_bps(true),
    )
    .number(
        column("read_goodput_bps", "The payload that a consumer read, over that time.")
            .title("goodput between reads"),
        |it| it.read_bps(false),
    )
    .number(
        column(
            "read_interval_s",
            "The times between successive reads of a consumer, divided by the number of its \
             Data, as `cefgetfile` does.",
        )
        .title("mean time between reads"),
        |it| it.ndn().and_then(|it| it.reads.mean(it.data)),
    )
    .number(
        column("read_interval_maximum_s", "The longest time between two reads of a consumer.")
            .title("longest time between reads"),
        |it| it.ndn().and_then(|it| it.reads.span().map(|_| it.reads.maximum().as_seconds())),
    )
    .number(
        column("read_interval_variance_s2", "Their variance, likewise.")
            .title("variance of the time between reads"),
        |it| it.ndn().and_then(|it| it.reads.variance(it.data)),
    )
    .table()
}

/// Samples of flows.
pub(super) fn series(plan: &Plan, rows: &[FlowSample]) -> Table {
    let consumers = plan.consumers.iter().map(|it| it.name.as_str());
    let names: Vec<&str> = consumers.chain(plan.flows.iter().map(|it| it.name.as_str())).collect();
    Columns::of("flow_series", "Samples of each flow, for each interval of the recording.", rows)
        .text(FLOW, |it| names[it.flow as usize])
        .number(TIME_S, |it| it.time_s)
        .number(
            column(
                "goodput_bps",
                "Content received in the interval. TCP delivers in order: what waited for a lost \
                 segment counts when that arrives.",
            )
            .more_is_better(),
            |it| it.goodput_bps,
        )
        .number(
            column(
                "received_bps",
                "Content received in the interval in any order, each byte once: over TCP it has \
                 no burst where a lost segment arrives.",
            ),
            |it| it.received_bps,
        )
        .number(CWND_SEGMENTS, |it| it.cwnd)
        .number(SSTHRESH_SEGMENTS, |it| it.ssthresh)
        .count_if_any(IN_FLIGHT, |it| it.in_flight)
        .number(SMOOTHED_RTT_S, |it| it.smoothed_rtt_s)
        .number(
            column(
                "delay_s",
                "The mean delay of what was received or acknowledged in the interval, as in \
                 `flows`.",
            ),
            |it| it.delay_s,
        )
        .count(
            column("retransmissions", "Interests or segments sent again in the interval."),
            |it| it.retransmissions,
        )
        .count_if_any(
            column(
                "reordered",
                "Segments or datagrams received in the interval after one that was sent later; \
                 empty for NDN.",
            ),
            |it| it.reordered,
        )
        .number(
            column(
                "lost",
                "Datagrams found missing by their numbers in the interval, less those that came \
                 late after all; of QUIC, the packets that the source of the data considered lost. \
                 Empty for others.",
            )
            .title("datagrams lost"),
            |it| it.lost.map(|lost| lost as f64),
        )
        .number(
            column("lost_share", "Their share of those and of what was received.").unit("share"),
            |it| it.lost_share,
        )
        .number(JITTER_S, |it| it.jitter_s)
        .count(MARKS, |it| it.marks)
        .count_if_any(TIMEOUTS, |it| it.timeouts)
        .count_if_any(DECREASES, |it| it.decreases)
        .count_if_any(
            column(
                "waiting_bytes",
                "Data received that waits for data before it: for a lost segment, or for what \
                 another subflow has; empty for others than TCP.",
            ),
            |it| it.waiting_bytes,
        )
        .table()
}
