//! Segments combined to paths: up, core and down; across a system that an up and a down
//! segment have in common; and over peering links, of which one or both ends may be in the core.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_packets::scion::{
    AsEntry, InfoField, IsdAs, MOST_HOPS, Path, PathSection, PathSegment, PeerEntry, StaticInfo,
};

/// A path with what is announced of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combined {
    /// The path.
    pub path: Path,
    /// The interfaces that it crosses, two for each link.
    pub interfaces: Vec<(IsdAs, u16)>,
    /// The announced latencies, one way, in microseconds.
    pub latency: u64,
    /// The least announced bandwidth, in kilobits per second; none: nothing is announced.
    pub bandwidth: Option<u32>,
    /// The largest SCION packet that it carries.
    pub mtu: u16,
}

impl Combined {
    /// How many links between systems it crosses.
    #[must_use]
    pub fn links(&self) -> usize {
        self.interfaces.len() / 2
    }

    /// The systems on it.
    pub fn systems(&self) -> impl Iterator<Item = IsdAs> {
        let last = self.interfaces.last().map(|it| it.0);
        self.interfaces.iter().step_by(2).map(|it| it.0).chain(last)
    }
}

/// All paths from one system to another: the shortest first, none twice, none that crosses a
/// system twice. `up` and `down` are segments from the core to the first and the second, `core`
/// those between core systems.
#[must_use]
pub fn combine(
    [from, to]: [IsdAs; 2],
    up: &[Arc<PathSegment>],
    core: &[Arc<PathSegment>],
    down: &[Arc<PathSegment>],
) -> Vec<Combined> {
    let ends = |it: &&Arc<PathSegment>, end: IsdAs| it.last() == end;
    let up: Vec<_> = up.iter().filter(|it| ends(it, from)).collect();
    let down: Vec<_> = down.iter().filter(|it| ends(it, to)).collect();
    let mut found = Found::default();
    for it in up.iter().filter(|it| it.contains(to)) {
        found.add(&[Part::up(it, place(it, to))]);
    }
    for it in down.iter().filter(|it| it.contains(from)) {
        found.add(&[Part::down(it, place(it, from))]);
    }
    for a in &up {
        for b in &down {
            found.add_common(a, b);
        }
    }
    let begin = core.iter().filter(|it| it.last() == from).map(Part::of_last);
    let begin = up.iter().map(|it| Part::all_up(it)).chain(begin);
    let end = core.iter().filter(|it| it.first() == to).map(Part::of_first);
    let end: Vec<_> = down.iter().map(|it| Part::all_down(it)).chain(end).collect();
    for a in begin {
        end.iter().for_each(|b| found.add_peering(&a, b));
    }
    for it in core {
        let begin = up.iter().filter(|up| up.first() == it.last()).map(|up| Some(Part::up(up, 0)));
        let begin: Vec<_> = begin.chain((it.last() == from).then_some(None)).collect();
        let end = down.iter().filter(|down| down.first() == it.first());
        let end = end.map(|down| Some(Part::down(down, 0)));
        let end: Vec<_> = end.chain((it.first() == to).then_some(None)).collect();
        for a in &begin {
            for b in &end {
                let parts: Vec<Part<'_>> =
                    [*a, Some(Part::up(it, 0)), *b].into_iter().flatten().collect();
                found.add(&parts);
            }
        }
    }
    found.sorted()
}

/// A segment or a part of one, from the system at `place` to that before `end`.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    segment: &'a PathSegment,
    place: usize,
    end: usize,
    /// Whether it is used in the direction of beacons.
    is_forward: bool,
    /// Which of the first system's entries of peers it begins with.
    peer: Option<usize>,
}

/// Where a system is in a segment that contains it.
fn place(segment: &PathSegment, isd_as: IsdAs) -> usize {
    segment.entries.iter().position(|it| it.isd_as == isd_as).unwrap_or_default()
}

impl<'a> Part<'a> {
    fn up(segment: &'a PathSegment, place: usize) -> Self {
        Self { segment, place, end: segment.entries.len(), is_forward: false, peer: None }
    }

    fn down(segment: &'a PathSegment, place: usize) -> Self {
        Self { is_forward: true, ..Self::up(segment, place) }
    }

    /// The parts of an up segment, from its end to each system of it.
    fn all_up(segment: &'a PathSegment) -> Vec<Self> {
        (0..segment.entries.len()).map(|it| Self::up(segment, it)).collect()
    }

    /// The parts of a down segment, from each system of it to its end.
    fn all_down(segment: &'a PathSegment) -> Vec<Self> {
        (0..segment.entries.len()).map(|it| Self::down(segment, it)).collect()
    }

    /// The system alone at which a core segment begins: a path ends there.
    fn of_first(segment: &'a Arc<PathSegment>) -> Vec<Self> {
        vec![Self { end: 1, ..Self::down(segment, 0) }]
    }

    /// The system alone at which a core segment ends: a path begins there.
    fn of_last(segment: &'a Arc<PathSegment>) -> Vec<Self> {
        vec![Self::up(segment, segment.entries.len() - 1)]
    }

    fn entries(&self) -> &'a [AsEntry] {
        &self.segment.entries[self.place..self.end]
    }

    /// Its info field and hop fields, in the order of travel.
    fn section(&self) -> PathSection {
        let Self { segment, place, end, is_forward, peer } = *self;
        let entries = self.entries();
        let mut hops: Vec<_> = entries.iter().map(|it| it.hop.field).collect();
        if let Some(peer) = peer {
            hops[0] = entries[0].peers[peer].field;
        }
        let last = end - 1;
        // The authenticator of a peer's hop field stands behind the one that it replaces.
        let first = if is_forward { place } else { last };
        let behind = peer.is_some() && (is_forward || place == last);
        if !is_forward {
            hops.reverse();
        }
        let info = InfoField {
            is_peering: peer.is_some(),
            is_forward,
            segment_id: segment.beta(first + usize::from(behind)),
            timestamp: segment.timestamp,
        };
        PathSection { info, hops }
    }

    /// The interfaces of its links, in the order of travel; without those of a peering link.
    fn interfaces(&self) -> Vec<(IsdAs, u16)> {
        let entries = self.entries().windows(2);
        let mut crossed: Vec<_> = entries
            .flat_map(|pair| {
                let [a, b] = [&pair[0], &pair[1]];
                [(a.isd_as, a.hop.field.egress), (b.isd_as, b.hop.field.ingress)]
            })
            .collect();
        if !self.is_forward {
            crossed.reverse();
        }
        crossed
    }

    /// Where the first system is left or entered that it begins with.
    fn joint(&self) -> (&'a StaticInfo, u16) {
        let entry = &self.segment.entries[self.place];
        (&entry.info, entry.hop.field.egress)
    }

    fn info(&self) -> impl Iterator<Item = (usize, &'a StaticInfo)> {
        self.entries().iter().map(|it| &it.info).enumerate()
    }
}

/// What was found, by the interfaces.
#[derive(Debug, Default)]
struct Found(BTreeMap<Vec<(IsdAs, u16)>, Combined>);

impl Found {
    /// Across each system that both have.
    fn add_common(&mut self, up: &PathSegment, down: &PathSegment) {
        for (a, entry) in up.entries.iter().enumerate() {
            let Some(b) = down.entries.iter().position(|it| it.isd_as == entry.isd_as) else {
                continue;
            };
            // Paths that end or begin there need one segment only.
            if a + 1 < up.entries.len() && b + 1 < down.entries.len() {
                self.add(&[Part::up(up, a), Part::down(down, b)]);
            }
        }
    }

    /// Over each peering link between the first system of one of `up` and of one of `down`.
    fn add_peering(&mut self, up: &[Part<'_>], down: &[Part<'_>]) {
        for up in up {
            for (peer, it) in up.entries()[0].peers.iter().enumerate() {
                let Some(down) = down.iter().find(|other| other.entries()[0].isd_as == it.peer)
                else {
                    continue;
                };
                let is_other_end = |other: &PeerEntry| {
                    other.peer == up.entries()[0].isd_as && other.field.ingress == it.peer_interface
                };
                if let Some(other) = down.entries()[0].peers.iter().position(is_other_end) {
                    let up = Part { peer: Some(peer), ..*up };
                    let down = Part { peer: Some(other), ..*down };
                    self.add(&[up, down]);
                }
            }
        }
    }

    /// Adds a path of these parts, unless it crosses a system twice or has too many hops. Of two
    /// over the same interfaces the one stays that is valid for longer.
    fn add(&mut self, parts: &[Part<'_>]) {
        let Some(combined) = combined(parts) else { return };
        match self.0.get_mut(&combined.interfaces) {
            Some(known) if known.path.expires_ms() >= combined.path.expires_ms() => {}
            Some(known) => *known = combined,
            None => {
                self.0.insert(combined.interfaces.clone(), combined);
            }
        }
    }

    fn sorted(self) -> Vec<Combined> {
        let mut all: Vec<Combined> = self.0.into_values().collect();
        all.sort_by_key(Combined::links);
        all
    }
}

fn combined(parts: &[Part<'_>]) -> Option<Combined> {
    let mut interfaces = Vec::new();
    for part in parts {
        let own = part.interfaces();
        let peer = part.peer.map(|it| {
            let entry = &part.segment.entries[part.place];
            (entry.isd_as, entry.peers[it].field.ingress)
        });
        if part.is_forward {
            interfaces.extend(peer);
            interfaces.extend(own);
        } else {
            interfaces.extend(own);
            interfaces.extend(peer);
        }
    }
    let mut sum = Sum { latency: 0, bandwidth: None, mtu: u16::MAX };
    parts.iter().for_each(|it| sum.add_part(it));
    parts.windows(2).for_each(|it| sum.add_joint(&it[0], &it[1]));
    let path = Path { sections: parts.iter().map(Part::section).collect() };
    let Sum { latency, bandwidth, mtu } = sum;
    let combined = Combined { path, interfaces, latency, bandwidth, mtu };
    let mut systems: Vec<IsdAs> = combined.systems().collect();
    let count = systems.len();
    systems.sort_unstable();
    systems.dedup();
    let is_path = systems.len() == count && count > 1 && combined.path.hops() <= MOST_HOPS;
    is_path.then_some(combined)
}

/// What is announced, over a whole path.
struct Sum {
    latency: u64,
    bandwidth: Option<u32>,
    mtu: u16,
}

impl Sum {
    fn link(&mut self, latency: u32, bandwidth: u32) {
        self.latency += u64::from(latency);
        if bandwidth > 0 {
            self.bandwidth = Some(self.bandwidth.unwrap_or(u32::MAX).min(bandwidth));
        }
    }

    fn add_part(&mut self, part: &Part<'_>) {
        let last = part.entries().len() - 1;
        for (place, info) in part.info() {
            if place < last {
                self.link(info.inter_latency, info.inter_bandwidth);
            }
            // The first and the last are not crossed from one interface to the other.
            if place > 0 && place < last {
                self.link(info.intra_latency, info.intra_bandwidth);
            }
        }
        for (place, entry) in part.entries().iter().enumerate() {
            self.mtu = self.mtu.min(entry.mtu);
            if place > 0 && entry.hop.ingress_mtu > 0 {
                self.mtu = self.mtu.min(entry.hop.ingress_mtu);
            }
        }
    }

    /// What lies between two parts: the system that both have, or a peering link.
    fn add_joint(&mut self, first: &Part<'_>, second: &Part<'_>) {
        let crossing = |info: &StaticInfo, other: u16| {
            let of = |map: &[(u16, u32)]| map.iter().find(|it| it.0 == other).map_or(0, |it| it.1);
            (of(&info.crossing_latency), of(&info.crossing_bandwidth))
        };
        if let (Some(a), Some(b)) = (first.peer, second.peer) {
            // A system where the path begins or ends is not crossed.
            let crossed =
                [(first, a), (second, b)].into_iter().filter(|it| it.0.entries().len() > 1);
            for (part, peer) in crossed {
                let entry = &part.segment.entries[part.place];
                let interface = entry.peers[peer].field.ingress;
                let (latency, bandwidth) = crossing(&entry.info, interface);
                self.link(latency, bandwidth);
            }
            let entry = &first.segment.entries[first.place];
            let peer = entry.peers[a];
            let of = |map: &[(u16, u32)]| {
                map.iter().find(|it| it.0 == peer.field.ingress).map_or(0, |it| it.1)
            };
            self.link(of(&entry.info.peer_latency), of(&entry.info.peer_bandwidth));
            self.mtu = self.mtu.min(peer.mtu);
            return;
        }
        // A core segment ends where an up segment begins: it is left by its ingress.
        let (latency, bandwidth) = if second.is_forward {
            crossing(second.joint().0, first.joint().1)
        } else {
            let end = second.segment.entries.last().map(|it| it.hop.field.ingress);
            crossing(first.joint().0, end.unwrap_or_default())
        };
        self.link(latency, bandwidth);
    }
}
