//! When satellites that are joined see each other.

use libm::asin;

use crate::earth::EQUATORIAL_RADIUS;
use crate::grid::{ATMOSPHERE, GridLink};
use crate::sky::Sky;

/// A time in which a link can be used, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibilityWindow {
    /// The link's place in the list.
    pub link: usize,
    /// The first step of it.
    pub from: u64,
    /// The first step after it; none if it lasts beyond the last one.
    pub until: Option<u64>,
}

/// When light passes along links over the atmosphere, at the steps from 0 to `steps`, each of
/// `step` seconds. Links between planes are off while one of their ends is farther from the
/// equator than `limit` degrees of latitude.
#[must_use]
pub fn in_sight(
    sky: &Sky,
    links: &[GridLink],
    limit: Option<f64>,
    step: f64,
    steps: u64,
) -> Vec<VisibilityWindow> {
    let lowest = EQUATORIAL_RADIUS + ATMOSPHERE;
    let mut positions = Vec::new();
    let mut open: Vec<Option<u64>> = vec![None; links.len()];
    let mut windows = Vec::new();
    for at in 0..=steps {
        sky.positions(at as f64 * step, &mut positions);
        for (link, (it, open)) in links.iter().zip(&mut open).enumerate() {
            let ends = it.satellites.map(|satellite| positions[satellite]);
            let [one, other] = ends;
            let along = other - one;
            // The point of the line that is nearest to the Earth's centre.
            let part = (-one.dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let is_far_north = |limit: f64| {
                ends.iter().any(|it| asin(it.z / it.length()).to_degrees().abs() > limit)
            };
            let is_open = (one + along * part).length() >= lowest
                && !(it.is_between_planes && limit.is_some_and(is_far_north));
            match (*open, is_open) {
                (None, true) => *open = Some(at),
                (Some(from), false) => {
                    windows.push(VisibilityWindow { link, from, until: Some(at) });
                    *open = None;
                }
                _ => {}
            }
        }
    }
    let lasting = open.into_iter().enumerate();
    let lasting = lasting
        .filter_map(|(link, from)| Some(VisibilityWindow { link, from: from?, until: None }));
    windows.extend(lasting);
    windows.sort_by_key(|it| (it.from, it.link));
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Epoch, Grid, Orbit, Phase, Walker, WalkerPattern, longest_link};

    /// Iridium, whose planes cross at the poles.
    fn iridium() -> (Walker, Sky) {
        let walker = Walker {
            pattern: WalkerPattern::Star,
            planes: 6,
            per_plane: 11,
            altitude: 780.0,
            inclination: 86.4,
            phase: Phase::Alternate,
            precesses: false,
        };
        let orbits = walker.orbits().into_iter().map(Orbit::Circular).collect();
        (walker, Sky { epoch: Epoch::default(), orbits })
    }

    fn share(limit: Option<f64>) -> f64 {
        let (walker, sky) = iridium();
        let links = Grid { partner: 0, seam: false }.links(&walker);
        let between: Vec<_> = links.into_iter().filter(|it| it.is_between_planes).collect();
        let windows = in_sight(&sky, &between, limit, 60.0, 100);
        let open: u64 = windows.iter().map(|it| it.until.unwrap_or(101) - it.from).sum();
        open as f64 / (between.len() as f64 * 101.0)
    }

    #[test]
    fn links_are_off_near_the_poles() {
        let (walker, _) = iridium();
        let links = Grid { partner: 0, seam: false }.links(&walker);
        let orbits = walker.orbits();
        let [longest, most] = links
            .iter()
            .map(|it| longest_link(&orbits, it))
            .fold([0.0_f64; 2], |one, other| [one[0].max(other[0]), other[1]]);
        assert!(longest < most, "{longest} {most}");
        assert_eq!(share(None), 1.0);
        // An orbit that is nearly polar spends a third of its time beyond 60 degrees, and the
        // ends of a link do not at once.
        let expected = share(Some(60.0));
        assert!((0.5..0.67).contains(&expected), "{expected}");
    }

    #[test]
    fn a_link_through_the_earth_is_never_open() {
        let (walker, sky) = iridium();
        let opposite = GridLink { satellites: [0, walker.per_plane / 2], is_between_planes: false };
        assert_eq!(in_sight(&sky, &[opposite], None, 60.0, 100), []);
    }
}
