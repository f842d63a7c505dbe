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
