//! Flows of all transports: NDN consumers, TCP and UDP.

use std::borrow::Cow;

use arrow_array::RecordBatch;
use windtunnel_applications::DelayPercentiles;
use windtunnel_applications::udp::SinkCounters;
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::ndn::consumer::{Consumer, ConsumerCounters, ConsumerWorkload};
use windtunnel_transports::tcp::{Limit, LimitTimes, TcpSettings};
use windtunnel_world::{
    ConsumerPlan, Flow, FlowCounters, FlowPlan, FlowSample, Plan, TcpCounters, Transport, World,
};

use super::columns::{Columns, mean};

/// The counters of one flow.
enum Counters<'a> {
    Ndn(&'a Consumer, &'a ConsumerCounters),
    Tcp(Box<TcpCounters>),
    Udp(u64, SinkCounters),
}

/// The name of the sender's controller, and of that at the receiver if there is one.
fn controllers(settings: &TcpSettings) -> Cow<'static, str> {
    let sender = settings.controller.description().name;
    match &settings.receiver_controller {
        Some(receiver) => format!("{sender}, receiver: {}", receiver.description().name).into(),
        None => sender.into(),
    }
}

/// A row of the table of flows.
struct Row<'a> {
    name: &'a str,
    /// The destination of the data.
    node: &'a str,
    /// The source of the data, if there is only one.
    peer: Option<&'a str>,
    prefix: Option<&'a str>,
    /// The bytes of that prefix in a packet, of a consumer.
    name_bytes: u32,
    controller: Option<Cow<'a, str>>,
    start: Time,
    finished: Option<Time>,
    /// When a consumer gave up.
    gave_up: Option<Time>,
    stop: Time,
    /// The number of finished transfers.
    transfers: Option<u64>,
    /// The number of those that had begun and are not finished.
    unfinished: Option<u64>,
    /// Percentiles of the delays of datagrams.
    delays: Option<DelayPercentiles>,
    counters: Counters<'a>,
    /// For how long each limit of its senders was in force.
    limits: Option<LimitTimes>,
}

impl<'a> Row<'a> {
    fn of_consumer(
        plan: &'a Plan,
        consumer: &'a ConsumerPlan,
        prefix: &'a str,
        it: &'a Consumer,
        end: Time,
    ) -> Self {
        Self {
            name: &consumer.name,
            node: &plan.nodes[consumer.node].name,
            peer: None,
            prefix: Some(prefix),
            name_bytes: consumer.settings.prefix_size.0,
            controller: Some(consumer.controller.description().name.into()),
            start: it.start(),
            finished: it.finished(),
            gave_up: it.gave_up(),
            stop: consumer.settings.stop,
            transfers: None,
            unfinished: matches!(consumer.settings.workload, ConsumerWorkload::File { .. })
                .then(|| u64::from(it.start() <= end && it.finished().is_none())),
            delays: None,
            counters: Counters::Ndn(it, it.counters()),
            limits: None,
        }
    }

    fn of_flow(plan: &'a Plan, flow: &'a FlowPlan, it: &Flow, limits: Option<LimitTimes>) -> Self {
        let controller = match &flow.transport {
            Transport::Tcp { settings, .. } => Some(controllers(settings)),
            Transport::Udp(_) => None,
        };
        Self {
            name: &flow.name,
            node: &plan.nodes[flow.to].name,
            peer: Some(&plan.nodes[flow.from].name),
            prefix: None,
            name_bytes: 0,
            controller,
            start: it.start,
            finished: it.finished,
            gave_up: None,
            stop: flow.stop,
            transfers: it.transfers.map(|it| it.received),
            unfinished: it.transfers.map(|it| it.unfinished()),
            delays: it.delays,
            counters: match &it.counters {
                FlowCounters::Tcp(counters) => Counters::Tcp(counters.clone()),
                FlowCounters::Udp(sent, counters) => Counters::Udp(*sent, *counters),
            },
            limits,
        }
    }

    fn protocol(&self) -> &'static str {
        match &self.counters {
            Counters::Ndn(..) => "ndn",
            Counters::Tcp(it) if it.multipath.is_some() => "mptcp",
            Counters::Tcp(_) => "tcp",
            Counters::Udp(..) => "udp",
        }
    }

    fn ndn(&self) -> Option<&ConsumerCounters> {
        match &self.counters {
            Counters::Ndn(_, counters) => Some(counters),
            Counters::Tcp(_) | Counters::Udp(..) => None,
        }
    }

    /// The payload that a consumer read, or its prefix with each payload, over the time from the
    /// first read to the last: in bits per second.
    fn read_bps(&self, with_names: bool) -> Option<f64> {
        let Counters::Ndn(_, it) = &self.counters else { return None };
        let names = if with_names { it.data * u64::from(self.name_bytes) } else { 0 };
        Some((it.bytes + names) as f64 * 8.0 / it.reads.span()?.as_seconds())
    }

    fn tcp(&self) -> Option<&TcpCounters> {
        match &self.counters {
            Counters::Tcp(counters) => Some(counters),
            Counters::Ndn(..) | Counters::Udp(..) => None,
        }
    }

    /// The interarrival jitter of datagrams, or of what a consumer read (RFC 3550).
    fn jitter(&self) -> Option<f64> {
        let jitter = match &self.counters {
            Counters::Ndn(_, it) => it.reads.span().map(|_| it.reads.jitter()),
            Counters::Tcp(_) => None,
            Counters::Udp(_, it) => Some(it.jitter.mean()),
        };
        jitter.map(Duration::as_seconds)
    }

    fn udp(&self) -> Option<&SinkCounters> {
        match &self.counters {
            Counters::Udp(_, counters) => Some(counters),
            Counters::Ndn(..) | Counters::Tcp(_) => None,
        }
    }

    /// Content received, in bytes.
    fn bytes(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.bytes,
            Counters::Tcp(it) => it.receiver.received_bytes,
            Counters::Udp(_, it) => it.bytes,
        }
    }

    /// How long the flow was receiving, in seconds.
    fn active_seconds(&self, end: Time) -> f64 {
        self.finished.or(self.gave_up).unwrap_or(end).min(self.stop).since(self.start).as_seconds()
    }

    /// A counter of the sender in TCP and the consumer in NDN.
    fn of_sender(
        &self,
        ndn: impl Fn(&ConsumerCounters) -> u64,
        tcp: impl Fn(&TcpCounters) -> u64,
    ) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(_, it) => Some(ndn(it)),
            Counters::Tcp(it) => Some(tcp(it)),
            Counters::Udp(..) => None,
        }
    }

    /// For how long that limit was in force, in seconds.
    fn limited(&self, by: Limit) -> Option<f64> {
        self.limits.map(|it| it.of(by).as_seconds())
    }

    fn marks(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.marks,
            Counters::Tcp(it) => it.receiver.marks,
            Counters::Udp(_, it) => it.marks,
        }
    }

    fn duplicates(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.duplicates,
            Counters::Tcp(it) => it.receiver.duplicates,
            Counters::Udp(_, it) => it.duplicates,
        }
    }

    /// Segments or datagrams received after one that was sent later.
    fn reordered(&self) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(..) => None,
            Counters::Tcp(it) => Some(it.receiver.reordered),
            Counters::Udp(_, it) => Some(it.reordered),
        }
    }

    fn in_flight(&self) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(it, _) => Some(it.in_flight()),
            Counters::Tcp(it) => Some(it.in_flight),
            Counters::Udp(..) => None,
        }
    }

    fn rtt(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => mean(it.rtt_sum, it.rtt_samples),
            Counters::Tcp(it) => mean(it.sender.rtt_sum, it.sender.rtt_samples),
            Counters::Udp(..) => None,
        }
    }

    fn delay(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => mean(it.delay_sum, it.data),
            Counters::Tcp(it) => mean(it.sender.delay_sum, it.sender.delay_samples),
            Counters::Udp(_, it) => mean(it.delay_sum, it.datagrams),
        }
    }

    fn least_delay(&self) -> Option<f64> {
        let least = match &self.counters {
            Counters::Ndn(_, it) => it.delay_minimum,
            Counters::Tcp(it) => it.sender.rtt_minimum,
            Counters::Udp(_, it) => it.delay_minimum,
        };
        least.map(Duration::as_seconds)
    }

    fn greatest_delay(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => (it.data > 0).then(|| it.delay_maximum.as_seconds()),
            Counters::Udp(_, it) => (it.datagrams > 0).then(|| it.delay_maximum.as_seconds()),
            Counters::Tcp(_) => None,
        }
    }
}

/// The totals of each flow: consumers first, then flows over IP.
pub(super) fn totals(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> RecordBatch {
    let consumers = plan.consumers.iter().zip(prefixes).zip(world.consumers());
    let consumers =
        consumers.map(|((consumer, prefix), it)| Row::of_consumer(plan, consumer, prefix, it, end));
    let flows = plan.flows.iter().zip(world.flows()).zip(world.limits(end));
    let flows = flows.map(|((flow, it), limits)| Row::of_flow(plan, flow, &it, limits));
    let rows: Vec<Row<'_>> = consumers.chain(flows).collect();
    Columns::of(&rows)
        .text("flow", |it| it.name)
        .text("protocol", |it| it.protocol())
        .text("node", |it| it.node)
        .text_if_any("peer", |it| it.peer)
        .text_if_any("prefix", |it| it.prefix)
        .text_if_any("flow_controller", |it| it.controller.as_deref())
        .number("goodput_bps", |it| it.bytes() as f64 * 8.0 / end.since(Time::ZERO).as_seconds())
        .number("active_s", |it| it.active_seconds(end))
        .count("received_bytes", |it| it.bytes())
        .count_if_any("data", |it| Some(it.ndn()?.data))
        .count_if_any("interests", |it| Some(it.ndn()?.interests))
        .count_if_any("segments", |it| Some(it.tcp()?.sender.segments))
        .count_if_any("datagrams", |it| match it.counters {
            Counters::Udp(sent, _) => Some(sent),
            Counters::Ndn(..) | Counters::Tcp(_) => None,
        })
        .count_if_any("connections", |it| Some(it.tcp()?.connections))
        .count_if_any("transfers", |it| it.transfers)
        .count_if_any("unfinished_transfers", |it| it.unfinished)
        .count_if_any("retransmissions", |it| {
            it.of_sender(|ndn| ndn.retransmissions, |tcp| tcp.sender.retransmissions)
        })
        .count_if_any("timeouts", |it| it.of_sender(|ndn| ndn.timeouts, |tcp| tcp.sender.timeouts))
        .count("marks", |it| it.marks())
        .count_if_any("nacks", |it| Some(it.ndn()?.nacks))
        .count_if_any("decreases", |it| {
            it.of_sender(|ndn| ndn.decreases, |tcp| tcp.sender.decreases)
        })
        .count_if_any("decreases_undone", |it| Some(it.tcp()?.sender.decreases_undone))
        .count_if_any("probes", |it| Some(it.tcp()?.sender.probes))
        .count_if_any("reinjected_bytes", |it| Some(it.tcp()?.multipath?.reinjected_bytes))
        .count_if_any("path_switches", |it| Some(it.tcp()?.multipath?.switches))
        .count("duplicates", |it| it.duplicates())
        .count_if_any("reordered", |it| it.reordered())
        .count_if_any("lost", |it| Some(it.udp()?.lost))
        .number("jitter_s", |it| it.jitter())
        .count_if_any("in_flight", |it| it.in_flight())
        .number("rtt_s", |it| it.rtt())
        .number("delay_s", |it| it.delay())
        .number("last_delay_s", |it| it.ndn().and_then(|it| mean(it.last_delay_sum, it.data)))
        .number("delay_minimum_s", |it| it.least_delay())
        .number("delay_maximum_s", |it| it.greatest_delay())
        .number("delay_p50_s", |it| it.delays.map(|it| it.p50.as_seconds()))
        .number("delay_p95_s", |it| it.delays.map(|it| it.p95.as_seconds()))
        .number("delay_p99_s", |it| it.delays.map(|it| it.p99.as_seconds()))
        .number("handshake_s", |it| it.limited(Limit::Handshake))
        .number("idle_s", |it| it.limited(Limit::Idle))
        .number("application_limited_s", |it| it.limited(Limit::Application))
        .number("cwnd_limited_s", |it| it.limited(Limit::CongestionWindow))
        .number("pacing_limited_s", |it| it.limited(Limit::Pacing))
        .number("host_queue_limited_s", |it| it.limited(Limit::HostQueue))
        .number("receive_window_limited_s", |it| it.limited(Limit::ReceiveWindow))
        .number("send_buffer_limited_s", |it| it.limited(Limit::SendBuffer))
        .number("completion_s", |it| it.finished.map(|end| end.since(it.start).as_seconds()))
        .number("gave_up_s", |it| it.gave_up.map(|end| end.since(it.start).as_seconds()))
        .number("read_throughput_bps", |it| it.read_bps(true))
        .number("read_goodput_bps", |it| it.read_bps(false))
        .number("read_interval_s", |it| it.ndn().and_then(|it| it.reads.mean(it.data)))
        .number("read_interval_maximum_s", |it| {
            it.ndn().and_then(|it| it.reads.span().map(|_| it.reads.maximum().as_seconds()))
        })
        .number("read_interval_variance_s2", |it| {
            it.ndn().and_then(|it| it.reads.variance(it.data))
        })
        .batch()
}

/// Samples of flows.
pub(crate) fn flow_series(plan: &Plan, rows: &[FlowSample]) -> RecordBatch {
    let consumers = plan.consumers.iter().map(|it| it.name.as_str());
    let names: Vec<&str> = consumers.chain(plan.flows.iter().map(|it| it.name.as_str())).collect();
    Columns::of(rows)
        .text("flow", |it| names[it.flow as usize])
        .number("time_s", |it| it.time_s)
        .number("goodput_bps", |it| it.goodput_bps)
        .number("received_bps", |it| it.received_bps)
        .number("cwnd_segments", |it| it.cwnd)
        .number("ssthresh_segments", |it| it.ssthresh)
        .count("in_flight", |it| it.in_flight)
        .number("smoothed_rtt_s", |it| it.smoothed_rtt_s)
        .number("delay_s", |it| it.delay_s)
        .count("retransmissions", |it| it.retransmissions)
        .count_if_any("reordered", |it| it.reordered)
        .number("lost", |it| it.lost.map(|lost| lost as f64))
        .number("lost_share", |it| it.lost_share)
        .number("jitter_s", |it| it.jitter_s)
        .count("marks", |it| it.marks)
        .count("timeouts", |it| it.timeouts)
        .count("decreases", |it| it.decreases)
        .count_if_any("waiting_bytes", |it| it.waiting_bytes)
        .batch()
}

/// All finished transfers, in the order in which they finished.
pub(super) fn transfers(plan: &Plan, world: &World) -> RecordBatch {
    let transfers = world.transfers();
    Columns::of(&transfers)
        .text("flow", |it| &plan.flows[it.flow as usize].name)
        .count("number", |it| it.number)
        .count("size_bytes", |it| it.bytes)
        .number("start_s", |it| it.start.as_seconds())
        .number("completion_s", |it| it.completion.as_seconds())
        .number("slowdown", |it| it.completion.as_seconds() / it.ideal.as_seconds())
        .batch()
}
