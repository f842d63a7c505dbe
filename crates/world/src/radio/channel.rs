//! The channel in the course of time.

use windtunnel_engine::{Rate, Streams, Time};

use super::attenuation::{Attenuation, Whereabouts};
use super::handover::Handover;
use super::propagation::{from_decibels, noise, to_decibels};
use super::{Point, RadioPlan};

/// The channel at one time. A pair is for what the link's first node sends, and for
/// what the user sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioSample {
    /// Where the user is.
    pub position: Point,
    /// The serving station, by its place on the map; during a handover the next one.
    pub station: usize,
    /// Whether the user sees it.
    pub in_sight: bool,
    /// The SINR, in dB.
    pub sinr: [f64; 2],
    /// How fast the link sends; `None` where nothing gets through, and during a
    /// handover.
    pub rate: [Option<Rate>; 2],
}

/// A radio channel: a user on the way, seen at rising times.
#[derive(Debug)]
pub struct Radio {
    plan: RadioPlan,
    /// How long the user's way is, in metres.
    length: f64,
    /// The noise in each direction, in dBm.
    noise: [f64; 2],
    /// For each station.
    attenuations: Vec<Attenuation>,
    /// For each station, as last seen: whether the user sees it.
    in_sight: Vec<bool>,
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
            in_sight: vec![false; stations.len()],
            losses: vec![0.0; stations.len()],
            handover: Handover::new(plan.handover, stations.len()),
            plan: plan.clone(),
        }
    }

    /// The channel at `now`, which is not before the time of the last call. The
    /// station with the least loss at the first call serves first; of handovers only
    /// what is seen at calls is known.
    ///
    /// # Panics
    /// If the map has no station, or the user's way no corner.
    pub fn sample(&mut self, now: Time) -> RadioSample {
        let position = self.look(now);
        let station = self.handover.observe(now, &self.losses);
        let sinr = self.sinr(station);
        let is_silent = self.handover.is_under_way(now);
        let rate = [0, 1].map(|it| if is_silent { None } else { self.rate(it, sinr[it]) });
        RadioSample { position, station, in_sight: self.in_sight[station], sinr, rate }
    }

    /// Looks at all stations from where the user is at `now`.
    fn look(&mut self, now: Time) -> Point {
        let walked = (self.plan.speed * now.as_seconds()).min(self.length);
        let position = self.plan.map.position(walked);
        let user = Whereabouts { position, walked, now };
        for (index, attenuation) in self.attenuations.iter_mut().enumerate() {
            let station = &self.plan.map.stations[index];
            let (in_sight, loss) = attenuation.at(&self.plan, station, user);
            self.in_sight[index] = in_sight;
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
