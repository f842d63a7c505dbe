//! What a link does to packets beside losing them: it delivers some twice, and
//! some late, so that others overtake them.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_packets::Ecn;

use crate::{Loss, Victims};

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
pub(crate) enum Fate {
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
pub(crate) struct Straggler {
    pub(crate) packet: Handle,
    pub(crate) arrives: Time,
    pub(crate) size: u32,
    pub(crate) lost: bool,
}

/// What a link does to packets, and those that are late.
#[derive(Debug)]
pub(crate) struct Impaired {
    loss: Loss,
    victims: Victims,
    impairment: Impairment,
    /// All are late by the same time, so that they stay in order among themselves.
    pub(crate) late: VecDeque<Straggler>,
}

impl Impaired {
    pub(crate) fn new(loss: Loss, victims: Victims, impairment: Impairment) -> Self {
        Self { loss, victims, impairment, late: VecDeque::new() }
    }

    /// Whether anything can happen to a packet.
    pub(crate) fn is_any(&self) -> bool {
        let Impairment { duplication, reordering, .. } = self.impairment;
        self.loss != Loss::None || duplication > 0.0 || reordering > 0.0
    }

    /// What becomes of the next packet, which has that ECN field.
    pub(crate) fn fate(&mut self, ecn: Ecn, random: &mut Random) -> Fate {
        let Impairment { duplication, reordering, .. } = self.impairment;
        if self.victims.include(ecn) && self.loss.strikes(random) {
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
    pub(crate) fn delay(&mut self, now: Time, packet: Handle, size: u32) -> Option<Time> {
        let arrives = now + self.impairment.lateness;
        let first = self.late.is_empty();
        self.late.push_back(Straggler { packet, arrives, size, lost: false });
        first.then_some(arrives)
    }
}
