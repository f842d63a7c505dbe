//! AIMD: additive increase, multiplicative decrease.
//!
//! Source: RFC 5681, section 3.1, as the NDN consumers apply it (ndn-tools'
//! aimd pipeline; PCON's consumer, Schneider et al., ICN 2016). It is what the
//! NDN papers here call SACK: TCP's Reno window, in which every Data packet
//! acknowledges exactly one segment.
//!
//! - slow start: `w += 1` for each segment
//! - avoidance:  `w += 1/w` for each segment
//! - congestion: `w = beta * w`, `ssthresh = w`

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "aimd",
    title: "AIMD",
    source: "RFC 5681, section 3.1; ndn-tools' aimd pipeline",
    status: "checked against its closed forms and a step-by-step sequence",
    needs: &[],
    parameters: &[Parameter {
        name: "beta",
        meaning: "the fraction of the window kept after congestion",
        kind: Kind::Number { default: 0.5, minimum: 0.01, maximum: 0.99 },
    }],
};

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Aimd {
    window: Window,
    beta: f64,
}

impl Aimd {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self { window: Window::new(start), beta: settings.number("beta") }
    }
}

impl Controller for Aimd {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(left / self.window.cwnd());
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, self.beta * self.window.cwnd());
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
