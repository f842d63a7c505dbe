//! The channel in the course of time.

use windtunnel_engine::{Rate, Streams, Time};

use super::attenuation::{Attenuation, Whereabouts};
use super::handover::Handover;
use super::propagation::{from_decibels, noise, to_decibels};
use super::{Map, Point, RadioPlan};
use crate::channel::{
    Channel, ChannelMaker, ChannelSetting, ChannelState, RadioSample, ReportPlan,
};

/// A radio channel: a user who moves along a path.
#[derive(Clone, Debug)]
pub struct Radio {
    plan: RadioPlan,
    /// How long the user's path is, in metres.
    length: f64,
    /// The noise in each direction, in dBm.
    noise: [f64; 2],
    /// For each station.
    attenuations: Vec<Attenuation>,
    /// For each station, as last seen: whether there is a line of sight.
    line_of_sight: Vec<bool>,
    /// For each station, as last seen: the loss in dB.
    losses: Vec<f64>,
    handover: Handover,
}

impl Radio {
    /// The channel of the link of that name. All its random streams are made of that
    /// name and the stations'.
    #[must_use]
    pub fn new(plan: &RadioPlan, streams: &Streams, link: &str) -> Self {
        let stations = &plan.map.stations;
        let attenuation = |station| Attenuation::new(plan, station, streams, link);
        Self {
            length: plan.map.length(),
            noise: plan.bandwidth.map(|it| noise(it, plan.noise_figure)),
            attenuations: stations.iter().map(attenuation).collect(),
            line_of_sight: vec![false; stations.len()],
            losses: vec![0.0; stations.len()],
            handover: Handover::new(plan.handover, stations.len()),
            plan: plan.clone(),
        }
    }

    /// Looks at all stations from where the user is at `now`.
    fn look(&mut self, now: Time) -> Point {
        let walked = (self.plan.speed * now.as_seconds()).min(self.length);
        let position = self.plan.map.position(walked);
        let user = Whereabouts { position, walked, now };
        for (index, attenuation) in self.attenuations.iter_mut().enumerate() {
            let station = &self.plan.map.stations[index];
            let (line_of_sight, loss) = attenuation.at(&self.plan, station, user);
            self.line_of_sight[index] = line_of_sight;
            self.losses[index] = loss;
        }
        position
    }

    /// The SINR in each direction, in dB, with that station.
    ///
    /// The other stations disturb what the user receives, without the antennas' gain,
    /// which points elsewhere. What the user sends is disturbed by noise alone: there
    /// is nobody else on the map who sends to a station.
    fn sinr(&self, serving: usize) -> [f64; 2] {
        let RadioPlan { transmit_power, antenna_gain, .. } = self.plan;
        let others = self.losses.iter().enumerate().filter(|(station, _)| *station != serving);
        let interference: f64 =
            others.map(|(_, loss)| from_decibels(transmit_power[0] - loss)).sum();
        let disturbances =
            [to_decibels(from_decibels(self.noise[0]) + interference), self.noise[1]];
        let gain = antenna_gain - self.losses[serving];
        [0, 1].map(|direction| transmit_power[direction] + gain - disturbances[direction])
    }

    /// How fast the link sends in a direction at a SINR in dB.
    fn rate(&self, direction: usize, sinr: f64) -> Option<Rate> {
        let efficiency = self.plan.efficiency.at(sinr) * (1.0 - self.plan.overhead);
        Rate::from_bits_per_second((self.plan.bandwidth[direction] * efficiency).round() as u64)
    }
}

impl Channel for Radio {
    /// The station with the least loss at the first call serves first; of handovers only
    /// what is seen at calls is known.
    ///
    /// # Panics
    /// If the map has no station, or the user's path no corner.
    fn sample(&mut self, now: Time) -> ChannelState {
        let position = self.look(now);
        let station = self.handover.observe(now, &self.losses);
        let (sinr, bandwidth) = (self.sinr(station), self.plan.bandwidth);
        let is_silent = self.handover.is_under_way(now);
        let rates = [0, 1].map(|it| if is_silent { None } else { self.rate(it, sinr[it]) });
        let line_of_sight = self.line_of_sight[station];
        let radio = RadioSample { position, station, line_of_sight, sinr, bandwidth };
        let next = Some(now + self.plan.period);
        ChannelState { rates, next, radio: Some(radio), ..ChannelState::default() }
    }
}

impl ChannelMaker for RadioPlan {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(Radio::new(self, setting.streams, setting.link))
    }

    fn reports(&self) -> Option<ReportPlan> {
        Some(self.report)
    }

    fn map(&self) -> Option<&Map> {
        Some(&self.map)
    }
}
