//! How far one can see in the course of time.

use windtunnel_engine::{Duration, Time};

/// The visibility in the course of time: in metres, at 2 % contrast.
#[derive(Clone, Debug, PartialEq)]
pub struct Visibility {
    /// At which time it is how great; between two times it changes linearly, and after the
    /// last no more. Rising times, the first of them zero.
    rows: Vec<(Duration, f64)>,
}

impl Visibility {
    /// Such visibilities, each above zero; the times rise from zero.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn new(rows: Vec<(Duration, f64)>) -> Self {
        assert!(!rows.is_empty(), "there is a visibility at any time");
        Self { rows }
    }

    /// Always the same.
    #[must_use]
    pub fn constant(metres: f64) -> Self {
        Self::new(vec![(Duration::ZERO, metres)])
    }

    /// The visibility at `now`.
    pub(super) fn at(&self, now: Time) -> f64 {
        let now = now.since(Time::ZERO);
        let next = self.rows.partition_point(|(from, _)| *from <= now);
        let (from, before) = self.rows[next - 1];
        let Some((until, after)) = self.rows.get(next) else { return before };
        let share = (now - from).as_seconds() / (*until - from).as_seconds();
        before + (after - before) * share
    }

    /// Whether it stays as it is from `now` on.
    pub(super) fn is_settled(&self, now: Time) -> bool {
        self.rows.last().is_none_or(|(last, _)| *last <= now.since(Time::ZERO))
    }

    /// The least one and the greatest.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        let all = || self.rows.iter().map(|it| it.1);
        [all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)]
    }
}
