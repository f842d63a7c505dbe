//! The marking of NFD's link service.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::Duration;
use windtunnel_queues::{Discipline, QueueLimit};

use super::common::packets;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Bytes, Measured, bytes, milliseconds};

/// The release of NFD whose link service marks.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
enum LinkServiceVersion {
    /// The first mark comes once the threshold has been exceeded for an interval.
    #[default]
    #[serde(rename = "nfd-0.7")]
    Nfd07,
    /// The first packet that finds too much is marked, but not within an interval of the last
    /// mark; the threshold is at most half the limit, of 1500 B a packet. So did NFD 0.6.1 to
    /// 0.6.6, in ndnSIM 2.6 and 2.7.
    #[serde(rename = "nfd-0.6")]
    Nfd06,
}

/// Drop-tail with the marking of NFD's link service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkService {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// How much may wait before it marks.
    #[serde(default = "bytes::<65_536>")]
    threshold: Located<Measured<Bytes>>,
    /// The time from which marks are spaced: the n-th is followed by the next after the
    /// interval / √n, with "nfd-0.7" / √(n + 1).
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The release of NFD whose rules marks follow.
    #[serde(default)]
    version: LinkServiceVersion,
}

impl LinkService {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let interval = above_zero(&self.interval, "interval")?;
        let threshold = self.threshold.value.0.0;
        Ok(Discipline::LinkService(match self.version {
            LinkServiceVersion::Nfd07 => windtunnel_queues::LinkService::new(threshold, interval),
            LinkServiceVersion::Nfd06 => {
                windtunnel_queues::LinkService::of_nfd_0_6(threshold, interval, self.limit.0)
            }
        }))
    }
}
