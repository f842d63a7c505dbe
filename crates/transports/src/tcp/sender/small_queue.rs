//! How a sender keeps what waits in the queue of its own host small.

use windtunnel_engine::{Rate, Time};

use super::Sender;
use crate::tcp::small_queue::{LEAST, PER_SECOND};

impl Sender {
    /// The sender is one whose host says when segments leave its queue.
    pub(in crate::tcp) fn keep_queue_small(&mut self) {
        self.small_queue = Some(Box::default());
    }

    /// The host says when this many bytes, of those handed over last, have left its queue.
    #[inline]
    pub(in crate::tcp) fn leave_queue(&mut self, now: Time, bytes: u16, leaves: Time) {
        self.waits_since = Time::NEVER;
        if let Some(queue) = &mut self.small_queue {
            queue.leave(now, u32::from(bytes), leaves);
        }
    }

    /// The link of the host's queue sends at another rate.
    pub(in crate::tcp) fn change_queue_rate(&mut self, now: Time, from: Rate, to: Option<Rate>) {
        self.waits_since = Time::NEVER;
        if let Some(queue) = &mut self.small_queue {
            queue.change_rate(now, from, to);
        }
    }

    /// A segment is handed over.
    #[inline]
    pub(super) fn enter_queue(&mut self, length: u16) {
        if let Some(queue) = &mut self.small_queue {
            queue.bytes += u64::from(length);
        }
    }

    /// Whether the host's queue takes a segment or burst of `length` bytes: the sender's share is
    /// found once it is needed, and is the same until something is acknowledged.
    #[inline]
    pub(super) fn fits_queue(&mut self, now: Time, length: u64, share: &mut Option<f64>) -> bool {
        let Some(queue) = &mut self.small_queue else { return true };
        queue.release(now);
        let bytes = queue.bytes + length;
        let segment = u64::from(self.settings.maximum_segment);
        bytes <= LEAST * length.max(segment)
            || bytes as f64 <= *share.get_or_insert_with(|| self.queue_share())
    }

    /// The bytes of its data that may wait in the host's queue, at the rate of sending, if one is
    /// known.
    fn queue_share(&self) -> f64 {
        self.rate().unwrap_or(f64::INFINITY) / PER_SECOND
    }

    /// The host's queue is full. Without data in flight, an attempt to send begins a transmission.
    pub(super) fn wait_for_queue(&mut self, now: Time) {
        self.waits_for_queue = true;
        self.waits_since = if self.board.is_empty() { Time::NEVER } else { now };
    }

    /// When the last of the sender's segments leaves the host's queue; never, if none is there. A host hears of those
    /// that have left several at a time, and the link is as busy as if it heard of each.
    #[inline]
    pub(super) fn all_leave_queue(&self) -> Time {
        let last = self.small_queue.as_ref().and_then(|it| it.leaving.back());
        last.map_or(Time::NEVER, |it| it.0)
    }
}
