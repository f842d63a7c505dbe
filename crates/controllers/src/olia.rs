//! OLIA, opportunistic linked increases: LIA's goals, with a window that moves to the paths
//! that deliver most between losses.
//!
//! Source: Khalili, Gast, Popovic, Le Boudec, "MPTCP is not Pareto-optimal: performance issues
//! and a possible solution", IEEE/ACM ToN 21(5), 2013; draft-khalili-mptcp-congestion-control.
//! Their texts were not available: the rules are those of the authors' code in Linux's MPTCP.
//! `w` is the window in segments, `T` the smoothed round trip, and `l` what was delivered since
//! the last loss or between the two before it, whichever is more.
//!
//! - best paths: those of the greatest `l / T^2`; largest paths: those of the greatest window,
//!   for which the threshold stands during loss recovery
//! - `e` is 0 if every best path is a largest one. Otherwise, with `n` subflows, it is
//!   `1 / (n (best paths that are not largest))` on each of these, and
//!   `-1 / (n (largest paths))` on each of the largest
//! - avoidance: `w += (w / T^2) / sum(w / T)^2 + e / w` for each segment
//! - slow start, congestion: as [`Reno`](crate::Reno), and so is all else on one path
//!
//! A decrease in avoidance takes the threshold with it, so that slow start does not undo it.
//! Windows are compared with their fractions, where Linux has whole segments.

use crate::siblings::{Others, round_trip};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Need, Settings, Sibling, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "olia",
    title: "OLIA",
    source: "Khalili et al., IEEE/ACM ToN 21(5), 2013, as in Linux's MPTCP",
    status: "checked against values of its equations, and against Reno on one path; \
             the paper was not read",
    needs: &[Need::Siblings],
    parameters: &[],
};

/// OLIA.
#[derive(Clone, Debug)]
pub struct Olia {
    window: Window,
    others: Option<Others>,
    /// The numerator `e` of what moves the window between paths.
    shift: f64,
}

impl Olia {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        Self { window: Window::new(start), others: None, shift: 0.0 }
    }

    fn increase(&self, acknowledged: f64) -> f64 {
        let cwnd = self.window.cwnd();
        let Some(others) = &self.others else { return acknowledged / cwnd };
        let rate = cwnd / others.rtt;
        let rates = rate + others.rates;
        acknowledged * (rate / others.rtt / (rates * rates) + self.shift / cwnd)
    }
}

/// `l / T^2`.
fn quality(subflow: &Sibling) -> Option<f64> {
    round_trip(subflow).map(|rtt| subflow.between_losses / (rtt * rtt))
}

/// The window, or the one that follows loss recovery.
fn size(subflow: &Sibling) -> f64 {
    if subflow.recovering { subflow.ssthresh } else { subflow.cwnd }
}

/// `e`, of the subflows with a measured round trip.
fn shift(own: &Sibling, others: &[Sibling]) -> f64 {
    let measured = || core::iter::once(own).chain(others).filter(|it| round_trip(it).is_some());
    let best = measured().filter_map(quality).fold(0.0, f64::max);
    let largest = measured().map(size).fold(0.0, f64::max);
    let is_largest = |it: &Sibling| size(it) >= largest;
    let collects = |it: &Sibling| quality(it) >= Some(best) && !is_largest(it);
    let collecting = measured().filter(|it| collects(it)).count();
    if collecting == 0 {
        return 0.0;
    }
    let paths = measured().count() as f64;
    if collects(own) {
        1.0 / (paths * collecting as f64)
    } else if is_largest(own) {
        -1.0 / (paths * measured().filter(|it| is_largest(it)).count() as f64)
    } else {
        0.0
    }
}

impl Controller for Olia {
    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        self.others = Others::new(own, others);
        self.shift = shift(own, others);
    }

    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let increase = self.increase(left);
        if increase < 0.0 {
            self.window.reduce_to(self.window.cwnd() + increase);
        } else {
            self.window.grow(increase);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
