//! Choices among paths.

use windtunnel_engine::Random;

use super::path_policy::PathInfo;

/// The place of the path with the least of something; of several the first.
pub(super) fn least<T: PartialOrd>(paths: &[PathInfo], value: impl Fn(&PathInfo) -> T) -> usize {
    let mut best = (0, value(&paths[0]));
    for (place, path) in paths.iter().enumerate().skip(1) {
        let value = value(path);
        if value < best.1 {
            best = (place, value);
        }
    }
    best.0
}

/// One of this many places, all with the same probability.
pub(super) fn uniform(places: usize, random: &mut Random) -> usize {
    (random.unit() * places as f64) as usize
}
