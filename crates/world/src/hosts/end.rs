//! One end of a stream: a TCP connection, or several as one of Multipath TCP.

use windtunnel_controllers::Controller;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Segment;
use windtunnel_transports::mptcp::{self, MultipathCounters};
use windtunnel_transports::tcp::{Endpoint, EndpointCounters, LimitTimes, TcpOutbox, TcpSettings};

use crate::packet_events::SendingState;
use crate::packet_log::RoundTrips;

/// One end of a stream.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most are plain TCP, which is not to lie elsewhere in memory than its socket"
)]
pub(crate) enum End {
    Tcp(Endpoint),
    Multipath(Box<mptcp::Endpoint>),
}

/// Calls the same method of either.
macro_rules! either {
    ($end:expr, $it:ident => $call:expr) => {
        match $end {
            End::Tcp($it) => $call,
            End::Multipath($it) => $call,
        }
    };
}

impl End {
    pub(crate) fn open(&mut self, now: Time, outbox: &mut TcpOutbox) {
        either!(self, it => it.open(now, outbox));
    }

    pub(crate) fn write(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        either!(self, it => it.write(now, bytes, outbox));
    }

    pub(crate) fn close(&mut self, now: Time, outbox: &mut TcpOutbox) {
        either!(self, it => it.close(now, outbox));
    }

    pub(crate) fn take(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        either!(self, it => it.take(now, bytes, outbox));
    }

    #[inline]
    pub(crate) fn receive(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
        outbox: &mut TcpOutbox,
    ) {
        either!(self, it => it.receive(now, segment, ecn, outbox));
    }

    /// A segment of that connection, which may be a subflow's, did not fit into a packet on its
    /// path.
    pub(crate) fn shrink(
        &mut self,
        now: Time,
        connection: u32,
        lengths: [u16; 2],
        outbox: &mut TcpOutbox,
    ) {
        match self {
            Self::Tcp(it) => it.shrink(now, lengths, std::iter::empty(), outbox),
            Self::Multipath(it) => it.shrink(now, connection, lengths, outbox),
        }
    }

    /// What that connection sends, which may be a subflow, takes another path from now on.
    pub(crate) fn change_path(&mut self, now: Time, connection: u32, outbox: &mut TcpOutbox) {
        match self {
            Self::Tcp(it) => it.change_path(now, outbox),
            Self::Multipath(it) => it.change_path(now, connection, outbox),
        }
    }

    pub(crate) fn wake(&mut self, now: Time, outbox: &mut TcpOutbox) {
        either!(self, it => it.wake(now, outbox));
    }

    #[inline]
    pub(crate) fn next_wake(&mut self) -> Option<Time> {
        either!(self, it => it.next_wake())
    }

    pub(crate) fn on_radio_report(&mut self, now: Time, sinr: f64, bandwidth: f64) {
        either!(self, it => it.on_radio_report(now, sinr, bandwidth));
    }

    #[inline]
    pub(crate) fn is_finished(&self) -> bool {
        either!(self, it => it.is_finished())
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        either!(self, it => it.is_closed())
    }

    pub(crate) fn unacknowledged(&self) -> u64 {
        either!(self, it => it.unacknowledged())
    }

    pub(crate) fn in_flight(&self) -> u64 {
        either!(self, it => it.in_flight())
    }

    pub(crate) fn settings(&self) -> &TcpSettings {
        either!(self, it => it.settings())
    }

    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        match self {
            Self::Tcp(it) => it.prefetch(),
            Self::Multipath(it) => it.prefetch(number),
        }
    }

    /// Bytes received in order.
    #[inline]
    pub(crate) fn received_bytes(&self) -> u64 {
        match self {
            Self::Tcp(it) => it.counters().received_bytes,
            Self::Multipath(it) => it.received_bytes(),
        }
    }

    /// What was counted, on all subflows together.
    pub(crate) fn counters(&self) -> EndpointCounters {
        match self {
            Self::Tcp(it) => *it.counters(),
            Self::Multipath(it) => it.counters(),
        }
    }

    /// For how long each limit of its sending was in force.
    pub(crate) fn limits(&self, now: Time) -> LimitTimes {
        match self {
            Self::Tcp(it) => it.limits(now),
            Self::Multipath(it) => it.limits(now),
        }
    }

    /// What was counted beside that, of several paths.
    pub(crate) fn multipath_counters(&self) -> MultipathCounters {
        match self {
            Self::Tcp(_) => MultipathCounters::default(),
            Self::Multipath(it) => *it.multipath_counters(),
        }
    }

    /// Bytes received that wait for others before them: for a lost segment, or for what another
    /// subflow has.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        match self {
            Self::Tcp(it) => it.waiting_bytes(),
            Self::Multipath(it) => it.waiting_bytes(),
        }
    }

    /// The window in segments, that of all subflows together, once something was written.
    pub(crate) fn cwnd(&self) -> Option<f64> {
        match self {
            Self::Tcp(it) => it.controller().map(Controller::cwnd),
            Self::Multipath(it) => it.cwnd(),
        }
    }

    /// The slow-start threshold in segments, where there is just one.
    pub(crate) fn ssthresh(&self) -> Option<f64> {
        match self {
            Self::Tcp(it) => it.controller().map(Controller::ssthresh),
            Self::Multipath(_) => None,
        }
    }

    /// The smoothed round trip, where there is just one.
    pub(crate) fn smoothed_rtt(&self) -> Option<Duration> {
        match self {
            Self::Tcp(it) => it.smoothed_rtt(),
            Self::Multipath(_) => None,
        }
    }

    /// The round trips that the connection of that number, which may be a subflow, has measured.
    pub(crate) fn round_trips(&self, number: u32) -> RoundTrips {
        let counters = match self {
            Self::Tcp(it) => *it.counters(),
            Self::Multipath(it) => it.subflow(number).map(|it| *it.counters()).unwrap_or_default(),
        };
        (counters.rtt_sum, counters.rtt_samples)
    }

    /// How that connection fares, once something was written.
    pub(crate) fn sending_state(&self, number: u32) -> Option<SendingState> {
        let endpoint = match self {
            Self::Tcp(it) => Some(it),
            Self::Multipath(it) => it.subflow(number),
        }?;
        let controller = endpoint.controller()?;
        let bits = 8.0 * f64::from(endpoint.settings().maximum_segment);
        Some(SendingState {
            cwnd: controller.cwnd(),
            ssthresh: controller.ssthresh(),
            in_flight: Some(endpoint.in_flight()),
            smoothed_rtt: endpoint.smoothed_rtt(),
            pacing_rate_bps: controller.pacing_rate().map(|it| it * bits),
        })
    }

    /// Whether its host is to say when the segments of the connection leave the host's queue.
    #[inline]
    pub(crate) fn keeps_queue_small(&self) -> bool {
        match self {
            Self::Tcp(it) => it.keeps_queue_small(),
            Self::Multipath(it) => it.keeps_first_queue_small(),
        }
    }

    /// A segment of the connection of that number leaves the queue of its host at that time.
    #[inline]
    pub(crate) fn leave_queue(&mut self, now: Time, number: u32, bytes: u16, leaves: Time) {
        match self {
            Self::Tcp(it) => it.leave_queue(now, bytes, leaves),
            Self::Multipath(it) => it.leave_queue(now, number, bytes, leaves),
        }
    }

    /// The first link on the path of the connection of that number sends at another rate; none:
    /// it stops.
    pub(crate) fn change_queue_rate(
        &mut self,
        now: Time,
        number: u32,
        from: Rate,
        to: Option<Rate>,
    ) {
        match self {
            Self::Tcp(it) => it.change_queue_rate(now, from, to),
            Self::Multipath(it) => it.change_queue_rate(now, number, from, to),
        }
    }
}
