//! Contact plans: when which station uses which satellite.

use glam::DVec3;
use libm::{acos, cos};

use crate::earth::{GroundPath, elevation};
use crate::sky::Sky;

/// Up to where a station sees a satellite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// At this elevation over the horizon or higher, in degrees.
    Elevation(f64),
    /// At this distance or nearer, in km.
    Range(f64),
}

/// Which of the satellites in view a station uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SatelliteChoice {
    /// All of them.
    Any,
    /// The highest; another one if that is higher by more than this many degrees.
    Highest {
        /// Degrees.
        hysteresis: f64,
    },
    /// One until it is out of view, then the highest.
    HoldHighest,
    /// One until it is out of view, then the one that will be in view for the longest time.
    HoldLongest,
}

/// Instants at which all stations choose, and at no others unless a satellite is lost. In
/// steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// From one to the next: at least one.
    pub length: u64,
    /// The first.
    pub offset: u64,
}

/// How stations choose among satellites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Which are in view.
    pub reach: Reach,
    /// Which of those are used.
    pub choice: SatelliteChoice,
    /// When that is decided; else at every step.
    pub slots: Option<Slots>,
}

/// A time in which a station can use a satellite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The station's place in the list.
    pub station: usize,
    /// The satellite.
    pub satellite: usize,
    /// The first step of it.
    pub from: u64,
    /// The first step after it; none if it lasts beyond the last one.
    pub until: Option<u64>,
}

/// All contacts of some stations.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// In the order in which they begin, then by station and satellite.
    pub contacts: Vec<Contact>,
    /// How high the highest satellite was over each station at any step, in degrees.
    pub highest: Vec<f64>,
}

/// After how many seconds it is looked up anew which satellites may come into view.
const LOOK: f64 = 5.0;
/// Faster than anything turns around the Earth's centre below 60,000 km/h, in radians a
/// second.
const FASTEST: f64 = 0.002;
/// Satellites of a symmetric pattern can be equally high except for rounding, in degrees.
const EQUALLY_HIGH: f64 = 1e-6;
/// The zenith of the ellipsoid is nowhere farther from that of a sphere, in radians.
const FLATTENING: f64 = 0.004;

impl Contacts {
    /// The contacts at the steps from 0 to `steps`, each of `step` seconds.
    #[must_use]
    pub fn of(sky: &Sky, stations: &[GroundPath], policy: &Policy, step: f64, steps: u64) -> Self {
        let mut watch = Watch {
            sky,
            stations,
            policy,
            step,
            positions: Vec::new(),
            candidates: vec![Vec::new(); stations.len()],
            places: vec![(DVec3::ZERO, DVec3::ZERO); stations.len()],
        };
        let look = ((LOOK / step) as u64).max(1);
        let mut used: Vec<Vec<(usize, u64)>> = vec![Vec::new(); stations.len()];
        let mut plan = Self { contacts: Vec::new(), highest: vec![-90.0; stations.len()] };
        let mut visible = Vec::new();
        for at in 0..=steps {
            watch.move_to(at, at % look == 0);
            for (station, used) in used.iter_mut().enumerate() {
                watch.visible(station, &mut visible);
                for (_, elevation) in &visible {
                    plan.highest[station] = plan.highest[station].max(*elevation);
                }
                let next = watch.choose(at, station, used, &visible);
                plan.change(station, at, used, next);
            }
        }
        for (station, used) in used.into_iter().enumerate() {
            let lasting = used.into_iter().map(|(satellite, from)| Contact {
                station,
                satellite,
                from,
                until: None,
            });
            plan.contacts.extend(lasting);
        }
        plan.contacts.sort_by_key(|it| (it.from, it.station, it.satellite));
        plan
    }

    /// Ends the contacts of a station that are none any more, and begins others.
    fn change(&mut self, station: usize, at: u64, used: &mut Vec<(usize, u64)>, next: Vec<usize>) {
        used.retain(|&(satellite, from)| {
            let goes_on = next.contains(&satellite);
            if !goes_on {
                self.contacts.push(Contact { station, satellite, from, until: Some(at) });
            }
            goes_on
        });
        for satellite in next {
            if !used.iter().any(|it| it.0 == satellite) {
                used.push((satellite, at));
            }
        }
    }

    /// How often a station went from one satellite to another.
    #[must_use]
    pub fn handovers(&self, station: usize) -> usize {
        let own = self.contacts.iter().filter(|it| it.station == station);
        own.count().saturating_sub(1)
    }
}

/// What is looked at from step to step.
struct Watch<'a> {
    sky: &'a Sky,
    stations: &'a [GroundPath],
    policy: &'a Policy,
    step: f64,
    positions: Vec<DVec3>,
    /// For each station the satellites that may be in view before the next look.
    candidates: Vec<Vec<usize>>,
    /// For each station where it is, and its zenith.
    places: Vec<(DVec3, DVec3)>,
}

impl Watch<'_> {
    fn move_to(&mut self, at: u64, looks: bool) {
        let time = at as f64 * self.step;
        self.sky.positions(time, &mut self.positions);
        for (place, path) in self.places.iter_mut().zip(self.stations) {
            let is_known = path.stays() && at > 0;
            if !is_known {
                let coordinates = path.place(time);
                *place = (coordinates.position(), coordinates.up());
            }
        }
        if looks {
            self.look();
        }
    }

    /// Finds the satellites that may be in view until the next look.
    fn look(&mut self) {
        let margin = FASTEST * (LOOK + self.step) + FLATTENING;
        for ((place, _), candidates) in self.places.iter().zip(&mut self.candidates) {
            candidates.clear();
            let (ground, zenith) = (place.length(), place.normalize());
            // Nearly all are at one distance.
            let mut known = (f64::NAN, 0.0);
            for (satellite, position) in self.positions.iter().enumerate() {
                let distance = position.length();
                if (distance - known.0).abs() > 1e-6 || known.0.is_nan() {
                    known = (distance, cos(widest(self.policy.reach, ground, distance) + margin));
                }
                if position.dot(zenith) >= known.1 * distance {
                    candidates.push(satellite);
                }
            }
        }
    }

    /// The satellites in view of a station, and how high they are.
    fn visible(&self, station: usize, visible: &mut Vec<(usize, f64)>) {
        let (place, up) = self.places[station];
        visible.clear();
        visible.extend(self.candidates[station].iter().filter_map(|&satellite| {
            let seen = self.positions[satellite];
            let elevation = elevation(place, up, seen);
            self.reaches(place, seen, elevation).then_some((satellite, elevation))
        }));
    }

    fn reaches(&self, place: DVec3, seen: DVec3, elevation: f64) -> bool {
        match self.policy.reach {
            Reach::Elevation(least) => elevation >= least,
            Reach::Range(most) => place.distance(seen) <= most,
        }
    }

    /// The satellites that a station uses from a step on.
    fn choose(
        &self,
        at: u64,
        station: usize,
        used: &[(usize, u64)],
        visible: &[(usize, f64)],
    ) -> Vec<usize> {
        let highest = || visible.iter().max_by(|one, other| one.1.total_cmp(&other.1)).copied();
        let own = used.first().map(|it| it.0);
        let own = own.and_then(|own| visible.iter().find(|it| it.0 == own).copied());
        let may_choose = self.policy.slots.is_none_or(|it| at % it.length == it.offset % it.length);
        let chosen = match (self.policy.choice, own) {
            (SatelliteChoice::Any, _) if may_choose || used.is_empty() => {
                return visible.iter().map(|it| it.0).collect();
            }
            (SatelliteChoice::Any, _) => {
                let is_seen = |own: &usize| visible.iter().any(|it| it.0 == *own);
                return used.iter().map(|it| it.0).filter(is_seen).collect();
            }
            (SatelliteChoice::Highest { hysteresis }, Some(own)) if may_choose => {
                highest().filter(|it| it.1 > own.1 + hysteresis.max(EQUALLY_HIGH)).or(Some(own))
            }
            (_, Some(own)) => Some(own),
            (SatelliteChoice::HoldLongest, None) => {
                let remaining = |it: &(usize, f64)| self.remaining(at, station, it.0);
                visible.iter().max_by_key(|it| remaining(it)).copied()
            }
            (_, None) => highest(),
        };
        chosen.map(|it| it.0).into_iter().collect()
    }

    /// For how many steps a satellite stays in view; of one that never leaves it, the steps of
    /// a day.
    fn remaining(&self, at: u64, station: usize, satellite: usize) -> u64 {
        let is_seen = |ahead: u64| {
            let time = (at + ahead) as f64 * self.step;
            let angle = self.sky.epoch.sidereal_angle(time);
            let place = self.stations[station].place(time);
            let seen = self.sky.orbits[satellite].position(self.sky.epoch, time, angle);
            seen.is_some_and(|seen| {
                let position = place.position();
                self.reaches(position, seen, elevation(position, place.up(), seen))
            })
        };
        let day = (86_400.0 / self.step) as u64;
        // First in strides of ten seconds, then step by step.
        let stride = ((10.0 / self.step) as u64).max(1);
        let mut seen = 0;
        while seen < day && is_seen(seen + stride) {
            seen += stride;
        }
        (seen..seen + stride).take_while(|it| is_seen(*it)).last().unwrap_or(seen)
    }
}

/// The widest angle at the Earth's centre between a station and a satellite in view, in
/// radians, on a sphere.
fn widest(reach: Reach, ground: f64, distance: f64) -> f64 {
    let cosine = match reach {
        Reach::Elevation(degrees) => {
            let angle = degrees.to_radians();
            let seen = acos((ground * cos(angle) / distance).clamp(-1.0, 1.0)) - angle;
            return seen.max(0.0);
        }
        Reach::Range(km) => {
            (ground * ground + distance * distance - km * km) / (2.0 * ground * distance)
        }
    };
    acos(cosine.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Circular, Coordinates, Epoch, Orbit, Phase, Walker, WalkerPattern};

    const STARLINK: Walker = Walker {
        pattern: WalkerPattern::Delta,
        planes: 72,
        per_plane: 22,
        // 550 km over a sphere of 6,371 km.
        altitude: 6_371.0 + 550.0 - 6_378.137,
        inclination: 53.0,
        phase: Phase::Alternate,
        precesses: false,
    };

    fn sky(walker: &Walker) -> Sky {
        let orbits = walker.orbits().into_iter().map(Orbit::Circular).collect();
        Sky { epoch: Epoch::default(), orbits }
    }

    /// A station at a geocentric latitude, as on a sphere.
    fn station(latitude: f64, longitude: f64) -> GroundPath {
        let flattened: f64 = 1.0 - 1.0 / 298.257_223_563;
        let tangent = latitude.to_radians().tan() / (flattened * flattened);
        GroundPath::at(Coordinates::on_the_ground(tangent.atan().to_degrees(), longitude))
    }

    fn per_hour(walker: &Walker, latitude: f64, policy: &Policy, step: f64, hours: f64) -> f64 {
        let steps = (hours * 3_600.0 / step) as u64;
        let plan = Contacts::of(&sky(walker), &[station(latitude, 0.0)], policy, step, steps);
        plan.handovers(0) as f64 / hours
    }

    /// Handovers an hour over six hours in steps of 5 s, from another program that takes the
    /// Earth for a sphere.
    #[test]
    fn policies_hand_over_as_often_as_elsewhere() {
        let slots = Slots { length: 3, offset: 0 };
        let policy = |choice, slots| Policy { reach: Reach::Elevation(25.0), choice, slots };
        let highest = |hysteresis| policy(SatelliteChoice::Highest { hysteresis }, None);
        let slotted = policy(SatelliteChoice::Highest { hysteresis: 0.0 }, Some(slots));
        let (hold, longest) = (
            policy(SatelliteChoice::HoldHighest, None),
            policy(SatelliteChoice::HoldLongest, None),
        );
        let oracles = [
            (0.0, [38.8, 36.2, 38.0, 27.5, 15.3]),
            (45.0, [57.5, 48.2, 55.5, 24.5, 13.2]),
            (52.0, [117.8, 97.7, 107.0, 26.5, 13.2]),
        ];
        for (latitude, counts) in oracles {
            let policies = [highest(0.0), highest(5.0), slotted, hold, longest];
            for (policy, count) in policies.iter().zip(counts) {
                let found = per_hour(&STARLINK, latitude, policy, 5.0, 6.0);
                let off = (found / count - 1.0).abs();
                assert!(off < 0.03, "{latitude} {policy:?}: {found}, not {count}");
            }
        }
    }

    /// A satellite is seen by a share of the Earth; of the places on one parallel, by this
    /// mean over its orbit.
    #[test]
    fn as_many_are_in_view_as_the_geometry_says() {
        let oracles = [(0.0, 6.897), (30.0, 8.917), (45.0, 18.160), (60.0, 3.783)];
        for (latitude, count) in oracles {
            let policy =
                Policy { reach: Reach::Elevation(25.0), choice: SatelliteChoice::Any, slots: None };
            let places: Vec<GroundPath> =
                (0..36).map(|it| station(latitude, f64::from(it) * 137.5)).collect();
            // As high over these places as over a sphere.
            let ground = places[0].place(0.0).position().length();
            let walker = Walker { altitude: ground + 550.0 - 6_378.137, ..STARLINK };
            let plan = Contacts::of(&sky(&walker), &places, &policy, 30.0, 191);
            let length = |it: &Contact| it.until.unwrap_or(192) - it.from;
            let mean = plan.contacts.iter().map(length).sum::<u64>() as f64 / 192.0 / 36.0;
            // 36 places and the instants of one orbit are not all. At the edge of what is
            // covered, the zenith of the ellipsoid counts, a sixth of a degree off.
            let most = if latitude == 60.0 { 0.04 } else { 0.02 };
            assert!((mean / count - 1.0).abs() < most, "{latitude}: {mean}, not {count}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// What a plan says is what a look at all satellites at that step says.
        #[test]
        fn a_contact_is_one_in_view_and_all_in_view_are_in_contact(
            latitude in -70.0..70.0_f64,
            mask in 5.0..60.0_f64,
            altitude in 400.0..2_000.0_f64,
            node in 0.0..360.0_f64,
        ) {
            let orbits = (0..40).map(|it| {
                let turned = f64::from(it);
                Orbit::Circular(Circular::new(altitude, 60.0, node + 9.0 * turned, 77.0 * turned, true))
            });
            let sky = Sky { epoch: Epoch::default(), orbits: orbits.collect() };
            let policy = Policy { reach: Reach::Elevation(mask), choice: SatelliteChoice::Any, slots: None };
            let path = GroundPath::along(vec![
                (0.0, Coordinates::on_the_ground(latitude, 0.0)),
                (600.0, Coordinates::on_the_ground(latitude, 2.0)),
            ]).expect("in order");
            let plan = Contacts::of(&sky, std::slice::from_ref(&path), &policy, 1.0, 600);
            let mut positions = Vec::new();
            for at in (0..=600_u64).step_by(37) {
                sky.positions(at as f64, &mut positions);
                let place = path.place(at as f64);
                for (satellite, seen) in positions.iter().enumerate() {
                    let is_seen = elevation(place.position(), place.up(), *seen) >= mask;
                    let in_contact = plan.contacts.iter().any(|it| {
                        it.satellite == satellite && it.from <= at && it.until.is_none_or(|end| at < end)
                    });
                    prop_assert_eq!(is_seen, in_contact);
                }
            }
        }

        /// With any other choice there is one satellite at most, and one if any is in view.
        #[test]
        fn a_station_uses_one_satellite_if_it_sees_any(
            latitude in -60.0..60.0_f64,
            which in 0..3_usize,
            slots in prop::option::of(1..20_u64),
        ) {
            let choice = [SatelliteChoice::Highest { hysteresis: 3.0 }, SatelliteChoice::HoldHighest, SatelliteChoice::HoldLongest][which];
            let slots = slots.map(|length| Slots { length, offset: 1 });
            let policy = Policy { reach: Reach::Elevation(35.0), choice, slots };
            let small = Walker { planes: 12, per_plane: 12, ..STARLINK };
            let all = Policy { choice: SatelliteChoice::Any, slots: None, ..policy };
            let [plan, all] = [policy, all].map(|it| {
                Contacts::of(&sky(&small), &[station(latitude, 0.0)], &it, 2.0, 600)
            });
            let count = |plan: &Contacts, at: u64| {
                let is_now = |it: &&Contact| it.from <= at && it.until.is_none_or(|end| at < end);
                plan.contacts.iter().filter(is_now).count()
            };
            for at in 0..=600 {
                prop_assert_eq!(count(&plan, at), count(&all, at).min(1));
            }
        }
    }
}
