//! A region.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_networks::region;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::{AddressKind, Code};
use windtunnel_reading::choice;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, Named};
use windtunnel_scenario::Names;

/// A region: its nodes use IP among themselves, and the region protocol to reach those of
/// other regions. All nodes of a scenario with regions are in one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Region {
    /// Its number, from 1 to 254.
    pub(super) code: Located<u16>,
    /// Its nodes. Those with a link to another region are its borders.
    pub(super) nodes: Located<Vec<Located<String>>>,
    /// How packets from one neighbouring region to another cross it.
    #[serde(default)]
    pub(super) transit: Transit,
    /// How many IP prefixes its routers keep, for the size of their tables; default: one for
    /// each node.
    pub(super) prefixes: Option<u64>,
    /// What the addresses of its hosts are.
    #[serde(default)]
    pub(super) addresses: Addresses,
    /// Whether it takes packets whose ends have addresses of different kinds, or others than IP
    /// addresses.
    #[serde(default)]
    pub(super) accepts_other_addresses: bool,
    /// Nodes of it that do not say where they are in what they send to other regions, over UDP;
    /// default: none.
    #[serde(default)]
    pub(super) hidden: Vec<Located<String>>,
    /// Parts of it that reach each other by the region protocol too, by name; default: none.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, SubRegion>")]
    pub(super) sub_regions: Named<SubRegion>,
    /// The node of its DNS root, which answers for its names and asks other roots for theirs;
    /// default: it has none.
    pub(super) root: Option<Located<String>>,
    /// Its names, without its own suffix, and the node of it that each stands for; default: none.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(super) names: Named<Located<String>>,
}

choice! {
    /// What the addresses of hosts are.
    Addresses as AddressKind {
        /// IPv4 addresses.
        Ipv4,
        /// IPv6 addresses.
        Ipv6,
        /// Hardware addresses of IEEE 802, of 6 bytes.
        Mac,
        /// Public keys of 32 bytes.
        PublicKey,
    }
}

/// A part of a region.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubRegion {
    /// Its number, from 1 to 16777215.
    pub(super) code: Located<u32>,
    /// Its nodes, which are nodes of the region.
    pub(super) nodes: Located<Vec<Located<String>>>,
}

/// How packets of other regions cross a region.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Transit {
    /// Every node forwards them by the codes of regions.
    #[default]
    Transparent,
    /// Between two borders they travel in IPv4 packets.
    Ipv4Tunnel,
    /// Between two borders they travel in IPv6 packets.
    Ipv6Tunnel,
    /// None do: the region announces no other to its neighbours.
    Refused,
}

impl From<Transit> for region::Transit {
    fn from(transit: Transit) -> Self {
        match transit {
            Transit::Transparent => Self::Transparent,
            Transit::Ipv4Tunnel => Self::Tunnel(IpVersion::V4),
            Transit::Ipv6Tunnel => Self::Tunnel(IpVersion::V6),
            Transit::Refused => Self::Refused,
        }
    }
}

impl Region {
    /// Its number, once that was checked.
    pub(super) fn number(&self) -> u8 {
        self.code.value as u8
    }

    pub(super) fn check_code(&self) -> Result<(), Mistake> {
        let fits = |it: &u16| u8::try_from(*it).is_ok_and(|it| Code::REGIONS.contains(&it));
        self.code.checked(
            fits,
            || format!("{} is not a valid code of a region", self.code.value),
            "write a number from 1 to 254",
        )
    }

    pub(super) fn settings(&self, name: &str) -> region::Region {
        region::Region {
            number: self.number(),
            name: name.to_owned(),
            prefixes: self.prefixes,
            transit: self.transit.into(),
            addresses: self.addresses.into(),
            accepts_typed: self.accepts_other_addresses,
        }
    }

    /// Writes down the codes of its nodes.
    pub(super) fn place(
        &self,
        nodes: &Names<'_>,
        name: &Spanned<String>,
        codes: &mut [Option<Code>],
    ) -> Result<(), Mistake> {
        self.nodes.checked(
            |it| !it.is_empty(),
            || format!("region `{}` has no nodes", name.get_ref()),
            "name at least one",
        )?;
        for node in &self.nodes.value {
            let place = nodes.index(node)?;
            if codes[place].is_some() {
                let message = format!("node `{}` is in two regions", node.value);
                return Err(node.mistake(message).help("name it in one"));
            }
            codes[place] = Some(Code::of_region(self.number()));
        }
        let mut numbers: IndexMap<u32, &str> = IndexMap::new();
        for (own, it) in &self.sub_regions {
            it.code.checked(
                |it| (1..=Code::LAST_SUB_REGION).contains(it),
                || format!("{} is not a valid code of a sub-region", it.code.value),
                "write a number from 1 to 16777215",
            )?;
            if let Some(other) = numbers.insert(it.code.value, own.get_ref()) {
                let message =
                    format!("sub-regions `{other}` and `{}` have the same code", own.get_ref());
                return Err(it.code.mistake(message).help("give each its own"));
            }
            it.place(nodes, self.number(), name.get_ref(), codes)?;
        }
        Ok(())
    }
}

impl SubRegion {
    pub(super) fn place(
        &self,
        nodes: &Names<'_>,
        region: u8,
        name: &str,
        codes: &mut [Option<Code>],
    ) -> Result<(), Mistake> {
        for node in &self.nodes.value {
            let place = nodes.index(node)?;
            if codes[place] != Some(Code::of_region(region)) {
                let message = format!(
                    "node `{}` is not in region `{name}`, or in another part of it",
                    node.value
                );
                return Err(node.mistake(message).help("name nodes of the region, each once"));
            }
            codes[place] = Some(Code::of_sub_region(region, self.code.value));
        }
        Ok(())
    }
}
