//! Reports to a controller that works from delivery rates, one acknowledgement each: the test
//! says what differs from a path that delivers at its rate.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Delivery, Nanoseconds, Settings,
    Signal, Start, Value,
};

use crate::drive::{SECOND, description};

/// A path that delivers at a rate, after a round trip without a queue.
#[derive(Clone)]
pub(crate) struct Samples {
    pub(crate) controller: AnyController,
    pub(crate) now: Nanoseconds,
    /// Segments per second.
    pub(crate) rate: f64,
    pub(crate) rtt: Nanoseconds,
    pub(crate) total: f64,
}

impl Samples {
    pub(crate) fn new(name: &str, rate: f64, rtt: Nanoseconds) -> Self {
        Self::with(name, rate, rtt, &[])
    }

    pub(crate) fn with(
        name: &str,
        rate: f64,
        rtt: Nanoseconds,
        values: &[(&str, Value<'_>)],
    ) -> Self {
        let mut settings = Settings::defaults(description(name));
        for (parameter, value) in values {
            settings.set(parameter, *value).expect("the test sets what the controller declares");
        }
        let start = Start {
            initial_window: 10.0,
            minimum_window: 2.0,
            restart_window: 1.0,
            initial_ssthresh: f64::INFINITY,
        };
        let controller = AnyController::new(start, &settings);
        Self { controller, now: 0, rate, rtt, total: 0.0 }
    }

    /// The bandwidth-delay product, in segments.
    pub(crate) fn bdp(&self) -> f64 {
        self.rate * self.rtt as f64 / SECOND as f64
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.controller.cwnd()
    }

    /// The pacing rate over what version 1 and 3 pace at with a gain of one: 99 % of the rate.
    pub(crate) fn gain(&self) -> f64 {
        self.controller.pacing_rate().expect("it paces") / (0.99 * self.rate)
    }

    /// An acknowledgement of a bandwidth-delay product, sent a round trip ago; as much is in
    /// flight, or the window if that is less. `change` says what differs.
    pub(crate) fn report(&mut self, change: impl FnOnce(&mut Acknowledgement, &mut Delivery)) {
        let bdp = self.bdp();
        let in_flight = bdp.min(self.cwnd());
        let mut delivery = Delivery {
            rate: Some(self.rate),
            total: self.total,
            total_at_send: self.total,
            in_flight_at_send: in_flight,
            lost_since_send: 0.0,
            application_limited: false,
        };
        let mut acknowledgement = Acknowledgement {
            now: self.now + self.rtt,
            delivered: bdp,
            rtt: Some(self.rtt),
            smoothed_rtt: Some(self.rtt),
            in_flight,
            window_limited: true,
            ..Acknowledgement::default()
        };
        change(&mut acknowledgement, &mut delivery);
        self.now = acknowledgement.now;
        self.total += acknowledgement.delivered;
        delivery.total = self.total;
        acknowledgement.delivery = Some(delivery);
        self.controller.on_acknowledgement(&acknowledgement);
    }

    pub(crate) fn round(&mut self) {
        self.report(|_, _| {});
    }

    pub(crate) fn rounds(&mut self, count: usize) {
        (0..count).for_each(|_| self.round());
    }

    /// Rounds until the pacing gain is this; how many there were.
    pub(crate) fn rounds_until_gain(&mut self, gain: f64) -> usize {
        self.rounds_until(|it| (it.gain() - gain).abs() < 1e-9)
    }

    pub(crate) fn rounds_until(&mut self, holds: impl Fn(&Self) -> bool) -> usize {
        let mut count = 0;
        while !holds(self) {
            self.round();
            count += 1;
            assert!(count < 100_000, "it never does");
        }
        count
    }

    pub(crate) fn congest(&mut self, signal: Signal, in_flight: f64) {
        self.controller.on_congestion(&Congestion { now: self.now, signal, in_flight });
    }
}
