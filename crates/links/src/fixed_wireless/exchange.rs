//! Exchanges on a medium that both ends share: an aggregate of packets, and its block
//! acknowledgement.

use windtunnel_engine::{Duration, Random, Rate};

use super::block_ack::{Window, attempts};
use super::mcs::SnrThresholds;
use super::packet_errors::PacketErrors;
use super::timing::{Access, EXCHANGE_OVERHEAD, LONGEST, around};
use crate::channel::Reception;
use crate::physical_layer::{Frame, Outcome, PhysicalLayer, PhysicalLayerMaker};

/// How one end sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExchangePlan {
    /// Whether it contends for the medium.
    pub access: Access,
    /// The most packets of an aggregate: 1 to 64.
    pub aggregation: u32,
    /// From which SNR on schemes can be used.
    pub thresholds: SnrThresholds,
    /// How often a packet is sent again at the most.
    pub retransmissions: u32,
}

/// One end at work. Its turns are its exchanges, from one on.
#[derive(Clone, Debug)]
struct Exchange {
    plan: ExchangePlan,
    errors: PacketErrors,
    window: Window,
    /// The present turn: its packets, and how long they are on the air.
    turn: u64,
    packets: u32,
    length: Duration,
}

impl PhysicalLayer for Exchange {
    fn send(&mut self, frame: &Frame, random: &mut Random) -> Outcome {
        let begins = frame.was_free || !self.continues();
        if begins {
            self.turn = (self.turn + 1).max(self.window.opens());
            (self.packets, self.length) = (0, Duration::ZERO);
        }
        let reception = frame.reception.unwrap_or(Reception::PERFECT);
        let bytes = frame.size + EXCHANGE_OVERHEAD;
        let error = self.errors.of(reception, bytes);
        let (attempts, lost) = attempts(error, self.plan.retransmissions, random);
        self.packets += 1;
        self.length += frame.rate.transmission_time(bytes) * u64::from(attempts);
        self.window.send(self.turn + u64::from(attempts) - 1);
        Outcome { attempts, begins, lost }
    }

    fn airtime(&self, size: u32, rate: Rate, outcome: Outcome) -> Duration {
        let bits = rate.transmission_time(size + EXCHANGE_OVERHEAD) * u64::from(outcome.attempts);
        if outcome.begins { around(self.plan.access) + bits } else { bits }
    }

    /// Each further attempt is in a later exchange.
    fn delay(&self, outcome: Outcome) -> Duration {
        around(self.plan.access) * u64::from(outcome.attempts - 1)
    }

    fn keeps_its_rate(&self) -> bool {
        true
    }

    fn continues(&self) -> bool {
        let has_room = self.packets < self.plan.aggregation && self.length < LONGEST;
        has_room && self.packets > 0 && self.window.opens() <= self.turn
    }
}

impl PhysicalLayerMaker for ExchangePlan {
    fn layer(&self) -> Box<dyn PhysicalLayer> {
        let (turn, packets, length) = (0, 0, Duration::ZERO);
        let errors = PacketErrors::new(self.thresholds);
        Box::new(Exchange { plan: *self, errors, window: Window::EMPTY, turn, packets, length })
    }

    fn decides_on_departure(&self) -> bool {
        true
    }
}
