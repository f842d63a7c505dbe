//! SEARCH: leaves the first slow start when what is delivered no longer doubles from round trip
//! to round trip, before the queue overflows. Not a controller; CUBIC uses it for its slow start.
//!
//! Source: draft-chung-ccwg-search-00. Time is counted in bins of 0.35 of the first round trip,
//! and delivery over windows of ten bins:
//!
//! - at the end of each bin, `d` was delivered in the last window, and `d'` in the window that ended
//!   one round trip ago, which is the latest sample, interpolated between bins. Where sending
//!   doubles, `d = 2 d'`
//! - slow start is over when `(2 d' − d) / (2 d')` is 0.35 or more:
//!   `ssthresh = w = w − delivered in the last two first round trips`, which is what waits in the queue
//! - there is no comparison before there are two windows, nor where the round trip is longer than
//!   15 bins
//!
//! Bins that pass without an acknowledgement deliver nothing. Where the window does not limit the
//! sender, which the draft's revision does not speak of, counting begins anew. Only the first slow start,
//! whose threshold is infinite, is watched.

use crate::{Acknowledgement, Nanoseconds, Window};

/// The bins of a window.
const WINDOW: usize = 10;
/// The bins before it that are kept, for long round trips.
const EXTRA: usize = 15;
const KEPT: usize = WINDOW + EXTRA + 2;
/// The length of a window, in first round trips.
const WINDOW_LENGTH: f64 = 3.5;
const THRESHOLD: f64 = 0.35;
/// How many first round trips of delivery wait in the queue at the end.
const DRAINED: f64 = 2.0;

/// The state of slow start.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// What was delivered, in segments.
    total: f64,
    /// None before the first sample of the round trip.
    bins: Option<Bins>,
}

/// What was delivered by the end of each bin.
#[derive(Clone, Debug)]
struct Bins {
    first_rtt: Nanoseconds,
    /// The number of the last bin that has ended.
    last: usize,
    /// When the bin after it ends.
    end: Nanoseconds,
    /// By its number, modulo the length.
    delivered: [f64; KEPT],
}

impl Search {
    pub(crate) fn new() -> Self {
        Self { total: 0.0, bins: None }
    }

    /// As [`Window::slow_start`], watched while it is the first.
    pub(crate) fn slow_start(
        &mut self,
        window: &mut Window,
        acknowledgement: &Acknowledgement,
    ) -> f64 {
        if window.in_first_slow_start() {
            self.total += acknowledgement.delivered;
            if !acknowledgement.window_limited {
                self.bins = None;
            }
            if let Some(queued) = self.queued(acknowledgement) {
                window.set(window.cwnd() - queued);
                window.set_ssthresh(window.cwnd());
                return acknowledgement.acknowledged;
            }
        }
        window.slow_start(acknowledgement.acknowledged)
    }

    /// Segments that wait in the queue, if delivery no longer doubles.
    fn queued(&mut self, acknowledgement: &Acknowledgement) -> Option<f64> {
        let rtt = acknowledgement.rtt?;
        let bins = self.bins.get_or_insert_with(|| Bins::new(acknowledgement.now, rtt, self.total));
        if !bins.pass(acknowledgement.now, self.total) || !bins.has_flattened(rtt) {
            return None;
        }
        let drained = DRAINED * bins.in_bins(bins.first_rtt);
        Some(self.total - bins.at(bins.last as f64 - drained))
    }
}

impl Bins {
    /// Those from now on; `total` was delivered before.
    fn new(now: Nanoseconds, rtt: Nanoseconds, total: f64) -> Self {
        let mut bins = Self { first_rtt: rtt.max(1), last: 0, end: now, delivered: [total; KEPT] };
        bins.end += bins.length();
        bins
    }

    /// The length of a bin.
    fn length(&self) -> Nanoseconds {
        ((self.first_rtt as f64 * WINDOW_LENGTH / WINDOW as f64) as Nanoseconds).max(1)
    }

    fn in_bins(&self, time: Nanoseconds) -> f64 {
        time as f64 / self.length() as f64
    }

    /// Ends the bins that are over, by when `total` was delivered; whether there were any.
    fn pass(&mut self, now: Nanoseconds, total: f64) -> bool {
        if now < self.end {
            return false;
        }
        let ended = (now - self.end) / self.length() + 1;
        self.end += ended * self.length();
        let before = self.delivered[self.last % KEPT];
        for number in 1..=(ended as usize).min(KEPT) {
            self.delivered[(self.last + number) % KEPT] = before;
        }
        self.last += ended as usize;
        self.delivered[self.last % KEPT] = total;
        true
    }

    /// Whether delivery in the last window is less than twice that in the window a round trip ago.
    fn has_flattened(&self, rtt: Nanoseconds) -> bool {
        let last = self.last as f64;
        let before = last - self.in_bins(rtt);
        if before < WINDOW as f64 || last - before > EXTRA as f64 {
            return false;
        }
        let now = self.at(last) - self.at(last - WINDOW as f64);
        let then = 2.0 * (self.at(before) - self.at(before - WINDOW as f64));
        then > 0.0 && (then - now) / then >= THRESHOLD
    }

    /// What was delivered by a time in bins, which is interpolated between their ends.
    fn at(&self, time: f64) -> f64 {
        let whole = time.max(0.0) as usize;
        let of = |number: usize| self.delivered[number.min(self.last) % KEPT];
        of(whole) + (time.max(0.0) - whole as f64) * (of(whole + 1) - of(whole))
    }
}
