//! From one base station to another.

use windtunnel_engine::Time;

use super::HandoverPlan;

/// Which station serves the user (TS 38.331, section 5.5.4.4, event A3 without
/// hysteresis).
#[derive(Clone, Debug)]
pub(super) struct Handover {
    plan: HandoverPlan,
    /// None is chosen before the first look.
    serving: Option<usize>,
    /// For each station, since when it is better by the margin.
    better_since: Vec<Option<Time>>,
    /// When the last handover is over.
    over: Time,
}

impl Handover {
    /// The choice among this many stations.
    pub(super) fn new(plan: HandoverPlan, stations: usize) -> Self {
        Self { plan, serving: None, better_since: vec![None; stations], over: Time::ZERO }
    }

    /// Whether the user is on the way from one station to another.
    pub(super) fn is_under_way(&self, now: Time) -> bool {
        now < self.over
    }

    /// Looks at the losses in dB between the user and all stations, begins a handover
    /// where one is due, and gives the station that serves, or will when the handover
    /// is over. At the first look it is the best; nothing is compared while a handover
    /// is under way.
    ///
    /// # Panics
    /// If there is no station.
    pub(super) fn observe(&mut self, now: Time, losses: &[f64]) -> usize {
        let serving = self.serving.or_else(|| least(losses, |_| true)).expect("a station");
        let next = if self.is_under_way(now) { None } else { self.due(serving, now, losses) };
        if next.is_some() {
            self.better_since.fill(None);
            self.over = now + self.plan.interruption;
        }
        *self.serving.insert(next.unwrap_or(serving))
    }

    /// The best of the stations that are better than the serving one by the margin for
    /// long enough.
    fn due(&mut self, serving: usize, now: Time, losses: &[f64]) -> Option<usize> {
        let enough = losses[serving] - self.plan.margin;
        for (station, since) in self.better_since.iter_mut().enumerate() {
            let is_better = station != serving && losses[station] < enough;
            *since = is_better.then(|| since.unwrap_or(now));
        }
        let after = self.plan.after;
        least(losses, |it| self.better_since[it].is_some_and(|since| now.since(since) >= after))
    }
}

/// The station with the least loss among those that qualify.
fn least(losses: &[f64], qualifies: impl Fn(usize) -> bool) -> Option<usize> {
    let stations = (0..losses.len()).filter(|it| qualifies(*it));
    stations.min_by(|one, other| losses[*one].total_cmp(&losses[*other]))
}
