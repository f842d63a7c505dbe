//! TCP-FIT: one flow that behaves like as many as the queue allows.
//!
//! Source: Wang, Wen, Zhang, Han, "TCP-FIT: an improved TCP congestion control
//! algorithm and its performance", INFOCOM 2011. The text was not available: the
//! equations are those in the D-TCP paper and in the ports of two simulators.
//!
//! Once per `max(rtt, 500 ms)`, with the mean round trip in that time:
//!
//! - the queue is `q = w (rtt - rtt_min) / rtt` segments
//! - `n = max(1, n + 1 - n q / (alpha w))`
//!
//! - avoidance:  `w += n/w` for each segment
//! - congestion: `w = ssthresh = (1 - 2 / (3 n + 1)) w`
//! - timeout: the same threshold, the window restarts and `n = 1`
//!
//! `n` converges to `alpha rtt / (rtt - rtt_min)`. The paper's `alpha` is not
//! known: the default, 0.2, is that of the D-TCP paper in the same equation;
//! the ports have 0.125 and 1.

use crate::delays::Delays;
use crate::virtual_flows::{Epoch, SHORTEST_EPOCH, VirtualFlows};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "tcp-fit",
    title: "TCP-FIT",
    source: "Wang, Wen, Zhang, Han, INFOCOM 2011",
    status: "checked against its equilibrium; the paper was not read, `alpha` is D-TCP's",
    needs: &[],
    parameters: &[Parameter {
        name: "alpha",
        meaning: "the fraction of the window that each virtual flow may have in the queue",
        kind: Kind::Number { default: 0.2, minimum: 0.001, maximum: 1.0 },
    }],
};

/// TCP-FIT.
#[derive(Clone, Debug)]
pub struct TcpFit {
    flows: VirtualFlows,
    alpha: f64,
    epoch: Epoch,
    delays: Delays,
}

impl TcpFit {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            flows: VirtualFlows::new(start),
            alpha: settings.number("alpha"),
            epoch: Epoch::default(),
            delays: Delays::new(),
        }
    }

    /// Adapts the number of flows to the mean round trip of an epoch.
    fn adapt(&mut self, rtt: f64) {
        let queued_share = 1.0 - self.delays.base() / rtt;
        self.flows.adapt(self.flows.count * queued_share / self.alpha);
    }
}

impl Controller for TcpFit {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.delays.observe(acknowledgement.rtt);
        let rtt = acknowledgement.smoothed_rtt.unwrap_or(0);
        if self.epoch.ended(acknowledgement.now, rtt.max(SHORTEST_EPOCH))
            && let Some(epoch) = self.delays.end_period()
        {
            self.adapt(epoch.mean());
        }
        self.flows.acknowledge(acknowledgement.acknowledged);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.flows.decrease(congestion.signal);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.flows.count = before.flows.count;
    }

    fn window(&self) -> &Window {
        &self.flows.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.flows.window
    }
}
