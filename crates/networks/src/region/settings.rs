//! What all routers of a network of regions know beforehand: who is where, and what is agreed.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::{AddressKind, Code, Encoding, typed_header};

use crate::layer::Interface;

/// How packets of other regions cross a region (section VI.D.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transit {
    /// Every device forwards them by the codes of regions.
    #[default]
    Transparent,
    /// The border where they enter puts them into IP packets to the one where they leave; the
    /// devices between forward those.
    Tunnel(IpVersion),
    /// None do: the region announces no other to its neighbours.
    Refused,
}

/// A region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its number, among [`Code::REGIONS`].
    pub number: u8,
    /// Its name.
    pub name: String,
    /// How many IP prefixes its routers keep; default: one for each node.
    pub prefixes: Option<u64>,
    /// How packets of others cross it.
    pub transit: Transit,
    /// What its addresses are.
    pub addresses: AddressKind,
    /// Whether it takes packets whose ends have addresses of different kinds, or others than IP
    /// addresses.
    pub accepts_typed: bool,
}

/// What an interface of a node leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The node.
    pub node: u32,
    /// What a path inside the region pays for the link.
    pub metric: u32,
    /// The largest packet that the link carries, in bytes.
    pub mtu: u16,
    /// From when on the two speak the region protocol over it, if they are of different regions.
    pub speaks_from: Time,
}

/// A node of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionNode {
    /// Its region and sub-region.
    pub code: Code,
    /// Whether what it sends does not say where it comes from.
    pub is_hidden: bool,
    /// What its interfaces lead to, in their order.
    pub neighbours: Vec<Neighbour>,
}

/// What two neighbouring regions have agreed on: that they exchange packets, and tell each
/// other of the regions that they reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The numbers of the two.
    pub regions: [u8; 2],
    /// What they are to each other.
    pub relation: Relation,
    /// From when on.
    pub from: Time,
    /// Until when.
    pub until: Time,
}

/// What the two regions of an agreement are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// Each tells the other of all regions that it reaches.
    #[default]
    Transit,
    /// Each tells the other of itself and its customers.
    Peering,
    /// The first is the customer of the second.
    CustomerProvider,
}

/// What one region is to another, as that one sees it; in the order in which routes are
/// preferred (Gao and Rexford 2001).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It pays for what is carried.
    Customer,
    /// Both carry everything for each other.
    Transit,
    /// Neither pays, and neither carries what others send.
    Peer,
    /// It is paid.
    Provider,
}

impl Standing {
    /// Whether a neighbour of this standing is told of what another one told: only those are
    /// who pay, unless that one pays (Gao and Rexford 2001).
    #[must_use]
    pub fn is_told(self, of: Self) -> bool {
        self <= Self::Transit || of <= Self::Transit
    }

    /// The one of that number.
    #[must_use]
    pub fn of(number: u8) -> Self {
        match number {
            0 => Self::Customer,
            1 => Self::Transit,
            2 => Self::Peer,
            _ => Self::Provider,
        }
    }
}

/// How borders tell their neighbours of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertisement {
    /// After one about a region, the next about the same goes to the same neighbour so much
    /// later at the earliest, times a random factor from 0.75 to 1 (RFC 4271, section
    /// 9.2.1.1).
    pub interval: Duration,
    /// Whether the factor is drawn; otherwise it is 1.
    pub is_jittered: bool,
    /// Whether that holds for withdrawals too, as in RFC 4271; in RFC 1771 it did not.
    pub withdrawals_wait: bool,
}

impl Default for Advertisement {
    fn default() -> Self {
        let interval = Duration::from_secs(30);
        Self { interval, is_jittered: true, withdrawals_wait: true }
    }
}

/// How regions learn of each other: the paper names both (section VI.D.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionRouting {
    /// Borders of neighbouring regions tell each other by which regions each is reached.
    #[default]
    PathVector,
    /// Each border tells all regions of its links to others.
    LinkState,
}

/// What routers look up of a code of another region. The paper says "exact match" (section
/// VI.D.2) and not of what; in its own region a router knows all sub-regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeLookup {
    /// The eight bits of the region.
    #[default]
    TwoLevel,
    /// All 32 bits: regions tell each other of all codes that their nodes have.
    Full,
    /// The longest known prefix of whole bytes: a border in a sub-region tells of that beside its
    /// region, so that packets for it come in there.
    LongestPrefix,
}

/// A network of regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionSettings {
    /// How headers are encoded.
    pub encoding: Encoding,
    /// How regions learn of each other.
    pub routing: RegionRouting,
    /// How borders tell of changes, if by a path vector.
    pub advertisement: Advertisement,
    /// What routers look up of codes.
    pub lookup: CodeLookup,
    /// The regions, by their numbers.
    pub regions: Vec<Region>,
    /// The nodes, by their places in the plan.
    pub nodes: Vec<RegionNode>,
    /// What is agreed; regions without an agreement exchange nothing.
    pub agreements: Vec<Agreement>,
}

impl RegionSettings {
    /// The region of that number.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn region(&self, number: u8) -> &Region {
        self.regions.iter().find(|it| it.number == number).expect("every node is in a region")
    }

    /// The kinds of the addresses of a packet from one node to another, if it says them: where
    /// both are not of one version of IP, or the sender is hidden.
    #[must_use]
    pub fn kinds(&self, [from, to]: [usize; 2]) -> Option<[AddressKind; 2]> {
        let node = &self.nodes[from];
        let kind = |node: usize| self.region(self.nodes[node].code.region()).addresses;
        let source = if node.is_hidden { AddressKind::Absent } else { kind(from) };
        let kinds = [source, kind(to)];
        let is_ip = matches!(source, AddressKind::Ipv4 | AddressKind::Ipv6);
        (source != kinds[1] || !is_ip).then_some(kinds)
    }

    /// The bytes that a packet from one node to another has more than in that version of IP.
    #[must_use]
    pub fn overhead(&self, ends: [usize; 2], ip: IpVersion) -> u16 {
        let own = self.encoding.header();
        self.kinds(ends).map_or(own, |it| (own + typed_header(it)).saturating_sub(ip.header()))
    }

    /// The node at the other end of a node's interface, and the interface of that one, if both
    /// are in one part of a region.
    pub(super) fn neighbour_inside(&self, node: u32, interface: u16) -> Option<(u32, Interface)> {
        let neighbours = &self.nodes[node as usize].neighbours;
        let (before, from) = neighbours.split_at(usize::from(interface));
        let other = from.first()?.node;
        let far = &self.nodes[other as usize];
        // Of several links between the two, each has the same place among them at both.
        let earlier = before.iter().filter(|it| it.node == other).count();
        let mut links = (0..).zip(&far.neighbours).filter(|(_, it)| it.node == node);
        let (its_own, _) = links.nth(earlier)?;
        let is_inside = far.code == self.nodes[node as usize].code;
        is_inside.then_some((other, Interface(its_own)))
    }

    /// The agreement between two regions that is in force, if there is one.
    #[must_use]
    pub fn agreement(&self, regions: [u8; 2], now: Time) -> Option<&Agreement> {
        let [first, second] = regions;
        self.agreements.iter().find(|it| {
            (it.regions == [first, second] || it.regions == [second, first])
                && (it.from..it.until).contains(&now)
        })
    }
}

impl Agreement {
    /// What the other region is to that one.
    #[must_use]
    pub fn standing(&self, own: u8) -> Standing {
        let is_first = self.regions[0] == own;
        match self.relation {
            Relation::Transit => Standing::Transit,
            Relation::Peering => Standing::Peer,
            Relation::CustomerProvider if is_first => Standing::Provider,
            Relation::CustomerProvider => Standing::Customer,
        }
    }
}
