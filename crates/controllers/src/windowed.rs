//! The maximum and minimum within a moving window of time, or of any other
//! counter that only increases.
//!
//! Source: Kathleen Nichols' windowed filter: the best value, the best since
//! then and the best since that one, at most three values however many were
//! seen. Its answer is never older than the window, and is exact until the best
//! value expires; the next one may then miss a value in between.

/// One observation.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    time: u64,
    value: f64,
}

/// The maximum within a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowedMaximum {
    /// From the maximum, the oldest, to the latest.
    best: [Sample; 3],
    filled: bool,
}

impl WindowedMaximum {
    /// The maximum; `None` before the first.
    pub(crate) fn get(&self) -> Option<f64> {
        self.filled.then_some(self.best[0].value)
    }

    /// Processes a value seen at `time` and discards what is more than `window` old.
    pub(crate) fn update(&mut self, time: u64, value: f64, window: u64) {
        let new = Sample { time, value };
        let age = |it: Sample| time.saturating_sub(it.time);
        if !self.filled || value >= self.best[0].value || age(self.best[2]) > window {
            self.best = [new; 3];
            self.filled = true;
            return;
        }
        if value >= self.best[1].value {
            self.best = [self.best[0], new, new];
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        while age(self.best[0]) > window {
            self.best = [self.best[1], self.best[2], new];
        }
        self.renew(new, age(self.best[1]), age(self.best[2]), window);
    }

    /// Keeps the second and the third choice younger than the first, so that there
    /// is a fresh one when the first expires.
    fn renew(&mut self, new: Sample, second_age: u64, third_age: u64, window: u64) {
        let [first, second, third] = self.best;
        if second.time == first.time && second_age > window / 4 {
            self.best = [first, new, new];
        } else if third.time == second.time && third_age > window / 2 {
            self.best[2] = new;
        }
    }
}

/// The minimum within a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowedMinimum(WindowedMaximum);

impl WindowedMinimum {
    /// The minimum; `None` before the first.
    pub(crate) fn get(&self) -> Option<f64> {
        self.0.get().map(|it| -it)
    }

    /// Processes a value seen at `time` and discards what is more than `window` old.
    pub(crate) fn update(&mut self, time: u64, value: f64, window: u64) {
        self.0.update(time, -value, window);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    const WINDOW: u64 = 40;

    /// The maximum of what was seen at most so long ago.
    fn maximum(seen: &[(u64, f64)], age: u64) -> f64 {
        let now = seen.last().map_or(0, |it| it.0);
        let recent = seen.iter().filter(|it| now - it.0 <= age);
        recent.map(|it| it.1).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        /// The answer is one of the window's values, and no less than any of the last half of it;
        /// until something expires it is exact.
        #[test]
        fn the_maximum_is_of_the_window_and_no_less_than_that_of_its_last_half(
            values in prop::collection::vec(0_u32..1000, 1..200),
        ) {
            let (mut greatest, mut least) =
                (WindowedMaximum::default(), WindowedMinimum::default());
            prop_assert_eq!((greatest.get(), least.get()), (None, None));
            let mut seen = Vec::new();
            for (time, value) in (100_u64..).zip(values) {
                let value = f64::from(value);
                seen.push((time, value));
                greatest.update(time, value, WINDOW);
                least.update(time, -value, WINDOW);
                let answer = greatest.get().expect("there was a value");
                prop_assert_eq!(least.get(), Some(-answer));
                let within = seen.iter().filter(|it| time - it.0 <= WINDOW);
                prop_assert!(within.into_iter().any(|it| it.1 == answer));
                prop_assert!(answer >= maximum(&seen, WINDOW / 2), "{answer} at {time}");
                if seen.len() as u64 <= WINDOW {
                    prop_assert_eq!(answer, maximum(&seen, WINDOW));
                }
            }
        }

        /// However seldom something is seen.
        #[test]
        fn no_answer_is_older_than_the_window(
            samples in prop::collection::vec((0_u64..60, 0_u32..1000), 1..100),
        ) {
            let mut greatest = WindowedMaximum::default();
            let (mut seen, mut now) = (Vec::new(), 0);
            for (gap, value) in samples {
                now += gap;
                let value = f64::from(value);
                seen.push((now, value));
                greatest.update(now, value, WINDOW);
                let answer = greatest.get().expect("there was a value");
                let mut within = seen.iter().filter(|it| now - it.0 <= WINDOW);
                prop_assert!(within.any(|it| it.1 == answer), "{answer} at {now}");
                prop_assert!(answer >= value);
            }
        }
    }
}
