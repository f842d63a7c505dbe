//! What the bandits have in common: they learn only of the path that they use.
//!
//! Only that path is probed. Each probe is a round: what became of it is a loss from 0 to 1,
//! the round trip in parts of one that counts as the worst, and then a path is drawn for the
//! next round.

use std::fmt::Debug;

use windtunnel_engine::{Duration, Random, Time};

use super::{PathId, PathInfo, PathPolicy};

/// Parameters of all bandits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BanditSettings {
    /// How long a round is; above zero.
    pub probe_interval: Duration,
    /// Round trips as long as this or longer, and lost probes, count as a loss of 1; above zero.
    pub worst_rtt: Duration,
}

/// How a bandit draws paths and learns.
pub(super) trait Learner: Clone + Debug + Send {
    /// The path of the next round.
    fn draw(&mut self, paths: &[PathInfo], random: &mut Random) -> usize;

    /// The path drawn last has had that loss, from 0 to 1.
    fn learn(&mut self, id: PathId, loss: f64);
}

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct Bandit<L> {
    settings: BanditSettings,
    learner: L,
    drawn: Option<PathId>,
    /// Whether it learned something of that path.
    has_learned: bool,
}

impl<L> Bandit<L> {
    pub(super) fn new(settings: BanditSettings, learner: L) -> Self {
        Self { settings, learner, drawn: None, has_learned: false }
    }

    fn loss(&self, rtt: Option<Duration>) -> f64 {
        rtt.map_or(1.0, |it| (it.as_seconds() / self.settings.worst_rtt.as_seconds()).min(1.0))
    }
}

impl<L: Learner> PathPolicy for Bandit<L> {
    fn probe_interval(&self) -> Option<Duration> {
        Some(self.settings.probe_interval)
    }

    fn probes_only_current(&self) -> bool {
        true
    }

    fn on_probe(&mut self, _: Time, path: &PathInfo, rtt: Option<Duration>) {
        if self.drawn == Some(path.id) && !self.has_learned {
            self.learner.learn(path.id, self.loss(rtt));
            self.has_learned = true;
        }
    }

    fn select(
        &mut self,
        _: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize {
        if let Some(current) = current.filter(|_| !self.has_learned) {
            return current;
        }
        let drawn = self.learner.draw(paths, random);
        (self.drawn, self.has_learned) = (Some(paths[drawn].id), false);
        drawn
    }
}
