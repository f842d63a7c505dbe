//! The sections of a scenario that say which regions there are, how their protocol behaves, and
//! what they agree on.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::link_service::LinkService;
use windtunnel_networks::region::{self as protocol, Advertisement, RegionNode, RegionSettings};
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_packets::region::{self as packets, Code};
use windtunnel_reading::choice;
use windtunnel_reading::error::{Mistake, list};
use windtunnel_reading::located::{Located, Named};
use windtunnel_reading::units::Measured;
use windtunnel_scenario::{Names, NdnBetweenDomains, Sections};
use windtunnel_world::{DirectionPlan, DomainsPlan, Groups, LinkPlan, Metric};

use super::agreements::{self, Agreement};
use super::dns_file::{Absent, an_hour};
use super::named_region::Region;

/// How the region protocol behaves.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegionProtocol {
    /// How its header is encoded.
    #[serde(default)]
    encoding: Encoding,
    /// After an advertisement of a region, the next about the same one goes to the same
    /// neighbouring region after this time at the earliest; the default is BGP's.
    #[serde(default = "half_a_minute")]
    advertisement_interval: Located<Measured<Duration>>,
    /// Whether that interval is multiplied by a random factor from 0.75 to 1, as BGP's is.
    #[serde(default = "yes")]
    advertisement_jitter: bool,
    /// Whether withdrawals wait too (RFC 4271), or are sent at once (RFC 1771).
    #[serde(default = "yes")]
    withdrawals_wait: bool,
    /// What routers look up of the code of another region.
    #[serde(default)]
    lookup: Located<Lookup>,
    /// How regions learn of each other; the keys about advertisements and withdrawals are for
    /// `path-vector`.
    #[serde(default)]
    routing: Routing,
    /// How Interests and Data of NDN go over links between regions, and between the parts of one.
    #[serde(default)]
    ndn: Located<Ndn>,
    /// When links between regions begin to be used by the region protocol, by the names of links;
    /// default: all at the beginning. Links carry plain IP packets too, by which nodes send what
    /// their own router knows no path for under the header.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Measured<Duration>>")]
    migration: Named<Located<Measured<Duration>>>,
    /// How long the answers of roots may be kept.
    #[serde(default = "an_hour")]
    pub(super) time_to_live: Located<Measured<Duration>>,
    /// What roots say of a name that is not registered.
    #[serde(default)]
    pub(super) absent: Absent,
    /// Which two regions exchange names; default: all that have a root.
    #[serde(default)]
    pub(super) name_agreements: Vec<[Located<String>; 2]>,
}

choice! {
    /// How a header of the region protocol is encoded.
    Encoding as packets::Encoding {
        /// 16 bytes.
        Compact,
        /// 20 bytes, in the form of an IPv4 header.
        Ipv4Shaped,
        /// 16 bytes with a flow label, in the form of an IPv6 header.
        Flow,
    }
}

choice! {
    /// How regions learn of each other.
    Routing as protocol::RegionRouting {
        /// Borders of neighbouring regions announce to each other the path of regions to each.
        PathVector,
        /// Each border announces its links to other regions to all. All agreements are for transit,
        /// and the lookup is `two-level`.
        LinkState,
    }
}

/// How packets of NDN go over links between regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ndn {
    /// As over any link, whatever is agreed.
    #[default]
    Beside,
    /// Under the header with the codes of both, from border to border: where regions have no
    /// agreement, nothing is carried. Not for CCNx, nor for faces over TCP.
    Inside,
}

choice! {
    /// What routers look up of the code of another region; in its own each knows all sub-regions.
    Lookup as protocol::CodeLookup {
        /// The eight bits of the region.
        TwoLevel,
        /// All 32 bits: regions announce all their sub-regions.
        Full,
        /// The longest known prefix of whole bytes: a border in a sub-region announces it as well
        /// as its region, so that packets for it enter there.
        LongestPrefix,
    }
}

impl RegionProtocol {
    /// What goes under the header is NDN alone, and over a link that has room for it.
    pub(super) fn check_ndn(
        &self,
        plan: &DomainsPlan,
        over: &NdnBetweenDomains<'_>,
    ) -> Result<(), Mistake> {
        let links = over.links.iter().enumerate();
        let carried =
            links.filter_map(|(place, it)| Some((place, it, plan.ndn_header_between(it.nodes)?)));
        for (place, link, header) in carried {
            let name = &link.name;
            self.ndn.checked(
                |_| !(over.is_over_tcp)(place),
                || {
                    format!(
                        "link `{name}` has a `tcp_face`, which cannot be under the region header"
                    )
                },
                "write ndn = \"beside\", or remove the link's `tcp_face`",
            )?;
            let least = LinkService::MINIMUM_MTU + header;
            self.ndn.checked(
                |_| link.link_service.mtu.is_none_or(|it| it >= least),
                || {
                    format!(
                        "the `mtu` of link `{name}` is too small for NDN packets under the \
                         region header"
                    )
                },
                &format!("write an `mtu` of at least {least} B, or ndn = \"beside\""),
            )?;
        }
        let is_ccnx = over.formats.contains(&PacketFormat::Ccnx);
        self.ndn.checked(
            |it| *it == Ndn::Beside || !is_ccnx,
            || "packets of CCNx cannot be under the region header".to_owned(),
            "write ndn = \"beside\"",
        )
    }
}

impl Default for RegionProtocol {
    fn default() -> Self {
        Self {
            encoding: Encoding::default(),
            advertisement_interval: half_a_minute(),
            advertisement_jitter: true,
            withdrawals_wait: true,
            lookup: Located::default(),
            routing: Routing::default(),
            ndn: Located::default(),
            migration: Named::default(),
            time_to_live: an_hour(),
            absent: Absent::default(),
            name_agreements: Vec::new(),
        }
    }
}

fn half_a_minute() -> Located<Measured<Duration>> {
    Measured(Duration::from_secs(30)).into()
}

fn yes() -> bool {
    true
}

/// The sections about regions.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct File {
    /// Regions, whose nodes reach each other by the region protocol, by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Region>")]
    pub(super) regions: Named<Region>,
    /// What neighbouring regions agree on, by name; default: all that a link joins exchange
    /// packets from and to all regions.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Agreement>")]
    agreements: Named<Agreement>,
    /// How the region protocol behaves.
    #[serde(default)]
    pub(super) region_protocol: RegionProtocol,
}

/// The regions of a scenario.
#[derive(Debug)]
pub(super) struct RegionNetwork {
    pub(super) file: File,
    pub(super) plan: DomainsPlan,
}

impl RegionNetwork {
    /// Those of these sections; none if there are no regions.
    pub(super) fn read(
        sections: &Sections<'_>,
        links: &[LinkPlan],
    ) -> Result<Option<Self>, Mistake> {
        let file: File = sections.read()?;
        let plan = file.plan(sections.nodes(), links, sections.metric())?;
        Ok(plan.map(|plan| Self { file, plan }))
    }
}

impl File {
    /// The network of regions; none if there are no regions.
    fn plan(
        &self,
        nodes: &Names<'_>,
        links: &[LinkPlan],
        metric: Metric,
    ) -> Result<Option<DomainsPlan>, Mistake> {
        let Some((first, _)) = self.regions.first() else {
            return match self.agreements.keys().next() {
                None => Ok(None),
                Some(name) => {
                    Err(Mistake::new("agreements are between regions, and there are none")
                        .at(name.span())
                        .help("write tables such as [regions.ct1]"))
                }
            };
        };
        self.check_routing()?;
        let codes = self.codes(nodes, first)?;
        self.check_links(nodes, links, &codes)?;
        let encoding = packets::Encoding::from(self.region_protocol.encoding);
        let is_inside = self.region_protocol.ndn.value == Ndn::Inside;
        let settings = RegionSettings {
            encoding,
            advertisement: Advertisement {
                interval: self.region_protocol.advertisement_interval.value.0,
                is_jittered: self.region_protocol.advertisement_jitter,
                withdrawals_wait: self.region_protocol.withdrawals_wait,
            },
            lookup: self.region_protocol.lookup.value.into(),
            routing: self.region_protocol.routing.into(),
            regions: self.regions.iter().map(|(name, it)| it.settings(name.get_ref())).collect(),
            nodes: self.nodes(nodes, &codes, links, metric)?,
            agreements: agreements::plans(&self.agreements, &self.regions, links, &codes)?,
        };
        Ok(Some(DomainsPlan {
            of: codes.iter().map(|it| it.0).collect(),
            carrier: Arc::new(Arc::new(settings)),
            has_plain_paths: !self.region_protocol.migration.is_empty(),
            ndn_header: is_inside.then(|| encoding.header()),
        }))
    }

    /// By link-state all regions know of all links, and of no part of a region.
    fn check_routing(&self) -> Result<(), Mistake> {
        if matches!(self.region_protocol.routing, Routing::PathVector) {
            return Ok(());
        }
        self.region_protocol.lookup.checked(
            |it| matches!(it, Lookup::TwoLevel),
            || "link-state routing between regions requires two-level lookup".into(),
            "write lookup = \"two-level\", or routing = \"path-vector\"",
        )?;
        self.agreements.iter().try_for_each(|(name, it)| it.check_transit(name))
    }

    /// The code of each node.
    fn codes(&self, nodes: &Names<'_>, first: &Spanned<String>) -> Result<Vec<Code>, Mistake> {
        let mut codes = vec![None; nodes.count()];
        let mut numbers: BTreeMap<u8, &str> = BTreeMap::new();
        for (name, region) in &self.regions {
            region.check_code()?;
            if let Some(other) = numbers.insert(region.number(), name.get_ref()) {
                let message =
                    format!("regions `{other}` and `{}` have the same code", name.get_ref());
                return Err(region.code.mistake(message).help("give each region a different code"));
            }
            region.place(nodes, name, &mut codes)?;
        }
        match codes.iter().position(Option::is_none) {
            None => Ok(codes.into_iter().flatten().collect()),
            Some(node) => {
                let node = nodes.name(node);
                let known: Vec<&str> =
                    self.regions.keys().map(|it| it.get_ref().as_str()).collect();
                Err(Mistake::new(format!("node `{node}` is in no region"))
                    .at(first.span())
                    .help(format!("add it to the nodes of one of {}", list(&known))))
            }
        }
    }

    /// Each node with its code and its neighbours, and whether it is hidden.
    fn nodes(
        &self,
        nodes: &Names<'_>,
        codes: &[Code],
        links: &[LinkPlan],
        metric: Metric,
    ) -> Result<Vec<RegionNode>, Mistake> {
        let mut region_nodes = region_nodes(codes, links, metric, &self.migration(links, codes)?);
        for region in self.regions.values() {
            for node in &region.hidden {
                let place = nodes.index(node)?;
                node.checked(
                    |_| codes[place].region() == region.number(),
                    || format!("node `{}` is in another region", node.value),
                    "name nodes of this region",
                )?;
                region_nodes[place].is_hidden = true;
            }
        }
        Ok(region_nodes)
    }

    /// When each link begins to be used.
    fn migration(&self, links: &[LinkPlan], codes: &[Code]) -> Result<Vec<Time>, Mistake> {
        let mut times = vec![Time::ZERO; links.len()];
        for (name, time) in &self.region_protocol.migration {
            let place = links.iter().position(|it| it.name == *name.get_ref());
            let ends = |it: usize| links[it].nodes.map(|it| codes[it].region());
            match place.filter(|it| ends(*it)[0] != ends(*it)[1]) {
                Some(place) => times[place] = Time::ZERO + time.value.0,
                None => {
                    let message = format!("no link `{}` joins two regions", name.get_ref());
                    let help = "name a link between two regions";
                    return Err(Mistake::new(message).at(name.span()).help(help));
                }
            }
        }
        Ok(times)
    }

    /// The nodes of a region reach each other without leaving it, and each region a
    /// neighbour.
    fn check_links(
        &self,
        nodes: &Names<'_>,
        links: &[LinkPlan],
        codes: &[Code],
    ) -> Result<(), Mistake> {
        let mut inside = Groups::new(codes.len());
        let leads_out = |it: &&LinkPlan| codes[it.nodes[0]] != codes[it.nodes[1]];
        links.iter().filter(|it| !leads_out(it)).for_each(|it| {
            inside.join(it.nodes);
        });
        for (name, region) in &self.regions {
            let those = |it: &usize| codes[*it].region() == region.number();
            let of_region: Vec<usize> = (0..codes.len()).filter(those).collect();
            let is_joined = |node: &usize| {
                let first = of_region.iter().find(|it| codes[**it] == codes[*node]);
                inside.are_joined([*first.unwrap_or(node), *node])
            };
            let mut is_joined = is_joined;
            if let Some(apart) = of_region.iter().find(|it| !is_joined(it)) {
                let apart = nodes.name(*apart);
                let name = name.get_ref();
                let message = format!("no path inside region `{name}` leads to node `{apart}`");
                return Err(region.nodes.mistake(message).help("connect its nodes by links"));
            }
            let has_border = links.iter().filter(leads_out).any(|it| it.nodes.iter().any(those));
            if !has_border && self.regions.len() > 1 {
                let message = format!("no link leads out of region `{}`", name.get_ref());
                return Err(region
                    .nodes
                    .mistake(message)
                    .help("join one of its nodes to a node of another region"));
            }
        }
        Ok(())
    }
}

/// Each node with what its interfaces lead to, in the order of the links; `from` is when each of
/// those begins to be used.
fn region_nodes(
    codes: &[Code],
    links: &[LinkPlan],
    metric: Metric,
    from: &[Time],
) -> Vec<RegionNode> {
    let place = |code: &Code| RegionNode { code: *code, is_hidden: false, neighbours: Vec::new() };
    let mut region_nodes: Vec<RegionNode> = codes.iter().map(place).collect();
    for (link, from) in links.iter().zip(from) {
        for side in [0, 1] {
            let DirectionPlan { delay, weight, .. } = link.directions[side];
            let cost = match metric {
                // In microseconds. Of equal delays fewer hops, as IP's paths here.
                Metric::Delay => delay.as_nanos() / 1000 + 1,
                Metric::Hops | Metric::Weight => metric.cost(delay, weight),
            };
            region_nodes[link.nodes[side]].neighbours.push(protocol::Neighbour {
                node: link.nodes[1 - side] as u32,
                metric: u32::try_from(cost).unwrap_or(u32::MAX),
                mtu: link.link_service.mtu.unwrap_or(u16::MAX),
                speaks_from: *from,
            });
        }
    }
    region_nodes
}
