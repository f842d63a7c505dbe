//! How much the receiver can hold: so much that it never limits a sender whose data is
//! taken at once, up to a maximum.
//!
//! Source: Fisk, Feng, "Dynamic right-sizing in TCP", LACSI 2001, as Linux does it: once a
//! round trip the buffer is made for twice what was taken in it, and for what a sender that
//! goes on growing as fast sends in the next. A shorter round trip counts at once, and the time in which
//! a whole window came is one as well, if it is shorter.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, Segment};

use super::sender::age_of;
use super::settings::TcpSettings;

/// The segments that are taken in the first round trip, if a window starts as usual.
const INITIAL_SEGMENTS: u64 = 10;
/// Room for this many segments more.
const MARGIN_SEGMENTS: u64 = 16;

/// The round trip as a receiver sees it, by timestamps.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiverRtt {
    /// Smoothed, but for shorter ones, once there is a sample.
    rtt: Option<Duration>,
    /// The echo of the last sample: data that carries it again measures nothing.
    echo: Option<u32>,
}

impl ReceiverRtt {
    /// Data came with a timestamp. The sample, if it gives one.
    pub(crate) fn measure(&mut self, now: Time, segment: &Segment) -> Option<Duration> {
        if self.echo.replace(segment.echo) == Some(segment.echo) {
            return None;
        }
        let age = Duration::from_millis(age_of(now, segment).max(1));
        match self.rtt {
            Some(rtt) if rtt < age => {
                let smoothed = rtt.as_picos() / 8 * 7 + age.as_picos() / 8;
                self.rtt = Some(Duration::from_picos(smoothed));
            }
            _ => self.rtt = Some(age),
        }
        Some(age)
    }

    /// A whole window came in this time.
    fn shorten(&mut self, age: Duration) {
        self.rtt = Some(self.rtt.map_or(age, |it| it.min(age)));
    }

    /// The smoothed round trip, once there is a sample.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.rtt
    }
}

/// The receive buffer.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    size: u64,
    /// Where data comes, and the buffer may grow.
    fitting: Option<Box<Fitting>>,
}

/// What is taken in a round trip.
#[derive(Clone, Debug)]
struct Fitting {
    /// The round trip as it is seen here.
    own: ReceiverRtt,
    /// The round trip that counts, once there is a sample.
    rtt: Option<Duration>,
    /// A window began to come then, and ends there.
    window_begun: Time,
    window_end: u64,
    /// What had been taken when the current round trip began, and when that was.
    taken_before: u64,
    begun: Time,
    /// The most that was taken in a round trip.
    most: u64,
}

impl ReceiveBuffer {
    /// A buffer of that size at first.
    pub(crate) fn new(size: u64) -> Self {
        Self { size, fitting: None }
    }

    /// The bytes of data that it holds.
    #[inline]
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Data came with a segment, while the buffer may grow: everything before `next` is there.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        next: u64,
        segment: &Segment,
        settings: &TcpSettings,
    ) {
        let fitting = self.fitting.get_or_insert_with(|| Box::new(Fitting::new(now, settings)));
        if segment.flags.has(Flags::TIMESTAMPS) {
            fitting.own.measure(now, segment);
        }
        fitting.measure_window(now, next, self.size);
        fitting.rtt = fitting.own.smoothed();
    }

    /// Data came over several subflows; the longest of their round trips is this.
    pub(crate) fn receive_over(&mut self, now: Time, rtt: Duration, settings: &TcpSettings) {
        let fitting = self.fitting.get_or_insert_with(|| Box::new(Fitting::new(now, settings)));
        fitting.rtt = Some(rtt);
    }

    /// The application has taken this many bytes in all.
    pub(crate) fn take(&mut self, now: Time, taken: u64, settings: &TcpSettings) {
        let Some(fitting) = &mut self.fitting else { return };
        if let Some(wanted) = fitting.take(now, taken, settings) {
            self.size = self.size.max(wanted.min(settings.buffers.maximum_receive_size()));
        }
    }
}

impl Fitting {
    fn new(now: Time, settings: &TcpSettings) -> Self {
        Self {
            own: ReceiverRtt::default(),
            rtt: None,
            window_begun: now,
            window_end: 0,
            taken_before: 0,
            begun: now,
            most: INITIAL_SEGMENTS * u64::from(settings.maximum_segment),
        }
    }

    fn measure_window(&mut self, now: Time, next: u64, size: u64) {
        if next < self.window_end {
            return;
        }
        if self.window_end > 0 {
            self.own.shorten(now.since(self.window_begun));
        }
        (self.window_begun, self.window_end) = (now, next + size);
    }

    /// The size that is wanted, if a round trip is over in which more was taken than ever.
    fn take(&mut self, now: Time, taken: u64, settings: &TcpSettings) -> Option<u64> {
        if now.since(self.begun) < self.rtt? {
            return None;
        }
        let copied = taken - self.taken_before;
        (self.taken_before, self.begun) = (taken, now);
        if copied <= self.most {
            return None;
        }
        let twice = 2 * copied + MARGIN_SEGMENTS * u64::from(settings.maximum_segment);
        // What was taken grew by this factor, and may grow by it again.
        let growth = (copied - self.most) as f64 / self.most as f64;
        self.most = copied;
        Some(twice + (2.0 * twice as f64 * growth) as u64)
    }
}
