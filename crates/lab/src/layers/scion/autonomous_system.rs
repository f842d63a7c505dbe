//! An autonomous system.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_packets::scion::IsdAs;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;

/// Ethernet's packets: what a link without an MTU carries.
pub(super) const ETHERNET: u16 = 1500;

/// An autonomous system: its nodes use IP among themselves, and SCION to reach those of others.
/// All nodes of a scenario with autonomous systems are in one. Two in the core that a link
/// joins are neighbours there, unless they are peers; of other two that a link joins, one is the
/// parent of the other, or both are peers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AutonomousSystem {
    /// The number of its isolation domain and its own, such as `"1-64512"` or
    /// `"1-ff00:0:110"`.
    pub(super) isd_as: Located<String>,
    /// Whether it is in the core of its isolation domain.
    #[serde(default)]
    pub(super) core: bool,
    /// Its nodes. Those with a link to another autonomous system are its border routers; on the
    /// first one is its control service.
    pub(super) nodes: Located<Vec<Located<String>>>,
    /// Those of its isolation domain that carry its packets, and from which it has its beacons.
    #[serde(default)]
    pub(super) parents: Vec<Located<String>>,
    /// Those, in the core or not and of any isolation domain, with which it exchanges packets from
    /// and to itself and those below it. Named on one side or both.
    #[serde(default)]
    pub(super) peers: Vec<Located<String>>,
}

impl AutonomousSystem {
    pub(super) fn number(&self) -> Result<IsdAs, Mistake> {
        let number = self.isd_as.value.parse::<IsdAs>();
        let number = number.ok().filter(|it| it.isd() > 0 && it.number() > 0);
        number.ok_or_else(|| {
            let value = &self.isd_as.value;
            self.isd_as
                .mistake(format!("`{value}` is not the number of an autonomous system"))
                .help("write one such as \"1-64512\" or \"1-ff00:0:110\"")
        })
    }
}
