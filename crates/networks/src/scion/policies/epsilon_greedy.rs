//! ε-greedy: the path with the lowest mean loss so far, but a random one with probability ε.
//!
//! Source: Sutton and Barto, "Reinforcement Learning", second edition, section 2.2. Paths that
//! were never used count as without loss, so that each is tried.

use windtunnel_engine::Random;

use super::bandit::Learner;
use super::choosing::{least, uniform};
use super::memory::Memory;
use super::{PathId, PathInfo};

/// Rounds and losses of a path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub(super) rounds: f64,
    pub(super) losses: f64,
}

impl Mean {
    pub(super) fn add(&mut self, loss: f64) {
        self.rounds += 1.0;
        self.losses += loss;
    }

    /// The mean loss; 0 without rounds.
    pub(super) fn loss(&self) -> f64 {
        self.losses / self.rounds.max(1.0)
    }
}

/// How it draws.
#[derive(Clone, Debug)]
pub(super) struct EpsilonGreedy {
    epsilon: f64,
    means: Memory<Mean>,
}

impl EpsilonGreedy {
    pub(super) fn new(epsilon: f64) -> Self {
        Self { epsilon, means: Memory::default() }
    }
}

impl Learner for EpsilonGreedy {
    fn draw(&mut self, paths: &[PathInfo], random: &mut Random) -> usize {
        if random.happens(self.epsilon) {
            return uniform(paths.len(), random);
        }
        least(paths, |it| self.means.get(it.id).map_or(0.0, Mean::loss))
    }

    fn learn(&mut self, id: PathId, loss: f64) {
        self.means.entry(id).add(loss);
    }
}
