//! Rate adaptation by success, as Minstrel does it.

use windtunnel_engine::{Duration, Random};

use super::{Ladder, RateAdaptation};
use crate::fixed_wireless::Mcs;

/// How often it counts.
const INTERVAL: Duration = Duration::from_millis(100);
/// The weight of the last interval in the mean success.
const WEIGHT: f64 = 0.25;
/// In an interval, this many packets are sent with the present scheme, and this many try each other
/// one: they count as well, but cost no time here.
const PACKETS: u32 = 100;
const PROBES: u32 = 10;
/// A scheme with less success than this is not used, however fast it is.
const LEAST: f64 = 0.1;

/// The scheme that brings most across, by the success of packets that tried each.
#[derive(Clone, Debug)]
pub(super) struct Minstrel {
    ladder: Ladder,
    random: Random,
    /// For each scheme its mean success.
    success: Vec<f64>,
    present: usize,
}

impl Minstrel {
    /// Begins with the slowest scheme, and knows of no success.
    pub(super) fn new(ladder: Ladder, random: Random) -> Self {
        Self { success: vec![0.0; ladder.schemes.len()], ladder, random, present: 0 }
    }

    /// The share of packets that get across with the scheme of a place.
    fn trial(&mut self, place: usize, snr: f64) -> f64 {
        let packets = if place == self.present { PACKETS } else { PROBES };
        let error = self.ladder.error(place, snr);
        let across = (0..packets).filter(|_| !self.random.happens(error)).count();
        across as f64 / f64::from(packets)
    }

    /// What the scheme of a place brings across, in bits per second.
    fn brings(&self, place: usize) -> f64 {
        let success = self.success[place];
        let rate = self.ladder.schemes[place].rate().bits_per_second() as f64;
        if success < LEAST { 0.0 } else { rate * success }
    }
}

impl RateAdaptation for Minstrel {
    fn choose(&mut self, snr: f64) -> &'static Mcs {
        for place in 0..self.success.len() {
            let last = self.trial(place, snr);
            self.success[place] += (last - self.success[place]) * WEIGHT;
        }
        let best = (0..self.success.len()).rev();
        self.present = best
            .max_by(|one, other| self.brings(*one).total_cmp(&self.brings(*other)))
            .unwrap_or(0);
        self.ladder.schemes[self.present]
    }

    fn period(&self) -> Option<Duration> {
        Some(INTERVAL)
    }
}
