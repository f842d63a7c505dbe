//! What all nodes of a network of autonomous systems know beforehand: who is where, which
//! links there are, and how beacons are sent.

use windtunnel_engine::{Duration, Rate};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{IsdAs, Key, Path, ScionHeader};
use windtunnel_packets::udp;

use super::flows::FlowPolicies;
use super::inside::{self, SystemNode};
use super::plan::{Relation, SystemLinkPlan, SystemPlan};
use crate::layer::Interface;

/// How beacons and paths behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beaconing {
    /// From one origination, propagation and registration to the next.
    pub interval: Duration,
    /// This many segments are propagated and registered.
    pub best_set: usize,
    /// This many beacons are kept of each origin.
    pub candidates: usize,
    /// A beacon passes at most this many systems.
    pub most_hops: usize,
    /// The expiry of hop fields, in steps less one: see [`lifetime`].
    ///
    /// [`lifetime`]: windtunnel_packets::scion::lifetime
    pub expiry: u8,
    /// How old paths may be before they are asked for again.
    pub refresh: Duration,
    /// A host keeps this many paths to a destination.
    pub most_paths: usize,
    /// Whether all segments are known at the start, as if the network had been there for long.
    pub is_known: bool,
}

impl Default for Beaconing {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            best_set: 20,
            candidates: 100,
            most_hops: 10,
            expiry: 63,
            refresh: Duration::from_secs(300),
            most_paths: 20,
            is_known: true,
        }
    }
}

/// An interface of an autonomous system: a link to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalInterface {
    /// Its number in the system, from 1 on.
    pub number: u16,
    /// The border router.
    pub node: u32,
    /// Which of the router's ports.
    pub port: Interface,
    /// The neighbour's place among the systems.
    pub neighbour: u32,
    /// The router there.
    pub neighbour_node: u32,
    /// The number of its interface.
    pub neighbour_number: u16,
    /// What the neighbour is.
    pub relation: Relation,
    /// Of the link.
    pub latency: Duration,
    /// Of the link.
    pub bandwidth: Rate,
    /// The largest SCION packet on it.
    pub mtu: u16,
}

/// An autonomous system.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Its number.
    pub isd_as: IsdAs,
    /// Whether it is in the core of its isolation domain.
    pub is_core: bool,
    /// Its nodes.
    pub nodes: Vec<u32>,
    /// The largest SCION packet that its inside carries.
    pub mtu: u16,
    /// Its interfaces, by their numbers.
    pub interfaces: Vec<ExternalInterface>,
    /// The secret of its routers.
    pub key: Key,
}

impl System {
    /// The node of its control service.
    #[must_use]
    pub fn control(&self) -> u32 {
        self.nodes[0]
    }

    /// An interface of that number.
    #[must_use]
    pub fn interface(&self, number: u16) -> Option<&ExternalInterface> {
        self.interfaces.get(usize::from(number).checked_sub(1)?)
    }
}

/// A network of autonomous systems.
#[derive(Clone, Debug)]
pub struct ScionSettings {
    /// The systems.
    pub systems: Vec<System>,
    /// The nodes, by their places in the plan.
    pub nodes: Vec<SystemNode>,
    /// How beacons and paths behave.
    pub beaconing: Beaconing,
    /// The version of IP of the underlay.
    pub underlay: IpVersion,
    /// How flows choose their paths.
    pub flows: FlowPolicies,
}

impl ScionSettings {
    /// A network of these systems and links.
    #[must_use]
    pub fn new(
        systems: &[SystemPlan],
        links: &[SystemLinkPlan],
        beaconing: Beaconing,
        underlay: IpVersion,
    ) -> Self {
        let nodes = inside::nodes(systems, links);
        let mut settings = Self {
            systems: systems.iter().map(System::of).collect(),
            nodes,
            beaconing,
            underlay,
            flows: FlowPolicies::default(),
        };
        settings.add_interfaces(links);
        settings.add_mtus(links);
        settings
    }

    fn add_interfaces(&mut self, links: &[SystemLinkPlan]) {
        let mut ports = vec![0_u16; self.nodes.len()];
        for link in links {
            let [a, b] = link.nodes.map(|it| it as usize);
            let port = [a, b].map(|node| {
                ports[node] += 1;
                Interface(ports[node] - 1)
            });
            let Some(relation) = link.relation else { continue };
            let systems = [a, b].map(|it| self.nodes[it].system);
            let number = |of: u32| self.systems[of as usize].interfaces.len() as u16 + 1;
            let first = number(systems[0]);
            let second = number(systems[1]) + u16::from(systems[0] == systems[1]);
            let numbers = [first, second];
            for (side, relation) in [(0, relation), (1, relation.reversed())] {
                let interface = ExternalInterface {
                    number: numbers[side],
                    node: link.nodes[side],
                    port: port[side],
                    neighbour: systems[1 - side],
                    neighbour_node: link.nodes[1 - side],
                    neighbour_number: numbers[1 - side],
                    relation,
                    latency: link.latency,
                    bandwidth: link.bandwidth,
                    mtu: link.mtu.saturating_sub(self.underlay_header()),
                };
                let place = &mut self.nodes[link.nodes[side] as usize];
                place.ports[usize::from(port[side].0)].interface = Some(numbers[side]);
                self.systems[systems[side] as usize].interfaces.push(interface);
            }
        }
    }

    /// The largest packet that each system's links inside carry.
    fn add_mtus(&mut self, links: &[SystemLinkPlan]) {
        let header = self.underlay_header();
        for link in links.iter().filter(|it| it.relation.is_none()) {
            let system = self.nodes[link.nodes[0] as usize].system;
            let mtu = &mut self.systems[system as usize].mtu;
            *mtu = (*mtu).min(link.mtu.saturating_sub(header));
        }
    }

    /// The length of the underlay's headers: IP and UDP.
    #[must_use]
    pub fn underlay_header(&self) -> u16 {
        self.underlay.header() + udp::HEADER
    }

    /// The length of all headers of a packet on a path: the underlay's, and SCION's.
    #[must_use]
    pub fn headers(&self, hosts: IpVersion, path: &Path) -> u16 {
        let address = host_address(hosts);
        self.underlay_header() + ScionHeader::length(address, path.length() as u16)
    }

    /// The system of a node.
    #[must_use]
    pub fn system_of(&self, node: u32) -> &System {
        &self.systems[self.nodes[node as usize].system as usize]
    }

    /// The system of that number.
    #[must_use]
    pub fn system(&self, isd_as: IsdAs) -> Option<&System> {
        self.systems.iter().find(|it| it.isd_as == isd_as)
    }
}

/// The length of a host's address.
pub(super) fn host_address(version: IpVersion) -> u16 {
    match version {
        IpVersion::V4 => 4,
        IpVersion::V6 => 16,
    }
}

impl System {
    fn of(plan: &SystemPlan) -> Self {
        // Nobody has to guess it: it is made from the number.
        let mut secret = [0; 16];
        secret[..8].copy_from_slice(&plan.isd_as.0.to_be_bytes());
        let secret = Key::new(secret).cmac(b"secret of the routers");
        Self {
            name: plan.name.clone(),
            isd_as: plan.isd_as,
            is_core: plan.is_core,
            nodes: plan.nodes.clone(),
            mtu: u16::MAX,
            interfaces: Vec::new(),
            key: Key::new(secret),
        }
    }
}
