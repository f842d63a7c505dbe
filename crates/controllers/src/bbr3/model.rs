//! The states, what is known of the path, and what follows from it.

use crate::bbr::{Aggregation, FullPipe, LEAST, MOST_AT_ONCE, Rounds, RttProbe};
use crate::{Delivery, Nanoseconds, Settings, Start, Window, seconds};

/// `4 ln 2`.
pub(super) const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.5;
const WINDOW_GAIN: f64 = 2.0;
const UP_WINDOW_GAIN: f64 = 2.25;
pub(super) const PROBE_RTT_WINDOW_GAIN: f64 = 0.5;
const HEADROOM: f64 = 0.15;
const LEAST_QUANTUM: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain { rounds: u8 },
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt(RttProbe),
}

/// What acknowledgements show about the probe for bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feedback {
    None,
    /// Of data sent while refilling.
    Refilling,
    /// Not yet of data sent while probing.
    Starting,
    /// Of data sent while probing.
    Probing,
    /// Still, after the probe ended.
    Stopping,
}

/// The bounds of the model; infinite if nothing was lost.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) inflight_longterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) bw_shortterm: f64,
}

/// What the current round delivered, and lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Latest {
    pub(super) bw: f64,
    pub(super) inflight: f64,
    pub(super) loss_in_round: bool,
    /// Acknowledgements of this round that reported losses.
    pub(super) losses: u8,
    pub(super) round_started: bool,
    /// Data sent after this much was delivered ends the round.
    pub(super) next_round: f64,
}

/// The probe for bandwidth.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) feedback: Feedback,
    pub(super) begun: Nanoseconds,
    pub(super) wait: Nanoseconds,
    pub(super) rounds: u8,
    pub(super) doublings: u8,
    /// Delivered segments that raise `inflight_longterm` by one, and how many
    /// there are.
    pub(super) segments_for_one: f64,
    pub(super) segments: f64,
    /// Whether losses still count as caused by this probe.
    pub(super) samples: bool,
    pub(super) was_too_high: bool,
    pub(super) stopped_early: bool,
}

/// BBR, version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    pub(super) window: Window,
    pub(super) initial_window: f64,
    pub(super) state: State,
    pub(super) rounds: Rounds,
    /// The maximum delivery rates of the last probing cycle and of this one.
    pub(super) max_bw: [f64; 2],
    pub(super) full_pipe: FullPipe,
    pub(super) aggregation: Aggregation,
    pub(super) bounds: Bounds,
    pub(super) latest: Latest,
    pub(super) probe: Probe,
    pub(super) min_rtt: Nanoseconds,
    pub(super) min_rtt_seen: Nanoseconds,
    /// The minimum round trip of five seconds.
    pub(super) probe_rtt_min: Nanoseconds,
    pub(super) probe_rtt_seen: Nanoseconds,
    pub(super) pacing_rate: f64,
    pub(super) measured: bool,
    /// Samples of data sent when this much was delivered are only a lower bound: a
    /// probe for the round trip limited the window.
    pub(super) limited_from: f64,
    pub(super) limited_until: f64,
    /// The window before recovery or a probe for the round trip.
    pub(super) prior_window: f64,
    pub(super) recovering: bool,
    /// The state that losses ended since recovery began.
    pub(super) ended_by_losses: Option<State>,
    /// Sending has begun again after idleness, and nothing was delivered since.
    pub(super) from_idle: bool,
}

/// A delivery sample as the model uses it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) rate: f64,
    pub(super) delivered: f64,
    pub(super) total_at_send: f64,
    pub(super) in_flight_at_send: f64,
    pub(super) lost: f64,
    pub(super) limited: bool,
}

impl Bbr3 {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        let window = Window::without_threshold(start);
        Self {
            initial_window: window.cwnd(),
            state: State::Startup,
            rounds: Rounds::default(),
            max_bw: [0.0; 2],
            full_pipe: FullPipe::default(),
            aggregation: Aggregation::default(),
            bounds: Bounds {
                inflight_longterm: f64::INFINITY,
                inflight_shortterm: f64::INFINITY,
                bw_shortterm: f64::INFINITY,
            },
            latest: Latest::default(),
            probe: Probe {
                feedback: Feedback::None,
                begun: 0,
                wait: 0,
                rounds: 0,
                doublings: 0,
                segments_for_one: f64::INFINITY,
                segments: 0.0,
                samples: false,
                was_too_high: false,
                stopped_early: false,
            },
            min_rtt: Nanoseconds::MAX,
            min_rtt_seen: 0,
            probe_rtt_min: Nanoseconds::MAX,
            probe_rtt_seen: 0,
            pacing_rate: STARTUP_GAIN * window.cwnd() * 1e3,
            measured: false,
            limited_from: 0.0,
            limited_until: -1.0,
            prior_window: 0.0,
            recovering: false,
            ended_by_losses: None,
            from_idle: false,
            window,
        }
    }

    pub(super) fn sample(&self, delivery: &Delivery) -> Sample {
        Sample {
            rate: delivery.rate.unwrap_or(0.0),
            delivered: delivery.total - delivery.total_at_send,
            total_at_send: delivery.total_at_send,
            in_flight_at_send: delivery.in_flight_at_send,
            lost: delivery.lost_since_send,
            limited: delivery.application_limited || self.was_held_down(delivery.total_at_send),
        }
    }

    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// The bandwidth to send at, in segments per second.
    pub(super) fn bw(&self) -> f64 {
        self.max_bw().min(self.bounds.bw_shortterm)
    }

    /// This many BDPs of a bandwidth, in segments.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt == Nanoseconds::MAX {
            self.initial_window
        } else {
            gain * bw * seconds(self.min_rtt)
        }
    }

    /// At least what keeps sender and receiver busy.
    pub(super) fn with_quanta(&self, in_flight: f64) -> f64 {
        // BBR.send_quantum (section 5.6.3): a millisecond's worth.
        let quantum = (self.pacing_rate * 1e-3).clamp(LEAST_QUANTUM, MOST_AT_ONCE);
        let busy = 3.0 * quantum;
        let probing = if self.state == State::Up { 2.0 } else { 0.0 };
        in_flight.max(busy).max(LEAST) + probing
    }

    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp(self.bw(), 1.0).min(self.window.cwnd())
    }

    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let longterm = self.bounds.inflight_longterm;
        if longterm == f64::INFINITY {
            return longterm;
        }
        (longterm - (HEADROOM * longterm).max(1.0)).max(LEAST)
    }

    pub(super) fn in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    pub(super) fn probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_GAIN,
            State::Drain { .. } => DRAIN_GAIN,
            State::Down => 0.9,
            State::Up => 1.25,
            State::Cruise | State::Refill | State::ProbeRtt(_) => 1.0,
        }
    }

    pub(super) fn window_gain(&self) -> f64 {
        match self.state {
            State::Up => UP_WINDOW_GAIN,
            State::ProbeRtt(_) => PROBE_RTT_WINDOW_GAIN,
            _ => WINDOW_GAIN,
        }
    }
}
