//! TCP Prague: DCTCP for the Internet, with the rate of connections with short
//! round trips reduced to that of longer ones.
//!
//! Source: RFC 9331, section 4 (what an L4S sender must do); the constants are
//! those of the L4S team's Linux implementation, version 0.6.
//!
//! - the marked share `alpha` is DCTCP's, from 1, and is constant until the first mark
//! - growth: `w += a / w` for each *unmarked* segment, also during the
//!   response to a mark, `a = 1`
//! - mark: `w = ssthresh = w (1 - alpha / 2)`, once per round trip
//! - loss: `w = ssthresh = w / 2`
//! - pacing: `w / T`, twice that while `w < ssthresh / 2`
//! - RTT independence, from 500 rounds after slow start: where
//!   `T < 25 ms`, `a = (T / 25 ms)^2`, and `alpha` and the window follow marks
//!   once in 25 ms, as if that were the round trip
//!
//! - fallback, with `classic-ecn-fallback`: to a mark, `alpha` is at least `5/8 c`, where
//!   `c` is how sure it is that the bottleneck's ECN is classic (see `classic_ecn.rs`),
//!   so that a mark costs up to 5/16 of the window, nearly as much as CUBIC's. Off by
//!   default, as in that implementation: RFC 9331, section 4.3, leaves open how a sender
//!   detects such bottlenecks, and whether it does so while it sends
//! - over a connection that agreed on classic ECN only, the transport reports an echo as
//!   a loss

use crate::classic_ecn::ClassicEcn;
use crate::dctcp::{GAIN, MarkedShare};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Need, Parameter,
    Settings, Signal, Start, Window, seconds,
};

/// The round trip that shorter ones behave like.
const TARGET: Nanoseconds = 25_000_000;
/// Rounds after slow start until they do so.
const SETTLED: u32 = 500;
/// The marked share that a classic mark stands for at least.
const CLASSIC_SHARE: f64 = 0.625;

pub(crate) const DESCRIPTION: Description = Description {
    name: "prague",
    title: "TCP Prague",
    source: "RFC 9331, section 4, with the L4S team's constants",
    status: "checked against its response to marks, its RTT independence and its fallback",
    needs: &[Need::Pacing, Need::MarksCounted, Need::ScalableMarking],
    parameters: &[
        GAIN,
        Parameter {
            name: "rtt-independence",
            meaning: "behave on short paths as if the round-trip time were 25 ms",
            kind: Kind::Flag { default: true, needs: &[] },
        },
        Parameter {
            name: "classic-ecn-fallback",
            meaning: "respond like CUBIC where the bottleneck appears to use classic ECN",
            kind: Kind::Flag { default: false, needs: &[] },
        },
    ],
};

/// TCP Prague.
#[derive(Clone, Debug)]
pub struct Prague {
    window: Window,
    share: MarkedShare,
    rtt_independence: bool,
    /// What detects a bottleneck with classic ECN, if it falls back there.
    classic_ecn: Option<ClassicEcn>,
    /// Whether a mark was ever seen.
    marked: bool,
    /// Rounds since slow start.
    rounds: u32,
    smoothed_rtt: Option<Nanoseconds>,
    last_update: Nanoseconds,
    last_decrease: Option<Nanoseconds>,
}

impl Prague {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            share: MarkedShare::new(settings.number("g")),
            rtt_independence: settings.flag("rtt-independence"),
            classic_ecn: settings.flag("classic-ecn-fallback").then(ClassicEcn::new),
            marked: false,
            rounds: 0,
            smoothed_rtt: None,
            last_update: 0,
            last_decrease: None,
        }
    }

    /// The minimum value assumed for the path's round trip.
    fn virtual_rtt(&self) -> Nanoseconds {
        if self.rtt_independence && self.rounds >= SETTLED { TARGET } else { 0 }
    }

    /// The growth in segments per round trip.
    fn increase(&self) -> f64 {
        match self.smoothed_rtt {
            Some(rtt) if rtt < self.virtual_rtt() => {
                let ratio = rtt as f64 / TARGET as f64;
                ratio * ratio
            }
            _ => 1.0,
        }
    }

    fn end_round(&mut self, now: Nanoseconds) {
        if !self.window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        if self.marked && now.saturating_sub(self.last_update) >= self.virtual_rtt() {
            self.share.update();
            if let Some(classic_ecn) = &mut self.classic_ecn {
                classic_ecn.update();
            }
            self.last_update = now;
        }
    }

    fn grow(&mut self, acknowledgement: &Acknowledgement) {
        if self.window.in_slow_start() {
            self.window.slow_start(acknowledgement.acknowledged);
        } else if acknowledgement.window_limited && !acknowledgement.recovering {
            let unmarked = (acknowledgement.delivered - acknowledgement.marked).max(0.0);
            self.window
                .reduce_to(self.window.cwnd() + self.increase() * unmarked / self.window.cwnd());
        }
    }

    fn on_mark(&mut self, now: Nanoseconds) {
        let waited = self.last_decrease.map(|it| now.saturating_sub(it));
        if waited.is_none_or(|it| it >= self.virtual_rtt()) {
            let certainty = self.classic_ecn.as_ref().map_or(0.0, ClassicEcn::certainty);
            let alpha = self.share.alpha().max(CLASSIC_SHARE * certainty);
            self.window.reduce_to((1.0 - alpha / 2.0) * self.window.cwnd());
            self.last_decrease = Some(now);
        }
    }
}

impl Controller for Prague {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.smoothed_rtt = acknowledgement.smoothed_rtt.or(self.smoothed_rtt);
        if let (Some(classic_ecn), Some(rtt)) = (&mut self.classic_ecn, acknowledgement.rtt) {
            classic_ecn.measure(rtt, self.window.ssthresh());
        }
        if acknowledgement.round_ended {
            self.end_round(acknowledgement.now);
        }
        self.marked |= acknowledgement.marked > 0.0;
        self.share.count(acknowledgement);
        self.grow(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Mark {
            self.on_mark(congestion.now);
        } else {
            self.window.decrease(congestion.signal, self.window.cwnd() / 2.0);
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        let rtt = seconds(self.smoothed_rtt?.max(1));
        let far = self.window.cwnd() < self.window.ssthresh() / 2.0;
        Some(if far { 2.0 } else { 1.0 } * self.window.cwnd() / rtt)
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
