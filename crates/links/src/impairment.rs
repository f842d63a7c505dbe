//! What a link does to packets: it loses some, delivers some twice, and some late, so
//! that others overtake them.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_packets::Ecn;

use crate::loss::{Loss, Victims};

/// How often a link duplicates packets and reorders them. To any packet at most
/// one thing happens: it is lost, or it comes twice, or it comes late.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impairment {
    /// The probability that a packet is delivered twice, at the same instant.
    pub duplication: f64,
    /// The probability that a packet is late.
    pub reordering: f64,
    /// By how much; what is sent within that time overtakes it.
    pub lateness: Duration,
}

/// What becomes of a packet on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It uses the link and does not arrive.
    Lost,
    /// It arrives twice.
    Twice,
    /// It arrives later than those sent after it.
    Late,
}

/// A packet on its way outside the order of the others.
#[derive(Clone, Copy, Debug)]
pub struct Straggler {
    /// The packet.
    pub packet: Handle,
    /// When it arrives.
    pub arrives: Time,
    /// Its bytes, with the link's framing.
    pub size: u32,
    /// Whether an outage lost it meanwhile.
    pub lost: bool,
}

/// What a link does to packets, and those that are late.
#[derive(Debug)]
pub struct Impairments {
    loss: Loss,
    victims: Victims,
    impairment: Impairment,
    /// All are late by the same time, so that they stay in order among themselves.
    pub late: VecDeque<Straggler>,
}

impl Impairments {
    /// Of a link on which nothing is late.
    #[must_use]
    pub fn new(loss: Loss, victims: Victims, impairment: Impairment) -> Self {
        Self { loss, victims, impairment, late: VecDeque::new() }
    }

    /// Whether anything can happen to a packet.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let Impairment { duplication, reordering, .. } = self.impairment;
        self.loss != Loss::None || duplication > 0.0 || reordering > 0.0
    }

    /// What becomes of the next packet, which is sent at `now` and has that ECN field.
    pub fn fate(&mut self, now: Time, ecn: Ecn, random: &mut Random) -> Fate {
        let Impairment { duplication, reordering, .. } = self.impairment;
        if self.victims.include(ecn) && self.loss.strikes(now, random) {
            Fate::Lost
        } else if random.happens(duplication) {
            Fate::Twice
        } else if random.happens(reordering) {
            Fate::Late
        } else {
            Fate::Arrives
        }
    }

    /// Lets a packet come late that would have arrived at `now`; returns when, if
    /// it is the first of them.
    pub fn delay(&mut self, now: Time, packet: Handle, size: u32) -> Option<Time> {
        let arrives = now + self.impairment.lateness;
        let first = self.late.is_empty();
        self.late.push_back(Straggler { packet, arrives, size, lost: false });
        first.then_some(arrives)
    }
}
