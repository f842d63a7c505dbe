//! The path with the lowest round trip of probes, as a policy of PANAPI chooses; with what keeps
//! it from switching too often.
//!
//! Each time that the probes of all paths have returned, the flow may switch once. It does if
//! another path's round trip is shorter by more than the hysteresis, the last switch is long enough
//! ago, and then with some probability only: hosts that all see the same round trips must not all move at once (Fischer,
//! Räcke and Vöcking, "Fast convergence to Wardrop equilibria by adaptive sampling methods",
//! STOC 2006).

use windtunnel_engine::{Duration, Random, Time};

use super::choosing::least;
use super::memory::Memory;
use super::{PathInfo, PathPolicy};

/// Parameters of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowestRttSettings {
    /// How often all paths are probed; above zero.
    pub probe_interval: Duration,
    /// By which share of the current path's round trip another's must be shorter, from 0 to 1.
    pub hysteresis: f64,
    /// The probability of a switch each time that there is a reason for one.
    pub probability: f64,
    /// How long after a switch there is no other.
    pub hold: Duration,
    /// Whether round trips are smoothed; otherwise that of the last probe counts.
    pub is_smoothed: bool,
}

/// The last probe of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Probe {
    #[default]
    Awaited,
    Lost,
    Returned(Duration),
}

/// What is known of a path.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    probe: Probe,
    /// Whether that is so since a switch was last considered.
    is_new: bool,
}

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct LowestRtt {
    settings: LowestRttSettings,
    last: Memory<Last>,
    /// Until when there is none after the last one.
    held_until: Time,
}

impl LowestRtt {
    pub(super) fn new(settings: LowestRttSettings) -> Self {
        Self { settings, last: Memory::default(), held_until: Time::ZERO }
    }

    fn probe(&self, path: &PathInfo) -> Probe {
        self.last.get(path.id).map(|it| it.probe).unwrap_or_default()
    }

    /// Whether all paths were probed since this was last so.
    fn has_news(&mut self, paths: &[PathInfo]) -> bool {
        let has_news = paths.iter().all(|it| self.last.get(it.id).is_some_and(|it| it.is_new));
        if has_news {
            paths.iter().for_each(|it| self.last.entry(it.id).is_new = false);
        }
        has_news
    }

    /// A path's round trip; the longest, if its last probe was lost or none has returned.
    fn rtt(&self, path: &PathInfo) -> Duration {
        match self.probe(path) {
            Probe::Returned(it) if self.settings.is_smoothed => path.rtt.unwrap_or(it),
            Probe::Returned(it) => it,
            Probe::Lost | Probe::Awaited => Duration::MAX,
        }
    }

    /// The path with the lowest round trip; before there are any, with the lowest announced
    /// latency.
    fn best(&self, paths: &[PathInfo]) -> usize {
        least(paths, |it| (self.rtt(it), it.latency))
    }

    /// Whether to leave a path for the best one.
    fn leaves(&self, now: Time, current: &PathInfo, best: &PathInfo, random: &mut Random) -> bool {
        let known = self.rtt(best) < Duration::MAX;
        match self.probe(current) {
            Probe::Awaited => false,
            Probe::Lost => known,
            Probe::Returned(_) => {
                let enough = self.rtt(current).scaled(1.0 - self.settings.hysteresis);
                let pays = self.rtt(best) < enough;
                pays && now >= self.held_until && random.happens(self.settings.probability)
            }
        }
    }
}

impl PathPolicy for LowestRtt {
    fn probe_interval(&self) -> Option<Duration> {
        Some(self.settings.probe_interval)
    }

    fn on_probe(&mut self, _: Time, path: &PathInfo, rtt: Option<Duration>) {
        let probe = rtt.map_or(Probe::Lost, Probe::Returned);
        *self.last.entry(path.id) = Last { probe, is_new: true };
    }

    fn select(
        &mut self,
        now: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize {
        let Some(current) = current else { return self.best(paths) };
        if !self.has_news(paths) {
            return current;
        }
        let best = self.best(paths);
        if best == current || !self.leaves(now, &paths[current], &paths[best], random) {
            return current;
        }
        self.held_until = now + self.settings.hold;
        best
    }
}
