//! Controlled delay that first signals some congestion.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, QueueLimit, SceSettings};

use super::common::{Action, mark, packets};
use super::{codel, ramp};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Measured, milliseconds};

/// Controlled delay that first signals some congestion, by ECT(1)
/// (draft-morton-tsvwg-sce).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sce {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: Action,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time from which some packets signal some congestion; default: a
    /// quarter of the target.
    ramp_start: Option<Located<Measured<Duration>>>,
    /// The sojourn time from which all packets do; default: half the target.
    ramp_end: Option<Located<Measured<Duration>>>,
}

impl Sce {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let codel = codel::settings(self.action, &self.target, &self.interval, None)?;
        let share = |share: f64| Measured(codel.target.scaled(share)).into();
        let defaults = [share(0.25), share(0.5)];
        let ramp = ramp::between([&self.ramp_start, &self.ramp_end], defaults)?;
        Ok(Discipline::Sce(SceSettings { codel, ramp }))
    }
}
