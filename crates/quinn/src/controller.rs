//! A controller of quinn's that is one of Windtunnel's.

use std::any::Any;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerMetrics};
use windtunnel_controllers::{AnyController, Settings};
use windtunnel_engine::{Duration, Time};

use crate::driver::Driver;

/// One of Windtunnel's controllers, on one path of a connection.
#[derive(Clone, Debug)]
pub struct WindtunnelController {
    pub(crate) driver: Driver,
    /// Time zero.
    began: Instant,
}

impl WindtunnelController {
    pub(crate) fn new(settings: &Settings, now: Instant, mtu: u16) -> Self {
        Self { driver: Driver::new(settings, mtu), began: now }
    }

    /// The controller, to read its window and what it estimates. Its segments are packets of
    /// the path's MTU, or of the MTU that the path began with if it works from delivery rates.
    #[must_use]
    pub fn controller(&self) -> &AnyController {
        self.driver.controller()
    }

    pub(crate) fn time(&self, instant: Instant) -> Time {
        let elapsed = instant.saturating_duration_since(self.began).as_nanos();
        Time::ZERO + Duration::from_nanos(u64::try_from(elapsed).unwrap_or(u64::MAX))
    }
}

impl Controller for WindtunnelController {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        self.driver.send(self.time(now), bytes);
    }

    // quinn's round trip is the one before this acknowledgement: the driver measures its own.
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        self.driver.acknowledge(self.time(sent), bytes);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.driver.end_acknowledgement(self.time(now), in_flight, app_limited);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let (now, sent) = (self.time(now), self.time(sent));
        self.driver.signal(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.driver.resize(new_mtu.max(1));
    }

    fn window(&self) -> u64 {
        // quinn sends while what is in flight with the next packet is less than the window.
        self.driver.window() + 1
    }

    fn metrics(&self) -> ControllerMetrics {
        let ssthresh = self.driver.ssthresh();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.driver.cwnd();
        metrics.ssthresh = ssthresh.is_finite().then_some(ssthresh as u64);
        metrics.pacing_rate = self.driver.rate().map(|it| (8.0 * it) as u64);
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
