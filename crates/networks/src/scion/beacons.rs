//! What the control service of an autonomous system does with beacons: begins them, passes
//! them on, and makes segments of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::scion::{
    AsEntry, HopEntry, HopField, IsdAs, PathSegment, PeerEntry, StaticInfo,
};

use super::plan::Relation;
use super::settings::{ExternalInterface, ScionSettings, System};

/// A beacon that came in.
#[derive(Clone, Debug)]
struct Candidate {
    segment: Arc<PathSegment>,
    ingress: u16,
}

/// The beacons of a system, and the segments that it made of them.
#[derive(Clone, Debug)]
pub struct Beacons {
    system: u32,
    candidates: BTreeMap<IsdAs, Vec<Candidate>>,
    /// From the core to here, or in the core from other systems of it to here.
    segments: Vec<Arc<PathSegment>>,
}

/// The time as beacons tell it: seconds since the start of the run.
pub(super) fn seconds(now: Time) -> u32 {
    (now.since(Time::ZERO).as_nanos() / 1_000_000_000) as u32
}

impl Beacons {
    /// None yet, of a system.
    #[must_use]
    pub fn new(system: u32) -> Self {
        Self { system, candidates: BTreeMap::new(), segments: Vec::new() }
    }

    /// The segments that end here.
    #[must_use]
    pub fn segments(&self) -> &[Arc<PathSegment>] {
        &self.segments
    }

    /// How many beacons are kept.
    #[must_use]
    pub fn count(&self) -> usize {
        self.candidates.values().map(Vec::len).sum()
    }

    /// A core system begins beacons: to other core systems, and to its children.
    pub fn originate(
        &self,
        now: Time,
        settings: &ScionSettings,
        mut send: impl FnMut(u16, PathSegment),
    ) {
        let system = &settings.systems[self.system as usize];
        if !system.is_core {
            return;
        }
        let timestamp = seconds(now);
        for interface in &system.interfaces {
            if matches!(interface.relation, Relation::Core | Relation::Child) {
                let input = [u64::from(timestamp), u64::from(interface.number)];
                let drawn = system.key.cmac(&input.map(u64::to_be_bytes).concat());
                let segment_id = u16::from_be_bytes([drawn[0], drawn[1]]);
                let segment = PathSegment { timestamp, segment_id, entries: Vec::new() };
                send(interface.number, extended(settings, system, &segment, 0, interface.number));
            }
        }
    }

    /// Takes in a beacon that came by an interface; returns whether it is kept.
    pub fn receive(
        &mut self,
        settings: &ScionSettings,
        ingress: u16,
        segment: PathSegment,
    ) -> bool {
        let system = &settings.systems[self.system as usize];
        let relation = system.interface(ingress).map(|it| it.relation);
        let fits = match relation {
            Some(Relation::Core) => system.is_core,
            Some(Relation::Parent) => !system.is_core,
            _ => false,
        };
        let limit = settings.beaconing.most_hops;
        let is_short = segment.entries.len() < limit;
        if !fits || !is_short || segment.contains(system.isd_as) {
            return false;
        }
        let candidates = self.candidates.entry(segment.first()).or_default();
        let rank = |it: &PathSegment| (it.entries.len(), it.interfaces().collect::<Vec<_>>());
        let own = rank(&segment);
        let candidate = Candidate { segment: Arc::new(segment), ingress };
        match candidates.binary_search_by(|it| rank(&it.segment).cmp(&own)) {
            Ok(place) => {
                let known = &mut candidates[place];
                if known.segment.timestamp <= candidate.segment.timestamp {
                    *known = candidate;
                }
                true
            }
            Err(place) => {
                candidates.insert(place, candidate);
                candidates.truncate(settings.beaconing.candidates);
                place < settings.beaconing.candidates
            }
        }
    }

    /// Forgets what has expired.
    pub fn expire(&mut self, now: Time) {
        let now = u64::from(seconds(now));
        for candidates in self.candidates.values_mut() {
            candidates.retain(|it| it.segment.expires() > now);
        }
        self.candidates.retain(|_, it| !it.is_empty());
        self.segments.retain(|it| it.expires() > now);
    }

    /// Passes the best beacons on: in the core those of each origin to other core systems,
    /// elsewhere the best of all to children.
    pub fn propagate(&self, settings: &ScionSettings, mut send: impl FnMut(u16, PathSegment)) {
        let system = &settings.systems[self.system as usize];
        let wanted = if system.is_core { Relation::Core } else { Relation::Child };
        for interface in system.interfaces.iter().filter(|it| it.relation == wanted) {
            let neighbour = settings.systems[interface.neighbour as usize].isd_as;
            self.best(
                system,
                settings,
                |it| !it.contains(neighbour),
                |it| {
                    if it.segment.entries.len() + 1 < settings.beaconing.most_hops {
                        let number = interface.number;
                        send(number, extended(settings, system, &it.segment, it.ingress, number));
                    }
                },
            );
        }
    }

    /// Makes segments of the best beacons.
    pub fn register(&mut self, settings: &ScionSettings) {
        let system = &settings.systems[self.system as usize];
        let mut segments = Vec::new();
        self.best(
            system,
            settings,
            |_| true,
            |it| {
                segments.push(Arc::new(extended(settings, system, &it.segment, it.ingress, 0)));
            },
        );
        self.segments = segments;
    }

    /// The best beacons that fit: the shortest of each origin in the core, elsewhere of all.
    fn best(
        &self,
        system: &System,
        settings: &ScionSettings,
        fits: impl Fn(&PathSegment) -> bool,
        mut take: impl FnMut(&Candidate),
    ) {
        let limit = settings.beaconing.best_set;
        if system.is_core {
            for candidates in self.candidates.values() {
                let fitting = candidates.iter().filter(|it| fits(&it.segment));
                fitting.take(limit).for_each(&mut take);
            }
            return;
        }
        let all = self.candidates.values().flatten();
        let mut all: Vec<&Candidate> = all.filter(|it| fits(&it.segment)).collect();
        all.sort_by_key(|it| it.segment.entries.len());
        all.into_iter().take(limit).for_each(take);
    }
}

/// A beacon with what a system says on it, between two of its interfaces.
fn extended(
    settings: &ScionSettings,
    system: &System,
    segment: &PathSegment,
    ingress: u16,
    egress: u16,
) -> PathSegment {
    let (came, leaves) = (system.interface(ingress), system.interface(egress));
    let expiry = settings.beaconing.expiry;
    let field = HopField { expiry, ingress, egress, mac: [0; 6] };
    // Inside the core there are no shortcuts, but a path may begin or end at a core system.
    let is_core = came.or(leaves).is_some_and(|it| it.relation == Relation::Core);
    let is_end = came.is_none() || leaves.is_none();
    let peering = system.interfaces.iter().filter(|it| it.relation == Relation::Peer);
    let peering: Vec<&ExternalInterface> = peering.filter(|_| !is_core || is_end).collect();
    let peer = |it: &&ExternalInterface| PeerEntry {
        peer: settings.systems[it.neighbour as usize].isd_as,
        peer_interface: it.neighbour_number,
        mtu: it.mtu,
        field: HopField { ingress: it.number, ..field },
    };
    let entry = AsEntry {
        isd_as: system.isd_as,
        next: leaves.map_or(IsdAs(0), |it| settings.systems[it.neighbour as usize].isd_as),
        hop: HopEntry { field, ingress_mtu: came.map_or(0, |it| it.mtu) },
        peers: peering.iter().map(peer).collect(),
        mtu: system.mtu,
        info: info(settings, system, came, leaves, &peering),
    };
    let mut extended = segment.clone();
    extended.extend(&system.key, entry);
    extended
}

/// What a system announces of its links, on a beacon between two of its interfaces.
fn info(
    settings: &ScionSettings,
    system: &System,
    came: Option<&ExternalInterface>,
    leaves: Option<&ExternalInterface>,
    peering: &[&ExternalInterface],
) -> StaticInfo {
    let micros = |it: windtunnel_engine::Duration| (it.as_nanos() / 1000) as u32;
    let kilobits =
        |it: windtunnel_engine::Rate| u32::try_from(it.bits_per_second() / 1000).unwrap_or(0);
    let peers = |value: &dyn Fn(&ExternalInterface) -> u32| {
        peering.iter().map(|it| (it.number, value(it))).collect()
    };
    let mut info = StaticInfo {
        inter_latency: leaves.map_or(0, |it| micros(it.latency)),
        inter_bandwidth: leaves.map_or(0, |it| kilobits(it.bandwidth)),
        peer_latency: peers(&|it| micros(it.latency)),
        peer_bandwidth: peers(&|it| kilobits(it.bandwidth)),
        ..StaticInfo::default()
    };
    // Where a beacon ends, paths cross from where it came in.
    let Some(from) = leaves.or(came) else { return info };
    let paths = &settings.nodes[from.node as usize].paths;
    for other in system.interfaces.iter().filter(|it| it.number != from.number) {
        let path = &paths[settings.nodes[other.node as usize].member as usize];
        let (latency, bandwidth) = (micros(path.latency), kilobits(path.bandwidth));
        if came.is_some_and(|it| it.number == other.number) {
            (info.intra_latency, info.intra_bandwidth) = (latency, bandwidth);
        } else if other.node != from.node {
            info.crossing_latency.push((other.number, latency));
            info.crossing_bandwidth.push((other.number, bandwidth));
        }
    }
    info
}
