//! CAKE.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Rate};
use windtunnel_queues::{CakeSettings, Discipline, FqCoDelSettings, QueueLimit};

use super::codel;
use super::common::{Action, mark, packets};
use super::fq_codel::{flows, quantum};
use crate::reading::error::Mistake;
use crate::reading::located::{Located, number};
use crate::reading::units::{Bytes, Measured, bytes, milliseconds};

/// CAKE (Høiland-Jørgensen, Täht and Morton 2018): a shaper without bursts, tins by the classes of
/// packets, and in each a queue for each flow with controlled delay. Without fairness among hosts,
/// BLUE and filtering of acknowledgements. Not on a shared medium.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cake {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<10_240>")]
    pub(super) limit: Measured<QueueLimit>,
    /// How fast packets leave, with all headers: less than the narrowest link behind it, so that
    /// packets wait here and nowhere else.
    rate: Measured<Rate>,
    /// Into which tins packets are put.
    #[serde(default)]
    tins: Tins,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: Action,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// How many queues flows are hashed to in each tin.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

/// Into which tins packets are put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CakeTins")]
enum Tins {
    /// Voice (CS7, CS6, EF, VA) up to 1/4 of the rate goes first, then bulk (CS1, LE) up to 1/16,
    /// then best effort, which are all others.
    #[default]
    Diffserv3,
    /// One for all.
    Besteffort,
}

impl Cake {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let codel = codel::settings(self.action, &self.target, &self.interval, None)?;
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(Discipline::Cake(CakeSettings {
            rate: self.rate.0,
            tins: self.tins == Tins::Diffserv3,
            queues: FqCoDelSettings { codel, flows, quantum },
        }))
    }
}
