//! Sizes of files that arrive: fixed, or drawn from a distribution.

mod distribution;
mod keys;

use std::sync::Arc;

use windtunnel_engine::Random;

pub use keys::SizesOfFiles;

/// How large files are.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All of this many bytes.
    Fixed(u64),
    /// By a distribution function through these points, with straight lines
    /// between them: bytes, and the probability of no more than those. Neither
    /// falls, and the probability goes from 0 to 1. Between two points of one
    /// probability no size lies; two points of one size are as many files of it.
    Points(Arc<[(f64, f64)]>),
}

/// The sizes of web search: DCTCP's measurements (Alizadeh et al., SIGCOMM 2010,
/// figure 4), as the generators of flows of its authors and their successors
/// have them.
const WEB_SEARCH: &[(f64, f64)] = &[
    (0.0, 0.0),
    (10e3, 0.15),
    (20e3, 0.20),
    (30e3, 0.30),
    (50e3, 0.40),
    (80e3, 0.53),
    (200e3, 0.60),
    (1e6, 0.70),
    (2e6, 0.80),
    (5e6, 0.90),
    (10e6, 0.97),
    (30e6, 1.0),
];

/// The sizes of data mining: VL2's measurements (Greenberg et al., SIGCOMM 2009,
/// figure 2), in the form in bytes that generators of flows on real machines
/// use. The one in packets that goes with ns-2 differs: its mean is 7.5 MB, this
/// one's 12.7 MB.
const DATA_MINING: &[(f64, f64)] = &[
    (0.0, 0.0),
    (180.0, 0.1),
    (216.0, 0.2),
    (560.0, 0.3),
    (900.0, 0.4),
    (1_100.0, 0.5),
    (1_870.0, 0.6),
    (3_160.0, 0.7),
    (10e3, 0.8),
    (400e3, 0.9),
    (3.16e6, 0.95),
    (100e6, 0.98),
    (1e9, 1.0),
];

impl Sizes {
    /// Web search's.
    #[must_use]
    pub fn web_search() -> Self {
        Self::Points(WEB_SEARCH.into())
    }

    /// Data mining's.
    #[must_use]
    pub fn data_mining() -> Self {
        Self::Points(DATA_MINING.into())
    }

    /// A size, in bytes; at least one.
    pub fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Points(points) => {
                let level = random.unit();
                let above = points.partition_point(|(_, probability)| *probability <= level);
                let above = above.min(points.len() - 1);
                let ((low, from), (high, to)) = (points[above - 1], points[above]);
                let size = low + (high - low) * (level - from) / (to - from);
                (size.round() as u64).max(1)
            }
        }
    }

    /// The mean, in bytes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean_of(|bytes| bytes, |bytes| bytes * bytes / 2.0)
    }

    /// The mean number of segments of at most `maximum_segment` bytes.
    #[must_use]
    pub fn mean_segments(&self, maximum_segment: u16) -> f64 {
        let segment = f64::from(maximum_segment);
        // The integral from 0 of the number of segments.
        let integral = |bytes: f64| {
            let whole = (bytes / segment).floor();
            segment * whole * (whole + 1.0) / 2.0 + (bytes - whole * segment) * (whole + 1.0)
        };
        self.mean_of(|bytes| (bytes.max(1.0) / segment).ceil(), integral)
    }

    /// The mean of a function of the size; with its integral from 0.
    fn mean_of(&self, function: impl Fn(f64) -> f64, integral: impl Fn(f64) -> f64) -> f64 {
        let piece = |((low, from), (high, to)): ((f64, f64), (f64, f64))| {
            if low == high {
                return (to - from) * function(low);
            }
            (to - from) * (integral(high) - integral(low)) / (high - low)
        };
        match self {
            Self::Fixed(bytes) => function(*bytes as f64),
            Self::Points(points) => points.windows(2).map(|it| piece((it[0], it[1]))).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    fn draws(sizes: &Sizes, count: usize) -> Vec<u64> {
        let mut random = Streams::new(1, 0).stream("sizes");
        (0..count).map(|_| sizes.draw(&mut random)).collect()
    }

    /// The distribution function as the points say it.
    fn probability(points: &[(f64, f64)], bytes: f64) -> f64 {
        let pair = points.windows(2).find(|it| bytes <= it[1].0).expect("within the points");
        let ((low, from), (high, to)) = (pair[0], pair[1]);
        from + (to - from) * (bytes - low) / (high - low)
    }

    #[test]
    fn the_means_are_those_of_the_straight_lines() {
        assert!((Sizes::web_search().mean() - 1_711_250.0).abs() < 1e-3);
        assert!((Sizes::data_mining().mean() / 12.66e6 - 1.0).abs() < 1e-3);
        assert_eq!(Sizes::Fixed(500).mean(), 500.0);
    }

    #[test]
    fn what_is_drawn_has_its_mean_within_one_percent() {
        for sizes in [Sizes::web_search(), Sizes::data_mining()] {
            // Data mining's deviation is seven times its mean.
            let drawn = draws(&sizes, 4_000_000);
            let mean = drawn.iter().map(|it| *it as f64).sum::<f64>() / drawn.len() as f64;
            assert!((mean / sizes.mean() - 1.0).abs() < 0.01, "{mean}");
        }
    }

    #[test]
    fn what_is_drawn_follows_the_points() {
        for (sizes, points) in
            [(Sizes::web_search(), WEB_SEARCH), (Sizes::data_mining(), DATA_MINING)]
        {
            let mut drawn = draws(&sizes, 100_000);
            drawn.sort_unstable();
            let count = drawn.len() as f64;
            let distance = |(rank, bytes): (usize, &u64)| {
                (probability(points, *bytes as f64) - rank as f64 / count).abs()
            };
            let farthest = drawn.iter().enumerate().map(distance).fold(0.0, f64::max);
            // Kolmogorov and Smirnov: exceeded once in a thousand; sizes of a few
            // hundred bytes are rounded to whole ones.
            assert!(farthest < 1.95 / count.sqrt() + 0.003, "{farthest}");
        }
    }

    /// Nothing up to 2 kB; 40 % evenly from there to 10 kB; none from there to 50 kB; a tenth
    /// of exactly 50 kB; the rest evenly from there to 100 kB; and none beyond.
    fn with_plateaus_and_a_step() -> Sizes {
        let points = [
            (0.0, 0.0),
            (2e3, 0.0),
            (10e3, 0.4),
            (50e3, 0.4),
            (50e3, 0.5),
            (100e3, 1.0),
            (200e3, 1.0),
        ];
        Sizes::Points(points.into())
    }

    #[test]
    fn no_size_lies_on_a_plateau_and_a_step_is_a_size() {
        let drawn = draws(&with_plateaus_and_a_step(), 200_000);
        let share = |from: u64, to: u64| {
            let found = drawn.iter().filter(|it| (from..=to).contains(it)).count();
            found as f64 / drawn.len() as f64
        };
        for (from, to, expected) in [
            (0, 1_999, 0.0),
            (2_000, 10_000, 0.4),
            (10_001, 49_999, 0.0),
            (50_000, 50_000, 0.1),
            (50_001, 100_000, 0.5),
            (100_001, u64::MAX, 0.0),
        ] {
            let error = 5.0 * f64::sqrt(expected * (1.0 - expected) / drawn.len() as f64);
            let found = share(from, to);
            assert!((found - expected).abs() <= error, "{from} to {to} B: {found}");
        }
    }

    #[test]
    fn the_quantiles_and_means_are_those_of_the_pieces() {
        let sizes = with_plateaus_and_a_step();
        let mean = 0.4 * 6e3 + 0.1 * 50e3 + 0.5 * 75e3;
        assert!((sizes.mean() - mean).abs() < 1e-6, "{}", sizes.mean());
        let mut drawn = draws(&sizes, 200_000);
        let segments = drawn.iter().map(|it| it.div_ceil(1448)).sum::<u64>() as f64;
        let found = segments / drawn.len() as f64;
        assert!((sizes.mean_segments(1448) / found - 1.0).abs() < 0.01, "{found}");
        drawn.sort_unstable();
        for (level, expected) in [(0.2, 6e3), (0.45, 50e3), (0.75, 75e3)] {
            let found = drawn[(level * drawn.len() as f64) as usize] as f64;
            assert!((found / expected - 1.0).abs() < 0.01, "{level}: {found} B");
        }
    }

    #[test]
    fn segments_are_counted_up_to_the_last_short_one() {
        let sizes = Sizes::web_search();
        let drawn = draws(&sizes, 1_000_000);
        let segments = drawn.iter().map(|it| it.div_ceil(1448)).sum::<u64>() as f64;
        let mean = segments / drawn.len() as f64;
        assert!((sizes.mean_segments(1448) / mean - 1.0).abs() < 0.01, "{mean}");
        assert_eq!(Sizes::Fixed(1449).mean_segments(1448), 2.0);
    }
}
