//! The same controllers in [noq](https://docs.rs/noq), a fork of quinn that obeys a pacing rate: with
//! the feature `noq`, [`WindtunnelFactory`] is a factory of noq's too.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::controller::WindtunnelController;
use crate::factory::WindtunnelFactory;

impl ControllerFactory for WindtunnelFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(WindtunnelController::new(self.settings(), now, current_mtu))
    }
}

impl Controller for WindtunnelController {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, _number: u64) {
        let now = self.time(now);
        self.driver.send(now, bytes.into());
    }

    // As with quinn, the driver measures round trips of its own.
    fn on_ack(
        &mut self,
        _: Instant,
        sent: Instant,
        bytes: u64,
        _number: u64,
        _application_limited: bool,
        _: &RttEstimator,
    ) {
        let sent = self.time(sent);
        self.driver.acknowledge(sent, bytes);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        application_limited: bool,
        _largest: Option<u64>,
    ) {
        let now = self.time(now);
        self.driver.end_acknowledgement(now, in_flight, application_limited);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        _is_mark: bool,
        lost_bytes: u64,
        _largest_lost: u64,
    ) {
        let (now, sent) = (self.time(now), self.time(sent));
        self.driver.signal(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.driver.resize(new_mtu.max(1));
    }

    fn window(&self) -> u64 {
        self.driver.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let ssthresh = self.driver.ssthresh();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.driver.cwnd();
        metrics.ssthresh = ssthresh.is_finite().then_some(ssthresh as u64);
        metrics.pacing_rate = self.driver.rate().map(|it| it as u64);
        // Packet by packet, as the simulation's TCP without segmentation offload.
        metrics.send_quantum = self.driver.rate().map(|_| self.driver.mtu().into());
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.driver.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
