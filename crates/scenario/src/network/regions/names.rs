//! The names of regions: who answers for them, and which flows ask for one before they begin.

use std::net::IpAddr;

use toml::Spanned;
use windtunnel_dns::{RootSettings, StubResolver, Zone};
use windtunnel_packets::ip::{IpVersion, address_of_node, address_of_node_v6};
use windtunnel_packets::region::{AddressKind, Code};
use windtunnel_world::{DomainsPlan, FlowPlan, NameLookupPlan, RootPlan};

use super::{Region, Regions};
use crate::network::dns;
use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::{Located, Named};
use crate::traffic::flows::Flow;

impl Regions<'_> {
    /// The flows of a scenario, each with what it asks of these roots.
    pub(crate) fn with_lookups(
        &self,
        flows: &Named<Flow>,
        mut plans: Vec<FlowPlan>,
        roots: &[RootPlan],
        nodes: &Names<'_>,
        routed: &Routed,
    ) -> Result<Vec<FlowPlan>, Mistake> {
        for (place, (flow, plan)) in flows.values().zip(&mut plans).enumerate() {
            let Some(name) = &flow.0.common.peer_name else { continue };
            let mut ends = [plan.from, plan.to];
            if flow.receiver_opens() {
                ends.reverse();
            }
            plan.lookup = Some(self.lookup(name, place, ends, roots, nodes, routed)?);
        }
        Ok(plans)
    }

    /// The roots of regions, each with the names that it answers for.
    pub(crate) fn roots(
        &self,
        nodes: &Names<'_>,
        routed: &Routed,
    ) -> Result<Vec<RootPlan>, Mistake> {
        let time_to_live = dns::seconds_to_live(&self.protocol.time_to_live)?;
        let agreed = self.name_agreements()?;
        let mut roots = Vec::new();
        for (name, region) in self.regions {
            let Some(root) = region.root_node(name, nodes, routed)? else { continue };
            let own = name.get_ref().as_str();
            let exchanges = |other: &str, it: &Region| {
                it.root.is_some()
                    && (agreed.is_empty()
                        || agreed.iter().any(|it| it.contains(&own) && it.contains(&other)))
            };
            let others = self.regions.iter().map(|(name, it)| (name.get_ref(), it));
            let others = others.filter(|it| it.0 != own);
            let settings = RootSettings {
                region: own.to_owned(),
                code: Code::of_region(region.number()),
                time_to_live,
                absent: self.protocol.absent.into(),
                others: others.map(|(other, it)| (other.clone(), exchanges(other, it))).collect(),
            };
            let zone = self.zone(region, nodes, routed)?;
            roots.push(RootPlan { node: root, version: region.ip_version(), settings, zone });
        }
        Ok(roots)
    }

    /// Which regions exchange names; empty: all do.
    fn name_agreements(&self) -> Result<Vec<[&str; 2]>, Mistake> {
        let names = Names::of("region", self.regions);
        for [first, second] in &self.protocol.name_agreements {
            names.index(first)?;
            names.index(second)?;
            second.checked(
                |it| *it != first.value,
                || format!("region `{}` exchanges names with itself", first.value),
                "name two different regions",
            )?;
        }
        let pairs = self.protocol.name_agreements.iter();
        Ok(pairs.map(|it| [it[0].value.as_str(), it[1].value.as_str()]).collect())
    }

    /// The names of a region, with the addresses of their nodes.
    fn zone(&self, region: &Region, nodes: &Names<'_>, routed: &Routed) -> Result<Zone, Mistake> {
        let reserved: Vec<&str> = self.regions.keys().map(|it| it.get_ref().as_str()).collect();
        let numbers = routed.domains.as_ref().map(DomainsPlan::address_numbers);
        let numbers = numbers.unwrap_or_default();
        let mut zone = Zone::default();
        for (name, node) in &region.names {
            let number = numbers[region.own_node(node, nodes, routed)?];
            let addresses: [IpAddr; 2] =
                [address_of_node(number, 0).into(), address_of_node_v6(number, 0).into()];
            dns::register(&mut zone, name, addresses.into(), &reserved)?;
        }
        Ok(zone)
    }

    /// What the flow at that place asks for before `node` opens it to `peer`.
    fn lookup(
        &self,
        name: &Located<String>,
        place: usize,
        [node, peer]: [usize; 2],
        roots: &[RootPlan],
        nodes: &Names<'_>,
        routed: &Routed,
    ) -> Result<NameLookupPlan, Mistake> {
        let (region_name, region) = self.region_of(node, routed).ok_or_else(|| {
            name.mistake("`peer_name` is asked of the root of a region, and there are no regions")
                .help("remove it, or write tables such as [regions.ct1]")
        })?;
        let root = roots.iter().position(|it| it.settings.region == region_name);
        let root = root.ok_or_else(|| {
            let asker = nodes.name(node);
            name.mistake(format!("region `{region_name}` of node `{asker}` has no root to ask"))
                .help(format!("write root = \"NODE\" in [regions.{region_name}]"))
        })?;
        if let Some(named) = self.find(&name.value, region) {
            name.checked(
                |_| named.value == nodes.name(peer),
                || format!("`{}` is a name of node `{}`", name.value, named.value),
                "name the other end of the flow",
            )?;
        }
        let version = roots[root].version;
        let resolver = StubResolver::new(&name.value, version, place as u16)
            .map_err(|it| name.mistake(format!("`{}` cannot be asked for: {it}", name.value)))?;
        Ok(NameLookupPlan { node, root, name: name.value.clone(), resolver })
    }

    fn region_of(&self, node: usize, routed: &Routed) -> Option<(&str, &Region)> {
        let number = Code(routed.domains.as_ref()?.of[node]).region();
        let mut regions = self.regions.iter().map(|(name, it)| (name.get_ref().as_str(), it));
        regions.find(|it| it.1.number() == number)
    }

    /// The node that a name stands for when it is asked for in a region, if it is registered.
    fn find<'a>(&'a self, name: &str, own: &'a Region) -> Option<&'a Located<String>> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let with_suffix = self.regions.iter().find_map(|(region, it)| {
            let (rest, top) = name.rsplit_once('.')?;
            top.eq_ignore_ascii_case(region.get_ref()).then(|| it.named(rest))
        });
        with_suffix.unwrap_or_else(|| own.named(name))
    }
}

impl Region {
    /// The node of its root, if it has one.
    fn root_node(
        &self,
        name: &Spanned<String>,
        nodes: &Names<'_>,
        routed: &Routed,
    ) -> Result<Option<usize>, Mistake> {
        let Some(root) = &self.root else {
            return match self.names.keys().next() {
                None => Ok(None),
                Some(it) => {
                    let message = format!("region `{}` has names and no root", name.get_ref());
                    let help = "write root = \"NODE\" beside `names`";
                    Err(Mistake::new(message).at(it.span()).help(help))
                }
            };
        };
        dns::check_label(name)?;
        root.checked(
            |_| matches!(AddressKind::from(self.addresses), AddressKind::Ipv4 | AddressKind::Ipv6),
            || format!("the root of region `{}` has no IP address", name.get_ref()),
            "write addresses = \"ipv4\" or \"ipv6\" for the region, or remove its `root`",
        )?;
        self.own_node(root, nodes, routed).map(Some)
    }

    /// A node, which must be of the region.
    fn own_node(
        &self,
        node: &Located<String>,
        nodes: &Names<'_>,
        routed: &Routed,
    ) -> Result<usize, Mistake> {
        let place = nodes.index(node)?;
        let domains = routed.domains.as_ref();
        node.checked(
            |_| domains.is_some_and(|it| Code(it.of[place]).region() == self.number()),
            || format!("node `{}` is in another region", node.value),
            "name a node of this region",
        )?;
        Ok(place)
    }

    fn ip_version(&self) -> IpVersion {
        match AddressKind::from(self.addresses) {
            AddressKind::Ipv6 => IpVersion::V6,
            _ => IpVersion::V4,
        }
    }

    /// The node of a name without the region's suffix.
    fn named(&self, name: &str) -> Option<&Located<String>> {
        let mut names = self.names.iter();
        names.find(|it| it.0.get_ref().eq_ignore_ascii_case(name)).map(|it| it.1)
    }
}
