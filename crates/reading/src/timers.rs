//! Times and windows that consumers and flows have alike.

use windtunnel_engine::{Duration, Time};

use crate::error::Mistake;
use crate::located::Located;
use crate::units::Measured;

/// The most samples of a channel in one run.
pub const MOST_SAMPLES: u64 = 10_000_000;

/// No time at all, as a default.
#[must_use]
pub fn zero() -> Located<Measured<Duration>> {
    Measured(Duration::ZERO).into()
}

/// A duration that must be above zero, because otherwise time would stand still.
///
/// # Errors
/// [`Mistake`] if it is zero.
pub fn above_zero(duration: &Located<Measured<Duration>>, key: &str) -> Result<Duration, Mistake> {
    duration.checked(
        |it| it.0 > Duration::ZERO,
        || format!("`{key}` must be greater than zero"),
        &format!("write one such as {key} = \"200 ms\""),
    )?;
    Ok(duration.value.0)
}

/// How often a channel is sampled, on a run of that duration.
///
/// # Errors
/// [`Mistake`] if that is never, or more often than [`MOST_SAMPLES`].
pub fn sampling(
    period: &Located<Measured<Duration>>,
    duration: Duration,
) -> Result<Duration, Mistake> {
    let every = above_zero(period, "period")?;
    period.checked(
        |_| duration.as_picos() / every.as_picos() <= MOST_SAMPLES,
        || format!("more than ten million samples of the channel, one every {every}"),
        "write a longer period, such as \"1 ms\"",
    )?;
    Ok(every)
}

/// When something stops that may start as late as `latest_start`.
///
/// # Errors
/// [`Mistake`] if that is not later.
pub fn stop(
    stop: Option<&Located<Measured<Duration>>>,
    latest_start: Time,
) -> Result<Time, Mistake> {
    let Some(stop) = stop else { return Ok(Time::NEVER) };
    let time = Time::ZERO + stop.value.0;
    stop.checked(
        |_| time > latest_start,
        || "`stop` is before the start".to_owned(),
        "write a time after `start` and `start_within` together",
    )?;
    Ok(time)
}

/// The smallest window must not be above the initial one.
pub fn at_most_initial<T>(
    window: &Located<T>,
    minimum: Option<f64>,
    initial: f64,
) -> Result<(), Mistake> {
    window.checked(
        |_| minimum.is_none_or(|it| it <= initial),
        || "`window.minimum` is above `window.initial`".to_owned(),
        &format!("write a minimum of at most \"{initial} segments\""),
    )
}
