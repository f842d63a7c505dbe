//! The paths between the two ends of a flow whose transport is a stack, and which one is taken.

use std::collections::BTreeSet;

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::real::RealHeader;
use windtunnel_packets::{Ecn, Route, udp};
use windtunnel_stack::{Departure, Path, Role, Unit};

use super::stack_ends::{Stacks, ecn_of_stack, outside};
use crate::side::Side;

/// The most bytes of a datagram, over any version of IP.
const MOST_BYTES: usize = (u16::MAX - udp::HEADER - IpVersion::V6.header()) as usize;

impl Stacks {
    /// Where the end of a side begins: after how many migrations, and on which path.
    pub(super) fn beginning(&self, now: Time, role: Role) -> (usize, usize) {
        let all = &self.settings.migrations;
        match role {
            Role::Server => (all.len(), 0),
            Role::Client => {
                let over = all.iter().take_while(|it| it.at <= now).count();
                (over, all[..over].last().map_or(0, |it| it.path))
            }
        }
    }

    /// When the end of a side changes to another path next, if it does.
    pub(super) fn next_migration(&self, side: Side) -> Option<Time> {
        let end = self.ends[side as usize].as_ref()?;
        Some(self.settings.migrations.get(end.migrated)?.at)
    }

    /// The end of a side changes to another path, if it is time for that.
    pub(super) fn migrate(&mut self, now: Time, side: Side) {
        while self.next_migration(side).is_some_and(|it| it <= now)
            && let Some(end) = &mut self.ends[side as usize]
        {
            end.path = self.settings.migrations[end.migrated].path;
            end.migrated += 1;
            let own = self.paths[end.path].from(side).own;
            end.call(|it| it.moved(outside(now), own));
        }
    }

    /// Where what the end of a side sends on a path enters the network.
    pub(super) fn way(&self, side: Side, path: usize) -> (u32, Route) {
        (self.nodes[side as usize], self.paths[path].routes[side as usize])
    }

    /// On which path the end of a side sends something, and with which ECN field: on the one that it is
    /// on, if that has its addresses, or on the first that has.
    ///
    /// # Errors
    /// Why it cannot be sent.
    pub(super) fn path_of(
        &self,
        side: Side,
        departure: &Departure,
        bytes: &[u8],
    ) -> Result<(usize, Ecn), String> {
        let size = bytes.len();
        if size > MOST_BYTES {
            return Err(format!("it sends a datagram of {size} B, and {MOST_BYTES} B is the most"));
        }
        match self.settings.maker.unit() {
            Unit::IpPacket => self.path_of_packet(side, bytes),
            Unit::UdpDatagram => {
                Ok((self.path_of_datagram(side, departure)?, ecn_of_stack(departure.ecn)))
            }
        }
    }

    fn path_of_datagram(&self, side: Side, departure: &Departure) -> Result<usize, String> {
        let current = self.ends[side as usize].as_ref().map_or(0, |it| it.path);
        let fits = |place: &usize| {
            let Path { own, peer } = self.paths[*place].from(side);
            peer == departure.to && departure.from.is_none_or(|it| it == own.ip())
        };
        let mut places = std::iter::once(current).chain(0..self.paths.len());
        places.find(fits).ok_or_else(|| {
            let from = departure.from.map(|it| format!(" from {it}")).unwrap_or_default();
            let peers = self.each(side, |it| it.peer);
            format!("it sends{from} to {}, and its peer is {peers}", departure.to)
        })
    }

    /// Of IP packets, their headers say where they go.
    fn path_of_packet(&self, side: Side, bytes: &[u8]) -> Result<(usize, Ecn), String> {
        let header = RealHeader::parse(bytes).ok_or_else(|| {
            format!("it sends {} B that are not one IP packet with its headers", bytes.len())
        })?;
        let RealHeader { source, destination, .. } = header;
        let mut paths = self.paths.iter().map(|it| it.from(side));
        if let Some(path) =
            paths.position(|it| [it.own.ip(), it.peer.ip()] == [source, destination])
        {
            return Ok((path, header.ecn));
        }
        let is_own = self.paths.iter().any(|it| it.from(side).own.ip() == source);
        Err(match is_own {
            false => {
                let own = self.each(side, |it| it.own.ip());
                format!("it sends a packet from {source}, and is at {own}")
            }
            true => {
                let peer = self.each(side, |it| it.peer.ip());
                format!("it sends a packet to {destination}, and its peer is at {peer}")
            }
        })
    }

    /// Something of each path from a side, once.
    fn each<T: ToString>(&self, side: Side, of: impl Fn(Path) -> T) -> String {
        let all: BTreeSet<String> =
            self.paths.iter().map(|it| of(it.from(side)).to_string()).collect();
        Vec::from_iter(all).join(" or ")
    }
}
