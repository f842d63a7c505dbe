//! What a router of a region counted, and how large its tables are.

use windtunnel_engine::Time;
use windtunnel_packets::region::Code;

/// What a router counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionRouterCounters {
    /// Packets forwarded by the code of a region: the device knows the region protocol.
    pub region_lookups: u64,
    /// Packets between regions forwarded by the address in their payload.
    pub address_lookups: u64,
    /// Packets in tunnels forwarded by the address of their outer header, as ever.
    pub tunnel_lookups: u64,
    /// Packets of hosts here that left for another region.
    pub sent: u64,
    /// Packets of hosts here to another region that left as plain IP packets.
    pub sent_as_ip: u64,
    /// Packets delivered to hosts here.
    pub delivered: u64,
    /// Packets put into a tunnel here.
    pub encapsulated: u64,
    /// Packets taken out of a tunnel here.
    pub decapsulated: u64,
    /// Packets dropped because no route leads to their region, sub-region or address.
    pub unreachable: u64,
    /// Packets dropped because no agreement covers them.
    pub without_agreement: u64,
    /// Packets dropped because the region accepts no such addresses.
    pub not_accepted: u64,
    /// Packets dropped because they had passed too many nodes.
    pub hop_limit_exceeded: u64,
    /// Packets dropped because they are larger than the next link carries.
    pub too_big: u64,
    /// Packets dropped because they were marked where their payload cannot be.
    pub unmarkable: u64,
    /// Messages dropped because their bytes mean nothing.
    pub malformed: u64,
    /// Error messages sent from here.
    pub errors_sent: u64,
    /// Error messages that arrived for hosts here.
    pub errors_received: u64,
    /// Messages of the control plane sent, acknowledgements alone not counted.
    pub control_messages: u64,
    /// Packets of the control plane sent, in bytes.
    pub control_bytes: u64,
}

/// How much a router keeps, in entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSize {
    /// Codes of other regions.
    pub regions: usize,
    /// Sub-regions of the own one.
    pub sub_regions: usize,
    /// Addresses of the own region.
    pub addresses: usize,
}

/// A router forwards what is for a region another way than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteChange {
    /// When.
    pub time: Time,
    /// The region.
    pub code: Code,
    /// The node that is next; none: it is not reached any more.
    pub next: Option<u32>,
    /// The regions on the way, from the next to the last.
    pub path: Vec<u8>,
}
