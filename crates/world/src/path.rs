//! The paths of IP packets: by what they are known, and what is along them.

use windtunnel_engine::hash_twice;
use windtunnel_networks::function::Tap;
use windtunnel_packets::Route;

use crate::plan::{FlowPlan, Sharing};
use crate::port_id::PortId;
use crate::side::Side;

/// What comes next on the path of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hop {
    /// It goes through this port.
    Port(PortId),
    /// It has arrived, at a host of this side of its flow.
    Here(Side),
    /// A function of the node sees it.
    Function(u32, Tap),
    /// It has arrived at a function, as one of those that functions send themselves.
    ToFunction(u32, Tap),
    /// Its path goes on at another place.
    Jump(Route),
    /// Each node forwards it by its own table.
    Table(u32),
    /// Another network layer of the node carries it, as the path of that number.
    Carried(u32),
}

impl Hop {
    /// Whether a path ends there.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Self::Here(_) | Self::ToFunction(..))
    }
}

/// A path that packets take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathKey {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// What happens to the packets at the end.
    pub(crate) last: Hop,
    /// Where several paths are equal, which flows take this one.
    pub(crate) variant: u32,
}

/// How many paths of equal cost the connections of one pair of hosts are shared among.
pub(crate) const VARIANTS: u64 = 64;

/// Which of several equal paths the connections of that number take; a flow with a path
/// of its own has a variant of its own.
pub(crate) fn variant(sharing: Sharing, flow: &FlowPlan, number: u32) -> u32 {
    match sharing {
        _ if flow.has_own_paths() => VARIANTS as u32 + number,
        Sharing::Flows => shared_variant(number),
        Sharing::None | Sharing::Packets => 0,
    }
}

/// Which of several equal paths a connection of that number takes.
pub(crate) fn shared_variant(number: u32) -> u32 {
    (hash_twice(u64::from(number)) % VARIANTS) as u32
}

/// The paths between two hosts: of the data, and of what comes back.
pub(crate) fn keys([from, to]: [usize; 2], variant: u32) -> [PathKey; 2] {
    let key = |from: usize, to: usize, last| PathKey {
        from: from as u32,
        to: to as u32,
        last: Hop::Here(last),
        variant,
    };
    [key(from, to, Side::Receiver), key(to, from, Side::Sender)]
}
