//! What an application has written, a piece at a time, and what of it Nagle's algorithm holds
//! back.
//!
//! Source: RFC 9293, section 3.7.4 (RFC 1122, section 4.2.3.4; RFC 896), and the modification of
//! draft-minshall-nagle-01, which Linux has.

use super::sequence::extend;
use super::settings::{Nagle, TcpSettings};

/// More bytes than any connection sends: data without end.
const WITHOUT_END: u64 = u64::MAX / 2;

/// The writes of a stream, whose bytes are counted as it counts them.
#[derive(Clone, Debug)]
pub(crate) struct Writes {
    /// The byte after the last that was written.
    end: u64,
    /// The byte after the last that the application writes as soon as it can.
    limit: u64,
    /// Whether it will write nothing more.
    closing: bool,
    /// The byte after the last segment sent that was not full, modulo 2³² as in packets.
    small: u32,
}

impl Writes {
    /// None yet; the first byte has that number.
    pub(crate) fn new(first: u64) -> Self {
        Self { end: first, limit: first, closing: false, small: first as u32 }
    }

    /// The application has `bytes` more; without end for `u64::MAX`.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.limit = self.limit.saturating_add(bytes).min(WITHOUT_END);
    }

    /// It has nothing more. Of data without end, what was ever sent, up to `next`, is all.
    pub(crate) fn close(&mut self, next: u64) {
        self.closing = true;
        if self.is_without_end() {
            self.limit = next;
            self.end = next;
        }
    }

    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    pub(crate) fn is_without_end(&self) -> bool {
        self.limit >= WITHOUT_END
    }

    /// The byte after the last that the application writes as soon as it can.
    #[inline]
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether nothing but the FIN comes behind the byte before `next`.
    #[inline]
    pub(crate) fn end_at(&self, next: u64) -> bool {
        self.closing && self.limit == next
    }

    /// Whether the FIN is before `next`: the number behind the last byte is its own.
    #[inline]
    pub(crate) fn end_before(&self, next: u64) -> bool {
        self.closing && self.limit < next
    }

    /// The bytes that were written and not sent, where `next` is sent next.
    #[inline]
    pub(crate) fn waiting(&self, next: u64) -> u64 {
        self.end.saturating_sub(next)
    }

    /// Whether the application has more to write than it has written.
    #[inline]
    pub(crate) fn is_behind(&self) -> bool {
        self.end < self.limit
    }

    /// The application writes its next piece, after what of those before could be sent. Where a
    /// full segment waits already, a later write would change nothing, and the rest is one piece.
    /// Whether it had more to write.
    #[inline]
    pub(crate) fn write_on(&mut self, next: u64, settings: &TcpSettings) -> bool {
        if !self.is_behind() {
            return false;
        }
        let is_full = self.waiting(next) >= u64::from(settings.maximum_segment);
        let piece = settings.socket.write_size.filter(|_| !is_full).unwrap_or(u64::MAX);
        self.end = self.limit.min(self.end.saturating_add(piece));
        true
    }

    /// A segment that was not full was sent; `next` is the byte after it.
    #[inline]
    pub(crate) fn send_small(&mut self, next: u64) {
        self.small = next as u32;
    }

    /// Whether less than a full segment waits, for more of it or for an acknowledgement. The last
    /// data does not: nothing more can come.
    #[inline]
    pub(crate) fn are_held(&self, unacknowledged: u64, next: u64, settings: &TcpSettings) -> bool {
        if self.waiting(next) >= u64::from(settings.maximum_segment) {
            return false;
        }
        let is_outstanding = match settings.socket.nagle {
            Nagle::Off => false,
            Nagle::Classic => unacknowledged < next,
            // What goes again in smaller segments waits for none of before.
            Nagle::Minshall => {
                let small = extend(unacknowledged, self.small);
                unacknowledged < small && small <= next
            }
        };
        let is_last = self.end_at(self.end);
        is_outstanding && !is_last
    }
}
