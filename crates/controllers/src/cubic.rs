//! CUBIC: the window is a cubic function of the time since congestion, flat
//! around the window at which the path last overflowed.
//!
//! Source: RFC 9438, section 4. Windows in segments, times in seconds:
//!
//! - the curve (1, 2): `W(t) = c (t - K)^3 + w_max`, `K = cbrt((w_max - w_epoch) / c)`
//! - avoidance (4.2): the target is `W(t + rtt)`, within `w` and `1.5 w`;
//!   `w += (target - w) / w` for each segment
//! - Reno-friendly (4): `w_est += alpha / w` for each segment,
//!   `alpha = 3 (1 - beta) / (1 + beta)`, and 1 once `w_est` is back at the
//!   window before the decrease; where `W(t) < w_est`, `w = w_est`
//! - congestion (4.6): `w_max = w`, then `w = ssthresh = beta * w`
//! - fast convergence (4.7): if `w < w_max`, then `w_max = w (1 + beta) / 2`
//! - timeout (4.8): slow start; what avoidance follows has `K = 0`, `w_max = w`
//! - slow start (4.10): the first one ends by HyStart++, Linux's HyStart or SEARCH, see there
//! - after Linux's HyStart, and after a timeout, the path's window is not known: until congestion shows
//!   it, `w` grows by a segment in 20 or faster, as in Linux
//!
//! `beta` and `c` default to 0.7 and 0.4. A window never shrinks on an
//! acknowledgement, also where `w_est` is below it. Section 4.6 lets `ssthresh`
//! follow the data in flight or the window; this is the window, as in Linux.
//! Time in which the window does not limit the sender, because the application or the
//! receiver does, does not count (4.2, 5.8). A spurious decrease is undone with all its
//! variables (4.9).
//!
//! The reading `curve = "now"` is that of the NDN consumers (ndn-tools' cubic
//! pipeline, ndnSIM's ConsumerPcon): time runs from the decrease itself, the
//! target is `max(W(t), beta w_max + alpha t / rtt)`, and nothing limits it.
//! Both have `fast-convergence` off as well and `plateau = "reduction"`, RFC 8312's K
//! (4.1, equation 2), `cbrt(w_max (1 - beta) / c)`: where the window did not fall by
//! `1 - beta`, because it is at its minimum or fast convergence lowered `w_max`, the curve is
//! flat later than in RFC 9438. ndnSIM in addition has `reno-friendly` off and `beta = 0.8`.
//!
//! The reading `curve = "linux"` is that of Linux, in whole segments: see `linux_cubic.rs`.

use alloc::boxed::Box;

use libm::{cbrt, floor};

use crate::hystart::HyStart;
use crate::linux_cubic::{LinuxCubic, SEARCH};
use crate::linux_hystart::LinuxHyStart;
use crate::search::Search;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Parameter, Settings,
    Signal, Start, TransmissionStart, Window, seconds,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "cubic",
    title: "CUBIC",
    source: "RFC 9438; for `curve = now`, ndn-tools' cubic pipeline",
    status: "checked against the RFC's table of mean windows and the curve's closed form",
    needs: &[],
    parameters: &[
        Parameter {
            name: "beta",
            meaning: "the fraction of the window kept after congestion",
            kind: Kind::Number { default: 0.7, minimum: 0.01, maximum: 0.99 },
        },
        Parameter {
            name: "c",
            meaning: "the steepness of the curve, in segments per cubic second",
            kind: Kind::Number { default: 0.4, minimum: 0.001, maximum: 1000.0 },
        },
        Parameter {
            name: "fast-convergence",
            meaning: "fast convergence: lower the target after congestion below the last maximum",
            kind: Kind::Flag { default: true, needs: &[] },
        },
        Parameter {
            name: "reno-friendly",
            meaning: "never be slower than Reno",
            kind: Kind::Flag { default: true, needs: &[] },
        },
        Parameter {
            name: "curve",
            meaning: "the point of the curve that is the target",
            kind: Kind::Choice(&[
                ("ahead", "one round trip ahead, at most half a window away (RFC 9438)"),
                ("now", "the current time, without a limit (ndn-tools, ndnSIM)"),
                (
                    "linux",
                    "one round trip ahead, in whole segments: a decrease is rounded down, and growth beside Reno is a round trip late, as in Linux",
                ),
            ]),
        },
        Parameter {
            name: "plateau",
            meaning: "the inflection point of the curve: K after congestion, computed from",
            kind: Kind::Choice(&[
                ("window", "the window then: K = ∛((w_max − window) / c) (RFC 9438)"),
                ("reduction", "beta w_max: K = ∛(w_max (1 − beta) / c) (RFC 8312; ndnSIM)"),
            ]),
        },
        Parameter {
            name: "startup",
            meaning: "what ends the first slow start, if no loss does",
            kind: Kind::Choice(&[
                ("hystart", "HyStart, as `hystart` and `hystart-variant` have it"),
                ("search", "SEARCH: delivery no longer doubles (draft-chung-ccwg-search-00)"),
            ]),
        },
        Parameter {
            name: "hystart",
            meaning: "leave the first slow start when the delay increases",
            kind: Kind::Flag { default: true, needs: &[] },
        },
        Parameter {
            name: "hystart-variant",
            meaning: "how an increase of the delay is detected",
            kind: Kind::Choice(&[
                ("plus-plus", "HyStart++ (RFC 9406)"),
                (
                    "linux",
                    "by trains of acknowledgements and the delay, and until congestion the window then grows by a segment in 20 at least, as in Linux",
                ),
            ]),
        },
    ],
};

/// CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    window: Window,
    beta: f64,
    c: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    ahead: bool,
    /// Windows are whole numbers of segments.
    whole: Option<Box<LinuxCubic>>,
    /// Whether K counts from `beta w_max`, not from the window.
    from_reduction: bool,
    slow_start: SlowStart,
    /// Where the curve is flat; 0 before the first congestion.
    w_max: f64,
    /// The window before the last decrease.
    prior: f64,
    epoch: Option<Epoch>,
}

/// How the first slow start ends.
#[derive(Clone, Debug)]
enum SlowStart {
    /// With a loss.
    Unwatched,
    PlusPlus(HyStart),
    Linux(LinuxHyStart),
    Search(Box<Search>),
}

impl SlowStart {
    fn new(settings: &Settings) -> Self {
        if settings.choice("startup") == "search" {
            return Self::Search(Box::new(Search::new()));
        }
        match settings.choice("hystart-variant") {
            _ if !settings.flag("hystart") => Self::Unwatched,
            "linux" => Self::Linux(LinuxHyStart::new()),
            _ => Self::PlusPlus(HyStart::new()),
        }
    }
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// Its beginning, moved by the time that does not count.
    start: Nanoseconds,
    /// The last acknowledgement, or the beginning of sending since.
    last: Nanoseconds,
    /// The window at its start.
    window: f64,
    /// Seconds until the curve is back at `w_max`.
    k: f64,
    /// Reno's window if it had started from the same one.
    estimate: f64,
    /// Whether no congestion has shown the window of the path, or a timeout has ended that.
    is_search: bool,
}

impl Cubic {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            beta: settings.number("beta"),
            c: settings.number("c"),
            fast_convergence: settings.flag("fast-convergence"),
            reno_friendly: settings.flag("reno-friendly"),
            ahead: settings.choice("curve") != "now",
            whole: (settings.choice("curve") == "linux").then(|| {
                Box::new(LinuxCubic::new(settings.number("beta"), settings.flag("reno-friendly")))
            }),
            from_reduction: settings.choice("plateau") == "reduction",
            slow_start: SlowStart::new(settings),
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
        }
    }

    /// A window in the unit of its growth.
    fn rounded(&self, window: f64) -> f64 {
        if self.whole.is_some() { floor(window) } else { window }
    }

    fn begin_epoch(&mut self, now: Nanoseconds) -> Epoch {
        let window = self.rounded(self.window.cwnd());
        let begins = if self.from_reduction { self.beta * self.w_max } else { window };
        let k = cbrt((self.w_max - begins).max(0.0) / self.c);
        let is_search = self.w_max == 0.0;
        self.w_max = self.w_max.max(window);
        if let Some(it) = &mut self.whole {
            it.begin(window);
        }
        Epoch { start: now, last: now, window, k, estimate: window, is_search }
    }

    /// The time until `now` counts or not.
    fn pass(&mut self, now: Nanoseconds, counts: bool) {
        if let Some(epoch) = &mut self.epoch {
            if !counts {
                epoch.start += now.saturating_sub(epoch.last);
            }
            epoch.last = now;
        }
    }

    /// `W(t)` of equation 1.
    fn curve(&self, epoch: &Epoch, time: f64) -> f64 {
        let distance = time - epoch.k;
        self.c * distance * distance * distance + self.w_max
    }

    /// The growth per round trip that makes AIMD with `beta` as fast as Reno.
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    /// Moves towards `target` in proportion to the acknowledged fraction of the window.
    fn approach(&mut self, target: f64, share: f64) {
        let gap = (target - self.window.cwnd()).max(0.0);
        self.window.grow(gap * share.min(1.0));
    }

    fn avoid_ahead(&mut self, epoch: &mut Epoch, time: f64, rtt: f64, share: f64) {
        let alpha = if epoch.estimate < self.prior { self.alpha() } else { 1.0 };
        epoch.estimate += alpha * share;
        if self.reno_friendly && self.curve(epoch, time) < epoch.estimate {
            self.window.set(self.window.cwnd().max(epoch.estimate));
        } else {
            let limit = 1.5 * self.window.cwnd();
            self.approach(self.curve(epoch, time + rtt).min(limit), share);
        }
    }

    fn avoid_whole(&mut self, epoch: &Epoch, now: Nanoseconds, time: f64, acknowledged: f64) {
        let Some(mut whole) = self.whole.take() else { return };
        let ahead = time + whole.least_rtt().map_or(0.0, seconds);
        let above = self.curve(epoch, ahead) - self.w_max;
        let cwnd = self.window.cwnd();
        let grown = whole.grown(now, cwnd, acknowledged, (self.w_max, above), epoch.is_search);
        self.window.set(cwnd.max(grown));
        self.whole = Some(whole);
    }

    fn avoid_now(&mut self, epoch: &Epoch, time: f64, rtt: f64, share: f64) {
        let mut target = self.curve(epoch, time);
        if self.reno_friendly && rtt > 0.0 {
            target = target.max(epoch.window + self.alpha() * time / rtt);
        }
        self.approach(target, share);
    }
}

impl Controller for Cubic {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.pass(acknowledgement.now, acknowledgement.window_limited);
        if let (Some(whole), Some(rtt)) = (&mut self.whole, acknowledgement.rtt) {
            whole.on_rtt(rtt);
        }
        let left = match &mut self.slow_start {
            SlowStart::Unwatched => self.window.slow_start(acknowledgement.acknowledged),
            SlowStart::PlusPlus(it) => it.slow_start(&mut self.window, acknowledgement),
            SlowStart::Linux(it) => it.slow_start(&mut self.window, acknowledgement),
            SlowStart::Search(it) => it.slow_start(&mut self.window, acknowledgement),
        };
        if left <= 0.0 {
            return;
        }
        let now = acknowledgement.now;
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(now));
        let time = seconds(now.saturating_sub(epoch.start));
        let rtt = seconds(acknowledgement.smoothed_rtt.or(acknowledgement.rtt).unwrap_or(0));
        let cwnd = self.window.cwnd();
        let share = left / cwnd;
        if self.whole.is_some() {
            self.avoid_whole(&epoch, now, time, left);
        } else if self.ahead {
            self.avoid_ahead(&mut epoch, time, rtt, share);
        } else {
            self.avoid_now(&epoch, time, rtt, share);
        }
        if epoch.is_search && self.whole.is_none() && matches!(self.slow_start, SlowStart::Linux(_))
        {
            self.window.set(self.window.cwnd().max(cwnd + left / SEARCH));
        }
        self.epoch = Some(epoch);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.rounded(self.window.cwnd());
        let converge = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if converge { self.rounded(cwnd * (1.0 + self.beta) / 2.0) } else { cwnd };
        self.prior = cwnd;
        let kept = self.beta * cwnd;
        let kept = self.whole.as_mut().map_or(kept, |it| it.kept(kept));
        self.window.decrease(congestion.signal, kept);
        self.epoch = None;
        if congestion.signal == Signal::Timeout {
            self.w_max = 0.0;
        } else if !self.ahead {
            self.epoch = Some(self.begin_epoch(congestion.now));
        }
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.pass(start.now, false);
        if start.application_limited
            && let SlowStart::PlusPlus(it) = &mut self.slow_start
        {
            *it = HyStart::new();
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.w_max = before.w_max;
        self.prior = before.prior;
        self.epoch = before.epoch;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
