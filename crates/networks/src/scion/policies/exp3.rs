//! EXP3: paths are drawn by weights that grow exponentially with what they gained.
//!
//! Source: Auer, Cesa-Bianchi, Freund and Schapire, "The Nonstochastic Multiarmed Bandit
//! Problem", SIAM Journal on Computing 32 (2002), figure 1; rewards are 1 less the losses. It
//! assumes nothing about how losses come about, and so not that other hosts do not react.

use windtunnel_engine::Random;

use super::bandit::Learner;
use super::memory::Memory;
use super::{PathId, PathInfo};

/// How it draws.
#[derive(Clone, Debug)]
pub(super) struct Exp3 {
    /// The share of rounds in which any path is drawn (γ).
    gamma: f64,
    /// The logarithm of each path's weight.
    weights: Memory<f64>,
    /// The probability with which the last path was drawn, and of how many.
    probability: f64,
    paths: f64,
}

impl Exp3 {
    pub(super) fn new(gamma: f64) -> Self {
        Self { gamma, weights: Memory::default(), probability: 1.0, paths: 1.0 }
    }

    fn logarithm(&self, path: &PathInfo) -> f64 {
        self.weights.get(path.id).copied().unwrap_or_default()
    }
}

impl Learner for Exp3 {
    fn draw(&mut self, paths: &[PathInfo], random: &mut Random) -> usize {
        self.paths = paths.len() as f64;
        let greatest = paths.iter().map(|it| self.logarithm(it)).fold(f64::MIN, f64::max);
        let weight = |it: &PathInfo| (self.logarithm(it) - greatest).exp();
        let sum: f64 = paths.iter().map(weight).sum();
        let mut left = random.unit();
        let mut drawn = (0, 0.0);
        for (place, path) in paths.iter().enumerate() {
            drawn = (place, (1.0 - self.gamma) * weight(path) / sum + self.gamma / self.paths);
            left -= drawn.1;
            if left < 0.0 {
                break;
            }
        }
        self.probability = drawn.1;
        drawn.0
    }

    fn learn(&mut self, id: PathId, loss: f64) {
        let estimate = (1.0 - loss) / self.probability;
        *self.weights.entry(id) += self.gamma * estimate / self.paths;
    }
}
