//! The channel in the course of time.

use windtunnel_engine::{Duration, Time};

use super::adaptation::RateAdaptation;
use super::{FixedWirelessPlan, PatternCurve};
use crate::budget::LinkBudget;
use crate::channel::{Channel, ChannelMaker, ChannelSetting, ChannelState, PowerSample, Reception};

/// A fixed radio channel.
#[derive(Clone, Debug)]
struct FixedWireless {
    plan: FixedWirelessPlan,
    /// What is received without rain and fog at the greatest power.
    dry: [f64; 2],
    adaptations: [Box<dyn RateAdaptation>; 2],
    /// How often the adaptations are asked, if the weather stays as it is.
    period: Option<Duration>,
}

impl FixedWireless {
    fn new(plan: &FixedWirelessPlan, setting: ChannelSetting<'_>) -> Self {
        let stream = |direction| {
            setting.streams.stream(&format!("rate adaptation {} {direction}", setting.link))
        };
        let adaptations =
            [0, 1].map(|it| plan.adaptation.start(&plan.ladder, plan.eirp[it], stream(it)));
        Self {
            dry: [0, 1].map(|it| plan.in_dry_air(it).iter().map(|it| it.best).sum()),
            period: adaptations[0].period(),
            adaptations,
            plan: plan.clone(),
        }
    }

    /// What rain and fog take at `now`.
    fn weather(&self, now: Time) -> f64 {
        let Self { plan, .. } = self;
        plan.rain_loss(plan.rain.rate.at(now)) + plan.fog_loss(plan.fog.at(now))
    }

    /// What is received in one direction with the present power.
    fn received(&self, direction: usize, weather: f64) -> f64 {
        self.dry[direction] - weather - self.adaptations[direction].power_reduction()
    }

    fn next(&self, now: Time) -> Option<Time> {
        let Self { plan, .. } = self;
        let is_settled = plan.rain.rate.is_settled(now) && plan.fog.is_settled(now);
        let weather = (!is_settled).then_some(plan.period);
        self.period.or(weather).map(|it| now + it)
    }
}

impl Channel for FixedWireless {
    fn on_traffic(&mut self, has: [bool; 2]) {
        for (adaptation, has) in self.adaptations.iter_mut().zip(has) {
            adaptation.on_traffic(has);
        }
    }

    fn sample(&mut self, now: Time) -> ChannelState {
        let (weather, noise) = (self.weather(now), self.plan.noise());
        let schemes = [0, 1].map(|it| {
            let snr = self.received(it, weather) - noise;
            self.adaptations[it].choose(snr)
        });
        let received = [0, 1].map(|it| self.received(it, weather));
        let reception =
            [0, 1].map(|it| Reception { snr: received[it] - noise, scheme: schemes[it] });
        let margin = reception.map(|it| it.snr - self.plan.ladder.needed(it.scheme));
        ChannelState {
            rates: reception.map(|it| Some(self.plan.access.most(it.scheme.rate()))),
            next: self.next(now),
            power: Some(PowerSample { received: Some(received), margin }),
            reception: Some(reception),
            ..ChannelState::default()
        }
    }
}

impl ChannelMaker for FixedWirelessPlan {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(FixedWireless::new(self, setting))
    }

    fn budgets(&self) -> Option<[LinkBudget; 2]> {
        Some(Self::budgets(self))
    }

    fn patterns(&self) -> Option<[PatternCurve; 2]> {
        Some(self.ends.each_ref().map(|it| it.pattern()))
    }
}
