//! Quick acknowledgements: at first a receiver acknowledges each segment, so that the sender's
//! window, which grows with acknowledgements, is not held up.
//!
//! Source: Linux (tcp(7), `TCP_QUICKACK`), as captures of Linux 6.12 show it. Acknowledged at once
//! are the answer to the SYN, before data is sent; the first sixteen segments, and as many after a
//! silence longer than the retransmission timeout or a segment that came twice; each with the flag
//! PSH, behind which its sender may wait; and each by which the advertised window grows: a receive
//! buffer is not advertised as a whole, but with each segment two segments more of it.
//!
//! In contrast to Linux, a receiver that answers with data does so too.

use windtunnel_engine::{Duration, Time};

use super::settings::TcpSettings;
use crate::rtt::RttEstimator;

/// So many are sent at once at first.
const AT_FIRST: u8 = 16;
/// By so many segments the window grows with each.
const GROWTH: u64 = 2;
/// What a window that is not scaled says at most, which in whole segments is the first.
const FIRST_WINDOW: u64 = u16::MAX as u64;
/// The data that Linux's receive buffer holds at first, as captures of Linux 6.12 advertise it: its
/// memory is 131,072 bytes (`tcp_rmem`), and of a full segment's memory 65 % is data.
const FIRST_BUFFER: u64 = 85_632;

/// Quick acknowledgements, and the window that grows with what comes.
#[derive(Clone, Debug)]
pub(super) struct QuickAcknowledgements {
    /// How many are still sent at once, beside the one of a segment by which the window grew.
    left: u8,
    has_grown: bool,
    /// What may be advertised, in bytes, and what it grows to at most.
    window: u64,
    most: u64,
    /// When data last came in order; none before the first.
    came: Option<Time>,
    /// A silence longer than this is one.
    timeout: Duration,
}

impl QuickAcknowledgements {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        let segment = u64::from(settings.maximum_segment);
        let timeout = settings.timeout.initial;
        Self {
            left: 0,
            has_grown: false,
            window: (FIRST_WINDOW / segment).max(1) * segment,
            most: u64::MAX,
            came: None,
            timeout,
        }
    }

    /// The size of a receive buffer at first, with quick acknowledgements or without.
    pub(super) fn first_buffer(settings: &TcpSettings) -> u64 {
        let buffers = &settings.buffers;
        match buffers.receive {
            None if settings.acknowledgements.quick => buffers.maximum_receive.min(FIRST_BUFFER),
            _ => buffers.initial_receive_size(),
        }
    }

    /// The handshake has measured a round trip.
    pub(super) fn measure(&mut self, rtt: Duration, settings: &TcpSettings) {
        let mut estimator = RttEstimator::new(settings.timeout);
        estimator.sample(rtt, 1);
        self.timeout = estimator.timeout();
    }

    /// What may be advertised, in bytes.
    #[inline]
    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Whether the next acknowledgement is sent at once.
    #[inline]
    pub(super) fn are_due(&self) -> bool {
        self.has_grown || self.left > 0
    }

    /// Data came in order.
    pub(super) fn receive_in_order(&mut self, now: Time) {
        if self.came.is_none_or(|it| now.since(it) > self.timeout) {
            self.begin();
        }
        self.came = Some(now);
    }

    /// The window grows to at most this many bytes.
    pub(super) fn bound(&mut self, most: u64) {
        self.most = most;
    }

    /// Each segment is acknowledged for a while.
    pub(super) fn begin(&mut self) {
        self.left = self.left.max(AT_FIRST);
    }

    /// A segment with new data came; there is room for this many bytes.
    pub(super) fn grow(&mut self, room: u64, settings: &TcpSettings) {
        let room = room.min(self.most);
        if self.window < room {
            let more = GROWTH * u64::from(settings.maximum_segment);
            self.window = room.min(self.window + more);
            self.has_grown = true;
        }
    }

    /// An acknowledgement of data is sent.
    pub(super) fn acknowledge(&mut self) {
        if !std::mem::take(&mut self.has_grown) {
            self.left = self.left.saturating_sub(1);
        }
    }
}
