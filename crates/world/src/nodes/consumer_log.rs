//! What a consumer sends and receives, for the log of packets.

use std::sync::Arc;

use windtunnel_controllers::Controller;
use windtunnel_engine::Time;
use windtunnel_packets::Packet;
use windtunnel_transports::ndn::consumer::Consumer;

use crate::packet_events::SendingState;
use crate::packet_log::{RoundTrips, SharedLog, lock};

/// The log of a consumer: its place in the plan, its node, and where the events go.
#[derive(Clone, Debug)]
pub(super) struct ConsumerLog {
    of: (u32, u32),
    log: SharedLog,
}

/// The round trips that a consumer has measured.
pub(super) fn round_trips(consumer: &Consumer) -> RoundTrips {
    let counters = consumer.counters();
    (counters.rtt_sum, counters.rtt_samples)
}

fn state(consumer: &Consumer) -> SendingState {
    let controller = consumer.controller();
    let bits = 8.0 * f64::from(consumer.segment_size());
    SendingState {
        cwnd: controller.cwnd(),
        ssthresh: controller.ssthresh(),
        in_flight: Some(consumer.in_flight()),
        smoothed_rtt: consumer.smoothed_rtt(),
        pacing_rate_bps: controller.pacing_rate().map(|it| it * bits),
    }
}

impl ConsumerLog {
    /// The log of the consumer in that place of the plan on that node.
    pub(super) fn new(of: (u32, u32), log: &SharedLog) -> Self {
        Self { of, log: Arc::clone(log) }
    }

    /// The consumer sends Interests.
    #[cold]
    pub(super) fn left(&self, now: Time, interests: &[Packet], consumer: &Consumer) {
        let state = state(consumer);
        interests.iter().for_each(|it| lock(&self.log).interest_left(now, self.of, it, state));
    }

    /// The consumer has received an answer, and had measured those round trips before it.
    #[cold]
    pub(super) fn arrived(
        &self,
        now: Time,
        answer: &Packet,
        before: RoundTrips,
        consumer: &Consumer,
    ) {
        let rtt = [before, round_trips(consumer)];
        lock(&self.log).answer_arrived(now, self.of, answer, rtt, state(consumer));
    }
}
