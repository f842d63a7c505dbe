//! HighSpeed TCP: the larger the window, the faster it grows and the smaller the
//! fraction that a loss takes.
//!
//! Source: RFC 3649, section 5, with `Low_Window` 38, `High_Window` 83000, `High_P`
//! 1e-7 and `High_Decrease` 0.1. The text was not available; the equations were
//! compared with the table of its appendix B as contained in Linux's
//! `tcp_highspeed.c`.
//!
//! Above 38 segments:
//!
//! - the loss rate that corresponds to the window `w`: `p = 0.078 / w^1.2`
//! - the fraction given up: `b = 0.5 - 0.4 ln(w / 38) / ln(83000 / 38)`
//! - the growth per round trip: `a = 2 w^2 b p / (2 - b)`
//!
//! - avoidance:  `w += a/w` for each segment
//! - congestion: `w = ssthresh = (1 - b) w`
//!
//! Up to 38 segments `a = 1` and `b = 0.5`, which is Reno; `a` is at least 1 above,
//! where the equation begins at 0.95, and `b` at least 0.1 beyond 83000. The
//! appendix's table has these values in whole steps of `a`.

use libm::{log, pow};

use crate::{Acknowledgement, Congestion, Controller, Description, Settings, Start, Window};

pub(crate) const DESCRIPTION: Description = Description {
    name: "highspeed",
    title: "HighSpeed TCP",
    source: "RFC 3649, section 5",
    status: "checked against its response function and its table; the text was not read",
    needs: &[],
    parameters: &[],
};

const LOW_WINDOW: f64 = 38.0;
const HIGH_WINDOW: f64 = 83_000.0;
const HIGH_DECREASE: f64 = 0.1;

/// HighSpeed TCP.
#[derive(Clone, Debug)]
pub struct Highspeed {
    window: Window,
}

impl Highspeed {
    pub(crate) fn new(start: Start, _settings: &Settings) -> Self {
        Self { window: Window::new(start) }
    }

    /// `b(w)`: the fraction of the window given up on congestion.
    fn decrease(&self) -> f64 {
        let way = log(self.window.cwnd() / LOW_WINDOW) / log(HIGH_WINDOW / LOW_WINDOW);
        (0.5 - (0.5 - HIGH_DECREASE) * way).clamp(HIGH_DECREASE, 0.5)
    }

    /// `a(w)`: the growth in segments per round trip.
    fn increase(&self) -> f64 {
        let cwnd = self.window.cwnd();
        if cwnd <= LOW_WINDOW {
            return 1.0;
        }
        let loss = 0.078 / pow(cwnd, 1.2);
        let decrease = self.decrease();
        (2.0 * cwnd * cwnd * decrease * loss / (2.0 - decrease)).max(1.0)
    }
}

impl Controller for Highspeed {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        if left > 0.0 {
            self.window.grow(left * self.increase() / self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = (1.0 - self.decrease()) * self.window.cwnd();
        self.window.decrease(congestion.signal, kept);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
