//! The path with the lowest round trip of probes, as a policy of PANAPI chooses; with what keeps
//! it from switching too often.
//!
//! After each interval of probes the flow may switch once. It does if another path's round trip
//! is shorter by more than the hysteresis, the last switch is long enough ago, and then with some
//! probability only: hosts that all see the same round trips must not all move at once (Fischer,
//! Räcke and Vöcking, "Fast convergence to Wardrop equilibria by adaptive sampling methods",
//! STOC 2006).

use windtunnel_engine::{Duration, Random, Time};

use super::memory::Memory;
use super::{PathInfo, PathPolicy, least};

/// Parameters of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowestRttSettings {
    /// How often all paths are probed, and a switch is considered; above zero.
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

/// The policy.
#[derive(Debug)]
pub(super) struct LowestRtt {
    settings: LowestRttSettings,
    last: Memory<Probe>,
    /// When a switch is considered again.
    considers: Time,
    /// Until when there is none after the last one.
    held_until: Time,
}

impl LowestRtt {
    pub(super) fn new(settings: LowestRttSettings) -> Self {
        let (considers, held_until) = (Time::ZERO, Time::ZERO);
        Self { settings, last: Memory::default(), considers, held_until }
    }

    fn probe(&self, path: &PathInfo) -> Probe {
        self.last.get(path.id).copied().unwrap_or_default()
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
        *self.last.entry(path.id) = rtt.map_or(Probe::Lost, Probe::Returned);
    }

    fn select(
        &mut self,
        now: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize {
        let Some(current) = current else {
            self.considers = now + self.settings.probe_interval;
            return self.best(paths);
        };
        if now < self.considers {
            return current;
        }
        let interval = self.settings.probe_interval;
        let passed = now.since(self.considers).as_picos() / interval.as_picos();
        self.considers += interval * (passed + 1);
        let best = self.best(paths);
        if best == current || !self.leaves(now, &paths[current], &paths[best], random) {
            return current;
        }
        self.held_until = now + self.settings.hold;
        best
    }
}
