//! The segments of a network that has been there for long: beacons passed on, round after
//! round, in no time.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::scion::{IsdAs, PathSegment};

use super::beacons::Beacons;
use super::combination::{Combined, combine};
use super::settings::ScionSettings;

/// What the control service of a system knows at the start.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its beacons, and its segments.
    pub beacons: Beacons,
    /// In the core, the segments by which others are reached.
    pub down: BTreeMap<IsdAs, Vec<Arc<PathSegment>>>,
}

/// What the control services of all systems know in the end.
#[must_use]
pub fn discover(settings: &ScionSettings) -> Vec<Known> {
    let count = settings.systems.len() as u32;
    let mut all: Vec<Beacons> = (0..count).map(Beacons::new).collect();
    let mut sent: Vec<(u32, u16, PathSegment)> = Vec::new();
    for round in 0..settings.beaconing.most_hops {
        for (system, beacons) in settings.systems.iter().zip(&all) {
            let mut send = |egress: u16, segment: PathSegment| {
                let Some(it) = system.interface(egress) else { return };
                sent.push((it.neighbour, it.neighbour_number, segment));
            };
            if round == 0 {
                beacons.originate(Time::ZERO, settings, &mut send);
            }
            beacons.propagate(settings, &mut send);
        }
        for (to, ingress, segment) in sent.drain(..) {
            all[to as usize].receive(settings, ingress, segment);
        }
    }
    all.iter_mut().for_each(|it| it.register(settings));
    with_registrations(settings, all)
}

/// Registers the segments of all systems outside the core where they begin.
fn with_registrations(settings: &ScionSettings, all: Vec<Beacons>) -> Vec<Known> {
    let places: BTreeMap<IsdAs, usize> =
        settings.systems.iter().map(|it| it.isd_as).zip(0..).collect();
    let mut known: Vec<Known> =
        all.into_iter().map(|beacons| Known { beacons, down: BTreeMap::new() }).collect();
    for place in 0..known.len() {
        if settings.systems[place].is_core {
            continue;
        }
        for segment in known[place].beacons.segments().to_vec() {
            let core = places[&segment.first()];
            known[core].down.entry(segment.last()).or_default().push(segment);
        }
    }
    known
}

/// The segments from a system to the core, between core systems, and from the core to a
/// system, of what all know.
fn segments(
    settings: &ScionSettings,
    known: &[Known],
    [from, to]: [u32; 2],
) -> [Vec<Arc<PathSegment>>; 3] {
    let own = |system: u32| known[system as usize].beacons.segments().to_vec();
    let is_core = |system: u32| settings.systems[system as usize].is_core;
    let outside = |system: u32| if is_core(system) { Vec::new() } else { own(system) };
    let mut core = Vec::new();
    for (system, it) in settings.systems.iter().zip(known) {
        core.extend(it.beacons.segments().iter().filter(|_| system.is_core).cloned());
    }
    [outside(from), core, outside(to)]
}

/// The paths from one system to another, of what all know.
#[must_use]
pub fn paths(settings: &ScionSettings, known: &[Known], ends: [u32; 2]) -> Vec<Combined> {
    let [up, core, down] = segments(settings, known, ends);
    let [from, to] = ends.map(|it| settings.systems[it as usize].isd_as);
    combine([from, to], &up, &core, &down)
}
