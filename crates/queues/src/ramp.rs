//! A probability that grows with the sojourn time.

use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::Measured;

/// None up to `start`, certainty from `end` on, a straight line in between; a
/// step if both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp {
    /// The longest sojourn without any effect.
    pub start: Duration,
    /// The sojourn from which the effect is certain.
    pub end: Duration,
}

impl Ramp {
    /// The step beyond which the effect is certain.
    #[must_use]
    pub fn step(threshold: Duration) -> Self {
        Self { start: threshold, end: threshold }
    }

    /// The probability at that sojourn.
    #[must_use]
    pub fn probability(&self, sojourn: Duration) -> f64 {
        if sojourn <= self.start {
            return 0.0;
        }
        if sojourn >= self.end {
            return 1.0;
        }
        let past = (sojourn - self.start).as_picos() as f64;
        past / (self.end - self.start).as_picos() as f64
    }
}

/// From the first time to the second, or the defaults.
pub(crate) fn between(
    [start, end]: [&Option<Located<Measured<Duration>>>; 2],
    [default_start, default_end]: [Located<Measured<Duration>>; 2],
) -> Result<Ramp, Mistake> {
    let from = start.as_ref().unwrap_or(&default_start).value.0;
    let to = end.as_ref().unwrap_or(&default_end).value.0;
    if from <= to {
        return Ok(Ramp { start: from, end: to });
    }
    let span = end.as_ref().or(start.as_ref()).and_then(|it| it.span.clone());
    Err(Mistake::new(format!("the ramp ends at {to}, before its start at {from}"))
        .at(span)
        .help("write both ramp_start and ramp_end, with ramp_end the greater one"))
}
