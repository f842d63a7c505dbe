//! YeAH-TCP: Scalable while there is no queue, Reno while there is, and it drains
//! its own queue before it overflows.
//!
//! Source: Baiocchi, Castellani, Vacirca, "YeAH-TCP: yet another highspeed TCP",
//! PFLDnet 2007; its text was not available, and the constants and the steps are
//! those of Linux's `tcp_yeah.c`.
//!
//! Once per round trip that gave three samples and did not begin in a recovery, with `rtt` their minimum,
//! the queue is `q = w (1 - rtt_min / rtt)` segments. `r` is the estimated window of a competing Reno flow,
//! initially 2.
//!
//! - `q > 80` or `rtt > 9/8 rtt_min`, *slow*: if `q > 80` and `w > r`, then
//!   `w = ssthresh = max(w - min(q, w/2), r)`; after that `r += 1`, or `r = w/2`
//!   where it was 2 or less
//! - else *fast*: after fifty such round trips `r` is 2 again
//!
//! - avoidance, fast: `w += 1 / min(w, 100)` for each segment
//! - avoidance, slow: `w += 1/w` for each segment
//! - congestion: `w -= max(min(q, w/2), w/8)`, and `w/2` after 16 slow round trips
//!   in a row: other flows are greedy; `r = max(r/2, 2)`; `ssthresh = w`
//! - timeout: the same threshold, and the window restarts

use crate::delays::Delays;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Settings, Signal, Start,
    TransmissionStart, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "yeah",
    title: "YeAH-TCP",
    source: "Baiocchi, Castellani, Vacirca, PFLDnet 2007, as in Linux",
    status: "checked against its bounds and step by step; the paper was not read",
    needs: &[],
    parameters: &[],
};

/// The maximum number of segments it leaves in a queue.
const MOST_QUEUED: f64 = 80.0;
/// The queueing delay from which it is slow, as a fraction of the minimum round trip.
const DELAYED: f64 = 0.125;
const FEWEST_SAMPLES: u32 = 3;
/// Slow round trips in a row that indicate greedy flows.
const GREEDY_ROUNDS: u32 = 16;
/// Fast round trips after which no other flow is assumed.
const ALONE_ROUNDS: u32 = 50;
const LEAST_RENO_WINDOW: f64 = 2.0;

/// YeAH-TCP.
#[derive(Clone, Debug)]
pub struct Yeah {
    window: Window,
    delays: Delays,
    /// Whether the window was open when this round trip began, and since.
    is_open: bool,
    /// The queue in the last round trip, in segments.
    queued: f64,
    /// The window that a Reno flow would have.
    reno_window: f64,
    /// Slow round trips in a row.
    slow_rounds: u32,
    /// Fast round trips since the last loss, up to [`ALONE_ROUNDS`].
    fast_rounds: u32,
}

impl Yeah {
    pub(crate) fn new(start: Start, _settings: &Settings) -> Self {
        Self {
            window: Window::new(start),
            delays: Delays::new(),
            is_open: true,
            queued: 0.0,
            reno_window: LEAST_RENO_WINDOW,
            slow_rounds: 0,
            fast_rounds: 0,
        }
    }

    /// Chooses between slow and fast for the next round trip.
    fn adapt(&mut self, rtt: f64) {
        let base = self.delays.base();
        self.queued = self.window.cwnd() * (1.0 - base / rtt);
        if self.queued > MOST_QUEUED || rtt - base > DELAYED * base {
            self.slow_down();
        } else {
            self.speed_up();
        }
    }

    fn slow_down(&mut self) {
        let cwnd = self.window.cwnd();
        if self.queued > MOST_QUEUED && cwnd > self.reno_window {
            let without_queue = cwnd - self.queued.min(cwnd / 2.0);
            self.window.reduce_to(without_queue.max(self.reno_window));
        }
        if self.reno_window <= LEAST_RENO_WINDOW {
            self.reno_window = (self.window.cwnd() / 2.0).max(LEAST_RENO_WINDOW);
        } else {
            self.reno_window += 1.0;
        }
        self.slow_rounds = self.slow_rounds.saturating_add(1);
    }

    fn speed_up(&mut self) {
        self.slow_rounds = 0;
        self.fast_rounds += 1;
        if self.fast_rounds > ALONE_ROUNDS {
            self.reno_window = LEAST_RENO_WINDOW;
            self.fast_rounds = 0;
        }
    }
}

impl Controller for Yeah {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let opens = acknowledgement.acknowledged > 0.0;
        let mut round = None;
        if acknowledgement.round_ended {
            let was_open = core::mem::replace(&mut self.is_open, opens);
            round = self.delays.end_period().filter(|_| was_open);
        }
        self.delays.observe(acknowledgement.rtt);
        if !opens {
            return;
        }
        if let Some(round) = round.filter(|it| it.samples >= FEWEST_SAMPLES) {
            self.adapt(round.least);
        }
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let cwnd = self.window.cwnd();
        let divisor = if self.slow_rounds == 0 { cwnd.min(100.0) } else { cwnd };
        self.window.grow(left / divisor);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let cwnd = self.window.cwnd();
        let given_up = if self.slow_rounds < GREEDY_ROUNDS {
            self.queued.min(cwnd / 2.0).max(cwnd / 8.0)
        } else {
            cwnd / 2.0
        };
        self.fast_rounds = 0;
        self.is_open = false;
        self.reno_window = (self.reno_window / 2.0).max(LEAST_RENO_WINDOW);
        if congestion.signal == Signal::Timeout {
            self.delays.end_period();
        }
        self.window.decrease(congestion.signal, cwnd - given_up);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if start.application_limited {
            self.delays.end_period();
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.reno_window = before.reno_window;
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
