use proptest::prelude::*;
use windtunnel_links::radio::propagation::{diffraction_parameter, knife_edge_loss};
use windtunnel_links::radio::{Building, Map, Point, Station};

use crate::{CARRIER, building, open_map, point, station};

const WAVELENGTH: f64 = 299_792_458.0 / CARRIER;

fn among(buildings: &[Building]) -> Map {
    Map { buildings: buildings.to_vec(), ..open_map(&[point(0.0, 0.0)]) }
}

/// A station as high as the user, where distances are those on the ground.
fn low_station(x: f64, y: f64) -> Station {
    Station { height: 1.5, ..station("low", x, y) }
}

#[test]
fn the_user_goes_along_the_way_and_stands_at_its_end() {
    let map = open_map(&[point(0.0, 0.0), point(30.0, 0.0), point(30.0, 0.0), point(30.0, -40.0)]);
    assert_eq!(map.length(), 70.0);
    for (walked, x, y) in
        [(0.0, 0.0, 0.0), (15.0, 15.0, 0.0), (30.0, 30.0, 0.0), (50.0, 30.0, -20.0)]
    {
        assert_eq!(map.position(walked), point(x, y), "{walked} m");
    }
    for walked in [70.0, 1e9] {
        assert_eq!(map.position(walked), point(30.0, -40.0));
    }
    let standing = open_map(&[point(3.0, 4.0)]);
    assert_eq!((standing.length(), standing.position(5.0)), (0.0, point(3.0, 4.0)));
}

#[test]
fn a_building_between_hides_the_station_and_one_beside_does_not() {
    let map = among(&[building(40.0, -10.0, 10.0, 20.0)]);
    let from = station("west", 0.0, 0.0);
    let sees = |x, y| map.shadow(&from, point(x, y), CARRIER).line_of_sight;
    assert!(!sees(100.0, 0.0), "behind");
    assert!(!sees(45.0, 0.0), "within");
    assert!(sees(39.0, 0.0), "before it");
    assert!(sees(45.0, 12.0), "beside it");
    assert!(sees(-100.0, 0.0), "on the other side of the station");
    assert!(sees(0.0, 0.0), "below the station");
    assert_eq!(map.shadow(&from, point(39.0, 0.0), CARRIER).loss, 0.0);
    assert_eq!(map.shadow(&from, point(-100.0, 0.0), CARRIER).loss, 0.0);
}

#[test]
fn a_station_on_a_wall_sees_what_is_before_it_and_nothing_behind() {
    // Where 0.1 + 0.2 is the wall, whatever the rounding.
    let map = among(&[building(0.1, -5.0, 0.2, 10.0)]);
    let on_wall = station("wall", 0.3, 0.0);
    assert!(map.shadow(&on_wall, point(50.0, 20.0), CARRIER).line_of_sight);
    assert_eq!(map.shadow(&on_wall, point(50.0, 20.0), CARRIER).loss, 0.0);
    assert!(!map.shadow(&on_wall, point(-50.0, 20.0), CARRIER).line_of_sight);
}

#[test]
fn a_corner_behind_the_station_takes_nothing() {
    let map = among(&[building(-20.0, -20.0, 20.0, 20.0)]);
    let at_corner = station("corner", 0.0, 0.0);
    for (x, y) in [(50.0, 1.0), (1.0, 50.0), (50.0, 50.0)] {
        let shadow = map.shadow(&at_corner, point(x, y), CARRIER);
        assert_eq!((shadow.line_of_sight, shadow.loss), (true, 0.0));
    }
}

#[test]
fn a_line_that_touches_a_corner_loses_six_decibels() {
    // The corner at (50, 10) lies on the line from (0, 0) to (100, 20).
    let map = among(&[building(50.0, -40.0, 10.0, 50.0)]);
    for y in [20.0 - 1e-4, 20.0 + 1e-4] {
        let shadow = map.shadow(&station("west", 0.0, 0.0), point(100.0, y), CARRIER);
        assert_eq!(shadow.line_of_sight, y > 20.0);
        assert!((shadow.loss - 6.03).abs() < 0.02, "{}", shadow.loss);
    }
}

#[test]
fn deep_in_the_shadow_the_loss_is_that_of_the_shorter_way_round() {
    // A wall across: its northern end stands out by 6 m, its southern by 14 m.
    let map = among(&[building(50.0, -14.0, 0.1, 20.0)]);
    let shadow = map.shadow(&low_station(0.0, 0.0), point(100.0, 0.0), CARRIER);
    // Equation 26 of ITU-R P.526-15 takes the angles for small.
    let parameter = 6.0 * (2.0 / WAVELENGTH * (1.0 / 50.0 + 1.0 / 50.0)).sqrt();
    let from = parameter - 0.1;
    let loss = 6.9 + 20.0 * (from.hypot(1.0) + from).log10();
    assert!((shadow.loss - loss).abs() < 0.05, "{} of {loss}", shadow.loss);
}

#[test]
fn the_way_over_an_upright_edge_rises_evenly() {
    // The shortest of all heights at which the edge may be passed, by trial.
    let map = among(&[building(50.0, -40.0, 0.1, 43.0)]);
    let high = Station { height: 25.0, ..station("high", 0.0, 0.0) };
    let (before, after) = (f64::hypot(50.0, 3.0), f64::hypot(50.0, 3.0));
    let over = |height: f64| before.hypot(25.0 - height) + after.hypot(height - 1.5);
    let shortest = (0..25_000).map(|it| over(f64::from(it) / 1e3)).fold(f64::INFINITY, f64::min);
    let detour = shortest - f64::hypot(100.0, 23.5);
    let expected = knife_edge_loss(diffraction_parameter(detour, CARRIER));
    let loss = map.shadow(&high, point(100.0, 0.0), CARRIER).loss;
    assert!((loss - expected).abs() < 0.02, "{loss} of {expected}");
}

#[test]
fn buildings_in_a_row_lose_what_each_loses() {
    let (one, other) = (building(20.0, -5.0, 10.0, 9.0), building(60.0, -3.0, 5.0, 30.0));
    let loss = |buildings: &[Building]| {
        among(buildings).shadow(&station("west", 0.0, 0.0), point(100.0, 0.0), CARRIER).loss
    };
    assert!((loss(&[one, other]) - loss(&[one]) - loss(&[other])).abs() < 1e-9);
    assert!(loss(&[one]) > 6.0 && loss(&[other]) > 6.0);
}

#[test]
fn the_loss_has_no_jump_as_one_walks_behind_a_building_and_out_again() {
    let map = among(&[building(40.0, -8.0, 12.0, 16.0)]);
    let from = station("west", 0.0, 0.0);
    let step = 1e-3;
    let loss = |step_number: i32| {
        map.shadow(&from, point(80.0, step * f64::from(step_number)), CARRIER).loss
    };
    // The steepest J(ν) times the steepest ν, edges being no nearer than 40 m to the
    // station and 28 m to the user; and what P.526 cuts off at -0.78.
    let steepest =
        20.0 / std::f64::consts::LN_10 * (2.0 / WAVELENGTH * (1.0 / 40.0 + 1.0 / 28.0)).sqrt();
    let bound = steepest * step + 0.005;
    let mut deepest = 0.0_f64;
    for number in -40_000..40_000 {
        let jump = (loss(number + 1) - loss(number)).abs();
        assert!(jump <= bound, "{jump} dB of {bound} dB at {number}");
        deepest = deepest.max(loss(number));
    }
    assert_eq!((loss(-40_000), loss(40_000)), (0.0, 0.0));
    assert!(deepest > 25.0, "{deepest}");
}

fn places() -> impl Strategy<Value = Point> {
    (-50.0..50.0, -50.0..50.0).prop_map(|(x, y)| point(x, y))
}

/// Whether a place lies in a building whose walls are moved out by a margin.
fn holds(it: &Building, place: Point, margin: f64) -> bool {
    let is_between =
        |value: f64, low: f64, size: f64| low - margin < value && value < low + size + margin;
    is_between(place.x, it.corner.x, it.width) && is_between(place.y, it.corner.y, it.depth)
}

proptest! {
    #[test]
    fn a_line_is_obstructed_where_points_on_it_lie_in_a_building(
        from in places(), to in places(), corner in places(),
        width in 0.1..40.0, depth in 0.1..40.0,
    ) {
        let house = Building { corner, width, depth };
        let shadow = among(&[house]).shadow(&low_station(from.x, from.y), to, CARRIER);
        let count = 5_000;
        let points = || (0..=count).map(|number| {
            let share = f64::from(number) / f64::from(count);
            point(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
        });
        let step = from.distance(to) / f64::from(count);
        if points().any(|it| holds(&house, it, -1e-5)) {
            prop_assert!(!shadow.line_of_sight);
        }
        if !shadow.line_of_sight {
            prop_assert!(points().any(|it| holds(&house, it, step)));
            prop_assert!(shadow.loss >= 6.0);
        }
        prop_assert!(shadow.loss >= 0.0 && shadow.loss.is_finite());
        prop_assert!(!shadow.line_of_sight || shadow.loss < 6.1);
    }

    #[test]
    fn both_ends_of_a_line_see_the_same(
        from in places(), to in places(), corner in places(),
        width in 0.1..40.0, depth in 0.1..40.0,
    ) {
        let map = among(&[Building { corner, width, depth }]);
        let there = map.shadow(&low_station(from.x, from.y), to, CARRIER);
        let back = map.shadow(&low_station(to.x, to.y), from, CARRIER);
        prop_assert!((there.loss - back.loss).abs() < 1e-3);
    }

    /// Wherever the map lies, and whichever side of it is north or east: a quarter of a turn takes
    /// `(x, y)` to `(-y, x)`, a mirror to `(-x, y)`.
    #[test]
    fn a_shadow_does_not_depend_on_where_the_map_lies_or_how_it_is_turned(
        from in places(), to in places(), corner in places(),
        width in 0.1..40.0, depth in 0.1..40.0,
        by in places(), quarters in 0..4, mirrored in any::<bool>(),
    ) {
        let moved = |mut it: Point| {
            (0..quarters).for_each(|_| it = point(-it.y, it.x));
            point(if mirrored { -it.x } else { it.x } + by.x, it.y + by.y)
        };
        let house = Building { corner, width, depth };
        let (one, other) = (moved(corner), moved(point(corner.x + width, corner.y + depth)));
        let moved_house = Building {
            corner: point(one.x.min(other.x), one.y.min(other.y)),
            width: (one.x - other.x).abs(),
            depth: (one.y - other.y).abs(),
        };
        let seen = |house, from: Point, to| {
            among(&[house]).shadow(&Station { at: from, ..station("high", 0.0, 0.0) }, to, CARRIER)
        };
        let (here, there) = (seen(house, from, to), seen(moved_house, moved(from), moved(to)));
        prop_assert_eq!(here.line_of_sight, there.line_of_sight);
        prop_assert!((here.loss - there.loss).abs() < 1e-2, "{} and {}", here.loss, there.loss);
    }
}
