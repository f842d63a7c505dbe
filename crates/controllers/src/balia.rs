//! BALIA, balanced linked adaptation: between LIA and OLIA, a compromise of friendliness to
//! single-path TCP and of responsiveness.
//!
//! Source: Peng, Walid, Hwang, Low, "Multipath TCP: analysis, design, and implementation",
//! IEEE/ACM ToN 24(1), 2016; draft-walid-mptcp-congestion-control. Their texts were not
//! available: the equations are those of the fluid model that Linux's MPTCP implements. `w` is
//! the window in segments, `T` the smoothed round trip, and `x = w / T`.
//!
//! - `alpha = max(x) / x`, with the maximum over the subflows of the connection
//! - avoidance: `w += x / (T sum(x)^2) (1 + alpha) / 2 (4 + alpha) / 5` for each segment
//! - congestion: `w = ssthresh = w - w/2 min(alpha, 3/2)`; after a timeout the same threshold,
//!   and the window restarts
//! - slow start: as [`Reno`](crate::Reno), and so is all else on one path
//!
//! Linux rounds the decrease's `alpha` down (`decrease = "truncated"`), so that it is one half
//! below `alpha = 2` and three quarters from there.

use libm::floor;

use crate::siblings::Others;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Need, Parameter, Settings, Sibling,
    Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "balia",
    title: "BALIA",
    source: "Peng, Walid, Hwang, Low, IEEE/ACM ToN 24(1), 2016; \
             draft-walid-mptcp-congestion-control",
    status: "checked against values of its equations, and against Reno on one path; \
             the paper was not read",
    needs: &[Need::Siblings],
    parameters: &[Parameter {
        name: "decrease",
        meaning: "the alpha of the decrease",
        kind: Kind::Choice(&[
            ("exact", "as the equation has it"),
            ("truncated", "rounded down to an integer, as Linux"),
        ]),
    }],
};

/// The maximum `alpha` of a decrease.
const MOST: f64 = 1.5;

/// BALIA.
#[derive(Clone, Debug)]
pub struct Balia {
    window: Window,
    others: Option<Others>,
    truncates: bool,
}

impl Balia {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            others: None,
            truncates: settings.choice("decrease") == "truncated",
        }
    }

    fn alpha(&self, others: &Others) -> f64 {
        let rate = self.window.cwnd() / others.rtt;
        others.greatest_rate.max(rate) / rate
    }

    fn increase(&self, acknowledged: f64) -> f64 {
        let cwnd = self.window.cwnd();
        let Some(others) = &self.others else { return acknowledged / cwnd };
        let alpha = self.alpha(others);
        let rate = cwnd / others.rtt;
        let rates = rate + others.rates;
        let linked = rate / (others.rtt * rates * rates);
        acknowledged * linked * (1.0 + alpha) / 2.0 * (4.0 + alpha) / 5.0
    }

    /// The fraction of the window that a decrease takes.
    fn taken(&self) -> f64 {
        let alpha = self.others.as_ref().map_or(1.0, |others| self.alpha(others));
        let alpha = if self.truncates { floor(alpha) } else { alpha };
        alpha.min(MOST) / 2.0
    }
}

impl Controller for Balia {
    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        self.others = Others::new(own, others);
    }

    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        self.window.grow(self.increase(left));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = self.window.cwnd() * (1.0 - self.taken());
        self.window.decrease(congestion.signal, kept);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
