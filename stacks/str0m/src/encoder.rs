//! The source of the video: frames of equal duration, at the estimated rate.

use std::time::Duration;

/// Frames in a second.
const FRAME_RATE: u64 = 30;
/// The ticks of RTP's clock for video in a second (RFC 3551, section 5).
const CLOCK_RATE: u64 = 90_000;
/// What the encoder needs at most, in bits per second: a rate for 1080p at 30 frames per second.
pub(crate) const LARGEST_RATE: u64 = 4_000_000;

/// An encoder that has the size that it is asked for in each frame.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// When it began to encode; none if it does not.
    began: Option<Duration>,
    /// Frames so far.
    count: u64,
}

/// A frame.
#[derive(Debug)]
pub(crate) struct Frame {
    /// When it is shown, in ticks of [`CLOCK_RATE`].
    pub(crate) ticks: u64,
    /// Its bytes.
    pub(crate) size: usize,
}

impl Encoder {
    /// Begins, unless it has begun.
    pub(crate) fn begin(&mut self, now: Duration) {
        self.began.get_or_insert(now);
    }

    /// Encodes no more.
    pub(crate) fn stop(&mut self) {
        self.began = None;
    }

    /// When the next frame is due.
    pub(crate) fn due(&self) -> Option<Duration> {
        let nanoseconds = self.count * 1_000_000_000 / FRAME_RATE;
        Some(self.began? + Duration::from_nanos(nanoseconds))
    }

    /// A frame that is due, at a rate in bits per second.
    pub(crate) fn next(&mut self, now: Duration, rate: u64) -> Option<Frame> {
        self.due().filter(|it| *it <= now)?;
        let ticks = self.count * (CLOCK_RATE / FRAME_RATE);
        self.count += 1;
        Some(Frame { ticks, size: (rate.min(LARGEST_RATE) / 8 / FRAME_RATE) as usize })
    }
}
