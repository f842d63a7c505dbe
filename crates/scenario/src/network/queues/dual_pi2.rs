//! Two coupled queues.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, DualPi2Settings, QueueLimit, Ramp};

use super::common::{alpha, packets, update};
use super::ramp;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{
    Frequency, Measured, Share, microseconds, millihertz, milliseconds, percent,
};

/// Two coupled queues, for L4S and for all others (RFC 9332). The low-latency queue
/// marks from a step on, or on a ramp.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DualPi2 {
    /// How much may wait in both queues together.
    #[serde(default = "packets::<10_000>")]
    pub(super) limit: Measured<QueueLimit>,
    /// The queueing delay to hold in the classic queue.
    #[serde(default = "milliseconds::<15>")]
    target: Located<Measured<Duration>>,
    /// How often the probability is updated.
    #[serde(default = "milliseconds::<16>")]
    update: Located<Measured<Duration>>,
    /// How much the probability changes with the excess of the delay.
    #[serde(default = "millihertz::<160>")]
    alpha: Located<Measured<Frequency>>,
    /// How much it changes with the growth of the delay.
    #[serde(default = "millihertz::<3200>")]
    beta: Located<Measured<Frequency>>,
    /// The coupling factor between the two queues.
    #[serde(default = "coupling")]
    coupling: Located<f64>,
    /// The classic queue's share of the link while packets wait in both.
    #[serde(default = "percent::<10>")]
    classic_share: Measured<Share>,
    /// The sojourn time in the low-latency queue above which every packet is marked;
    /// default: 1 ms, without a ramp.
    step: Option<Measured<Duration>>,
    /// In place of a step: the sojourn time from which some packets are marked;
    /// default: 0.8 ms, with `ramp_end`.
    ramp_start: Option<Located<Measured<Duration>>>,
    /// In place of a step: the sojourn time from which all packets are marked;
    /// default: 1.2 ms, with `ramp_start`.
    ramp_end: Option<Located<Measured<Duration>>>,
}

fn coupling() -> Located<f64> {
    2.0.into()
}

impl DualPi2 {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        self.coupling.checked(
            |it| *it > 0.0 && it.is_finite(),
            || "`coupling` must be greater than zero".to_owned(),
            "write one such as coupling = 2",
        )?;
        Ok(Discipline::DualPi2(DualPi2Settings {
            target: above_zero(&self.target, "target")?,
            update: update(&self.update)?,
            alpha: alpha(&self.alpha)?,
            beta: self.beta.value.0.0,
            coupling: self.coupling.value,
            ramp: self.step_or_ramp()?,
            classic_share: self.classic_share.0.0,
        }))
    }

    fn step_or_ramp(&self) -> Result<Ramp, Mistake> {
        let of_ramp = self.ramp_start.as_ref().or(self.ramp_end.as_ref());
        match (self.step, of_ramp) {
            (step, None) => Ok(Ramp::step(step.map_or(Duration::from_millis(1), |it| it.0))),
            (Some(_), Some(of_ramp)) => Err(Mistake::new("`step` and a ramp cannot both be set")
                .at(of_ramp.span.clone())
                .help("write step, or ramp_start and ramp_end")),
            (None, Some(_)) => {
                let defaults = [microseconds::<800>(), microseconds::<1200>()];
                ramp::between([&self.ramp_start, &self.ramp_end], defaults)
            }
        }
    }
}
