//! The rows of traces of rates, and what all of them must have.

use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lines::Line;

use crate::RateTrace;

/// The most lines of a trace.
pub(super) const MOST_LINES: usize = 10_000_000;

/// The fastest, in Mbit/s.
pub(super) const MOST_MBPS: f64 = 1e9;

/// A trace of such rates and delays; where it repeats, what it says at its end is when it begins
/// again.
pub(super) fn whole(
    mut rows: Vec<(Duration, Option<Rate>)>,
    mut delays: Vec<(Duration, Duration)>,
    repeat: Option<Duration>,
) -> Result<RateTrace, Mistake> {
    if let Some(end) = repeat {
        if !rows.is_empty() && end == Duration::ZERO {
            return Err(Mistake::new("the trace has no length")
                .help("write a second row, or repeat = false"));
        }
        rows.retain(|it| it.0 < end);
        delays.retain(|it| it.0 < end);
    }
    if rows.is_empty() {
        return Err(Mistake::new("the trace is empty")
            .help("write a time in seconds and a rate in Mbit/s on each line"));
    }
    if rows.iter().all(|(_, rate)| rate.is_none()) {
        return Err(Mistake::new("the trace never sends anything").help("write a rate above 0"));
    }
    Ok(RateTrace { rows, delays, repeat })
}

pub(crate) fn check_count(line: &Line<'_>, count: usize) -> Result<(), Mistake> {
    match count {
        ..MOST_LINES => Ok(()),
        _ => Err(line
            .mistake("more than ten million lines")
            .help("use a shorter trace that repeats")),
    }
}
