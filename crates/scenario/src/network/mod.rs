//! Nodes, links, and how packets find their way.

pub(crate) mod constellations;
pub(crate) mod layers;
pub(crate) mod links;
pub(crate) mod linux_hosts;
pub(crate) mod ndn_forwarder;
pub(crate) mod nodes;
pub(crate) mod reachability;
pub(crate) mod routing;
pub(crate) mod stages;
