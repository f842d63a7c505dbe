//! A ramp: the sojourn times between which more and more packets are marked.

use windtunnel_engine::Duration;
use windtunnel_queues::Ramp;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::Measured;

/// From the first time to the second, or the defaults.
pub(super) fn between(
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
