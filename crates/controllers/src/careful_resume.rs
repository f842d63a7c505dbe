//! Careful Resume: a connection takes up half of the window that an earlier one had over the same path,
//! and gives it back if the path does not carry it. Not a controller; any whose window limits what it
//! sends can begin so.
//!
//! Source: RFC 9959, of which draft-ietf-tsvwg-careful-resume-24 was read: "The Phases of CC using Careful
//! Resume". With `saved` the window and the minimum round trip of the earlier connection:
//!
//! - *reconnaissance*: as without it, until all of the initial window is acknowledged. It is not resumed
//!   after congestion, nor where the minimum round trip is `saved.rtt / 2` or less, or more than
//!   `10 saved.rtt`
//! - *unvalidated*: `pipe` is what is in flight, `w = saved.cwnd / 2`, which does not grow, paced over a
//!   round trip. It ends when as much is in flight, when something sent in it is acknowledged, or after a
//!   round trip: if less than an initial window or no more than `pipe` is in flight, `w = pipe`, and all is as
//!   without it; else `w` is what is in flight
//! - *validating*: the window grows as usual, until all that was sent before is acknowledged
//! - *safe retreat*, after congestion in these two, or a round trip of `saved.rtt / 2` or less:
//!   `w = ssthresh = pipe / 2`, which does not grow until all that was sent unvalidated is acknowledged or
//!   lost; then `ssthresh = pipe / 2`, as `pipe` is then
//! - a timeout ends it at once
//!
//! `pipe` is increased by what was sent unvalidated and is delivered. When a packet was sent follows from the
//! round trip that its acknowledgement measures. What was in flight before does not count once more, as in the
//! RFC's definition of `PipeSize` and in its examples.

use crate::controller::Controller;
use crate::signals::{
    Acknowledgement, Congestion, Nanoseconds, PathEstimate, Sibling, Signal, Start,
    TransmissionStart, seconds,
};
use crate::window::Window;

/// What an earlier connection has found of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavedPath {
    /// What it had in flight, in segments.
    pub cwnd: f64,
    /// Its minimum round trip.
    pub rtt: Nanoseconds,
}

/// The part of the saved window that is taken up.
const JUMP: f64 = 0.5;
/// The part of `pipe` to which the window falls in the safe retreat.
const RETREAT: f64 = 0.5;
/// The part of `pipe` up to which slow start follows it.
const BETA: f64 = 0.5;
/// The round trips of the same path, in saved ones.
const SHORTEST: f64 = 0.5;
const LONGEST: f64 = 10.0;

/// A controller that resumes.
#[derive(Clone, Debug)]
pub struct CarefulResume<C> {
    controller: C,
    saved: SavedPath,
    initial_window: f64,
    phase: Phase,
    least_rtt: Option<Nanoseconds>,
    /// Segments that were delivered since the beginning.
    delivered: f64,
    /// What the path is known to carry, in segments.
    pipe: f64,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Reconnaissance,
    Unvalidated {
        /// When it began, and when a round trip will have passed.
        began: Nanoseconds,
        end: Nanoseconds,
        /// In segments per second.
        pacing_rate: f64,
    },
    Validating {
        /// From when on, and until when, packets were sent unvalidated.
        began: Nanoseconds,
        end: Nanoseconds,
    },
    SafeRetreat {
        /// The same.
        began: Nanoseconds,
        end: Nanoseconds,
    },
    /// All is as without it.
    Normal,
}

impl Phase {
    /// Whether a packet that was sent then was sent unvalidated, or later; of one of which it is not known,
    /// whether most are.
    fn has_begun(&self, sent: Option<Nanoseconds>) -> bool {
        match *self {
            Self::Reconnaissance | Self::Normal => false,
            Self::Unvalidated { began, .. } => sent.is_some_and(|it| it >= began),
            Self::Validating { began, .. } | Self::SafeRetreat { began, .. } => {
                sent.is_none_or(|it| it >= began)
            }
        }
    }
}

impl<C: Controller> CarefulResume<C> {
    pub(crate) fn new(controller: C, start: Start, saved: SavedPath) -> Self {
        Self {
            controller,
            saved,
            initial_window: start.initial_window,
            phase: Phase::Reconnaissance,
            least_rtt: None,
            delivered: 0.0,
            pipe: 0.0,
        }
    }

    /// The controller that resumes.
    pub(crate) fn controller(&self) -> &C {
        &self.controller
    }

    fn is_too_short(&self, rtt: Nanoseconds) -> bool {
        seconds(rtt) <= SHORTEST * seconds(self.saved.rtt)
    }

    /// The end of the reconnaissance, all of the initial window being acknowledged.
    fn confirm(&mut self, acknowledgement: &Acknowledgement) {
        self.phase = Phase::Normal;
        let Some(least) = self.least_rtt else { return };
        let is_too_long = seconds(least) > LONGEST * seconds(self.saved.rtt);
        let jump = JUMP * self.saved.cwnd;
        if self.is_too_short(least) || is_too_long || jump <= self.controller.cwnd() {
            return;
        }
        let rtt = acknowledgement.rtt.unwrap_or(least).max(1);
        let began = acknowledgement.now;
        self.pipe = acknowledgement.in_flight;
        self.controller.window_mut().set(jump);
        let pacing_rate = jump / seconds(rtt);
        self.phase = Phase::Unvalidated { began, end: began + rtt, pacing_rate };
    }

    /// The end of the unvalidated phase.
    fn validate(&mut self, began: Nanoseconds, end: Nanoseconds, in_flight: f64) {
        let window = self.controller.window_mut();
        if in_flight < self.initial_window || in_flight <= self.pipe {
            window.set(self.pipe.max(self.initial_window));
            self.phase = Phase::Normal;
        } else {
            window.set(in_flight);
            self.phase = Phase::Validating { began, end };
        }
    }

    /// The beginning of the safe retreat.
    fn retreat(&mut self, began: Nanoseconds, end: Nanoseconds) {
        self.controller.window_mut().reduce_to(RETREAT * self.pipe);
        self.phase = Phase::SafeRetreat { began, end };
    }
}

impl<C: Controller> Controller for CarefulResume<C> {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let without_growth = Acknowledgement { acknowledged: 0.0, ..*acknowledgement };
        let Acknowledgement { now, delivered, lost, in_flight, rtt, .. } = *acknowledgement;
        let sent = rtt.map(|it| now.saturating_sub(it));
        let is_sent_after = |time: Nanoseconds| sent.is_some_and(|it| it > time);
        self.delivered += delivered;
        if self.phase.has_begun(sent) {
            self.pipe += delivered;
        }
        let before = in_flight + delivered + lost;
        match self.phase {
            Phase::Reconnaissance => {
                self.controller.on_acknowledgement(acknowledgement);
                self.least_rtt = self.least_rtt.into_iter().chain(rtt).min();
                let is_sending = acknowledgement.window_limited && before >= self.initial_window;
                if self.delivered >= self.initial_window && is_sending {
                    self.confirm(acknowledgement);
                }
            }
            Phase::Unvalidated { began, end, .. } => {
                self.controller.on_acknowledgement(&without_growth);
                let is_all_sent = before > self.controller.cwnd() - 1.0;
                if rtt.is_some_and(|it| self.is_too_short(it)) {
                    self.retreat(began, now);
                } else if is_all_sent || self.phase.has_begun(sent) || now > end {
                    self.validate(began, now, in_flight);
                }
            }
            Phase::Validating { end, .. } => {
                self.controller.on_acknowledgement(acknowledgement);
                if is_sent_after(end) {
                    self.phase = Phase::Normal;
                }
            }
            Phase::SafeRetreat { end, .. } => {
                self.controller.on_acknowledgement(&without_growth);
                if is_sent_after(end) {
                    self.controller.window_mut().set_ssthresh(BETA * self.pipe);
                    self.phase = Phase::Normal;
                }
            }
            Phase::Normal => self.controller.on_acknowledgement(acknowledgement),
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.controller.on_congestion(congestion);
        match self.phase {
            _ if congestion.signal == Signal::Timeout => self.phase = Phase::Normal,
            Phase::Reconnaissance => self.phase = Phase::Normal,
            Phase::Unvalidated { began, .. } => self.retreat(began, congestion.now),
            Phase::Validating { began, end } => self.retreat(began, end),
            Phase::SafeRetreat { .. } | Phase::Normal => {}
        }
    }

    fn on_recovered(&mut self, now: Nanoseconds) {
        self.controller.on_recovered(now);
    }

    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        self.controller.on_siblings(own, others);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.controller.on_transmission_start(start);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.controller.on_spurious(&before.controller);
        self.phase = before.phase;
    }

    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.controller.lower_window(cwnd, ssthresh);
    }

    fn pacing_rate(&self) -> Option<f64> {
        match self.phase {
            Phase::Unvalidated { pacing_rate, .. } => Some(pacing_rate),
            _ => self.controller.pacing_rate(),
        }
    }

    fn estimate(&self) -> Option<PathEstimate> {
        self.controller.estimate()
    }

    fn abandons(&self) -> bool {
        self.controller.abandons()
    }

    fn window(&self) -> &Window {
        self.controller.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.controller.window_mut()
    }
}
