//! The paths of a host to one other system.

use std::collections::VecDeque;
use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Time, hash_twice};
use windtunnel_packets::scion::{Path, PathHandle};
use windtunnel_packets::{Packet, PacketStore};

use super::combination::Combined;
use super::inside::FASTEST;
use super::policies::{InterfaceId, PathId, PathInfo};

/// So long an interface that was reported down is left alone, as SCION's hosts do.
pub(super) const REVOCATION: Duration = Duration::from_secs(10);
/// So many packets wait for the first paths.
const MOST_WAITING: usize = 64;

/// A path that a host holds.
#[derive(Clone, Debug)]
struct Held {
    path: Arc<Path>,
    info: PathInfo,
    /// Where packets have it, once one had.
    handle: Option<PathHandle>,
    /// Until when it is not used.
    revoked: Time,
}

/// The paths to a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    held: Vec<Held>,
    /// Those that can be used now, and where each is held.
    live: Vec<PathInfo>,
    live_at: Vec<usize>,
    /// When others can be used than now.
    changes: Time,
    /// When they are to be asked for again.
    pub(super) refresh: Time,
    /// The request that is under way, and when it is given up.
    pub(super) asked: Option<(u32, Time)>,
    /// Packets that wait, and their receivers.
    waiting: VecDeque<(Packet, u32)>,
}

fn identity(interfaces: &[InterfaceId]) -> PathId {
    let mix = |sum: u64, it: &InterfaceId| {
        hash_twice(hash_twice(sum ^ it.isd_as).wrapping_add(u64::from(it.number)))
    };
    PathId(interfaces.iter().fold(0, mix))
}

/// What a policy sees of a path.
fn info(combined: &Combined) -> PathInfo {
    let interface =
        |it: &(windtunnel_packets::scion::IsdAs, u16)| InterfaceId { isd_as: it.0.0, number: it.1 };
    let interfaces: Arc<[InterfaceId]> = combined.interfaces.iter().map(interface).collect();
    let bandwidth = combined.bandwidth.map(|it| 1000 * u64::from(it));
    PathInfo {
        id: identity(&interfaces),
        latency: Duration::from_micros(combined.latency),
        bandwidth: bandwidth.and_then(Rate::from_bits_per_second).unwrap_or(FASTEST),
        mtu: combined.mtu,
        as_hops: u8::try_from(combined.links() + 1).unwrap_or(u8::MAX),
        interfaces,
        expires: Time::ZERO + Duration::from_millis(combined.path.expires_ms()),
        rtt: None,
    }
}

/// The paths that a host keeps, the shortest, in the order in which policies see them.
pub(super) fn kept(mut found: Vec<Combined>, most: usize) -> Vec<Combined> {
    found.sort_by_cached_key(|it| {
        let info = info(it);
        (info.as_hops, info.id)
    });
    found.truncate(most);
    found
}

impl Paths {
    /// Takes in what was found. Of what was known before, revocations and round trips stay.
    pub(super) fn replace(&mut self, now: Time, found: Vec<Combined>, most: usize) {
        let before = std::mem::take(&mut self.held);
        let held = |it: &Combined| {
            let mut info = info(it);
            let known = before.iter().find(|known| known.info.id == info.id);
            info.rtt = known.and_then(|it| it.info.rtt);
            let revoked = known.map_or(Time::ZERO, |it| it.revoked);
            let same = known.filter(|known| *known.path == it.path);
            let handle = same.and_then(|it| it.handle);
            Held { path: Arc::new(it.path.clone()), info, handle, revoked }
        };
        self.held = kept(found, most).iter().map(held).collect();
        self.update(now);
    }

    /// Finds out which can be used.
    fn update(&mut self, now: Time) {
        let can = |it: &Held| it.revoked <= now && it.info.expires > now;
        let live = self.held.iter().enumerate().filter(|it| can(it.1));
        self.live_at = live.map(|it| it.0).collect();
        self.live = self.live_at.iter().map(|it| self.held[*it].info.clone()).collect();
        let times = self.held.iter().flat_map(|it| [it.revoked, it.info.expires]);
        self.changes = times.filter(|it| *it > now).min().unwrap_or(Time::NEVER);
    }

    /// Those that can be used now.
    pub(super) fn live(&mut self, now: Time) -> &[PathInfo] {
        if now >= self.changes {
            self.update(now);
        }
        &self.live
    }

    /// Whether there is none at all, revoked or not.
    pub(super) fn is_unknown(&self) -> bool {
        self.held.is_empty()
    }

    /// When the first of them becomes invalid.
    pub(super) fn expires(&self) -> Option<Time> {
        self.held.iter().map(|it| it.info.expires).min()
    }

    /// Where packets have the path at that place among those that can be used.
    pub(super) fn handle(&mut self, place: usize, packets: &mut PacketStore) -> PathHandle {
        let held = &mut self.held[self.live_at[place]];
        *held.handle.get_or_insert_with(|| packets.insert_path(Arc::clone(&held.path)))
    }

    /// Leaves all paths alone that fit, until a time.
    pub(super) fn revoke(
        &mut self,
        now: Time,
        until: Time,
        fits: impl Fn(&[InterfaceId], Option<PathHandle>) -> bool,
    ) {
        let fitting = self.held.iter_mut().filter(|it| fits(&it.info.interfaces, it.handle));
        fitting.for_each(|it| it.revoked = it.revoked.max(until));
        self.update(now);
    }

    /// Takes the round trip of a probe into what is known of a path (RFC 6298, section 2).
    pub(super) fn measure(&mut self, id: PathId, rtt: Duration) -> Option<&PathInfo> {
        let held = self.held.iter_mut().find(|it| it.info.id == id)?;
        let smoothed = held
            .info
            .rtt
            .map_or(rtt.as_nanos(), |it| it.as_nanos() - it.as_nanos() / 8 + rtt.as_nanos() / 8);
        held.info.rtt = Some(Duration::from_nanos(smoothed));
        if let Some(live) = self.live.iter_mut().find(|it| it.id == id) {
            live.rtt = Some(Duration::from_nanos(smoothed));
        }
        self.info(id)
    }

    /// What is known of a path.
    pub(super) fn info(&self, id: PathId) -> Option<&PathInfo> {
        self.held.iter().map(|it| &it.info).find(|it| it.id == id)
    }

    /// Lets a packet wait for paths; gives it back if too many do.
    pub(super) fn wait(&mut self, packet: Packet, to: u32) -> Option<Packet> {
        if self.waiting.len() == MOST_WAITING {
            return Some(packet);
        }
        self.waiting.push_back((packet, to));
        None
    }

    /// What waited.
    pub(super) fn take_waiting(&mut self) -> VecDeque<(Packet, u32)> {
        std::mem::take(&mut self.waiting)
    }
}
