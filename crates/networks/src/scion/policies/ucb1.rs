//! UCB1: the path whose mean loss is lowest when it is taken for as low as it may well be.
//!
//! Source: Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit
//! Problem", Machine Learning 47 (2002), figure 1: each once, and then the one with the greatest
//! `mean + sqrt(2 ln n / n_i)` of rewards, which are here 1 less the losses.

use windtunnel_engine::Random;

use super::bandit::Learner;
use super::choosing::least;
use super::epsilon_greedy::Mean;
use super::memory::Memory;
use super::{PathId, PathInfo};

/// How it draws.
#[derive(Clone, Debug, Default)]
pub(super) struct Ucb1 {
    means: Memory<Mean>,
    rounds: f64,
}

impl Ucb1 {
    /// The least that a path's mean loss may well be.
    fn bound(&self, path: &PathInfo) -> f64 {
        match self.means.get(path.id) {
            Some(it) => it.loss() - (2.0 * self.rounds.ln() / it.rounds).sqrt(),
            None => f64::NEG_INFINITY,
        }
    }
}

impl Learner for Ucb1 {
    fn draw(&mut self, paths: &[PathInfo], _: &mut Random) -> usize {
        least(paths, |it| self.bound(it))
    }

    fn learn(&mut self, id: PathId, loss: f64) {
        self.means.entry(id).add(loss);
        self.rounds += 1.0;
    }
}
