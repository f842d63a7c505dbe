//! Growth in congestion avoidance as Linux's CUBIC has it: in whole segments, by `whole_segments.rs`. Not a
//! controller.
//!
//! Source: Linux's `tcp_cubic.c`, of which these are the rules:
//!
//! - the target is that of RFC 9438 one least round trip ahead, where what the curve is above or below
//!   `w_max` is rounded towards 0
//! - the window grows by one segment for each `w / (target - w)` that are acknowledged, rounded down and at
//!   least 2; for each `100 w` where the target is no greater
//! - Reno's window grows by one for each `floor(8 (1 + beta) / (3 (1 - beta))) w / 8` that are acknowledged,
//!   rounded down; while it is greater, `w` grows by one for each `w / (w_est - w)` at least: it follows a
//!   round trip later
//! - both are computed when the window has changed, and otherwise once in 1/32 s

use libm::{floor, trunc};

use crate::Nanoseconds;
use crate::whole_segments::WholeSegments;

/// How long what was computed for a window holds.
const HOLDS: Nanoseconds = 1_000_000_000 / 32;
/// The window grows by one segment for each so many of its own where the curve does not grow.
const FLAT: f64 = 100.0;
/// It grows by one for each so many at least, while no congestion has shown the window of the path.
pub(crate) const SEARCH: f64 = 20.0;
/// It never grows faster than by one for so many.
const FASTEST: f64 = 2.0;

/// Growth in whole segments.
#[derive(Clone, Debug)]
pub(crate) struct LinuxCubic {
    segments: WholeSegments,
    /// Reno's window grows by one for so many eighths of the window.
    eighths: f64,
    reno_friendly: bool,
    /// Reno's window, and the segments that were acknowledged towards its next one.
    reno: f64,
    counted_by_reno: f64,
    /// The window grows by one for so many; for which window that was computed, and when.
    spacing: f64,
    computed: Option<(f64, Nanoseconds)>,
    least_rtt: Nanoseconds,
}

impl LinuxCubic {
    pub(crate) fn new(beta: f64, reno_friendly: bool) -> Self {
        Self {
            segments: WholeSegments::default(),
            eighths: floor(8.0 * (1.0 + beta) / (3.0 * (1.0 - beta))),
            reno_friendly,
            reno: 0.0,
            counted_by_reno: 0.0,
            spacing: FASTEST,
            computed: None,
            least_rtt: Nanoseconds::MAX,
        }
    }

    pub(crate) fn on_rtt(&mut self, rtt: Nanoseconds) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// The least round trip so far.
    pub(crate) fn least_rtt(&self) -> Option<Nanoseconds> {
        Some(self.least_rtt).filter(|it| *it < Nanoseconds::MAX)
    }

    /// A stage of congestion avoidance begins with this window of whole segments.
    pub(crate) fn begin(&mut self, window: f64) {
        (self.reno, self.counted_by_reno) = (window, 0.0);
    }

    /// The window after congestion, of which that much is kept.
    pub(crate) fn kept(&mut self, window: f64) -> f64 {
        self.segments.kept(window)
    }

    /// The window once so many segments more were acknowledged; the curve is `above` the greatest window
    /// `w_max`, or below it, and in a search for the window of the path or not.
    pub(crate) fn grown(
        &mut self,
        now: Nanoseconds,
        window: f64,
        acknowledged: f64,
        (w_max, above): (f64, f64),
        is_search: bool,
    ) -> f64 {
        let window = floor(window);
        self.counted_by_reno += acknowledged;
        let holds =
            self.computed.is_some_and(|(of, at)| of == window && now.saturating_sub(at) <= HOLDS);
        if !holds {
            self.computed = Some((window, now));
            self.spacing = self.spacing_of(window, w_max + trunc(above), is_search);
        }
        self.segments.grown(window, acknowledged, self.spacing)
    }

    fn spacing_of(&mut self, window: f64, target: f64, is_search: bool) -> f64 {
        let gap = target - window;
        let mut spacing = if gap > 0.0 { floor(window / gap) } else { FLAT * window };
        if is_search {
            spacing = spacing.min(SEARCH);
        }
        if self.reno_friendly {
            let of_reno = floor(self.eighths * window / 8.0);
            while of_reno > 0.0 && self.counted_by_reno > of_reno {
                self.counted_by_reno -= of_reno;
                self.reno += 1.0;
            }
            if self.reno > window {
                spacing = spacing.min(floor(window / (self.reno - window)));
            }
        }
        spacing.max(FASTEST)
    }
}
