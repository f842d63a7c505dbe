//! What a link does to packets beside losing them: it delivers some twice, and
//! some late, so that others overtake them.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Handle, Random, Time};

use crate::Loss;

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

/// A link that does not deliver everything once and in order.
#[derive(Debug)]
pub(crate) struct Impaired {
    loss: Loss,
    impairment: Impairment,
    random: Random,
    /// All are late by the same time, so that they stay in order among themselves.
    pub(crate) late: VecDeque<Straggler>,
}

impl Impaired {
    /// The impaired link, if it is one.
    pub(crate) fn new(loss: Loss, impairment: Impairment, random: Random) -> Option<Box<Self>> {
        let perfect = impairment.duplication <= 0.0 && impairment.reordering <= 0.0;
        (loss != Loss::None || !perfect)
            .then(|| Box::new(Self { loss, impairment, random, late: VecDeque::new() }))
    }

    /// What becomes of the next packet.
    pub(crate) fn fate(&mut self) -> Fate {
        let Impairment { duplication, reordering, .. } = self.impairment;
        if self.loss.strikes(&mut self.random) {
            Fate::Lost
        } else if self.random.happens(duplication) {
            Fate::Twice
        } else if self.random.happens(reordering) {
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
