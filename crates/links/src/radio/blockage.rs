//! Blockage: people and vehicles that pass between the user and the station.

use rand_distr::{Distribution, Exp1};
use windtunnel_engine::{Duration, Random, Time};

/// How often something passes, and what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockagePlan {
    /// The mean time from one's end to the next, more than zero; exponentially
    /// distributed.
    pub every: Duration,
    /// The mean time that the loss is at its full; exponentially distributed.
    pub lasts: Duration,
    /// The loss at its full, in dB.
    pub loss: f64,
    /// How long the loss takes to rise, and again to fall, linearly in dB.
    pub edge: Duration,
}

/// What passes between the user and one station: an alternating renewal process that
/// starts free.
#[derive(Clone, Debug)]
pub struct Blockage {
    plan: BlockagePlan,
    random: Random,
    /// When the loss begins to rise.
    begins: Time,
    /// How long it is at its full.
    full: Duration,
}

impl Blockage {
    /// Blockage that draws from this stream.
    #[must_use]
    pub fn new(plan: BlockagePlan, random: Random) -> Self {
        let mut blockage = Self { plan, random, begins: Time::ZERO, full: Duration::ZERO };
        blockage.plan_next(Time::ZERO);
        blockage
    }

    /// The loss at `now`, in dB; `now` is not before the time of the last call.
    pub fn loss(&mut self, now: Time) -> f64 {
        while now >= self.ends() {
            self.plan_next(self.ends());
        }
        let risen = now.since(self.begins).as_picos();
        let left = self.ends().since(now).as_picos();
        let edge = self.plan.edge.as_picos();
        match risen.min(left) {
            _ if now < self.begins => 0.0,
            on_edge if on_edge < edge => self.plan.loss * (on_edge as f64 / edge as f64),
            _ => self.plan.loss,
        }
    }

    /// When the loss has fallen again.
    fn ends(&self) -> Time {
        self.begins + self.plan.edge + self.full + self.plan.edge
    }

    fn plan_next(&mut self, free: Time) {
        self.begins = free + self.draw(self.plan.every);
        self.full = self.draw(self.plan.lasts);
    }

    fn draw(&mut self, mean: Duration) -> Duration {
        let factor: f64 = Exp1.sample(self.random.generator());
        mean.scaled(factor)
    }
}
