//! Large cities by their names.

use crate::earth::Coordinates;

static CITIES: &str = include_str!("../data/cities.csv");

/// The names and places of about 1,000 cities, the largest of the world, largest first; some are
/// there by two names.
pub fn cities() -> impl Iterator<Item = (&'static str, Coordinates)> {
    CITIES.lines().filter_map(|line| {
        let mut parts = line.split(',');
        let name = parts.next()?;
        let mut degrees = parts.map_while(|it| it.parse().ok());
        Some((name, Coordinates::on_the_ground(degrees.next()?, degrees.next()?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cities_are_where_they_are() {
        assert_eq!(cities().count(), CITIES.lines().count());
        let (name, tokyo) = cities().next().expect("there are some");
        assert_eq!((name, tokyo.latitude), ("Tokyo", 35.6895));
        let is_on_earth =
            |it: &Coordinates| it.latitude.abs() < 90.0 && it.longitude.abs() <= 180.0;
        assert!(cities().all(|it| is_on_earth(&it.1)));
    }
}
