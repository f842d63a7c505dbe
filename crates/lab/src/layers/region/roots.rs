//! The names of regions: who answers for them, and which flows ask for one before they begin.

use std::net::IpAddr;

use toml::Spanned;
use windtunnel_dns::{RootSettings, StubResolver, Zone};
use windtunnel_packets::ip::{IpVersion, address_of_node, address_of_node_v6};
use windtunnel_packets::region::{AddressKind, Code};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_scenario::{FlowRequest, Names};
use windtunnel_world::{NameLookupPlan, RootPlan};

use super::dns_file;
use super::named_region::Region;
use super::section::{File, RegionNetwork};

impl RegionNetwork {
    /// What flows ask of these roots before they begin, each with the flow's place.
    pub(super) fn lookups(
        &self,
        requests: &[FlowRequest<'_>],
        roots: &[RootPlan],
        nodes: &Names<'_>,
    ) -> Result<Vec<(usize, NameLookupPlan)>, Mistake> {
        let named = requests.iter().enumerate();
        let named = named.filter_map(|(flow, it)| Some((flow, it.peer_name?, it.ends)));
        let lookup = |(flow, name, ends)| Ok((flow, self.lookup(name, flow, ends, roots, nodes)?));
        named.map(lookup).collect()
    }

    /// The roots of regions, each with the names that it answers for.
    pub(super) fn roots(&self, nodes: &Names<'_>) -> Result<Vec<RootPlan>, Mistake> {
        let File { regions, region_protocol, .. } = &self.file;
        let time_to_live = dns_file::seconds_to_live(&region_protocol.time_to_live)?;
        let agreed = self.name_agreements()?;
        let mut roots = Vec::new();
        for (name, region) in regions {
            let Some(root) = self.root_node(region, name, nodes)? else { continue };
            let own = name.get_ref().as_str();
            let exchanges = |other: &str, it: &Region| {
                it.root.is_some()
                    && (agreed.is_empty()
                        || agreed.iter().any(|it| it.contains(&own) && it.contains(&other)))
            };
            let others = regions.iter().map(|(name, it)| (name.get_ref(), it));
            let others = others.filter(|it| it.0 != own);
            let settings = RootSettings {
                region: own.to_owned(),
                code: Code::of_region(region.number()),
                time_to_live,
                absent: region_protocol.absent.into(),
                others: others.map(|(other, it)| (other.clone(), exchanges(other, it))).collect(),
            };
            let zone = self.zone(region, nodes)?;
            roots.push(RootPlan { node: root, version: region.ip_version(), settings, zone });
        }
        Ok(roots)
    }

    /// Which regions exchange names; empty: all do.
    fn name_agreements(&self) -> Result<Vec<[&str; 2]>, Mistake> {
        let names = Names::of("region", &self.file.regions);
        for [first, second] in &self.file.region_protocol.name_agreements {
            names.index(first)?;
            names.index(second)?;
            second.checked(
                |it| *it != first.value,
                || format!("region `{}` exchanges names with itself", first.value),
                "name two different regions",
            )?;
        }
        let pairs = self.file.region_protocol.name_agreements.iter();
        Ok(pairs.map(|it| [it[0].value.as_str(), it[1].value.as_str()]).collect())
    }

    /// The names of a region, with the addresses of their nodes.
    fn zone(&self, region: &Region, nodes: &Names<'_>) -> Result<Zone, Mistake> {
        let names = self.file.regions.keys();
        let reserved: Vec<&str> = names.map(|it| it.get_ref().as_str()).collect();
        let numbers = self.plan.address_numbers();
        let mut zone = Zone::default();
        for (name, node) in &region.names {
            let number = numbers[self.own_node(region, node, nodes)?];
            let addresses: [IpAddr; 2] =
                [address_of_node(number, 0).into(), address_of_node_v6(number, 0).into()];
            dns_file::register(&mut zone, name, addresses.into(), &reserved)?;
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
    ) -> Result<NameLookupPlan, Mistake> {
        let (region_name, region) = self.region_of(node);
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

    fn region_of(&self, node: usize) -> (&str, &Region) {
        let number = Code(self.plan.of[node]).region();
        let mut regions = self.file.regions.iter();
        let (name, region) =
            regions.find(|it| it.1.number() == number).expect("each node is in a region");
        (name.get_ref(), region)
    }

    /// The node that a name stands for when it is asked for in a region, if it is registered.
    fn find<'a>(&'a self, name: &str, own: &'a Region) -> Option<&'a Located<String>> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let with_suffix = self.file.regions.iter().find_map(|(region, it)| {
            let (rest, top) = name.rsplit_once('.')?;
            top.eq_ignore_ascii_case(region.get_ref()).then(|| it.named(rest))
        });
        with_suffix.unwrap_or_else(|| own.named(name))
    }

    /// The node of a region's root, if it has one.
    fn root_node(
        &self,
        region: &Region,
        name: &Spanned<String>,
        nodes: &Names<'_>,
    ) -> Result<Option<usize>, Mistake> {
        let Some(root) = &region.root else {
            return match region.names.keys().next() {
                None => Ok(None),
                Some(it) => {
                    let message = format!("region `{}` has names and no root", name.get_ref());
                    let help = "write root = \"NODE\" beside `names`";
                    Err(Mistake::new(message).at(it.span()).help(help))
                }
            };
        };
        dns_file::check_label(name)?;
        let kind = AddressKind::from(region.addresses);
        root.checked(
            |_| matches!(kind, AddressKind::Ipv4 | AddressKind::Ipv6),
            || format!("the root of region `{}` has no IP address", name.get_ref()),
            "write addresses = \"ipv4\" or \"ipv6\" for the region, or remove its `root`",
        )?;
        self.own_node(region, root, nodes).map(Some)
    }

    /// A node, which must be of the region.
    fn own_node(
        &self,
        region: &Region,
        node: &Located<String>,
        nodes: &Names<'_>,
    ) -> Result<usize, Mistake> {
        let place = nodes.index(node)?;
        node.checked(
            |_| Code(self.plan.of[place]).region() == region.number(),
            || format!("node `{}` is in another region", node.value),
            "name a node of this region",
        )?;
        Ok(place)
    }
}

impl Region {
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
