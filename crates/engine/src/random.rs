//! Random streams: one for each component, so that adding a component changes
//! nobody else's draws.

use std::hash::Hasher;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use siphasher::sip::SipHasher24;

/// One component's stream of random numbers (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A draw from the half-open unit interval, on a grid of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Whether an event of this probability happens. Draws nothing where the
    /// answer is certain.
    #[inline]
    pub fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && (probability >= 1.0 || self.unit() < probability)
    }

    /// 32 random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Another stream for the same component, whose draws do not depend on when this one draws:
    /// it begins 2¹⁹² draws further on.
    #[must_use]
    pub fn second(&self) -> Self {
        let mut other = self.0.clone();
        other.long_jump();
        Self(other)
    }

    /// The generator, for distributions that want one.
    #[inline]
    pub fn generator(&mut self) -> &mut impl Rng {
        &mut self.0
    }
}

/// The source of all streams of one run of one scenario.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
    run: u64,
}

impl Streams {
    /// Streams of replication number `run` under `seed`.
    #[must_use]
    pub fn new(seed: u64, run: u64) -> Self {
        Self { seed, run }
    }

    /// The stream of the component of that name. It depends on the seed, the
    /// run number and the name, and on nothing else (SipHash-2-4 of the name
    /// under the key made of the two numbers).
    #[must_use]
    pub fn stream(&self, component: &str) -> Random {
        let mut hasher = SipHasher24::new_with_keys(self.seed, self.run);
        hasher.write(component.as_bytes());
        Random(Xoshiro256PlusPlus::seed_from_u64(hasher.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_stream_is_another_one_and_changes_nothing() {
        let mut first = Streams::new(1, 0).stream("link");
        let mut second = first.second();
        let draws: Vec<u32> = (0..100).map(|_| second.bits()).collect();
        let mut again = Streams::new(1, 0).stream("link");
        let firsts: Vec<u32> = (0..100).map(|_| first.bits()).collect();
        assert!(firsts.iter().all(|it| *it == again.bits()));
        assert!(draws.iter().zip(&firsts).filter(|(one, other)| one == other).count() < 3);
    }

    #[test]
    fn a_stream_depends_on_seed_run_and_name_alone() {
        let draw = |seed, run, name| Streams::new(seed, run).stream(name).bits();
        assert_eq!(draw(1, 0, "link"), draw(1, 0, "link"));
        assert_ne!(draw(1, 0, "link"), draw(1, 0, "consumer"));
        assert_ne!(draw(1, 0, "link"), draw(1, 1, "link"));
        assert_ne!(draw(1, 0, "link"), draw(2, 0, "link"));
    }

    #[test]
    fn the_unit_interval_is_even() {
        let mut random = Streams::new(7, 0).stream("test");
        let draws = 100_000;
        let mean = (0..draws).map(|_| random.unit()).sum::<f64>() / f64::from(draws);
        // Three standard errors of the mean of a uniform variable.
        assert!((mean - 0.5).abs() < 3.0 / (12.0 * f64::from(draws)).sqrt(), "{mean}");
    }

    #[test]
    fn certainty_draws_nothing() {
        let mut random = Streams::new(7, 0).stream("test");
        let mut untouched = random.clone();
        assert!(!random.happens(0.0) && random.happens(1.0));
        assert_eq!(random.bits(), untouched.bits());
    }
}
