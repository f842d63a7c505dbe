//! The paths between the two ends of a flow whose transport is a stack, and which one is taken.

use windtunnel_engine::Time;
use windtunnel_packets::Route;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp;
use windtunnel_stack::{Departure, Path, Role, Unit};

use super::stack_ends::{Stacks, outside};
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

    /// On which path the end of a side sends: the one that it is on, if that has these addresses,
    /// or the first that has.
    ///
    /// # Errors
    /// Why nothing can be sent so.
    pub(super) fn path_of(
        &self,
        side: Side,
        departure: &Departure,
        segment: usize,
    ) -> Result<usize, String> {
        if segment > MOST_BYTES {
            return Err(format!(
                "it sends a datagram of {segment} B, and {MOST_BYTES} B is the most"
            ));
        }
        // Of IP packets, their headers say where they go.
        if self.settings.maker.unit() == Unit::IpPacket {
            return Ok(0);
        }
        let current = self.ends[side as usize].as_ref().map_or(0, |it| it.path);
        let fits = |place: &usize| {
            let Path { own, peer } = self.paths[*place].from(side);
            peer == departure.to && departure.from.is_none_or(|it| it == own.ip())
        };
        let mut places = std::iter::once(current).chain(0..self.paths.len());
        places.find(fits).ok_or_else(|| {
            let from = departure.from.map(|it| format!(" from {it}")).unwrap_or_default();
            let peers: Vec<String> =
                self.paths.iter().map(|it| it.from(side).peer.to_string()).collect();
            format!("it sends{from} to {}, and its peer is {}", departure.to, peers.join(" or "))
        })
    }
}
