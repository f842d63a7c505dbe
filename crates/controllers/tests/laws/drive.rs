//! Plays the network to a controller: acknowledgements round trip by round
//! trip, and losses where a test wants them.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Delivery, Description,
    Nanoseconds, RadioReport, Settings, Signal, Start, TransmissionStart, Value,
};

pub(crate) const SECOND: Nanoseconds = 1_000_000_000;

/// A connection over a path without a queue.
#[derive(Clone)]
pub(crate) struct Drive {
    pub(crate) controller: AnyController,
    pub(crate) now: Nanoseconds,
    pub(crate) rtt: Nanoseconds,
    /// The latest report of its radio.
    radio: Option<RadioReport>,
    /// Whether the next acknowledgement is the first of a round trip.
    round_ended: bool,
}

/// What a periodic loss makes of a window.
pub(crate) struct Sawtooth {
    /// Segments delivered in a round trip, on average.
    pub(crate) mean: f64,
    /// The window at a loss, on average.
    pub(crate) maximum: f64,
}

impl Drive {
    /// A controller at its defaults, starting from `window`, on a path of 100 ms.
    pub(crate) fn new(name: &str, window: f64) -> Self {
        Self::with(name, window, &[])
    }

    pub(crate) fn with(name: &str, window: f64, values: &[(&str, Value<'_>)]) -> Self {
        let start = Start {
            initial_window: window,
            minimum_window: 1.0,
            restart_window: window,
            initial_ssthresh: f64::INFINITY,
        };
        Self::starting(name, start, values)
    }

    /// As TCP starts one: after a timeout the window is one segment, and otherwise
    /// never less than two.
    pub(crate) fn over_tcp(name: &str, window: f64, values: &[(&str, Value<'_>)]) -> Self {
        let start = Start {
            initial_window: window,
            minimum_window: 2.0,
            restart_window: 1.0,
            initial_ssthresh: f64::INFINITY,
        };
        Self::starting(name, start, values)
    }

    fn starting(name: &str, start: Start, values: &[(&str, Value<'_>)]) -> Self {
        let mut settings = Settings::defaults(description(name));
        for (parameter, value) in values {
            settings.set(parameter, *value).expect("the test sets what the controller declares");
        }
        Self {
            controller: AnyController::new(start, &settings),
            now: 0,
            rtt: SECOND / 10,
            radio: None,
            round_ended: true,
        }
    }

    /// The same, in congestion avoidance after one loss at `window`.
    pub(crate) fn after_loss(name: &str, window: f64, values: &[(&str, Value<'_>)]) -> Self {
        let mut drive = Self::with(name, window, values);
        drive.congest(Signal::Loss);
        drive
    }

    pub(crate) fn on_path(mut self, rtt: Nanoseconds) -> Self {
        self.rtt = rtt;
        self
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.controller.cwnd()
    }

    pub(crate) fn acknowledge(&mut self, segments: f64) {
        self.controller.on_acknowledgement(&Acknowledgement {
            now: self.now,
            acknowledged: segments,
            delivered: segments,
            rtt: Some(self.rtt),
            smoothed_rtt: Some(self.rtt),
            in_flight: self.cwnd(),
            round_ended: std::mem::take(&mut self.round_ended),
            window_limited: true,
            radio: self.radio,
            ..Acknowledgement::default()
        });
    }

    /// Segments are delivered at a rate, in segments per second.
    pub(crate) fn deliver(&mut self, segments: f64, rate: f64) {
        let delivery = Delivery {
            rate: Some(rate),
            total: segments,
            total_at_send: 0.0,
            in_flight_at_send: segments,
            lost_since_send: 0.0,
            application_limited: false,
        };
        self.controller.on_acknowledgement(&Acknowledgement {
            now: self.now,
            delivered: segments,
            rtt: Some(self.rtt),
            smoothed_rtt: Some(self.rtt),
            delivery: Some(delivery),
            ..Acknowledgement::default()
        });
    }

    /// A radio reports its SINR in decibels and its bandwidth in segments per second for
    /// each bit per second and hertz.
    pub(crate) fn hear(&mut self, sinr: f64, bandwidth: f64) {
        self.radio = Some(RadioReport { received: self.now, sinr, bandwidth });
    }

    /// Round trips in which the application sends less than the window allows.
    pub(crate) fn rounds_limited_by_the_application(&mut self, count: usize) {
        for _ in 0..count {
            self.now += self.rtt;
            self.controller.on_acknowledgement(&Acknowledgement {
                now: self.now,
                delivered: 1.0,
                rtt: Some(self.rtt),
                smoothed_rtt: Some(self.rtt),
                round_ended: true,
                ..Acknowledgement::default()
            });
        }
    }

    /// Sending begins, and the handshake has measured this round trip.
    pub(crate) fn begin_after_handshake(&mut self, rtt: Nanoseconds) {
        self.controller.on_transmission_start(&TransmissionStart {
            now: self.now,
            application_limited: false,
            smoothed_rtt: Some(rtt),
        });
    }

    /// Sending begins again after the application had nothing to send.
    pub(crate) fn begin_again(&mut self) {
        let start =
            TransmissionStart { now: self.now, application_limited: true, smoothed_rtt: None };
        self.controller.on_transmission_start(&start);
    }

    /// Lets the controller see one round trip of that length, and next to nothing else.
    pub(crate) fn show_round_trip(&mut self, rtt: Nanoseconds) {
        let usual = std::mem::replace(&mut self.rtt, rtt);
        self.acknowledge(1e-9);
        self.rtt = usual;
    }

    pub(crate) fn congest(&mut self, signal: Signal) {
        let in_flight = self.cwnd();
        self.controller.on_congestion(&Congestion { now: self.now, signal, in_flight });
    }

    /// The next acknowledgement is the first of a round trip.
    pub(crate) fn begin_round(&mut self) {
        self.round_ended = true;
    }

    /// The loss that was signalled last is repaired.
    pub(crate) fn recover(&mut self) {
        self.controller.on_recovered(self.now);
    }

    /// One round trip over a path that holds `capacity` segments in `empty`; more
    /// than that wait in a queue.
    pub(crate) fn round_over(&mut self, capacity: f64, empty: Nanoseconds) {
        self.rtt = (empty as f64 * (self.cwnd() / capacity).max(1.0)) as Nanoseconds;
        self.round();
    }

    /// What the next acknowledged segment adds to the window in a round trip.
    pub(crate) fn growth(&mut self) -> f64 {
        let before = self.cwnd();
        self.acknowledge(1.0);
        (self.cwnd() - before) * before
    }

    /// The share of the window that a loss leaves.
    pub(crate) fn kept(&mut self) -> f64 {
        let before = self.cwnd();
        self.congest(Signal::Loss);
        self.cwnd() / before
    }

    /// One round trip: the window that it began with is acknowledged, in
    /// pieces of at most one segment, `after_each` of them.
    pub(crate) fn round_with(&mut self, mut after_each: impl FnMut(&mut Self, f64)) {
        let pieces = self.cwnd().ceil();
        let piece = self.cwnd() / pieces;
        let begun = self.now;
        self.begin_round();
        for index in 1..=pieces as u64 {
            self.now = begun + self.rtt * index / pieces as u64;
            self.acknowledge(piece);
            after_each(self, piece);
        }
    }

    pub(crate) fn round(&mut self) {
        self.round_with(|_, _| {});
    }

    pub(crate) fn rounds(&mut self, count: usize) {
        for _ in 0..count {
            self.round();
        }
    }

    pub(crate) fn run_until(&mut self, instant: Nanoseconds) {
        while self.now < instant {
            self.round();
        }
    }

    /// Round trips, with the fraction of the last, until the window is `target`.
    pub(crate) fn rounds_to(&mut self, target: f64) -> f64 {
        for count in 0..100_000 {
            let before = self.cwnd();
            if before >= target - 1e-9 {
                return f64::from(count);
            }
            self.round();
            if self.cwnd() > target {
                return f64::from(count) + (target - before) / (self.cwnd() - before);
            }
        }
        panic!("the window stays at {} and never reaches {target}", self.cwnd());
    }

    /// Loses one segment of every `1 / loss` and measures `cycles` such
    /// periods, after as many more to settle.
    pub(crate) fn sawtooth(&mut self, loss: f64, cycles: usize) -> Sawtooth {
        let mut since_loss = 0.0;
        self.saw(loss, cycles, &mut since_loss);
        self.saw(loss, cycles, &mut since_loss)
    }

    fn saw(&mut self, loss: f64, cycles: usize, since_loss: &mut f64) -> Sawtooth {
        let (mut delivered, mut rounds, mut losses, mut maxima) = (0.0, 0.0, 0, 0.0);
        while losses < cycles {
            delivered += self.cwnd();
            rounds += 1.0;
            self.round_with(|drive, piece| {
                *since_loss += piece;
                if *since_loss * loss >= 1.0 {
                    *since_loss -= 1.0 / loss;
                    losses += 1;
                    maxima += drive.cwnd();
                    drive.congest(Signal::Loss);
                }
            });
        }
        Sawtooth { mean: delivered / rounds, maximum: maxima / losses as f64 }
    }
}

pub(crate) fn description(name: &str) -> &'static Description {
    DESCRIPTIONS.iter().find(|it| it.name == name).expect("the controller is registered")
}

/// Panics unless `measured` lies within a share `tolerance` of `expected`.
#[track_caller]
pub(crate) fn close(measured: f64, expected: f64, tolerance: f64) {
    let error = (measured - expected).abs() / expected.abs();
    assert!(error <= tolerance, "{measured} is not {expected}: off by {:.3} %", 100.0 * error);
}
