//! Where addresses are: at which attachment, or at a node itself.

use std::collections::HashMap;
use std::net::IpAddr;

use windtunnel_packets::frame::{Frame, HardwareAddress};
use windtunnel_packets::ip::node_of_address;

/// So many addresses are known at the most.
const MOST: usize = 4096;

/// Where a packet is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At an attachment.
    Attachment(usize),
    /// At no attachment: it is for this node itself.
    Router(usize),
    /// Nowhere.
    Unknown,
}

/// The addresses of hosts: those of the interfaces, and those of hosts behind them, from where packets
/// have come.
#[derive(Debug)]
pub(super) struct Places {
    hosts: HashMap<IpAddr, usize>,
    stations: HashMap<HardwareAddress, usize>,
    /// The attachment that all other addresses are at, if one is.
    default: Option<usize>,
    /// How many nodes there are.
    nodes: usize,
}

impl Places {
    pub(super) fn new(
        interfaces: impl Iterator<Item = (IpAddr, usize)>,
        default: Option<usize>,
        nodes: usize,
    ) -> Self {
        Self { hosts: interfaces.collect(), stations: HashMap::new(), default, nodes }
    }

    /// A packet of this host has come from an attachment.
    pub(super) fn learn(&mut self, source: IpAddr, from: usize) {
        if self.hosts.len() < MOST && self.default != Some(from) {
            self.hosts.entry(source).or_insert(from);
        }
    }

    /// Where a packet from an attachment is to leave.
    pub(super) fn of(&self, destination: IpAddr, from: usize) -> Place {
        if let Some(known) = self.hosts.get(&destination) {
            return Place::Attachment(*known);
        }
        if let Some(router) = node_of_address(destination).filter(|it| *it < self.nodes) {
            return Place::Router(router);
        }
        let default = self.default.filter(|it| *it != from);
        default.map_or(Place::Unknown, Place::Attachment)
    }

    /// A frame has come from an attachment: as a bridge does, it is learned where its sender is, and
    /// returned where its receiver is. None: it leaves everywhere else.
    pub(super) fn of_frame(&mut self, frame: &Frame, from: usize) -> Option<usize> {
        if self.stations.len() < MOST || self.stations.contains_key(&frame.source) {
            self.stations.insert(frame.source, from);
        }
        self.stations.get(&frame.destination).copied().filter(|_| !frame.is_for_several())
    }
}

/// Whether an address is one of many hosts.
pub(super) fn is_for_all(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_multicast() || it.is_broadcast(),
        IpAddr::V6(it) => it.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(source: u8, destination: u8) -> Frame {
        let bytes = [2, 0, 0, 0, 0, destination, 2, 0, 0, 0, 0, source, 8, 6, 0];
        Frame::parse(&bytes).unwrap()
    }

    #[test]
    fn a_bridge_learns_where_stations_are() {
        let mut places = Places::new(std::iter::empty(), None, 3);
        assert_eq!(places.of_frame(&frame(1, 2), 0), None);
        assert_eq!(places.of_frame(&frame(2, 1), 1), Some(0));
        assert_eq!(places.of_frame(&frame(1, 2), 0), Some(1));
        // It has moved.
        places.of_frame(&frame(1, 2), 2);
        assert_eq!(places.of_frame(&frame(2, 1), 1), Some(2));
    }

    #[test]
    fn so_many_addresses_are_known() {
        let mut places = Places::new(std::iter::empty(), None, 3);
        for number in 0..2 * MOST as u32 {
            places.learn(IpAddr::V4((0x0b00_0000 + number).into()), 0);
            let [.., a, b] = number.to_be_bytes();
            let bytes = [2, 0, 0, 0, 0, 0, 2, 0, 0, 0, a, b, 8, 6, 0];
            places.of_frame(&Frame::parse(&bytes).unwrap(), 0);
        }
        assert_eq!((places.hosts.len(), places.stations.len()), (MOST, MOST));
    }

    #[test]
    fn the_addresses_of_nodes_are_not_those_of_the_rest_of_the_world() {
        let host: IpAddr = "10.0.0.1".parse().unwrap();
        let places = Places::new([(host, 0)].into_iter(), Some(1), 3);
        let of = |address: &str, from| places.of(address.parse().unwrap(), from);
        assert_eq!(of("10.0.0.1", 1), Place::Attachment(0));
        assert_eq!(of("10.0.0.2", 0), Place::Router(1));
        assert_eq!(of("fd00::3", 0), Place::Router(2));
        assert_eq!(of("10.0.0.4", 0), Place::Attachment(1));
        assert_eq!(of("10.0.0.4", 1), Place::Unknown);
    }
}
