//! Quantities of the weather in the course of time.

use windtunnel_engine::{Duration, Time};

/// A quantity in the course of time, such as the visibility or a rain rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// At which time it is how great; between two times it changes linearly, and after the
    /// last no more. Rising times, the first of them zero.
    rows: Vec<(Duration, f64)>,
}

impl Course {
    /// Such values; the times rise from zero.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn new(rows: Vec<(Duration, f64)>) -> Self {
        assert!(!rows.is_empty(), "there is a value at any time");
        Self { rows }
    }

    /// Always the same.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self::new(vec![(Duration::ZERO, value)])
    }

    /// The value at `now`.
    pub(crate) fn at(&self, now: Time) -> f64 {
        let now = now.since(Time::ZERO);
        let next = self.rows.partition_point(|(from, _)| *from <= now);
        let (from, before) = self.rows[next - 1];
        let Some((until, after)) = self.rows.get(next) else { return before };
        let share = (now - from).as_seconds() / (*until - from).as_seconds();
        before + (after - before) * share
    }

    /// Whether it stays as it is from `now` on.
    pub(crate) fn is_settled(&self, now: Time) -> bool {
        self.rows.last().is_none_or(|(last, _)| *last <= now.since(Time::ZERO))
    }

    /// The least value and the greatest.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        let all = || self.rows.iter().map(|it| it.1);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
    }
}
