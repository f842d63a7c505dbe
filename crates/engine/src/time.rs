//! Virtual time in integer picoseconds, and rates in integer bits per second.
//!
//! A picosecond clock makes one packet at 100 Gbps exact (a 64-byte packet
//! lasts 5,120 ps, which nanoseconds would round by 2 %), and still reaches
//! 213 days. Where a quotient is not whole, it is rounded to the nearest
//! picosecond, once, where it arises.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

const PER_SECOND: u64 = 1_000_000_000_000;
const PER_NANOSECOND: u64 = 1_000;
const PICOBITS_A_BYTE: u64 = 8 * PER_SECOND;

/// An instant: picoseconds since the start of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the simulation.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// From picoseconds since the start.
    #[must_use]
    pub const fn from_picos(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// Picoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Whole nanoseconds since the start, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0 / PER_NANOSECOND
    }

    /// Seconds since the start, for display and tables.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PER_SECOND as f64
    }

    /// The time since `earlier`, or zero if that lies ahead.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// From picoseconds.
    #[must_use]
    pub const fn from_picos(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// From nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds * PER_NANOSECOND)
    }

    /// From microseconds.
    #[must_use]
    pub const fn from_micros(microseconds: u64) -> Self {
        Self(microseconds * 1_000_000)
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds * 1_000_000_000)
    }

    /// From whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * PER_SECOND)
    }

    /// From seconds, rounded to the nearest picosecond; `None` if negative, not
    /// finite or beyond 213 days.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let picoseconds = (seconds * PER_SECOND as f64).round();
        (0.0..1.8e19).contains(&picoseconds).then_some(Self(picoseconds as u64))
    }

    /// In picoseconds.
    #[inline]
    #[must_use]
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// In whole nanoseconds, rounded down.
    #[inline]
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0 / PER_NANOSECOND
    }

    /// In seconds, for display, tables and equations.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PER_SECOND as f64
    }

    /// The product with a non-negative `factor`, rounded to the nearest
    /// picosecond, at most [`Duration::MAX`].
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Add for Duration {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (divisor, unit) = match self.0 {
            0 => (PER_SECOND, "s"),
            it if it < 1_000_000 => (PER_NANOSECOND, "ns"),
            it if it < 1_000_000_000 => (1_000_000, "us"),
            it if it < PER_SECOND => (1_000_000_000, "ms"),
            _ => (PER_SECOND, "s"),
        };
        write!(formatter, "{} {unit}", self.0 as f64 / divisor as f64)
    }
}

/// A link's rate, in bits per second; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// From bits per second; `None` if zero.
    #[must_use]
    pub const fn from_bits_per_second(rate: u64) -> Option<Self> {
        if rate == 0 { None } else { Some(Self(rate)) }
    }

    /// In bits per second.
    #[must_use]
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// How long `bytes` take onto the wire: `8 * bytes / rate`, rounded to the
    /// nearest picosecond.
    #[inline]
    #[must_use]
    pub const fn transmission_time(self, bytes: u32) -> Duration {
        match (bytes as u64).checked_mul(PICOBITS_A_BYTE) {
            Some(dividend) => Duration((dividend + self.0 / 2) / self.0),
            None => {
                let dividend = bytes as u128 * PICOBITS_A_BYTE as u128;
                Duration((dividend / self.0 as u128) as u64)
            }
        }
    }

    /// How much it sends in so much time: exact.
    #[must_use]
    pub const fn work_in(self, time: Duration) -> Work {
        Work(self.0 as u128 * time.0 as u128)
    }

    /// How long it takes for so much, rounded to the nearest picosecond; at most
    /// [`Duration::MAX`].
    #[must_use]
    pub fn time_for(self, work: Work) -> Duration {
        let rate = u128::from(self.0);
        Duration(u64::try_from((work.0 + rate / 2) / rate).unwrap_or(u64::MAX))
    }
}

/// An amount of data in picobits (10⁻¹² bits): one is sent in a picosecond at one bit per
/// second, so that what a rate sends in any time is a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(u128);

impl Work {
    /// That of this many bytes.
    #[must_use]
    pub const fn of_bytes(bytes: u64) -> Self {
        Self(bytes as u128 * PICOBITS_A_BYTE as u128)
    }
}

impl Sub for Work {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_frame_takes_its_size_over_the_rate() {
        let gigabit = Rate::from_bits_per_second(1_000_000_000).unwrap();
        assert_eq!(gigabit.transmission_time(1500), Duration::from_nanos(12_000));
        let hundred_gigabit = Rate::from_bits_per_second(100_000_000_000).unwrap();
        assert_eq!(hundred_gigabit.transmission_time(64), Duration::from_picos(5_120));
        let slow = Rate::from_bits_per_second(64_000).unwrap();
        assert_eq!(slow.transmission_time(1500), Duration::from_picos(187_500_000_000));
    }

    #[test]
    fn the_quotient_is_rounded_to_the_nearest() {
        let third = Rate::from_bits_per_second(3_000_000_000_000).unwrap();
        assert_eq!(third.transmission_time(1), Duration::from_picos(3));
        assert_eq!(third.transmission_time(2), Duration::from_picos(5));
    }

    #[test]
    fn the_largest_packet_on_the_slowest_link_does_not_overflow() {
        let slowest = Rate::from_bits_per_second(1).unwrap();
        assert!(slowest.transmission_time(u32::MAX) > Duration::from_secs(1));
    }

    #[test]
    fn what_a_rate_sends_in_a_time_takes_it_that_time() {
        let rate = Rate::from_bits_per_second(9_999_999_999_999).unwrap();
        for picos in [0, 1, 8_000_003, u64::MAX] {
            let time = Duration::from_picos(picos);
            assert_eq!(rate.time_for(rate.work_in(time)), time);
        }
        assert_eq!(rate.time_for(Work::of_bytes(1500)), rate.transmission_time(1500));
        let slowest = Rate::from_bits_per_second(1).unwrap();
        assert_eq!(slowest.time_for(Work::of_bytes(u64::MAX)), Duration::MAX);
        let rest = Work::of_bytes(1500) - slowest.work_in(Duration::from_secs(2000));
        assert_eq!(slowest.time_for(rest), Duration::from_secs(10_000));
    }

    #[test]
    fn seconds_are_refused_where_they_mean_nothing() {
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(Duration::from_seconds(wrong), None, "{wrong}");
        }
        assert_eq!(Duration::from_seconds(0.03), Some(Duration::from_millis(30)));
    }
}
