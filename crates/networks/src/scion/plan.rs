//! Autonomous systems and their links, as they are set up.

use windtunnel_engine::{Duration, Rate};
use windtunnel_packets::scion::IsdAs;

/// What a neighbouring autonomous system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Both are in the core.
    Core,
    /// It carries our packets: a beacon comes from it.
    Parent,
    /// We carry its packets.
    Child,
    /// Each carries what the other sends to it and to its children.
    Peer,
}

impl Relation {
    /// What we are to it.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Parent => Self::Child,
            Self::Child => Self::Parent,
            Self::Core | Self::Peer => self,
        }
    }
}

/// An autonomous system, as it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPlan {
    /// Its name.
    pub name: String,
    /// Its number.
    pub isd_as: IsdAs,
    /// Whether it is in the core of its isolation domain.
    pub is_core: bool,
    /// Its nodes; on the first one is its control service.
    pub nodes: Vec<u32>,
}

/// A link, as it is set up. Those of a node are its interfaces, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemLinkPlan {
    /// The nodes that it joins.
    pub nodes: [u32; 2],
    /// What the system of the second is to that of the first; none inside a system.
    pub relation: Option<Relation>,
    /// What a path inside a system pays for it: from the first node to the second, and back.
    pub costs: [u64; 2],
    /// How long a bit takes.
    pub latency: Duration,
    /// What it carries.
    pub bandwidth: Rate,
    /// The largest packet that it carries, in bytes with the underlay's headers.
    pub mtu: u16,
}
