//! How much the receiver can hold: so much that it never limits a sender whose data is
//! taken at once, up to a maximum.
//!
//! Source: Fisk, Feng, "Dynamic right-sizing in TCP", LACSI 2001, as Linux does it: once a
//! round trip the buffer is made for twice what was taken in it, and for what a sender that
//! goes on growing as fast sends in the next. A shorter round trip counts at once, and the time in which
//! a whole window came is one as well, if it is shorter.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, Segment};

use super::quick_acknowledgements::QuickAcknowledgements;
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
    /// The bytes of data that it holds.
    size: u64,
    /// Those that it holds once all subflows have brought some.
    largest: u64,
    established: Time,
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
    /// The share of memory that holds data, by the subflows that bring it.
    share: Option<f64>,
    /// Of several subflows, the round trip and the share are looked at when the one that was found last
    /// is over.
    looked_at_after: Duration,
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
    /// The buffer as it is at first.
    pub(crate) fn new(settings: &TcpSettings) -> Self {
        let size = QuickAcknowledgements::first_buffer(settings);
        Self { size, largest: size, established: Time::ZERO, fitting: None }
    }

    /// The bytes of data that it holds.
    #[inline]
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The connection is established: the first round trip begins.
    pub(crate) fn begin(&mut self, now: Time) {
        self.established = now;
    }

    /// Data came with a segment, while the buffer may grow: everything before `next` is there.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        next: u64,
        segment: &Segment,
        settings: &TcpSettings,
    ) {
        let size = self.size;
        let fitting = self.fitting(settings);
        if segment.flags.has(Flags::TIMESTAMPS) {
            fitting.own.measure(now, segment);
        }
        fitting.measure_window(now, next, size);
        fitting.rtt = fitting.own.smoothed();
    }

    /// Data came over several subflows: the longest of their round trips, and the least share of memory
    /// that holds the data of one.
    pub(crate) fn receive_over(&mut self, rtt: Duration, share: f64, settings: &TcpSettings) {
        let fitting = self.fitting(settings);
        (fitting.rtt, fitting.share) = (Some(rtt), Some(share));
    }

    fn fitting(&mut self, settings: &TcpSettings) -> &mut Fitting {
        let begun = self.established;
        self.fitting.get_or_insert_with(|| Box::new(Fitting::new(begun, settings)))
    }

    /// The application has taken this many bytes in all. In a round trip that ends where others are still
    /// `unread`, these do not count, and take from it, as in Linux.
    pub(crate) fn take(&mut self, now: Time, taken: u64, unread: u64, settings: &TcpSettings) {
        let Some(fitting) = &mut self.fitting else { return };
        let Some(share) = fitting.look(now) else { return };
        if let Some(wanted) = fitting.take(now, taken, unread, settings) {
            let wanted = of_all(wanted, 1.0 / share);
            self.largest = self.largest.max(wanted.min(settings.buffers.maximum_receive_size()));
        }
        self.size = of_all(self.largest, share);
    }
}

/// A share of so many bytes.
fn of_all(bytes: u64, share: f64) -> u64 {
    if share == 1.0 { bytes } else { (bytes as f64 * share) as u64 }
}

impl Fitting {
    fn new(begun: Time, settings: &TcpSettings) -> Self {
        Self {
            own: ReceiverRtt::default(),
            rtt: None,
            share: None,
            looked_at_after: Duration::ZERO,
            window_begun: begun,
            window_end: 0,
            taken_before: 0,
            begun,
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

    /// Looks at what the subflows give, if it is time: the share of memory that holds data.
    fn look(&mut self, now: Time) -> Option<f64> {
        if now.since(self.begun) < self.looked_at_after {
            return None;
        }
        let Some(share) = self.share else { return Some(1.0) };
        self.looked_at_after = self.rtt.unwrap_or(Duration::ZERO);
        Some(share)
    }

    /// The size that is wanted, if a round trip is over in which more was taken than ever.
    fn take(&mut self, now: Time, taken: u64, unread: u64, settings: &TcpSettings) -> Option<u64> {
        if now.since(self.begun) < self.rtt? {
            return None;
        }
        let copied = (taken - self.taken_before).saturating_sub(unread);
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

#[cfg(test)]
mod tests {
    use windtunnel_controllers::{DESCRIPTIONS, Settings};

    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn over_subflows(settings: &TcpSettings) -> ReceiveBuffer {
        let mut it = ReceiveBuffer::new(settings);
        it.begin(at(10));
        it
    }

    /// The first data comes a transmission later; a round trip after the establishment is over with it.
    #[test]
    fn the_first_round_trip_begins_with_the_connection() {
        let settings = TcpSettings::new(Settings::defaults(DESCRIPTIONS[0]));
        let segment = u64::from(settings.maximum_segment);
        for (millis, grows) in [(29, false), (30, true)] {
            let mut it = over_subflows(&settings);
            let first = it.size();
            it.receive_over(Duration::from_millis(20), 1.0, &settings);
            it.take(at(millis), 40 * segment, 0, &settings);
            // 40 segments after the 10 of the initial window: four times as many, and that again.
            let wanted = (2 * 40 + 16) * segment * 7;
            assert_eq!(it.size(), if grows { wanted } else { first });
        }
    }

    /// A subflow that has brought nothing takes from the others' room as soon as it is seen, and gives it back
    /// a round trip later. What is wanted in between is so much larger afterwards.
    #[test]
    fn a_share_holds_until_the_round_trip_that_was_seen_with_it_is_over() {
        let settings = TcpSettings::new(Settings::defaults(DESCRIPTIONS[0]));
        let mut it = over_subflows(&settings);
        let first = it.size();
        it.receive_over(Duration::from_millis(20), 0.5, &settings);
        it.take(at(15), 1_000, 0, &settings);
        assert_eq!(it.size(), first / 2);
        it.receive_over(Duration::from_millis(5), 1.0, &settings);
        it.take(at(29), 2_000, 0, &settings);
        assert_eq!(it.size(), first / 2, "20 ms are not over");
        it.take(at(30), 3_000, 0, &settings);
        assert_eq!(it.size(), first);
        it.receive_over(Duration::from_millis(5), 0.5, &settings);
        let taken = 3_000 + 40 * u64::from(settings.maximum_segment);
        it.take(at(35), taken, 0, &settings);
        let wanted = it.size();
        assert!(wanted > 2 * first, "{wanted}");
        it.receive_over(Duration::from_millis(5), 1.0, &settings);
        it.take(at(40), taken, 0, &settings);
        assert!(it.size().abs_diff(2 * wanted) <= 1, "{} of {wanted}", it.size());
    }

    /// A retransmission ends a round trip, and 60 segments were waiting for it: they count in the next one.
    #[test]
    fn what_waited_for_a_retransmission_counts_in_the_next_round_trip() {
        let settings = TcpSettings::new(Settings::defaults(DESCRIPTIONS[0]));
        let segment = u64::from(settings.maximum_segment);
        let mut it = over_subflows(&settings);
        let first = it.size();
        it.receive_over(Duration::from_millis(20), 1.0, &settings);
        it.take(at(30), 21 * segment, 60 * segment, &settings);
        assert_eq!(it.size(), first);
        it.take(at(49), 81 * segment, 0, &settings);
        assert_eq!(it.size(), first, "20 ms are not over");
        it.take(at(50), 81 * segment, 0, &settings);
        // 60 segments after the 10 of the initial window.
        assert_eq!(it.size(), (2 * 60 + 16) * segment * 11);
    }
}
