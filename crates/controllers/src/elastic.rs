//! Elastic-TCP: the emptier the path's buffer, the faster the window grows.
//!
//! Source: Alrshah, Al-Maqri, Othman, "Elastic-TCP: flexible congestion control
//! algorithm to adapt for high-BDP networks", IEEE Systems Journal, 2019. Its
//! text was not available; the equations are those in its Linux ports and
//! the EC-Elastic paper.
//!
//! - avoidance: `w += WWF / w` for each segment, with the window-correlated
//!   weighting function `WWF = sqrt(w * rtt_max / rtt)`
//! - congestion: `w = ssthresh = beta * w`
//! - timeout: the same threshold; `rtt_max` is reset
//!
//! Before the first sample of the round trip `rtt_max / rtt` is 1. The division
//! is exact: a port in integers that truncates it does not grow at all.

use libm::sqrt;

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Signal, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "elastic",
    title: "Elastic-TCP",
    source: "Alrshah, Al-Maqri, Othman, IEEE Systems Journal, 2019",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: &[Parameter {
        name: "beta",
        meaning: "the fraction of the window kept after congestion",
        kind: Kind::Number { default: 0.5, minimum: 0.01, maximum: 0.99 },
    }],
};

/// The longest round trip and the latest one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTrips {
    longest: Nanoseconds,
    latest: Nanoseconds,
}

impl RoundTrips {
    pub(crate) fn observe(&mut self, rtt: Option<Nanoseconds>) {
        if let Some(rtt) = rtt {
            self.latest = rtt;
            self.longest = self.longest.max(self.latest);
        }
    }

    /// The ratio of the longest to the latest: 1 with a full buffer, and without a sample.
    pub(crate) fn ratio(&self) -> f64 {
        if self.latest == 0 { 1.0 } else { self.longest as f64 / self.latest as f64 }
    }
}

/// Elastic-TCP.
#[derive(Clone, Debug)]
pub struct Elastic {
    window: Window,
    beta: f64,
    round_trips: RoundTrips,
}

impl Elastic {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta: settings.number("beta"),
            round_trips: RoundTrips::default(),
        }
    }
}

impl Controller for Elastic {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.round_trips.observe(acknowledgement.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let cwnd = self.window.cwnd();
        let weight = sqrt(cwnd * self.round_trips.ratio());
        self.window.grow(left * weight / cwnd);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Timeout {
            self.round_trips = RoundTrips::default();
        }
        self.window.decrease(congestion.signal, self.beta * self.window.cwnd());
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
