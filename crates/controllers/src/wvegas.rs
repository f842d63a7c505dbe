//! wVegas, weighted Vegas: the subflows of a connection together keep ten segments in queues,
//! shared in proportion to their rates.
//!
//! Source: Cao, Xu, Fu, "Delay-based congestion control for multipath TCP", ICNP 2012;
//! draft-xu-mptcp-congestion-control. Their texts were not available: the rules are those of
//! the authors' code in Linux's MPTCP. With `T` the mean round trip of the last round, `Tb` the
//! minimum ever and `x` a subflow's window over its smoothed round trip, once per round trip:
//!
//! - `diff = w (T - Tb) / T`: the segments in the queue
//! - slow start: doubles; once `diff > 1`, it ends at `min(w, w Tb / T + 1)`
//! - where `diff >= alpha`: `alpha = max(2, 10 x / sum(x))`, which begins at 2
//! - avoidance: `w += 1` where `diff < alpha`, `w -= 1` where `diff > alpha`
//! - drain: once `T - Tb` is twice its minimum since the last drain, `w = w Tb / (2 T)`, so that
//!   all flows can measure the path without a queue; the threshold stays, and slow start refills
//!   the path
//! - a round with fewer than three samples is ignored: Reno's growth
//! - congestion: `w = ssthresh = w / 2`, and the round's samples are discarded
//!
//! Linux takes the minimum of all rounds (`drain = "every-round"`). Where measurements are exact
//! the first packet in the queue is then that minimum and the second begins a drain, so that the
//! window never comes to its ten segments. The default takes the minimum of the rounds in which
//! the window has come to its `alpha`. A round without a queue never counts.

use crate::delays::{Delays, Period};
use crate::siblings::{Others, round_trip};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Need, Parameter, Settings, Sibling,
    Start, TransmissionStart, Window,
};

/// Samples that a round must have (Linux).
const FEWEST_SAMPLES: u32 = 3;
/// Segments in queues: of all subflows, the least and the first of one, and where slow start ends.
const TOTAL_ALPHA: f64 = 10.0;
const LEAST_ALPHA: f64 = 2.0;
const GAMMA: f64 = 1.0;
/// The queueing delay, over its minimum, that begins a drain.
const DRAIN: f64 = 2.0;

pub(crate) const DESCRIPTION: Description = Description {
    name: "wvegas",
    title: "wVegas",
    source: "Cao, Xu, Fu, ICNP 2012, as in Linux's MPTCP",
    status: "checked against its equilibrium; the paper itself was not read",
    needs: &[Need::Siblings],
    parameters: &[Parameter {
        name: "drain",
        meaning: "the rounds of which the minimum queueing delay is taken",
        kind: Kind::Choice(&[
            ("equilibrium", "those in which the window has come to its share of the queue"),
            ("every-round", "all, as Linux"),
        ]),
    }],
};

/// wVegas.
#[derive(Clone, Debug)]
pub struct WVegas {
    window: Window,
    delays: Delays,
    /// The subflow's fraction of the connection's rate.
    weight: f64,
    /// The segments that it keeps in the queue.
    alpha: f64,
    /// The minimum queueing delay since the last drain, in nanoseconds; infinite before one.
    least_queueing: f64,
    counts_every_round: bool,
}

impl WVegas {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            delays: Delays::new(),
            weight: 1.0,
            alpha: LEAST_ALPHA,
            least_queueing: f64::INFINITY,
            counts_every_round: settings.choice("drain") == "every-round",
        }
    }

    /// Compares the actual with the expected rate of the round.
    fn judge_round(&mut self, round: &Period) {
        let (cwnd, rtt) = (self.window.cwnd(), round.mean());
        let empty = self.delays.base() / rtt;
        let difference = cwnd * (1.0 - empty);
        if !self.window.in_slow_start() {
            self.avoid(difference);
            self.drain(rtt, difference);
        } else if difference > GAMMA {
            self.window.reduce_to(cwnd.min(cwnd * empty + 1.0));
        }
    }

    fn avoid(&mut self, difference: f64) {
        if difference >= self.alpha {
            self.alpha = (TOTAL_ALPHA * self.weight).max(LEAST_ALPHA);
        }
        if difference > self.alpha {
            self.window.reduce_to(self.window.cwnd() - 1.0);
        } else if difference < self.alpha {
            self.window.grow(1.0);
        }
    }

    fn drain(&mut self, rtt: f64, difference: f64) {
        let queueing = rtt - self.delays.base();
        let counts = self.counts_every_round || difference >= self.alpha;
        if counts && queueing > 0.0 {
            self.least_queueing = self.least_queueing.min(queueing);
        }
        if queueing >= DRAIN * self.least_queueing {
            self.window.set(self.window.cwnd() * self.delays.base() / (2.0 * rtt));
            self.least_queueing = f64::INFINITY;
        }
    }
}

impl Controller for WVegas {
    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        let rates = Others::new(own, others).map_or(0.0, |it| it.rates);
        self.weight = round_trip(own).map_or(1.0, |rtt| {
            let rate = own.cwnd / rtt;
            rate / (rate + rates)
        });
    }

    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let mut measured = true;
        if acknowledgement.round_ended {
            let round = self.delays.end_period().filter(|it| it.samples >= FEWEST_SAMPLES);
            measured = round.is_some();
            if let Some(round) = round
                && acknowledgement.acknowledged > 0.0
            {
                self.judge_round(&round);
            }
        }
        self.delays.observe(acknowledgement.rtt);
        let left = self.window.slow_start(acknowledgement.acknowledged);
        if !measured {
            self.window.grow(left.min(1.0));
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
        self.delays.end_period();
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if start.application_limited {
            self.delays.end_period();
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
