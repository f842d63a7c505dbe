//! A flow of any transport, as the table of flows has it.

use std::borrow::Cow;

use windtunnel_applications::DelayPercentiles;
use windtunnel_applications::udp::SinkCounters;
use windtunnel_engine::{Duration, Time};
use windtunnel_tables::mean;
use windtunnel_transports::ndn::consumer::{Consumer, ConsumerCounters, ConsumerWorkload};
use windtunnel_transports::tcp::{Limit, LimitTimes, TcpSettings};
use windtunnel_world::{
    ConsumerPlan, Flow, FlowCounters, FlowPlan, Plan, StackCounts, TcpCounters, Transport,
};

/// The counters of one flow.
pub(super) enum Counters<'a> {
    Ndn(&'a Consumer, &'a ConsumerCounters),
    Tcp(Box<TcpCounters>),
    Udp(u64, SinkCounters),
    /// Of the sender of the data and of its receiver.
    Stack(Box<[StackCounts; 2]>),
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
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) protocol: &'static str,
    /// The destination of the data.
    pub(super) node: &'a str,
    /// The source of the data, if there is only one.
    pub(super) peer: Option<&'a str>,
    pub(super) prefix: Option<&'a str>,
    /// The bytes of that prefix in a packet, of a consumer.
    pub(super) name_bytes: u32,
    pub(super) controller: Option<Cow<'a, str>>,
    pub(super) start: Time,
    pub(super) finished: Option<Time>,
    /// When a consumer gave up.
    pub(super) gave_up: Option<Time>,
    pub(super) stop: Time,
    /// The number of finished transfers.
    pub(super) transfers: Option<u64>,
    /// The number of those that had begun and are not finished.
    pub(super) unfinished: Option<u64>,
    /// Percentiles of the delays of datagrams.
    pub(super) delays: Option<DelayPercentiles>,
    pub(super) counters: Counters<'a>,
    /// For how long each limit of its senders was in force.
    pub(super) limits: Option<LimitTimes>,
    /// Whether the buffers of its sockets have a limit.
    has_socket_buffer: bool,
}

impl<'a> Row<'a> {
    pub(super) fn of_consumer(
        plan: &'a Plan,
        consumer: &'a ConsumerPlan,
        prefix: &'a str,
        it: &'a Consumer,
        end: Time,
    ) -> Self {
        Self {
            name: &consumer.name,
            protocol: "ndn",
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
            has_socket_buffer: false,
        }
    }

    pub(super) fn of_flow(
        plan: &'a Plan,
        flow: &'a FlowPlan,
        it: Flow,
        limits: Option<LimitTimes>,
    ) -> Self {
        let controller = match &flow.transport {
            Transport::Tcp { settings, .. } => Some(controllers(settings)),
            Transport::Udp(_) => None,
            Transport::Stack { settings, .. } => Some(settings.controller.as_str().into()),
        };
        Self {
            name: &flow.name,
            protocol: if flow.multipath.is_some() { "mptcp" } else { flow.transport.protocol() },
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
            counters: match it.counters {
                FlowCounters::Tcp(counters) => Counters::Tcp(counters),
                FlowCounters::Udp(sent, counters) => Counters::Udp(sent, counters),
                FlowCounters::Stack(ends) => Counters::Stack(ends),
            },
            limits,
            has_socket_buffer: matches!(
                &flow.transport,
                Transport::Stack { settings, .. } if settings.socket_buffer.is_some()
            ),
        }
    }

    pub(super) fn ndn(&self) -> Option<&ConsumerCounters> {
        match &self.counters {
            Counters::Ndn(_, counters) => Some(counters),
            Counters::Tcp(_) | Counters::Udp(..) | Counters::Stack(..) => None,
        }
    }

    /// The payload that a consumer read, or its prefix with each payload, over the time from the
    /// first read to the last: in bits per second.
    pub(super) fn read_bps(&self, with_names: bool) -> Option<f64> {
        let Counters::Ndn(_, it) = &self.counters else { return None };
        let names = if with_names { it.data * u64::from(self.name_bytes) } else { 0 };
        Some((it.bytes + names) as f64 * 8.0 / it.reads.span()?.as_seconds())
    }

    pub(super) fn tcp(&self) -> Option<&TcpCounters> {
        match &self.counters {
            Counters::Tcp(counters) => Some(counters),
            Counters::Ndn(..) | Counters::Udp(..) | Counters::Stack(..) => None,
        }
    }

    /// The interarrival jitter of datagrams, or of what a consumer read (RFC 3550).
    pub(super) fn jitter(&self) -> Option<f64> {
        let jitter = match &self.counters {
            Counters::Ndn(_, it) => it.reads.span().map(|_| it.reads.jitter()),
            Counters::Tcp(_) => None,
            Counters::Udp(..) | Counters::Stack(..) => self.sink().map(|it| it.jitter.mean()),
        };
        jitter.map(Duration::as_seconds)
    }

    /// What the sink of datagrams counted, over UDP or over an implementation.
    pub(super) fn sink(&self) -> Option<&SinkCounters> {
        match &self.counters {
            Counters::Udp(_, counters) => Some(counters),
            Counters::Stack(ends) => ends[1].sink.as_deref(),
            Counters::Ndn(..) | Counters::Tcp(_) => None,
        }
    }

    /// What the sender of the data and its receiver counted, if they are stacks.
    pub(super) fn stack(&self) -> Option<&[StackCounts; 2]> {
        match &self.counters {
            Counters::Stack(ends) => Some(ends),
            Counters::Ndn(..) | Counters::Tcp(_) | Counters::Udp(..) => None,
        }
    }

    /// Datagrams sent.
    pub(super) fn datagrams(&self) -> Option<u64> {
        match &self.counters {
            Counters::Udp(sent, _) => Some(*sent),
            Counters::Stack(ends) => Some(ends[0].made.unwrap_or(ends[0].counters.datagrams)),
            Counters::Ndn(..) | Counters::Tcp(_) => None,
        }
    }

    /// Content received, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.bytes,
            Counters::Tcp(it) => it.receiver.received_bytes,
            Counters::Udp(_, it) => it.bytes,
            Counters::Stack(ends) => {
                self.sink().map_or(ends[1].counters.received_bytes, |it| it.bytes)
            }
        }
    }

    /// How long the flow was receiving, in seconds.
    pub(super) fn active_seconds(&self, end: Time) -> f64 {
        self.finished.or(self.gave_up).unwrap_or(end).min(self.stop).since(self.start).as_seconds()
    }

    /// A counter of the sender in TCP and the consumer in NDN.
    pub(super) fn of_sender(
        &self,
        ndn: impl Fn(&ConsumerCounters) -> u64,
        tcp: impl Fn(&TcpCounters) -> u64,
    ) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(_, it) => Some(ndn(it)),
            Counters::Tcp(it) => Some(tcp(it)),
            Counters::Udp(..) | Counters::Stack(..) => None,
        }
    }

    /// For how long that limit was in force, in seconds.
    pub(super) fn limited(&self, by: Limit) -> Option<f64> {
        self.limits.map(|it| it.of(by).as_seconds())
    }

    pub(super) fn marks(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.marks,
            Counters::Tcp(it) => it.receiver.marks,
            Counters::Udp(_, it) => it.marks,
            Counters::Stack(ends) => ends[1].counters.marks,
        }
    }

    /// What the sockets of both ends had no room for; none if their buffers have no limit.
    pub(super) fn socket_drops(&self) -> Option<u64> {
        let ends = self.stack().filter(|_| self.has_socket_buffer)?;
        Some(ends.iter().map(|it| it.counters.socket_drops).sum())
    }

    pub(super) fn duplicates(&self) -> u64 {
        match &self.counters {
            Counters::Ndn(_, it) => it.duplicates,
            Counters::Tcp(it) => it.receiver.duplicates,
            Counters::Udp(_, it) => it.duplicates,
            Counters::Stack(..) => self.sink().map_or(0, |it| it.duplicates),
        }
    }

    /// Segments or datagrams received after one that was sent later.
    pub(super) fn reordered(&self) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(..) => None,
            Counters::Tcp(it) => Some(it.receiver.reordered),
            Counters::Udp(_, it) => Some(it.reordered),
            Counters::Stack(ends) => {
                Some(self.sink().map_or(ends[1].counters.reordered, |it| it.reordered))
            }
        }
    }

    pub(super) fn in_flight(&self) -> Option<u64> {
        match &self.counters {
            Counters::Ndn(it, _) => Some(it.in_flight()),
            Counters::Tcp(it) => Some(it.in_flight),
            Counters::Stack(ends) => ends[0].state.in_flight_packets(),
            Counters::Udp(..) => None,
        }
    }

    pub(super) fn rtt(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => mean(it.rtt_sum, it.rtt_samples),
            Counters::Tcp(it) => mean(it.sender.rtt_sum, it.sender.rtt_samples),
            Counters::Stack(ends) => {
                let it = &ends[0].counters;
                mean(it.rtt_sum, it.rtt_samples)
            }
            Counters::Udp(..) => None,
        }
    }

    pub(super) fn delay(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => mean(it.delay_sum, it.data),
            Counters::Tcp(it) => mean(it.sender.delay_sum, it.sender.delay_samples),
            Counters::Udp(..) | Counters::Stack(..) => {
                self.sink().and_then(|it| mean(it.delay_sum, it.datagrams))
            }
        }
    }

    pub(super) fn least_delay(&self) -> Option<f64> {
        let least = match &self.counters {
            Counters::Ndn(_, it) => it.delay_minimum,
            Counters::Tcp(it) => it.sender.rtt_minimum,
            Counters::Udp(_, it) => it.delay_minimum,
            Counters::Stack(ends) => match self.sink() {
                Some(it) => it.delay_minimum,
                None => return ends[0].state.least_rtt.map(|it| it.as_secs_f64()),
            },
        };
        least.map(Duration::as_seconds)
    }

    pub(super) fn greatest_delay(&self) -> Option<f64> {
        match &self.counters {
            Counters::Ndn(_, it) => (it.data > 0).then(|| it.delay_maximum.as_seconds()),
            Counters::Udp(..) | Counters::Stack(..) => {
                self.sink().filter(|it| it.datagrams > 0).map(|it| it.delay_maximum.as_seconds())
            }
            Counters::Tcp(_) => None,
        }
    }
}
