//! The Earth: the ellipsoid WGS 84, places on it, and what they see.

use glam::DVec3;
use libm::{acos, asin, atan2, cos, sin};

/// The speed of light, in km/s.
pub const LIGHT_SPEED: f64 = 299_792.458;
/// The Earth's radius at the equator (WGS 84), in km.
pub const EQUATORIAL_RADIUS: f64 = 6_378.137;
/// The mean radius, for great circles, in km.
pub const MEAN_RADIUS: f64 = 6_371.0;

const FLATTENING: f64 = 1.0 / 298.257_223_563;
const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);

/// A place on the Earth or over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// Geodetic latitude, in degrees, north.
    pub latitude: f64,
    /// Longitude, in degrees, east: -180 to 180.
    pub longitude: f64,
    /// Height over the ellipsoid, in km.
    pub height: f64,
}

impl Coordinates {
    /// A place on the ground.
    #[must_use]
    pub fn on_the_ground(latitude: f64, longitude: f64) -> Self {
        Self { latitude, longitude, height: 0.0 }
    }

    /// Its position, in km.
    #[must_use]
    pub fn position(&self) -> DVec3 {
        let sine = sin(self.latitude.to_radians());
        let curvature = EQUATORIAL_RADIUS / (1.0 - ECCENTRICITY_SQUARED * sine * sine).sqrt();
        let flattened = curvature * (1.0 - ECCENTRICITY_SQUARED);
        let scale = DVec3::new(curvature, curvature, flattened) + DVec3::splat(self.height);
        self.up() * scale
    }

    /// Where the zenith is: the normal of the ellipsoid, of length 1.
    #[must_use]
    pub fn up(&self) -> DVec3 {
        let (latitude, longitude) = (self.latitude.to_radians(), self.longitude.to_radians());
        let across = cos(latitude);
        DVec3::new(across * cos(longitude), across * sin(longitude), sin(latitude))
    }

    /// What lies under a position or at it: fixed-point iteration of the latitude.
    #[must_use]
    pub fn of(position: DVec3) -> Self {
        let across = position.truncate().length();
        let mut latitude = atan2(position.z, across * (1.0 - ECCENTRICITY_SQUARED));
        let mut curvature = EQUATORIAL_RADIUS;
        // Each round makes the error smaller by the eccentricity squared, 1/150.
        for _ in 0..6 {
            let sine = sin(latitude);
            curvature = EQUATORIAL_RADIUS / (1.0 - ECCENTRICITY_SQUARED * sine * sine).sqrt();
            latitude = atan2(position.z + ECCENTRICITY_SQUARED * curvature * sine, across);
        }
        let (sine, cosine) = (sin(latitude), cos(latitude));
        let height = across * cosine + position.z * sine
            - curvature * (1.0 - ECCENTRICITY_SQUARED * sine * sine);
        let longitude = atan2(position.y, position.x).to_degrees();
        Self { latitude: latitude.to_degrees(), longitude, height }
    }

    /// The length of the great circle to another place, on a sphere of the mean radius, in
    /// km.
    #[must_use]
    pub fn great_circle(&self, other: &Self) -> f64 {
        MEAN_RADIUS * acos(self.up().dot(other.up()).clamp(-1.0, 1.0))
    }
}

/// How high over the horizon a station sees a position, in degrees. `up` is its zenith.
#[must_use]
pub fn elevation(station: DVec3, up: DVec3, seen: DVec3) -> f64 {
    let towards = seen - station;
    asin((towards.dot(up) / towards.length()).clamp(-1.0, 1.0)).to_degrees()
}

/// Where a station is in the course of time: it moves from corner to corner along great
/// circles at a constant speed for each, and stays where the last one is.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundPath {
    /// When it is where, in the order of time; at least one.
    corners: Vec<(f64, Coordinates)>,
}

impl GroundPath {
    /// One that stays at a place.
    #[must_use]
    pub fn at(place: Coordinates) -> Self {
        Self { corners: vec![(0.0, place)] }
    }

    /// One that is at these places at these times; none without a place, or where the times
    /// do not increase.
    #[must_use]
    pub fn along(corners: Vec<(f64, Coordinates)>) -> Option<Self> {
        let is_in_order = corners.is_sorted_by(|one, other| one.0 < other.0);
        (is_in_order && !corners.is_empty()).then_some(Self { corners })
    }

    /// Whether it is always at one place.
    #[must_use]
    pub fn stays(&self) -> bool {
        self.corners.len() == 1
    }

    /// Where it is at a time.
    #[must_use]
    pub fn place(&self, time: f64) -> Coordinates {
        let next = self.corners.partition_point(|it| it.0 <= time);
        let Some((end, to)) = self.corners.get(next) else { return self.corners[next - 1].1 };
        let Some((start, from)) = next.checked_sub(1).map(|it| self.corners[it]) else {
            return *to;
        };
        let part = (time - start) / (end - start);
        let (one, other) = (from.up(), to.up());
        let angle = acos(one.dot(other).clamp(-1.0, 1.0));
        if angle < 1e-12 {
            return from;
        }
        let up = (one * sin((1.0 - part) * angle) + other * sin(part * angle)) / sin(angle);
        Coordinates {
            latitude: asin(up.z.clamp(-1.0, 1.0)).to_degrees(),
            longitude: atan2(up.y, up.x).to_degrees(),
            height: from.height + part * (to.height - from.height),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONDON: Coordinates = Coordinates { latitude: 51.5074, longitude: -0.1278, height: 0.0 };
    const NEW_YORK: Coordinates =
        Coordinates { latitude: 40.7128, longitude: -74.006, height: 0.0 };

    #[test]
    fn the_ellipsoid_has_its_semi_axes() {
        let at = |latitude| Coordinates::on_the_ground(latitude, 0.0).position();
        assert!((at(0.0) - DVec3::new(6_378.137, 0.0, 0.0)).length() < 1e-9);
        assert!((at(90.0) - DVec3::new(0.0, 0.0, 6_356.752_314_245)).length() < 1e-8);
    }

    #[test]
    fn great_circles_have_their_known_lengths() {
        assert!((LONDON.great_circle(&NEW_YORK) - 5570.2).abs() < 0.1);
        let sydney = Coordinates::on_the_ground(-33.8688, 151.2093);
        let sao_paulo = Coordinates::on_the_ground(-23.5505, -46.6333);
        assert!((sydney.great_circle(&sao_paulo) - 13_357.2).abs() < 0.1);
    }

    #[test]
    fn a_path_follows_the_great_circle_and_stays_at_its_end() {
        let path = GroundPath::along(vec![(10.0, LONDON), (110.0, NEW_YORK)]).expect("in order");
        assert_eq!(path.place(0.0), LONDON);
        assert_eq!(path.place(500.0), NEW_YORK);
        let middle = path.place(60.0);
        let half = LONDON.great_circle(&NEW_YORK) / 2.0;
        assert!((LONDON.great_circle(&middle) - half).abs() < 1e-3);
        assert!((NEW_YORK.great_circle(&middle) - half).abs() < 1e-3);
        assert_eq!(GroundPath::along(Vec::new()), None);
        assert_eq!(GroundPath::along(vec![(1.0, LONDON), (1.0, NEW_YORK)]), None);
    }

    proptest! {
        #[test]
        fn a_place_is_found_again_from_its_position(
            latitude in -89.9..89.9_f64,
            longitude in -179.9..179.9_f64,
            height in -5.0..40_000.0_f64,
        ) {
            let place = Coordinates { latitude, longitude, height };
            let found = Coordinates::of(place.position());
            prop_assert!((found.latitude - latitude).abs() < 1e-9);
            prop_assert!((found.longitude - longitude).abs() < 1e-9);
            prop_assert!((found.height - height).abs() < 1e-6);
        }

        #[test]
        fn what_is_straight_up_is_at_ninety_degrees(
            latitude in -90.0..90.0_f64,
            longitude in -180.0..180.0_f64,
        ) {
            let place = Coordinates::on_the_ground(latitude, longitude);
            let (position, up) = (place.position(), place.up());
            prop_assert!((elevation(position, up, position + up * 550.0) - 90.0).abs() < 1e-4);
            prop_assert!(elevation(position, up, -position) < -80.0);
        }
    }
}
