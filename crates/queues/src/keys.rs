//! What a scenario says of a queue, and what several kinds have alike.

use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Frequency, Measured};

use crate::backlog::QueueLimit;
use crate::verdict::CongestionAction;

/// The keys of a discipline in scenario files.
pub trait Keys {
    /// What is set on the discipline.
    type Settings;

    /// How much may wait.
    fn limit(&self) -> QueueLimit;

    /// The settings that the keys make.
    ///
    /// # Errors
    /// [`Mistake`] at a key whose value does not fit.
    fn settings(&self) -> Result<Self::Settings, Mistake>;
}

/// The RFCs speak of one MTU; Ethernet's.
pub(crate) const MAXIMUM_PACKET: u64 = 1500;
/// A probability that moves more often only costs time.
const LEAST_UPDATE: Duration = Duration::from_micros(10);

pub(crate) fn packets<const NUMBER: u32>() -> Measured<QueueLimit> {
    Measured(QueueLimit::Packets(NUMBER))
}

pub(crate) fn drop() -> CongestionAction {
    CongestionAction::Drop
}

pub(crate) fn mark() -> CongestionAction {
    CongestionAction::Mark
}

/// How often a probability is updated.
pub(crate) fn update(update: &Located<Measured<Duration>>) -> Result<Duration, Mistake> {
    update.checked(
        |it| it.0 >= LEAST_UPDATE,
        || format!("`update` must be at least {LEAST_UPDATE}"),
        "write one such as update = \"15 ms\"",
    )?;
    Ok(update.value.0)
}

/// How much a probability changes with the excess of the delay.
pub(crate) fn alpha(alpha: &Located<Measured<Frequency>>) -> Result<f64, Mistake> {
    alpha.checked(
        |it| it.0.0 > 0.0,
        || "`alpha` must be greater than zero".to_owned(),
        "without it the delay would never reach its target; write one such as \"0.125 Hz\"",
    )?;
    Ok(alpha.value.0.0)
}
