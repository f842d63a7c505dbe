//! Reno with SCE: a second, milder mark ("some congestion experienced") that
//! decreases the window by its square root.
//!
//! Source: draft-morton-tsvwg-sce and its authors' Linux tree (chromi/sce). For
//! each segment:
//!
//! - unmarked: Reno's growth
//! - some congestion: `w -= 1 / (2 sqrt(w))`, so that a round trip with only such
//!   marks costs `sqrt(w) / 2` segments; the first one ends slow start at `w / 2`
//! - mark (congestion experienced): `w = 3/4 w`, or `7/8 w` if some
//!   congestion was reported within the last `w + 1` segments, once per round trip
//! - loss: `w = w / 2`
//!
//! The draft's text was not available. The authors' code responds to a mark
//! gradually over the acknowledgements that echo it, which gives the same fraction
//! if a whole round trip echoes it.

use libm::sqrt;

use crate::{
    Acknowledgement, Congestion, Controller, Description, Need, Settings, Signal, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "reno-sce",
    title: "Reno-SCE",
    source: "draft-morton-tsvwg-sce, by its authors' Linux tree",
    status: "checked against its equilibrium; the draft was not read",
    needs: &[Need::SomeCongestion],
    parameters: &[],
};

/// Reno's window, and the response to milder marks that Reno and DCTCP share.
#[derive(Clone, Debug)]
pub(crate) struct MildlyMarked {
    window: Window,
    /// Delivered since some congestion was reported, in segments.
    since: f64,
}

impl MildlyMarked {
    pub(crate) fn new(start: Start) -> Self {
        Self { window: Window::new(start), since: f64::INFINITY }
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    pub(crate) fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// `cost` is what one segment with the milder mark takes from the window,
    /// in segments, as a function of the window.
    pub(crate) fn on_acknowledgement(
        &mut self,
        acknowledgement: &Acknowledgement,
        cost: impl Fn(f64) -> f64,
    ) {
        self.since += acknowledgement.delivered;
        let mild = acknowledgement.some_congestion;
        if mild > 0.0 {
            self.since = 0.0;
            self.yield_to(mild, acknowledgement.recovering, cost);
        }
        let unmarked = (acknowledgement.acknowledged - mild).max(0.0);
        let left = self.window.slow_start(unmarked);
        self.set_in_avoidance(self.window.cwnd() + left / self.window.cwnd());
    }

    fn yield_to(&mut self, mild: f64, recovering: bool, cost: impl Fn(f64) -> f64) {
        let cwnd = self.window.cwnd();
        if self.window.in_slow_start() {
            self.window.reduce_to(cwnd / 2.0);
        } else if !recovering {
            self.window.reduce_to(cwnd - mild * cost(cwnd));
        }
    }

    /// Moves the threshold along, so that a decreased window does not return by slow
    /// start.
    fn set_in_avoidance(&mut self, cwnd: f64) {
        if !self.window.in_slow_start() {
            self.window.reduce_to(cwnd);
        }
    }

    pub(crate) fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.window.cwnd();
        let kept = match congestion.signal {
            Signal::Mark if self.since <= cwnd + 1.0 => 0.875,
            Signal::Mark => 0.75,
            Signal::Loss | Signal::Nack | Signal::Timeout => 0.5,
        };
        self.window.decrease(congestion.signal, kept * cwnd);
    }
}

/// Reno with SCE.
#[derive(Clone, Debug)]
pub struct RenoSce {
    reno: MildlyMarked,
}

impl RenoSce {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        Self { reno: MildlyMarked::new(start) }
    }
}

impl Controller for RenoSce {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.reno.on_acknowledgement(acknowledgement, |cwnd| 0.5 / sqrt(cwnd));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.reno.on_congestion(congestion);
    }

    fn window(&self) -> &Window {
        self.reno.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.reno.window_mut()
    }
}
