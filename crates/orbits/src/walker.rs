//! Walker's patterns: planes of the same inclination and altitude, with as many satellites
//! each (Walker 1984).

use core::f64::consts::{PI, TAU};

use libm::{atan, cos, sin, tan};

use crate::orbit::Circular;

/// Over how much of the equator the ascending nodes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkerPattern {
    /// All of it: at most places satellites go north and south.
    Delta,
    /// Half of it: on one side of the Earth all go north, on the other south, and where they
    /// meet is the seam.
    Star,
}

/// How far along their orbits the satellites of one plane are ahead of those of the plane
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// By this many parts of a circle that is divided among all satellites: Walker's F.
    Walker(u32),
    /// Those of every second plane are ahead by half a slot.
    Alternate,
}

/// A pattern of circular orbits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// How the planes are spread.
    pub pattern: WalkerPattern,
    /// How many planes there are: at least one.
    pub planes: usize,
    /// How many satellites are in each: at least one.
    pub per_plane: usize,
    /// Kilometres over the equator.
    pub altitude: f64,
    /// Degrees.
    pub inclination: f64,
    /// How the planes are shifted against each other.
    pub phase: Phase,
    /// Whether the Earth's oblateness is taken into account.
    pub precesses: bool,
}

impl Walker {
    /// How many satellites there are.
    #[must_use]
    pub fn satellites(&self) -> usize {
        self.planes * self.per_plane
    }

    /// The place of a satellite in the list of orbits.
    #[must_use]
    pub fn index(&self, plane: usize, slot: usize) -> usize {
        plane * self.per_plane + slot
    }

    /// By how many slots the satellites of a plane are ahead of the first plane's.
    pub(crate) fn slots_ahead(&self, plane: usize) -> f64 {
        match self.phase {
            Phase::Walker(factor) => f64::from(factor) * plane as f64 / self.planes as f64,
            Phase::Alternate => 0.5 * (plane % 2) as f64,
        }
    }

    /// The degrees between the ascending nodes of two planes beside each other.
    fn spacing(&self) -> f64 {
        let spread = match self.pattern {
            WalkerPattern::Delta => 360.0,
            WalkerPattern::Star => 180.0,
        };
        spread / self.planes as f64
    }

    /// The orbits, plane by plane.
    #[must_use]
    pub fn orbits(&self) -> Vec<Circular> {
        let slot = 360.0 / self.per_plane as f64;
        let places = (0..self.planes)
            .flat_map(|plane| (0..self.per_plane).map(move |of_plane| (plane, of_plane)));
        let orbit = |(plane, of_plane): (usize, usize)| {
            let argument = slot * (of_plane as f64 + self.slots_ahead(plane));
            let node = self.spacing() * plane as f64;
            Circular::new(self.altitude, self.inclination, node, argument, self.precesses)
        };
        places.map(orbit).collect()
    }

    /// The least distance at which two satellites ever pass each other, in km, and which two
    /// do. None if there is only one.
    #[must_use]
    pub fn separation(&self) -> Option<(f64, [usize; 2])> {
        let orbits = self.orbits();
        // Of the others each plane is like one of these two.
        let first = (0..self.planes.min(2)).map(|plane| self.index(plane, 0));
        let pairs = first.flat_map(|one| (0..orbits.len()).map(move |other| [one, other]));
        pairs
            .filter(|[one, other]| one != other)
            .map(|pair| (least_distance(pair.map(|it| &orbits[it])), pair))
            .min_by(|one, other| one.0.total_cmp(&other.0))
    }
}

/// The least distance between two satellites on circular orbits of one radius and
/// inclination.
fn least_distance([one, other]: [&Circular; 2]) -> f64 {
    let between = other.node(0.0) - one.node(0.0);
    let (sine, cosine) = (sin(one.inclination()), cos(one.inclination()));
    let ahead = other.argument(0.0) - one.argument(0.0);
    // Half a turn of the node is a tangent without a limit, and a quarter of a circle.
    let turned = (between / 2.0 + PI / 2.0).rem_euclid(PI) - PI / 2.0;
    let whole = ((between / 2.0 - turned) / PI).round() * PI;
    let apart = ahead + 2.0 * (atan(cosine * tan(turned)) + whole);
    let share = (1.0 + cosine * cosine + sine * sine * cos(between)) / 2.0;
    2.0 * one.radius() * share.max(0.0).sqrt() * sin(apart.rem_euclid(TAU) / 2.0).abs()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::earth::{EQUATORIAL_RADIUS, elevation};

    fn delta(planes: usize, per_plane: usize, altitude: f64, factor: u32) -> Walker {
        Walker {
            pattern: WalkerPattern::Delta,
            planes,
            per_plane,
            altitude,
            inclination: 53.0,
            phase: Phase::Walker(factor),
            precesses: false,
        }
    }

    #[test]
    fn satellites_pass_each_other_at_known_distances() {
        // They were computed with an Earth that is smaller by a thousandth.
        let is_near = |found: f64, known: f64| (found - known).abs() < 0.05 + 0.002 * known;
        let least = |it: Walker| it.separation().expect("there are two").0;
        let starlink = |factor| least(delta(72, 22, 550.0, factor));
        for (factor, km) in [(0, 0.0), (18, 0.0), (36, 0.0), (65, 71.4), (3, 58.2), (39, 49.8)] {
            assert!(is_near(starlink(factor), km), "F={factor}: {}", starlink(factor));
        }
        assert!(is_near(least(delta(24, 66, 550.0, 13)), 93.8));
        assert!(is_near(least(delta(15, 10, 500.0, 5)), 568.8));
        let kuiper = |phase| least(Walker { inclination: 51.9, phase, ..delta(34, 34, 630.0, 0) });
        assert!(is_near(kuiper(Phase::Walker(7)), 78.2));
        assert!(is_near(kuiper(Phase::Walker(17)), 18.0));
        assert!(is_near(kuiper(Phase::Alternate), 18.0));
    }

    proptest! {
        /// Against the distances of all pairs, in small steps over an orbit.
        #[test]
        fn no_two_satellites_are_ever_closer(
            planes in 1..6_usize,
            per_plane in 2..6_usize,
            factor in 0..6_u32,
            inclination in 0.0..100.0_f64,
        ) {
            let walker = Walker { inclination, ..delta(planes, per_plane, 800.0, factor) };
            let (least, pair) = walker.separation().expect("there are two");
            let orbits = walker.orbits();
            let period = orbits[0].period();
            let distance = |one: usize, other: usize| {
                let times = (0..720).map(|it| f64::from(it) * period / 720.0);
                let at = |time| orbits[one].position(time, 0.0).distance(orbits[other].position(time, 0.0));
                times.map(at).fold(f64::INFINITY, f64::min)
            };
            let pairs = (0..orbits.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
            let found = pairs.map(|(one, other)| distance(one, other)).fold(f64::INFINITY, f64::min);
            // In half a step both move by 31 km.
            prop_assert!(found >= least - 1e-6 && found < least + 63.0, "{found} {least} {pair:?}");
        }
    }

    /// A plane of satellites covers a street at all times: to both sides of it as far as c, with
    /// cos c = cos λ / cos(π / S), where λ is the angle at the Earth's centre to the edge of a
    /// footprint, and S the number of satellites (Rider 1985).
    #[test]
    fn a_plane_covers_a_street() {
        for (per_plane, altitude, mask) in
            [(15, 500.0, 10.0_f64), (25, 500.0, 10.0), (22, 550.0, 25.0), (11, 780.0, 8.2)]
        {
            let plane = Walker {
                pattern: WalkerPattern::Star,
                planes: 1,
                per_plane,
                altitude,
                inclination: 90.0,
                phase: Phase::Walker(0),
                precesses: false,
            };
            let radius = EQUATORIAL_RADIUS + altitude;
            let mask_angle = mask.to_radians();
            let edge = libm::acos(EQUATORIAL_RADIUS * libm::cos(mask_angle) / radius) - mask_angle;
            let half = std::f64::consts::PI / per_plane as f64;
            let street = libm::acos(libm::cos(edge) / libm::cos(half));
            let satellites: Vec<DVec3> =
                plane.orbits().iter().map(|it| it.position(0.0, 0.0)).collect();
            // The plane is that of x and z.
            let highest = |along: f64, beside: f64| {
                let (in_plane, off) = (libm::cos(beside), libm::sin(beside));
                let up = DVec3::new(in_plane * libm::cos(along), off, in_plane * libm::sin(along));
                let seen = satellites.iter().map(|it| elevation(EQUATORIAL_RADIUS * up, up, *it));
                seen.fold(f64::NEG_INFINITY, f64::max)
            };
            let lowest = |beside: f64| {
                let steps = (0..=100).map(|it| highest(2.0 * half * f64::from(it) / 100.0, beside));
                steps.fold(f64::INFINITY, f64::min)
            };
            assert!(lowest(0.999 * street) > mask && lowest(1.001 * street) < mask, "{per_plane}");
            assert!((lowest(street) - mask).abs() < 1e-9);
        }
    }
}
