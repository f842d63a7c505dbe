//! LEDBAT: uses the capacity that other flows leave, and adds no more than 100 ms to the queue.
//!
//! Source: RFC 6817, section 2.4. With `q` the one-way delay above the minimum of
//! the last ten minutes:
//!
//! - `w += gain (target - q) / target * 1/w` for each segment, positive or
//!   negative; at most the data in flight plus one segment
//! - congestion: `w = w / 2`; a timeout resets to the restart window
//! - the minimum window is two segments
//!
//! The RFC's equations have no slow start. With `slow-start` the window doubles as
//! in TCP, as deployed implementations do, until congestion or until `q` reaches
//! the target. A connection that starts while another keeps a queue includes that
//! queue in its base delay, and starves the other (the latecomer's advantage). Parts of
//! the text were read as quoted in implementations.

use crate::base_delay::BaseDelay;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Need, Parameter, Settings, Start,
    Window, seconds,
};

/// RFC 6817: `MIN_CWND`, in segments.
const LEAST: f64 = 2.0;
/// RFC 6817: `ALLOWED_INCREASE`, in segments.
const ALLOWED_INCREASE: f64 = 1.0;

pub(crate) const DESCRIPTION: Description = Description {
    name: "ledbat",
    title: "LEDBAT",
    source: "RFC 6817, section 2.4",
    status: "checked against its standing queue and the latecomer's advantage",
    needs: &[Need::OneWayDelay],
    parameters: &[
        Parameter {
            name: "target",
            meaning: "the target: the queueing delay that it may add, in seconds",
            kind: Kind::Number { default: 0.1, minimum: 0.001, maximum: 0.1 },
        },
        Parameter {
            name: "gain",
            meaning: "the growth while the queue is empty, in segments per round trip",
            kind: Kind::Number { default: 1.0, minimum: 0.01, maximum: 1.0 },
        },
        Parameter {
            name: "slow-start",
            meaning: "use slow start until the target is reached or congestion occurs",
            kind: Kind::Flag { default: true, needs: &[] },
        },
    ],
};

/// LEDBAT.
#[derive(Clone, Debug)]
pub struct Ledbat {
    window: Window,
    target: f64,
    gain: f64,
    delay: BaseDelay,
}

impl Ledbat {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let mut window = Window::new(start);
        if !settings.flag("slow-start") {
            window.set_ssthresh(window.cwnd());
        }
        Self {
            window,
            target: settings.number("target"),
            gain: settings.number("gain"),
            delay: BaseDelay::new(),
        }
    }

    /// The fraction of the target that is still unused; negative above the target.
    fn off_target(&self, acknowledgement: &Acknowledgement) -> f64 {
        let rtt = acknowledgement.smoothed_rtt.unwrap_or(0);
        let queueing = self.delay.queueing(acknowledgement.now, rtt);
        (self.target - seconds(queueing)) / self.target
    }

    fn grow(&mut self, acknowledgement: &Acknowledgement, off_target: f64) {
        let left = self.window.slow_start(acknowledgement.acknowledged);
        let cwnd = self.window.cwnd();
        let allowed = acknowledgement.in_flight + acknowledgement.delivered + ALLOWED_INCREASE;
        let grown = cwnd + self.gain * off_target * left / cwnd;
        self.window.set(grown.min(allowed.max(cwnd)));
    }

    fn shrink(&mut self, delivered: f64, off_target: f64) {
        let cwnd = self.window.cwnd();
        self.window.reduce_to((cwnd + self.gain * off_target * delivered / cwnd).max(LEAST));
    }
}

impl Controller for Ledbat {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if let Some(delay) = acknowledgement.one_way_delay {
            self.delay.observe(acknowledgement.now, delay);
        }
        let off_target = self.off_target(acknowledgement);
        if off_target > 0.0 {
            self.grow(acknowledgement, off_target);
        } else if !acknowledgement.recovering {
            self.shrink(acknowledgement.delivered, off_target);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.decrease(congestion.signal, (self.window.cwnd() / 2.0).max(LEAST));
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
