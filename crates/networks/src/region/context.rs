//! What both planes of a router know of its surroundings.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::region::Code;

use super::counters::RegionRouterCounters;
use super::settings::RegionSettings;
use crate::layer::Interface;

/// What both planes of a router know of where they are.
#[derive(Clone, Debug)]
pub(super) struct RouterContext {
    pub(super) settings: Arc<RegionSettings>,
    pub(super) node: u32,
    pub(super) code: Code,
    pub(super) ports: Vec<Port>,
    pub(super) counters: RegionRouterCounters,
}

/// An interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub(super) node: u32,
    pub(super) mtu: u16,
    /// The number of the region at the other end.
    pub(super) region: u8,
    pub(super) metric: u32,
    pub(super) speaks_from: Time,
    pub(super) is_up: bool,
}

impl RouterContext {
    /// The number of the own region.
    pub(super) fn number(&self) -> u8 {
        self.code.region()
    }

    /// Whether a port leads to another region.
    pub(super) fn leads_out(&self, interface: Interface) -> bool {
        self.ports[usize::from(interface.0)].region != self.number()
    }

    /// The ports that lead to other regions, or those that do not.
    pub(super) fn ports(&self, lead_out: bool) -> Vec<Interface> {
        let all = (0..self.ports.len() as u16).map(Interface);
        all.filter(|it| self.leads_out(*it) == lead_out).collect()
    }
}
