//! Control of the transmitted power, as Terragraph's firmware does it with the rate.

/// By how many dB the power changes at a time: the resolution of what it measures.
const STEP: f64 = 1.0;

/// The power of one transmitter, in dB below the greatest.
#[derive(Clone, Debug)]
pub(super) struct PowerControl {
    /// The most that it may be lowered; 0: it is not controlled.
    range: f64,
    reduction: f64,
}

impl PowerControl {
    /// One with the greatest power, which it may lower by this many dB.
    pub(super) fn new(range: f64) -> Self {
        Self { range, reduction: 0.0 }
    }

    pub(super) fn reduction(&self) -> f64 {
        self.reduction
    }

    /// Less power, as far as there is less.
    pub(super) fn lower(&mut self) {
        self.reduction = (self.reduction + STEP).min(self.range);
    }

    /// More power; returns whether there was more.
    pub(super) fn raise(&mut self) -> bool {
        let was_lowered = self.reduction > 0.0;
        self.reduction = (self.reduction - STEP).max(0.0);
        was_lowered
    }

    /// More power for a faster scheme; returns whether there may be one: power that is not
    /// controlled is enough.
    pub(super) fn rise_with_scheme(&mut self) -> bool {
        self.raise() || self.range == 0.0
    }
}
