//! What several kinds of queue have alike.

use windtunnel_engine::Duration;
use windtunnel_queues::QueueLimit;

use crate::reading::choice::choice;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Frequency, Measured};

/// The RFCs speak of one MTU; Ethernet's.
pub(super) const MAXIMUM_PACKET: u64 = 1500;
/// A probability that moves more often only costs time.
const LEAST_UPDATE: Duration = Duration::from_micros(10);

choice! {
    /// What a queue does to a packet that it chose.
    Action as windtunnel_queues::CongestionAction {
        /// Drops it.
        Drop,
        /// Marks it if it is ECN-capable, and drops it otherwise.
        Mark,
    }
}

pub(super) fn packets<const NUMBER: u32>() -> Measured<QueueLimit> {
    Measured(QueueLimit::Packets(NUMBER))
}

pub(super) fn drop() -> Action {
    Action::Drop
}

pub(super) fn mark() -> Action {
    Action::Mark
}

/// How often a probability is updated.
pub(super) fn update(update: &Located<Measured<Duration>>) -> Result<Duration, Mistake> {
    update.checked(
        |it| it.0 >= LEAST_UPDATE,
        || format!("`update` must be at least {LEAST_UPDATE}"),
        "write one such as update = \"15 ms\"",
    )?;
    Ok(update.value.0)
}

/// How much a probability changes with the excess of the delay.
pub(super) fn alpha(alpha: &Located<Measured<Frequency>>) -> Result<f64, Mistake> {
    alpha.checked(
        |it| it.0.0 > 0.0,
        || "`alpha` must be greater than zero".to_owned(),
        "without it the delay would never reach its target; write one such as \"0.125 Hz\"",
    )?;
    Ok(alpha.value.0.0)
}
