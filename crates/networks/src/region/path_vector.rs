//! What the borders of neighbouring regions tell each other: how each region is reached, as
//! the list of regions on the way (a path vector, as BGP's, RFC 4271). A path that holds the
//! own region is dropped, so that none leads in a circle.

use std::collections::{BTreeMap, BTreeSet};

use windtunnel_engine::{Random, Time};
use windtunnel_packets::region::{Code, Update};

use super::settings::{Advertisement, Standing};
use crate::layer::Interface;

/// How a border reaches a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// How much it is preferred.
    pub(super) standing: Standing,
    /// The regions on the way, from the next to the last; none: it is the own one.
    pub(super) path: Vec<u8>,
    pub(super) mtu: u16,
    pub(super) exit: Exit,
}

/// Where packets leave the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// At the own node, through this interface.
    Here(Interface),
    /// At this border.
    Border(u32),
}

/// What was told to a neighbour about a region.
#[derive(Clone, Debug)]
struct Advertised {
    update: Option<Update>,
    /// When it may be told something else.
    next: Time,
}

/// A neighbour of another region.
#[derive(Clone, Debug)]
struct Peer {
    interface: Interface,
    mtu: u16,
    /// What its region is to the own one, while an agreement is in force and the link is up.
    standing: Option<Standing>,
    routes: BTreeMap<Code, Update>,
    told: BTreeMap<Code, Advertised>,
}

/// The path vectors of one border.
#[derive(Clone, Debug)]
pub(super) struct PathVector {
    own: u8,
    /// Whether packets of others may cross the region.
    carries: bool,
    advertisement: Advertisement,
    peers: Vec<Peer>,
    /// When which neighbour may be told what waits about which region.
    waiting: BTreeSet<(Time, usize, Code)>,
}

impl PathVector {
    pub(super) fn new(own: u8, carries: bool, advertisement: Advertisement) -> Self {
        Self { own, carries, advertisement, peers: Vec::new(), waiting: BTreeSet::new() }
    }

    /// Adds a neighbour; its session is not open yet.
    pub(super) fn add(&mut self, interface: Interface, mtu: u16) {
        let (routes, told) = (BTreeMap::new(), BTreeMap::new());
        self.peers.push(Peer { interface, mtu, standing: None, routes, told });
    }

    /// Whether packets are exchanged with a neighbour.
    pub(super) fn is_open(&self, interface: Interface) -> bool {
        self.peers.iter().any(|it| it.interface == interface && it.standing.is_some())
    }

    /// Opens or closes the session with a neighbour. Returns whether it was the other way.
    pub(super) fn set(&mut self, interface: Interface, standing: Option<Standing>) -> bool {
        let place = self.peers.iter().position(|it| it.interface == interface);
        let Some(place) = place.filter(|it| self.peers[*it].standing != standing) else {
            return false;
        };
        let peer = &mut self.peers[place];
        peer.standing = standing;
        peer.routes.clear();
        peer.told.clear();
        self.waiting.retain(|it| it.1 != place);
        true
    }

    /// A neighbour tells of a region.
    pub(super) fn receive(&mut self, interface: Interface, update: Update) {
        let own = self.own;
        let peer = self.peers.iter_mut().find(|it| it.interface == interface);
        let Some(peer) = peer.filter(|it| it.standing.is_some()) else { return };
        let leads_on = !update.path.is_empty() && !update.path.contains(&own);
        if leads_on && update.code.region() != own {
            peer.routes.insert(update.code, update);
        } else {
            peer.routes.remove(&update.code);
        }
    }

    /// The regions that a neighbour told of.
    pub(super) fn codes(&self, interface: Interface) -> Vec<Code> {
        let peer = self.peers.iter().find(|it| it.interface == interface);
        peer.map(|it| it.routes.keys().copied().collect()).unwrap_or_default()
    }

    /// The routes to a region that neighbours told of.
    pub(super) fn routes(&self, code: Code) -> impl Iterator<Item = Route> {
        self.peers.iter().filter_map(move |peer| {
            let update = peer.routes.get(&code)?;
            Some(Route {
                standing: peer.standing?,
                path: update.path.clone(),
                mtu: update.mtu.min(peer.mtu),
                exit: Exit::Here(peer.interface),
            })
        })
    }

    /// Tells all neighbours of a region, as far as they are to know and may be told now.
    /// `route` leads there; the own region has one without a path.
    pub(super) fn tell(
        &mut self,
        now: Time,
        code: Code,
        route: Option<&Route>,
        random: &mut Random,
        output: &mut Vec<(Interface, Update)>,
    ) {
        let Self { own, carries, advertisement, ref mut peers, ref mut waiting } = *self;
        for (place, peer) in peers.iter_mut().enumerate() {
            let Some(standing) = peer.standing else { continue };
            let is_told =
                |it: &&Route| it.path.is_empty() || carries && standing.is_told(it.standing);
            let update = route.filter(is_told).map(|it| {
                let path = std::iter::once(own).chain(it.path.iter().copied()).collect();
                Update { code, mtu: it.mtu, path }
            });
            let told = peer.told.entry(code);
            let told = told.or_insert(Advertised { update: None, next: Time::ZERO });
            waiting.remove(&(told.next, place, code));
            let waits = update.is_some() || advertisement.withdrawals_wait;
            if told.update == update {
                continue;
            }
            if waits && now < told.next {
                waiting.insert((told.next, place, code));
                continue;
            }
            if waits {
                let factor =
                    if advertisement.is_jittered { 0.75 + 0.25 * random.unit() } else { 1.0 };
                told.next = now + advertisement.interval.scaled(factor);
            }
            told.update.clone_from(&update);
            let withdrawn = Update { code, mtu: 0, path: Vec::new() };
            output.push((peer.interface, update.unwrap_or(withdrawn)));
        }
    }

    /// When something that waits may be told.
    pub(super) fn next_wake(&self) -> Time {
        self.waiting.first().map_or(Time::NEVER, |it| it.0)
    }

    /// The regions of which a neighbour may be told now what waits.
    pub(super) fn due(&self, now: Time) -> Vec<Code> {
        let due = self.waiting.iter().take_while(|it| it.0 <= now).map(|it| it.2);
        let mut codes: Vec<Code> = due.collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}
