//! CLTCP: TCP-FIT with the number of virtual flows controlled by the frequency of
//! congestion instead of delay.
//!
//! Source: Jiang, Jin, "CLTCP: an adaptive TCP congestion control algorithm based
//! on congestion level", IEEE Communications Letters 19(8), 2015. **A
//! reconstruction:** only the abstract was available, which has the idea and no
//! equations. This is TCP-FIT's window with the simplest possible congestion level in
//! place of its queue. Results with it are not the paper's.
//!
//! Once per `max(rtt, 500 ms)`, with the losses and marks in that time:
//!
//! - the level follows their number: `l += (number - l) / 8`
//! - `n = max(1, n + 1 - n l / alpha)`
//!
//! - avoidance:  `w += n/w` for each segment
//! - congestion: `w = ssthresh = (1 - 2 / (3 n + 1)) w`
//! - timeout: the same threshold, the window restarts and `n = 1`
//!
//! `n` converges to `alpha / l`. `alpha` is TCP-FIT's here, and `1/8` the usual
//! gain of a smoothed measurement; neither is the paper's.

use crate::virtual_flows::{Epoch, SHORTEST_EPOCH, VirtualFlows};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "cltcp",
    title: "CLTCP",
    source: "Jiang, Jin, IEEE Communications Letters 19(8), 2015",
    status: "a reconstruction from the abstract: its equations are not the paper's",
    needs: &[],
    parameters: &[Parameter {
        name: "alpha",
        meaning: "the number of congestion events per epoch times virtual flows, in equilibrium",
        kind: Kind::Number { default: 0.2, minimum: 0.001, maximum: 100.0 },
    }],
};

const GAIN: f64 = 0.125;

/// CLTCP.
#[derive(Clone, Debug)]
pub struct Cltcp {
    flows: VirtualFlows,
    alpha: f64,
    epoch: Epoch,
    /// Congestion events in this epoch.
    congestions: f64,
    /// Congestion events per epoch, smoothed.
    level: f64,
}

impl Cltcp {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            flows: VirtualFlows::new(start),
            alpha: settings.number("alpha"),
            epoch: Epoch::default(),
            congestions: 0.0,
            level: 0.0,
        }
    }

    fn adapt(&mut self) {
        self.level += GAIN * (self.congestions - self.level);
        self.congestions = 0.0;
        self.flows.adapt(self.flows.count * self.level / self.alpha);
    }
}

impl Controller for Cltcp {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let rtt = acknowledgement.smoothed_rtt.unwrap_or(0);
        if self.epoch.ended(acknowledgement.now, rtt.max(SHORTEST_EPOCH)) {
            self.adapt();
        }
        self.flows.acknowledge(acknowledgement.acknowledged);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.congestions += 1.0;
        self.flows.decrease(congestion.signal);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.flows.count = before.flows.count;
        // The epoch in which it was counted may be over.
        self.congestions = (self.congestions - 1.0).max(0.0);
    }

    fn window(&self) -> &Window {
        &self.flows.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.flows.window
    }
}
