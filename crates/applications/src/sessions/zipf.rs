//! Accesses by popularity: Zipf's law, the "scale free distribution" of the paper
//! (section V-C).

use rand_distr::{Distribution, Zipf};
use windtunnel_engine::Random;

/// Draws the entries that are accessed: entry `r - 1` with a probability proportional to
/// `1 / r^exponent`. Entries next to each other are of like popularity.
#[derive(Clone, Copy, Debug)]
pub struct PagePopularity {
    entries: usize,
    law: Zipf<f64>,
}

impl PagePopularity {
    /// The popularity of this many entries; `None` without entries, or with an exponent
    /// that is below 0 or not a number.
    #[must_use]
    pub fn new(entries: usize, exponent: f64) -> Option<Self> {
        // Near 1 the law's own formula loses its digits.
        let exponent = if (exponent - 1.0).abs() < 1e-9 { 1.0 } else { exponent };
        let law = Zipf::new(entries as f64, exponent).ok()?;
        Some(Self { entries, law })
    }

    /// The entry that is accessed next, from 0.
    pub fn draw(&self, random: &mut Random) -> usize {
        (self.law.sample(random.generator()) as usize).clamp(1, self.entries) - 1
    }
}

/// How many distinct entries this many draws give: the mean and the standard deviation.
/// With `U_r = (1 - p_r)^draws`, the mean is `Σ (1 - U_r)`, and the variance
/// `Σ U_r (1 - U_r) + Σ_{r≠s} ((1 - p_r - p_s)^draws - U_r U_s)`.
#[must_use]
pub fn expected_distinct(draws: u32, entries: usize, exponent: f64) -> (f64, f64) {
    let never = |probability: f64| (1.0 - probability).max(0.0).powf(f64::from(draws));
    let shares = probabilities(entries, exponent);
    let unused: Vec<f64> = shares.iter().map(|it| never(*it)).collect();
    let mean = unused.iter().map(|it| 1.0 - it).sum();
    let alone: f64 = unused.iter().map(|it| it * (1.0 - it)).sum();
    let pairs: f64 = (0..entries)
        .flat_map(|r| (0..r).map(move |s| (r, s)))
        .map(|(r, s)| never(shares[r] + shares[s]) - unused[r] * unused[s])
        .sum();
    (mean, (alone + 2.0 * pairs).max(0.0).sqrt())
}

/// The probability of each entry.
fn probabilities(entries: usize, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=entries).map(|rank| (rank as f64).powf(-exponent)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|it| it / sum).collect()
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    #[test]
    fn the_most_popular_entries_have_their_shares() {
        let shares = probabilities(1000, 1.0);
        assert!((1.0 / shares[0] - 7.485470860550).abs() < 1e-11);
        assert!((shares[..10].iter().sum::<f64>() - 0.39129).abs() < 5e-6);
        assert!((shares[..100].iter().sum::<f64>() - 0.69299).abs() < 5e-6);
    }

    #[test]
    fn entries_are_drawn_by_their_shares() {
        for exponent in [0.0, 0.9, 1.0, 1.1, 2.0] {
            let popularity = PagePopularity::new(20, exponent).unwrap();
            let mut random = Streams::new(1, 0).stream("accesses");
            let (draws, mut counts) = (200_000, [0_u32; 20]);
            for _ in 0..draws {
                counts[popularity.draw(&mut random)] += 1;
            }
            let expected = probabilities(20, exponent).into_iter().map(|it| it * f64::from(draws));
            let squares = counts.iter().zip(expected);
            let chi_square: f64 =
                squares.map(|(count, mean)| (f64::from(*count) - mean).powi(2) / mean).sum();
            // Nineteen degrees of freedom: exceeded once in a thousand.
            assert!(chi_square < 43.82, "{exponent}: {chi_square}");
        }
    }

    #[test]
    fn what_is_no_law_is_not_made() {
        for (entries, exponent) in [(0, 1.0), (10, -0.1), (10, f64::NAN)] {
            assert!(PagePopularity::new(entries, exponent).is_none());
        }
    }

    /// To the digits of an independent program (satellites, section 6), which simulation
    /// confirms.
    #[test]
    fn distinct_entries_are_those_of_the_closed_form() {
        let rows = [
            (1000, 333.7469, 11.045),
            (2000, 499.4362, 12.531),
            (3000, 610.8866, 12.737),
            (4000, 691.6482, 12.436),
            (5000, 752.4816, 11.900),
            (6000, 799.4355, 11.255),
        ];
        for (draws, mean, deviation) in rows {
            let expected = expected_distinct(draws, 1000, 1.0);
            assert!((expected.0 - mean).abs() < 5.1e-5, "{draws}: {expected:?}");
            assert!((expected.1 - deviation).abs() < 5.1e-4, "{draws}: {expected:?}");
        }
        for (draws, mean) in [(10, 8.9613), (100, 62.9621), (500, 210.7990), (10_000, 908.1737)] {
            assert!((expected_distinct(draws, 1000, 1.0).0 - mean).abs() < 5.1e-5, "{draws}");
        }
        let others = [
            (1000, 1000, 0.9, 388.6),
            (6000, 1000, 0.9, 869.5),
            (1000, 1000, 1.1, 279.7),
            (6000, 1000, 1.1, 710.6),
            (1000, 500, 1.0, 262.6),
            (6000, 500, 1.0, 474.4),
            (1000, 2000, 1.0, 396.7),
            (6000, 2000, 1.0, 1172.4),
        ];
        for (draws, entries, exponent, mean) in others {
            let expected = expected_distinct(draws, entries, exponent).0;
            assert!((expected - mean).abs() < 0.051, "{draws} {entries} {exponent}: {expected}");
        }
    }

    #[test]
    fn a_single_draw_or_a_single_entry_leaves_nothing_to_chance() {
        for (draws, entries) in [(1, 1), (1, 50), (9, 1)] {
            let (mean, deviation) = expected_distinct(draws, entries, 1.0);
            assert!((mean - 1.0).abs() < 1e-12 && deviation < 1e-6, "{mean} {deviation}");
        }
    }
}
