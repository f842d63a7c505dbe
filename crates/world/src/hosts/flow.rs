//! What flows counted, from the two hosts that each has, and their samples.

use windtunnel_applications::DelayPercentiles;
use windtunnel_applications::udp::SinkCounters;
use windtunnel_controllers::{AnyController, Controller};
use windtunnel_engine::{Duration, Time};
use windtunnel_stack::State;
use windtunnel_transports::mptcp::{MultipathCounters, SubflowCounters};
use windtunnel_transports::tcp::EndpointCounters;

use super::sockets::Socket;
use super::stack_counters::{StackCounters, StackCounts};
use crate::series::{FlowSample, SubflowSample};

/// What a flow's connections counted, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TcpCounters {
    /// Connections opened.
    pub connections: u64,
    /// What the ends counted that send the flow's data.
    pub sender: EndpointCounters,
    /// What they counted beside that; none in plain TCP.
    pub multipath: Option<MultipathCounters>,
    /// What the ends counted that receive it.
    pub receiver: EndpointCounters,
    /// Segments in flight from the senders.
    pub in_flight: u64,
}

/// What a flow counted.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowCounters {
    /// Over TCP.
    Tcp(Box<TcpCounters>),
    /// Over UDP: datagrams sent, and what the sink counted.
    Udp(u64, SinkCounters),
    /// Over stacks: what the sender of the data and its receiver counted.
    Stack(Box<[StackCounts; 2]>),
}

/// How many files, answers or frames a flow carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCounts {
    /// Those that have begun.
    pub begun: u64,
    /// Those of them that were received to their end.
    pub received: u64,
}

impl TransferCounts {
    /// Those that have begun and were not received to their end.
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        self.begun.saturating_sub(self.received)
    }
}

/// A flow, as it is read from the world.
#[derive(Clone, Debug)]
pub struct Flow {
    /// When it started.
    pub start: Time,
    /// When the last byte of a file was received.
    pub finished: Option<Time>,
    /// How many files, answers or frames there were; none where there are no such.
    pub transfers: Option<TransferCounts>,
    /// Percentiles of the time from a datagram's sending to its arrival; none of TCP.
    pub delays: Option<DelayPercentiles>,
    /// What it counted.
    pub counters: FlowCounters,
}

/// What drives the window of a flow's only connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    cwnd: f64,
    ssthresh: Option<f64>,
    smoothed_rtt: Option<Duration>,
}

/// What the sender of a flow's data counted.
#[derive(Clone, Debug)]
pub(crate) enum SenderState {
    Tcp {
        counters: EndpointCounters,
        multipath: MultipathCounters,
        in_flight: u64,
        window: Option<Window>,
    },
    Udp {
        sent: u64,
    },
    Stack(StackCounts),
}

/// What the receiver of a flow's data counted.
#[derive(Clone, Debug)]
pub(crate) enum ReceiverState {
    Tcp {
        counters: EndpointCounters,
        /// Bytes received that wait for others before them.
        waiting: u64,
        finished: Option<Time>,
    },
    Udp(SinkCounters),
    Stack(StackCounts, Option<Time>),
}

impl Window {
    /// Of a socket that has sent data.
    pub(crate) fn of(socket: &Socket) -> Option<Self> {
        let end = &socket.endpoint;
        let cwnd = end.cwnd()?;
        Some(Self { cwnd, ssthresh: end.ssthresh(), smoothed_rtt: end.smoothed_rtt() })
    }

    /// Of one subflow.
    pub(crate) fn of_controller(it: &AnyController, smoothed_rtt: Option<Duration>) -> Self {
        Self { cwnd: it.cwnd(), ssthresh: Some(it.ssthresh()), smoothed_rtt }
    }
}

/// What a flow had counted at the last sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sampled {
    tcp: TcpCounters,
    waiting: u64,
    udp: SinkCounters,
    /// What both ends of a flow over a stack had counted, and the packets lost and decreases.
    stack: [StackCounters; 2],
    told: [u64; 3],
}

impl Sampled {
    /// The flow's sample over the interval of `seconds` that ends at `time_s`; which flow it
    /// is, is left open.
    pub(crate) fn sample(
        &mut self,
        sender: &SenderState,
        receiver: &ReceiverState,
        time_s: f64,
        seconds: f64,
    ) -> FlowSample {
        match (sender, receiver) {
            (
                &SenderState::Tcp { counters, multipath, in_flight, window },
                ReceiverState::Tcp { counters: received, waiting, .. },
            ) => {
                let now = TcpCounters {
                    connections: 0,
                    sender: counters,
                    multipath: Some(multipath),
                    receiver: *received,
                    in_flight,
                };
                let last = std::mem::replace(&mut self.tcp, now);
                let waited = std::mem::replace(&mut self.waiting, *waiting);
                sample_of_tcp([&last, &now], [waited, *waiting], window, time_s, seconds)
            }
            (_, ReceiverState::Udp(now)) => {
                let last = std::mem::replace(&mut self.udp, *now);
                sample_of_udp(now, &last, time_s, seconds)
            }
            (SenderState::Stack(sender), ReceiverState::Stack(receiver, _)) => {
                let now = [sender.counters, receiver.counters];
                let last = std::mem::replace(&mut self.stack, now);
                let State { lost_packets, decreases, retransmissions, .. } = sender.state;
                let told = [lost_packets, decreases, retransmissions];
                let before = std::mem::replace(&mut self.told, told.map(Option::unwrap_or_default));
                let [lost, decreases, retransmissions] =
                    [0, 1, 2].map(|it| told[it].map(|told| told.saturating_sub(before[it])));
                let sample = sample_of_stack(&last[1], &now[1], &sender.state, time_s, seconds);
                if let Some(now) = &receiver.sink {
                    let last = std::mem::replace(&mut self.udp, **now);
                    let FlowSample { cwnd, ssthresh, in_flight, smoothed_rtt_s, marks, .. } =
                        sample;
                    let of_sink = sample_of_udp(now, &last, time_s, seconds);
                    let of_stack =
                        FlowSample { cwnd, ssthresh, in_flight, smoothed_rtt_s, ..of_sink };
                    return FlowSample { marks, decreases, ..of_stack };
                }
                let lost = lost.map(u64::cast_signed);
                let retransmissions = retransmissions.unwrap_or_default();
                FlowSample { lost, decreases, retransmissions, ..sample }
            }
            _ => FlowSample::default(),
        }
    }
}

/// From what was counted, and what waited, at the beginning and at the end of the interval.
fn sample_of_tcp(
    [last, now]: [&TcpCounters; 2],
    [waited, waiting]: [u64; 2],
    window: Option<Window>,
    time_s: f64,
    seconds: f64,
) -> FlowSample {
    let bytes = now.receiver.received_bytes - last.receiver.received_bytes;
    // What waited in a connection that was given up is received no more.
    let in_any_order = (bytes + waiting).saturating_sub(waited);
    let (after, before) = (&now.sender, &last.sender);
    let delays = after.delay_samples - before.delay_samples;
    let delay = (after.delay_sum - before.delay_sum).as_seconds();
    FlowSample {
        flow: 0,
        time_s,
        goodput_bps: bytes as f64 * 8.0 / seconds,
        received_bps: in_any_order as f64 * 8.0 / seconds,
        cwnd: window.map(|it| it.cwnd),
        ssthresh: window.and_then(|it| it.ssthresh),
        in_flight: Some(now.in_flight),
        smoothed_rtt_s: window.and_then(|it| it.smoothed_rtt).map(Duration::as_seconds),
        delay_s: (delays > 0).then(|| delay / delays as f64),
        retransmissions: after.retransmissions - before.retransmissions,
        reordered: Some(now.receiver.reordered - last.receiver.reordered),
        lost: None,
        lost_share: None,
        jitter_s: None,
        marks: now.receiver.marks - last.receiver.marks,
        timeouts: Some(after.timeouts - before.timeouts),
        decreases: Some(after.decreases - before.decreases),
        waiting_bytes: Some(waiting),
    }
}

fn sample_of_stack(
    last: &StackCounters,
    now: &StackCounters,
    state: &State,
    time_s: f64,
    seconds: f64,
) -> FlowSample {
    let bits = (now.received_bytes - last.received_bytes) as f64 * 8.0;
    let segments = |bytes: u64| bytes as f64 / f64::from(state.mtu.unwrap_or(1).max(1));
    FlowSample {
        time_s,
        goodput_bps: bits / seconds,
        received_bps: bits / seconds,
        cwnd: state.cwnd.map(segments),
        ssthresh: state.ssthresh.map(segments),
        in_flight: state.in_flight_packets(),
        smoothed_rtt_s: state.smoothed_rtt.map(|it| it.as_secs_f64()),
        reordered: Some(now.reordered - last.reordered),
        marks: now.marks - last.marks,
        ..FlowSample::default()
    }
}

/// What an end of a flow's data counted of a subflow, and what drives its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubflowState {
    pub(crate) counters: SubflowCounters,
    pub(crate) window: Option<Window>,
    /// What the controller estimates of the path: bits per second, and seconds.
    pub(crate) estimate: Option<(f64, f64)>,
}

/// A subflow of a flow, as it is read from the world.
#[derive(Clone, Copy, Debug)]
pub struct Subflow {
    /// What the end counted that sends the flow's data, and the one that receives it.
    pub ends: [SubflowCounters; 2],
}

/// What a subflow had counted at the last sample, at the sender and at the receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SampledSubflow([SubflowCounters; 2]);

impl SampledSubflow {
    /// The subflow's sample over the interval of `seconds` that ends at `time_s`; which one it
    /// is, is left open.
    pub(crate) fn sample(
        &mut self,
        [sender, receiver]: &[SubflowState; 2],
        time_s: f64,
        seconds: f64,
    ) -> SubflowSample {
        let now = [sender.counters, receiver.counters];
        let last = std::mem::replace(&mut self.0, now);
        let bytes = now[1].tcp.received_bytes - last[1].tcp.received_bytes;
        let (after, before) = (&now[0], &last[0]);
        let window = sender.window;
        SubflowSample {
            flow: 0,
            subflow: 0,
            time_s,
            throughput_bps: bytes as f64 * 8.0 / seconds,
            cwnd: window.map(|it| it.cwnd),
            ssthresh: window.and_then(|it| it.ssthresh),
            in_flight: after.in_flight,
            smoothed_rtt_s: window.and_then(|it| it.smoothed_rtt).map(Duration::as_seconds),
            retransmissions: after.tcp.retransmissions - before.tcp.retransmissions,
            timeouts: after.tcp.timeouts - before.tcp.timeouts,
            decreases: after.tcp.decreases - before.tcp.decreases,
            reinjected_bytes: after.reinjected_bytes - before.reinjected_bytes,
            estimated_bandwidth_bps: sender.estimate.map(|it| it.0),
            estimated_rtt_s: sender.estimate.map(|it| it.1),
        }
    }
}

fn sample_of_udp(now: &SinkCounters, last: &SinkCounters, time_s: f64, seconds: f64) -> FlowSample {
    let datagrams = now.datagrams - last.datagrams;
    let delay = (now.delay_sum - last.delay_sum).as_seconds();
    let lost = now.lost.cast_signed() - last.lost.cast_signed();
    let expected = datagrams.cast_signed() + lost;
    let goodput_bps = (now.bytes - last.bytes) as f64 * 8.0 / seconds;
    FlowSample {
        time_s,
        goodput_bps,
        received_bps: goodput_bps,
        in_flight: Some(0),
        delay_s: (datagrams > 0).then(|| delay / datagrams as f64),
        reordered: Some(now.reordered - last.reordered),
        lost: Some(lost),
        lost_share: (expected > 0).then(|| lost as f64 / expected as f64),
        jitter_s: Some(now.jitter.mean().as_seconds()),
        marks: now.marks - last.marks,
        timeouts: Some(0),
        decreases: Some(0),
        ..FlowSample::default()
    }
}
