//! Names of flows, and the roots that know them.

use windtunnel_dns::{RootSettings, StubResolver, Zone};
use windtunnel_packets::ip::IpVersion;

/// The root of a region.
#[derive(Clone, Debug)]
pub struct RootPlan {
    /// Its node.
    pub node: usize,
    /// The version of IP over which it answers and asks.
    pub version: IpVersion,
    /// What it knows.
    pub settings: RootSettings,
    /// Its names.
    pub zone: Zone,
}

/// What is asked before a flow begins.
#[derive(Clone, Debug)]
pub struct NameLookupPlan {
    /// The node that asks: the end that opens the flow's connections, or sends its datagrams.
    pub node: usize,
    /// The place in [`Plan::roots`](crate::Plan::roots) of the root that it asks.
    pub root: usize,
    /// The name.
    pub name: String,
    /// The resolver, with its question.
    pub resolver: StubResolver,
}
