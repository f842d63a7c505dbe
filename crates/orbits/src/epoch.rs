//! Instants of universal time, and the angle of the Earth at them.

use core::f64::consts::TAU;

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// The Julian date of noon on 1 January 2000.
const J2000: f64 = 2_451_545.0;
const DAYS_OF_A_CENTURY: f64 = 36_525.0;
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// An instant of universal time: days since noon on 1 January 2000. UT1 and UTC are taken to
/// be the same, which moves places on the ground by less than 420 m.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Epoch(f64);

impl Default for Epoch {
    /// Midnight of 1 January 2000.
    fn default() -> Self {
        Self(-0.5)
    }
}

impl Epoch {
    /// That of a Julian date.
    #[must_use]
    pub fn from_julian_date(days: f64) -> Self {
        Self(days - J2000)
    }

    /// That of a number of Julian years since noon on 1 January 2000.
    #[must_use]
    pub fn from_julian_years(years: f64) -> Self {
        Self(years * 365.25)
    }

    /// Reads a time such as `2022-09-14T12:00:00Z` (RFC 3339), or a date alone; none if the
    /// text is neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text).map(|it| it.naive_utc()).ok();
        let midnight = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0);
        let since = time.or_else(midnight)? - noon_of_2000();
        Some(Self(since.num_milliseconds() as f64 / 1e3 / SECONDS_OF_A_DAY))
    }

    /// The days from another instant to this one.
    #[must_use]
    pub fn days_since(self, other: Self) -> f64 {
        self.0 - other.0
    }

    /// Greenwich mean sidereal time this many seconds later: the angle by which the Earth has
    /// turned, in radians from 0 to 2π (IAU 1982).
    #[must_use]
    pub fn sidereal_angle(self, seconds: f64) -> f64 {
        let centuries = (self.0 + seconds / SECONDS_OF_A_DAY) / DAYS_OF_A_CENTURY;
        let of_centuries = |factors: [f64; 4]| {
            factors.iter().rev().fold(0.0, |sum, factor| sum * centuries + factor)
        };
        let whole_days = 876_600.0 * 3_600.0 * centuries % SECONDS_OF_A_DAY;
        let time =
            whole_days + of_centuries([67_310.548_41, 8_640_184.812_866, 0.093_104, -6.2e-6]);
        (time % SECONDS_OF_A_DAY + SECONDS_OF_A_DAY) % SECONDS_OF_A_DAY / SECONDS_OF_A_DAY * TAU
    }
}

fn noon_of_2000() -> NaiveDateTime {
    let noon = NaiveDate::from_ymd_opt(2000, 1, 1).and_then(|it| it.and_hms_opt(12, 0, 0));
    noon.expect("it is a date")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vallado, Fundamentals of Astrodynamics and Applications, 4th edition, equation 3-47.
    #[test]
    fn the_earth_has_turned_as_the_iau_says() {
        let oracles = [
            (2_451_545.0, 280.460_618_375),
            (2_451_544.5, 99.967_794_692),
            (2_459_836.5, 352.955_775_930),
        ];
        for (day, angle) in oracles {
            let epoch = Epoch::from_julian_date(day);
            assert!((epoch.sidereal_angle(0.0).to_degrees() - angle).abs() < 1e-8, "{day}");
            let later = epoch.sidereal_angle(86_400.0);
            let next = Epoch::from_julian_date(day + 1.0).sidereal_angle(0.0);
            assert!((later - next).abs() < 1e-9);
        }
    }

    #[test]
    fn times_are_read() {
        assert_eq!(Epoch::parse("2000-01-01T00:00:00Z"), Some(Epoch::default()));
        assert_eq!(Epoch::parse("2000-01-01"), Some(Epoch::default()));
        let later = Epoch::parse("2022-09-14T02:00:00+02:00").expect("a time");
        assert_eq!(later, Epoch::from_julian_date(2_459_836.5));
        assert_eq!(Epoch::parse("yesterday"), None);
        assert_eq!(Epoch::parse("2022-13-01"), None);
    }
}
