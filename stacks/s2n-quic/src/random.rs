//! Random numbers from the seed of a run.

use std::convert::Infallible;

use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use s2n_quic::provider::random::{Generator, Provider};

/// The generator that s2n-quic has by default, with a seed.
#[derive(Debug)]
pub(crate) struct Seeded(ChaCha20Rng);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl Generator for Seeded {
    fn public_random_fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    fn private_random_fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

impl Provider for Seeded {
    type Generator = Self;
    type Error = Infallible;

    fn start(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}
