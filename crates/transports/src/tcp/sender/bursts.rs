//! How much a sender hands to its host's interface at once: a segment, or with segmentation
//! offload a burst, which leaves back to back.
//!
//! Source: Linux (ip-sysctl, `tcp_min_tso_segs`, `tcp_tso_rtt_log`, `tcp_tso_win_divisor`;
//! `tcp_tso_autosize` and `tcp_tso_should_defer` of 6.18). A burst is 1/1024 of what is sent
//! in a second, and more over round trips of less than some milliseconds; it has at least two
//! segments, fits into 64 KiB, and takes at most half of the window. A burst that is not full
//! waits for more of the window, if an acknowledgement is about to come. The last segment of a
//! burst of several has the flag PSH.

use windtunnel_engine::{Duration, Time};

use super::Sender;
use super::state::Phase;
use crate::tcp::limits::Limit;

/// The share of a second's data in a burst.
const PER_SECOND: f64 = 1024.0;
/// The segments of the smallest burst.
const LEAST: u64 = 2;
/// The bytes of the largest one, its headers included.
const MOST: u64 = 65_536;
/// Bursts over the shortest round trips have `MOST` bytes more; for each such time of the
/// round trip it is half as much.
const HALVING: Duration = Duration::from_micros(512);
/// The share of the window that is sent, whether it fills a burst or not.
const SHARE: u64 = 3;
/// Nothing waits for longer than that: neither since the last segment was sent, nor for an
/// acknowledgement.
const PATIENCE: Duration = Duration::from_millis(1);

impl Sender {
    /// The bytes that leave at once, beginning with a segment of `length` bytes that is to be
    /// sent for the first time or, where `is_lost`, again.
    #[inline]
    pub(super) fn burst(&self, length: u64, is_lost: bool) -> u64 {
        if !self.settings.offload.segmentation {
            return length;
        }
        let waiting = if is_lost { u64::MAX } else { self.writes.waiting(self.next) };
        let window = self.window_left().min(self.window() / 2);
        let whole = window - window % self.segment();
        self.full_burst().min(waiting).min(whole).max(length)
    }

    /// The bytes of a burst that neither the window nor the application limits.
    fn full_burst(&self) -> u64 {
        let segment = self.segment();
        let most = (MOST - u64::from(self.settings.headers())) / segment;
        let rate = self.rate().unwrap_or(f64::INFINITY);
        let nearer = self.rack.least_rtt().map_or(0, |rtt| {
            let halvings = rtt.as_nanos() / HALVING.as_nanos();
            MOST.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX)).unwrap_or(0)
        });
        let bytes = ((rate / PER_SECOND) as u64).saturating_add(nearer);
        (bytes / segment).max(LEAST).min(most.max(1)) * segment
    }

    /// What keeps new data from being sent although the window lets some of it out: a burst
    /// that is not full waits for the acknowledgement that is about to come.
    #[inline]
    pub(super) fn deferred(&self, now: Time) -> Option<Limit> {
        let may = self.settings.offload.segmentation
            && matches!(self.phase, Phase::Open | Phase::Reducing(_))
            && now.since(self.sent_at) <= PATIENCE;
        if !may || !self.is_answered_soon(now) {
            return None;
        }
        let (window, room) = (self.window_left(), self.room());
        let available = window.min(room);
        let advertised = self.edge.saturating_sub(self.board.unacknowledged());
        let enough = self.full_burst().min(self.window().min(advertised) / SHARE);
        let is_last = self.writes.waiting(self.next) <= available;
        let deferred = available < enough && !is_last;
        deferred.then(|| if window < room { Limit::CongestionWindow } else { self.room_limit() })
    }

    /// Whether the first segment in flight should be acknowledged about now.
    fn is_answered_soon(&self, now: Time) -> bool {
        let (Some((_, first)), Some(rtt)) = (self.board.first(), self.estimator.smoothed()) else {
            return false;
        };
        let wait = (first.last_sent + rtt).since(now);
        wait <= PATIENCE.min(rtt.scaled(0.5))
    }
}
