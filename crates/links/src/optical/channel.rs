//! The channel in the course of time.

use libm::log10;
use windtunnel_engine::{Rate, Time};

use super::turbulence::{GammaGamma, Scintillation, rytov_variance};
use super::{OpticalPlan, Outage};
use crate::budget::LinkBudget;
use crate::channel::{Channel, ChannelMaker, ChannelSetting, ChannelState, PowerSample};

/// An optical channel.
#[derive(Clone, Debug)]
struct Optical {
    plan: OpticalPlan,
    rates: [Rate; 2],
    /// In clear and calm air, the same for a direction as in its budget.
    clear: [LinkBudget; 2],
    /// One for both directions: they have the same path (reciprocity; Shapiro and Puryear,
    /// "Reciprocity-enhanced optical communication through atmospheric turbulence", Journal
    /// of Optical Communications and Networking 4(12), 2012).
    scintillation: Option<Scintillation>,
}

impl Optical {
    fn new(plan: &OpticalPlan, setting: ChannelSetting<'_>) -> Self {
        let clear = [0, 1].map(|it| plan.power.in_clear_air(it, plan.distance));
        let ChannelSetting { rates, .. } = setting;
        Self { clear, rates, scintillation: scintillation(plan, setting), plan: plan.clone() }
    }

    /// What the air adds to the received power at `now`, in dB.
    fn air(&mut self, now: Time) -> f64 {
        let fluctuation = self.scintillation.as_mut().map_or(1.0, |it| it.at(now));
        10.0 * log10(fluctuation) - self.plan.fog_loss(self.plan.visibility.at(now))
    }

    fn next(&self, now: Time) -> Option<Time> {
        let is_settled = self.scintillation.is_none() && self.plan.visibility.is_settled(now);
        (!is_settled).then(|| now + self.plan.period)
    }
}

/// The scintillation of a link, if its air is turbulent.
fn scintillation(plan: &OpticalPlan, setting: ChannelSetting<'_>) -> Option<Scintillation> {
    let turbulence = plan.turbulence.filter(|it| it.structure > 0.0)?;
    let variance = rytov_variance(turbulence.structure, plan.wavelength, plan.distance);
    let shapes = GammaGamma::of_plane_wave(variance);
    let stream = |eddies| setting.streams.stream(&format!("{eddies} eddies {}", setting.link));
    Some(Scintillation::new(shapes, turbulence.coherence, ["large", "small"].map(stream)))
}

impl Channel for Optical {
    fn sample(&mut self, now: Time) -> ChannelState {
        let air = self.air(now);
        let clear = |of: fn(&LinkBudget) -> Option<[f64; 2]>| {
            let [there, back] = self.clear.each_ref().map(|it| of(it).map(|[best, _]| best + air));
            Some([there?, back?])
        };
        let received = clear(LinkBudget::received);
        let margin = clear(|it| Some(it.margin())).expect("each direction has a margin");
        let is_out = margin.map(|it| it < 0.0);
        let waits = |direction: usize| is_out[direction] && self.plan.outage == Outage::Wait;
        ChannelState {
            rates: [0, 1].map(|it| (!waits(it)).then_some(self.rates[it])),
            loses: is_out.map(|it| it && self.plan.outage == Outage::Lose),
            next: self.next(now),
            power: Some(PowerSample { received, margin }),
            ..ChannelState::default()
        }
    }
}

impl ChannelMaker for OpticalPlan {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(Optical::new(self, setting))
    }

    fn budgets(&self) -> Option<[LinkBudget; 2]> {
        Some(Self::budgets(self))
    }

    fn can_lose(&self) -> bool {
        self.outage == Outage::Lose
    }
}
