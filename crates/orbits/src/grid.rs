//! Links between satellites: +Grid, two along the plane and one to each side.

use crate::earth::EQUATORIAL_RADIUS;
use crate::orbit::Circular;
use crate::walker::{Phase, Walker, WalkerPattern};

/// The height of the air that light between satellites has to keep over, in km.
pub const ATMOSPHERE: f64 = 80.0;

/// Which satellites of a pattern are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many slots ahead of a satellite's own its neighbour in the next plane is.
    pub partner: i64,
    /// Whether the last plane is joined to the first one.
    pub seam: bool,
}

/// A link between two satellites, by their places in the list of orbits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLink {
    /// The two satellites.
    pub satellites: [usize; 2],
    /// Whether it leads from one plane to the next.
    pub is_between_planes: bool,
}

impl Grid {
    /// Of the neighbours in the next plane the one whose link is the shortest in the mean,
    /// and the seam closed where satellites move alike on both of its sides.
    #[must_use]
    pub fn nearest(walker: &Walker) -> Self {
        let seam = walker.pattern == WalkerPattern::Delta;
        if walker.planes < 2 {
            return Self { partner: 0, seam };
        }
        let orbits = walker.orbits();
        let of_planes = |partner: i64| {
            let grid = Self { partner, seam: false };
            let pairs = (0..walker.planes.min(3) - 1)
                .map(|plane| [walker.index(plane, 0), grid.neighbour(walker, plane, 0)]);
            pairs.map(|pair| mean_distance(pair.map(|it| &orbits[it]))).sum::<f64>()
        };
        let half = walker.per_plane as i64 / 2;
        let shortest = (-half..=half).min_by(|one, other| {
            of_planes(*one).total_cmp(&of_planes(*other)).then(one.abs().cmp(&other.abs()))
        });
        Self { partner: shortest.unwrap_or(0), seam }
    }

    /// The neighbour in the next plane.
    fn neighbour(&self, walker: &Walker, plane: usize, slot: usize) -> usize {
        let wraps = plane + 1 == walker.planes;
        // What comes after the last plane is the first one, by this many slots ahead.
        let ahead = match walker.phase {
            Phase::Walker(factor) if wraps => i64::from(factor),
            _ => 0,
        };
        let slots = walker.per_plane as i64;
        let slot = (slot as i64 + self.partner + ahead).rem_euclid(slots) as usize;
        walker.index((plane + 1) % walker.planes, slot)
    }

    /// The links of a pattern, first those along the planes.
    #[must_use]
    pub fn links(&self, walker: &Walker) -> Vec<GridLink> {
        let (planes, slots) = (walker.planes, walker.per_plane);
        let all = (0..planes).flat_map(|plane| (0..slots).map(move |slot| (plane, slot)));
        let along =
            all.clone().filter(|(_, slot)| slots > 2 || slot + 1 < slots).map(|(plane, slot)| {
                GridLink {
                    satellites: [
                        walker.index(plane, slot),
                        walker.index(plane, (slot + 1) % slots),
                    ],
                    is_between_planes: false,
                }
            });
        let is_joined = |plane: usize| plane + 1 < planes || self.seam && planes > 2;
        let across = all.filter(|(plane, _)| is_joined(*plane)).map(|(plane, slot)| GridLink {
            satellites: [walker.index(plane, slot), self.neighbour(walker, plane, slot)],
            is_between_planes: true,
        });
        along.chain(across).collect()
    }
}

fn distances([one, other]: [&Circular; 2]) -> impl Iterator<Item = f64> {
    const STEPS: u32 = 360;
    let step = one.period() / f64::from(STEPS);
    (0..STEPS).map(move |it| {
        let time = f64::from(it) * step;
        one.position(time, 0.0).distance(other.position(time, 0.0))
    })
}

fn mean_distance(pair: [&Circular; 2]) -> f64 {
    distances(pair).sum::<f64>() / distances(pair).count() as f64
}

/// The longest that a link becomes during an orbit, and the longest that it may be for light
/// to keep over the atmosphere, both in km.
#[must_use]
pub fn longest_link(orbits: &[Circular], link: &GridLink) -> [f64; 2] {
    let [one, other] = link.satellites.map(|it| &orbits[it]);
    let lowest = EQUATORIAL_RADIUS + ATMOSPHERE;
    let most = 2.0 * (one.radius() * one.radius() - lowest * lowest).max(0.0).sqrt();
    [distances([one, other]).fold(0.0, f64::max), most]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starlink(phase: Phase) -> Walker {
        Walker {
            pattern: WalkerPattern::Delta,
            planes: 72,
            per_plane: 22,
            altitude: 550.0,
            inclination: 53.0,
            phase,
            precesses: false,
        }
    }

    fn lengths(walker: &Walker, grid: Grid, between: bool) -> (f64, f64) {
        let orbits = walker.orbits();
        let links = grid.links(walker);
        let wanted = links.iter().filter(|it| it.is_between_planes == between);
        let all = wanted.flat_map(|it| distances(it.satellites.map(|it| &orbits[it])));
        all.fold((f64::INFINITY, 0.0), |(least, most), it| (least.min(it), most.max(it)))
    }

    #[test]
    fn every_satellite_has_four_neighbours_and_no_link_is_twice() {
        let walker = starlink(Phase::Walker(39));
        let links = Grid::nearest(&walker).links(&walker);
        assert_eq!(links.len(), 2 * 1584);
        let mut count = vec![0; 1584];
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for link in &links {
            let [one, other] = link.satellites;
            pairs.push([one.min(other), one.max(other)]);
            link.satellites.into_iter().for_each(|it| count[it] += 1);
        }
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), links.len());
        assert!(count.iter().all(|it| *it == 4));
    }

    /// The lengths of links with the same slots joined; that behind the last plane is as long
    /// as the others.
    #[test]
    fn the_wrap_is_shifted_by_the_phase() {
        let same = Grid { partner: 0, seam: true };
        let (least, most) = lengths(&starlink(Phase::Walker(18)), same, true);
        assert!((least - 857.6).abs() < 0.1 && (most - 984.1).abs() < 0.1, "{least} {most}");
        let (least, most) = lengths(&starlink(Phase::Walker(39)), same, true);
        assert!((least - 1432.3).abs() < 0.1 && (most - 1511.5).abs() < 0.1, "{least} {most}");
        let (least, most) = lengths(&starlink(Phase::Walker(39)), same, false);
        assert!((least - 1972.0).abs() < 0.1 && (most - 1972.0).abs() < 0.1);
    }

    #[test]
    fn links_through_the_earth_are_longer_than_they_may_be() {
        let six =
            Walker { planes: 6, per_plane: 25, altitude: 500.0, ..starlink(Phase::Alternate) };
        let links = Grid { partner: 0, seam: true }.links(&six);
        let orbits = six.orbits();
        let across = links.iter().find(|it| it.is_between_planes).expect("there are some");
        let [longest, most] = longest_link(&orbits, across);
        assert!(
            (longest - 7339.6).abs() < 8.0 && (4700.0..4760.0).contains(&most),
            "{longest} {most}"
        );
    }

    #[test]
    fn the_nearest_neighbour_may_be_a_slot_behind() {
        let walker = starlink(Phase::Walker(65));
        let grid = Grid::nearest(&walker);
        assert_eq!(grid.partner, -1);
        assert!(
            lengths(&walker, grid, true).1
                < lengths(&walker, Grid { partner: 0, seam: true }, true).0
        );
    }
}
