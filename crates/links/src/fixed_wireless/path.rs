//! What is received: the terms of the link budget.

use super::{Adaptation, FixedWirelessPlan, RainExtent};
use crate::atmosphere::{effective_path, fog, oxygen, rain, water_vapour};
use crate::budget::{BudgetResult, BudgetTerm, LinkBudget};
use crate::fixed_wireless::mcs::BANDWIDTH;
use crate::radio::propagation::{free_space_loss, noise};

/// The bytes of an IP packet of a full Ethernet frame, and the share of them that TCP carries.
const IP_PACKET: u32 = 1500;
const TCP_SHARE: f64 = 1448.0 / 1500.0;

impl FixedWirelessPlan {
    /// What rain of this many mm/h takes, in dB.
    #[must_use]
    pub fn rain_loss(&self, rate: f64) -> f64 {
        if rate <= 0.0 {
            return 0.0;
        }
        let (kilometres, polarisation) = (self.distance / 1e3, self.rain.polarisation);
        let path = match self.rain.extent {
            RainExtent::Whole => kilometres,
            RainExtent::Effective => effective_path(kilometres, self.carrier, rate, polarisation),
        };
        rain(self.carrier, rate, polarisation) * path
    }

    /// What fog takes that has so much water, in g/m³.
    #[must_use]
    pub fn fog_loss(&self, water: f64) -> f64 {
        fog(self.carrier, water, self.air.temperature) * self.distance / 1e3
    }

    /// The noise of a receiver.
    #[must_use]
    pub fn noise(&self) -> f64 {
        noise(BANDWIDTH, self.noise_figure)
    }

    /// What is received in one direction without rain and fog: the terms of its budget.
    pub(super) fn in_dry_air(&self, direction: usize) -> Vec<BudgetTerm> {
        let kilometres = self.distance / 1e3;
        let (from, to) = (&self.ends[direction], &self.ends[1 - direction]);
        let air = |of: fn(f64, &_) -> f64| -of(self.carrier, &self.air) * kilometres;
        let mut terms = vec![
            ("EIRP", self.eirp[direction]),
            ("transmitting antenna off its axis", 0.0 - from.loss(0.0)),
            ("free space", -free_space_loss(self.distance, self.carrier)),
            ("oxygen", air(oxygen)),
            ("water vapour", air(water_vapour)),
            ("receiving antenna", to.antenna.gain),
            ("receiving antenna off its axis", 0.0 - to.loss(0.0)),
        ];
        if let Some(reflection) = &self.reflection {
            terms.push(("second ray", reflection.gain(self.distance, self.carrier, &self.ends)));
        }
        terms.into_iter().map(|(name, value)| BudgetTerm::constant(name, value)).collect()
    }

    /// The budget of each direction. The scheme is the fixed one, or the fastest that the SNR allows.
    #[must_use]
    pub fn budgets(&self) -> [LinkBudget; 2] {
        let [least_rain, most_rain] = self.rain.rate.range().map(|it| 0.0 - self.rain_loss(it));
        let [least_fog, most_fog] = self.fog.range().map(|it| 0.0 - self.fog_loss(it));
        [0, 1].map(|direction| {
            let mut terms = self.in_dry_air(direction);
            terms.push(BudgetTerm { name: "rain", best: least_rain, worst: most_rain });
            terms.push(BudgetTerm { name: "fog", best: least_fog, worst: most_fog });
            self.with_results(terms)
        })
    }

    fn with_results(&self, terms: Vec<BudgetTerm>) -> LinkBudget {
        let noise = self.noise();
        let mut budget = LinkBudget { terms, sensitivity: Some([0.0; 2]), results: Vec::new() };
        let snr = budget.margin().map(|it| it - noise);
        let scheme = snr.map(|it| match self.adaptation {
            Adaptation::Fixed(scheme) => scheme,
            _ => self.ladder.best_at(it),
        });
        budget.sensitivity = Some(scheme.map(|it| self.ladder.needed(it) + noise));
        let result = |name, unit, values| BudgetResult { name, unit, values };
        let packets = scheme.map(|it| self.access.of_packets(it.rate(), IP_PACKET) / 1e6);
        let on_air = scheme.map(|it| it.rate().bits_per_second() as f64 / 1e6);
        budget.results = vec![
            result("noise", "dBm", [noise; 2]),
            result("SNR", "dB", snr),
            result("MCS", "", scheme.map(|it| f64::from(it.index))),
            result("rate on the air", "Mbit/s", on_air),
            result("IP packets of 1500 B", "Mbit/s", packets),
            result("TCP with timestamps", "Mbit/s", packets.map(|it| it * TCP_SHARE)),
        ];
        budget
    }
}
