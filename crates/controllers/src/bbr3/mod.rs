//! BBR, version 3: BBR with bounds on rate and data in flight that respond to losses,
//! and probes that coexist with other connections.
//!
//! Source: draft-ietf-ccwg-bbr, section 5, at revision 4ce5e87 (2026-08-03, after -06);
//! the names are the draft's. The model
//! is the maximum delivery rate of two probing cycles, the minimum round trip of
//! ten seconds, and bounds: `inflight_longterm` (where more than 2 % were lost),
//! `bw_shortterm` and `inflight_shortterm` (what was delivered recently).
//!
//! | state | pacing gain | window gain | window at most | until |
//! |---|---|---|---|---|
//! | Startup | 2.77 | 2 | - | three rounds without 25 % more, or a round of recovery that lost 2 % in six places |
//! | Drain | 0.5 | 2 | short | in flight is one BDP, or three rounds |
//! | ProbeBW_DOWN | 0.9 | 2 | long, short | in flight is one BDP and 85 % of long |
//! | ProbeBW_CRUISE | 1 | 2 | 85 % of long, short | 2 to 3 s, or as many rounds as Reno would take |
//! | ProbeBW_REFILL | 1 | 2 | long | one round |
//! | ProbeBW_UP | 1.25 | 2.25 | long, rising | the rate stops growing, or 2 % are lost |
//! | ProbeRTT | 1 | 0.5 | 85 % of long, short | 200 ms and a round; after 5 s without a lower round trip |
//!
//! - loss while probing: `inflight_longterm` is what was in flight where the
//!   losses crossed 2 %, at least `0.7 min(BDP, w)`
//! - loss otherwise, once per round: the short-term bounds fall to the latest
//!   delivery, at least to 0.7 of themselves
//! - after a probe that lost, the next one stops at `inflight_longterm`; if that
//!   causes no loss, another one follows immediately (section 5.3.3.6)
//! - losses that were none: the bounds of before, and the probe that they ended
//! - timeout: `w` is what is in flight and one segment. Marks are ignored.
//! - window, pacing: as in version 1, without packet conservation
//!
//! Readings: the gain of Drain and its three rounds are the draft's latest. A
//! transport does not list the packets that were lost, but sums them: the
//! segments lost on one acknowledgement are one packet of the draft, sent when
//! the data acknowledged with it was, and one of the "discontiguous ranges". The
//! wait between probes is random in the draft and is derived from the time
//! here.
//!
//! Known problem: if the bandwidth drops to a tenth with a buffer that never overflows,
//! half the old BDP still fills the queue, so ProbeRTT raises the minimum round
//! trip, and with it the window, before two probes have discarded the old rate.
//! If round trips then take seconds, the old rate stays: ProbeRTT, due after
//! five, interrupts the probes for bandwidth, and marks the round that would discard
//! it as application-limited, which the draft excludes. Losses of more than half do
//! not help: the short-term bounds fall to 0.7 per round, and are reset within a round
//! or two; and samples marked by ProbeRTT do not set `inflight_longterm`.
//!
//! `startup`, `probe_bw` and `probe_rtt` are the phases; `losses` has the bounds, and `window` the
//! window and the pacing rate that follow from `model`.

mod losses;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;
mod window;

use crate::bbr::paced;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Nanoseconds, Need, PathEstimate, Signal,
    TransmissionStart, Window,
};
pub use model::Bbr3;
use model::State;

pub(crate) const DESCRIPTION: Description = Description {
    name: "bbr3",
    title: "BBRv3",
    source: "draft-ietf-ccwg-bbr, section 5",
    status: "checked against its startup, its bounds after losses and its probes",
    needs: &[Need::Pacing, Need::DeliveryRate],
    parameters: &[],
};

impl Controller for Bbr3 {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let losing = acknowledgement.lost > 0.0;
        if losing {
            self.note_loss();
        }
        if acknowledgement.delivered <= 0.0 {
            return;
        }
        match acknowledgement.delivery.map(|it| (it, self.sample(&it))) {
            Some((delivery, sample)) => {
                if losing {
                    self.handle_lost(acknowledgement.now, acknowledgement.lost, &sample);
                }
                self.rounds.update(&delivery);
                self.update_latest(&sample);
                self.update_congestion_signals(&sample);
                self.note_aggregation(acknowledgement);
                self.check_startup(acknowledgement, &sample);
                self.check_drain(acknowledgement);
                self.update_cycle(acknowledgement, &sample);
                self.update_min_rtt(acknowledgement);
                self.advance_latest(&sample);
            }
            None => {
                self.rounds.pass(acknowledgement.delivered);
                self.latest.round_started = false;
                self.note_aggregation(acknowledgement);
                self.check_drain(acknowledgement);
                self.update_min_rtt(acknowledgement);
            }
        }
        self.set_pacing_rate(acknowledgement.smoothed_rtt);
        self.set_window(acknowledgement.delivered);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Mark | Signal::Nack => return,
            Signal::Loss => self.save_window(),
            Signal::Timeout => {
                self.save_window();
                self.window.restart(f64::INFINITY);
                if congestion.in_flight >= 1.0 {
                    self.window.set(congestion.in_flight + 1.0);
                }
            }
        }
        self.recovering = true;
        self.ended_by_losses = None;
    }

    fn on_recovered(&mut self, _: Nanoseconds) {
        if core::mem::take(&mut self.recovering) && !matches!(self.state, State::ProbeRtt(_)) {
            self.window.set(self.window.cwnd().max(self.prior_window).min(self.window_bound()));
        }
    }

    /// BBRHandleRestartFromIdle (section 5.4.1).
    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.take_first_rtt(start);
        if !start.application_limited {
            return;
        }
        self.from_idle = true;
        self.aggregation.restart(start.now);
        match self.state {
            State::ProbeRtt(probe) if probe.is_over(start.now) => self.end_probe_rtt(start.now),
            _ if self.in_probe_bw() => self.pacing_rate = paced(1.0, self.bw()),
            _ => {}
        }
    }

    /// HandleSpuriousLossDetection (section 5.5.11.2): the bounds, and not what was
    /// measured; and the probe that losses ended, UP by refilling again.
    fn on_spurious(&mut self, before: &Self) {
        let (bounds, kept) = (&mut self.bounds, &before.bounds);
        bounds.bw_shortterm = bounds.bw_shortterm.max(kept.bw_shortterm);
        bounds.inflight_shortterm = bounds.inflight_shortterm.max(kept.inflight_shortterm);
        bounds.inflight_longterm = bounds.inflight_longterm.max(kept.inflight_longterm);
        self.latest.loss_in_round = false;
        self.full_pipe.look_again(0.0);
        let probes_rtt = matches!(self.state, State::ProbeRtt(_));
        match self.ended_by_losses.take().filter(|it| *it != self.state) {
            Some(State::Startup) => {
                self.full_pipe.reached = false;
                self.state = if probes_rtt { self.state } else { State::Startup };
            }
            Some(State::Up) if !probes_rtt => self.start_refill(),
            _ => {}
        }
        self.on_recovered(0);
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn estimate(&self) -> Option<PathEstimate> {
        let known = self.min_rtt != Nanoseconds::MAX && self.max_bw() > 0.0;
        known.then(|| PathEstimate { bandwidth: self.max_bw(), round_trip: self.min_rtt })
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
