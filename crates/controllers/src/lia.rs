//! LIA, linked increases: the subflows of a connection together take as much as one TCP on
//! the best of their paths, and no more than one on any.
//!
//! Source: RFC 6356, section 3, windows in segments. `w` is the window and `T` the smoothed
//! round trip of a subflow, sums and maxima are over the subflows of the connection.
//!
//! - `alpha = sum(w) max(w / T^2) / sum(w / T)^2` (equation 2)
//! - avoidance: `w += min(alpha / sum(w), 1/w)` for each segment (equation 1)
//! - slow start, congestion: as [`Reno`](crate::Reno), and so is all else on one path
//!
//! `alpha` is computed with every acknowledgement, as the RFC allows; a subflow without a
//! measured round trip does not count. The RFC's minimum threshold of one segment is the
//! transport's to set.
//!
//! Linux's MPTCP 0.95 counts in whole segments: with `increase = "whole-segments"` the window
//! grows by one when the acknowledgements since the last time exceed `max(sum(w) / alpha, w)`,
//! which is one acknowledgement later. Its fixed-point arithmetic is not imitated.

use libm::floor;

use crate::siblings::Others;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Need, Parameter, Settings, Sibling,
    Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "lia",
    title: "LIA",
    source: "RFC 6356, section 3",
    status: "checked against values of its equations, and against Reno on one path",
    needs: &[Need::Siblings],
    parameters: &[Parameter {
        name: "increase",
        meaning: "how the window grows in congestion avoidance",
        kind: Kind::Choice(&[
            ("fractional", "by a fraction of a segment with each acknowledgement (RFC 6356)"),
            ("whole-segments", "by one segment after as many acknowledgements, as Linux"),
        ]),
    }],
};

/// LIA.
#[derive(Clone, Debug)]
pub struct Lia {
    window: Window,
    others: Option<Others>,
    in_whole_segments: bool,
    /// Acknowledgements since the last whole segment.
    counted: f64,
}

impl Lia {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            others: None,
            in_whole_segments: settings.choice("increase") == "whole-segments",
            counted: 0.0,
        }
    }

    /// `max(sum(w) / alpha, w)`: the acknowledged segments that increase the window by one.
    fn segments_for_one(&self, others: &Others) -> f64 {
        let cwnd = self.window.cwnd();
        let rate = cwnd / others.rtt;
        let rates = rate + others.rates;
        let greatest_increase = others.greatest_increase.max(rate / others.rtt);
        // The sum of the windows cancels out.
        (rates * rates / greatest_increase).max(cwnd)
    }

    fn increase(&self, acknowledged: f64) -> f64 {
        match &self.others {
            Some(others) => acknowledged / self.segments_for_one(others),
            None => acknowledged / self.window.cwnd(),
        }
    }

    fn count(&mut self, others: &Others) {
        self.counted += 1.0;
        if self.counted > floor(self.segments_for_one(others)) {
            self.counted = 0.0;
            self.window.grow(1.0);
        }
    }
}

impl Controller for Lia {
    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        self.others = Others::new(own, others);
    }

    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        match self.others {
            Some(others) if self.in_whole_segments && left > 0.0 => self.count(&others),
            _ => self.window.grow(self.increase(left)),
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
