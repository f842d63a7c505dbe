//! What a link does to packets: it loses some, delivers some twice, and some late, so
//! that others overtake them.

use std::collections::VecDeque;
use std::num::NonZeroU8;

use rand_distr::{Distribution, Exp1};
use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_packets::{Corruption, Packet};

use crate::jitter::Jitter;
use crate::load_delay::{LoadDelay, LoadMeter};
use crate::loss::{Loss, Victims};
use crate::reordering::Reordering;

/// How often a link duplicates packets, reorders and corrupts them. To any packet at most
/// one thing happens: it is lost, or it comes twice, or it comes late; any that is not lost may be
/// corrupted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairment {
    /// Which packets arrive with another byte.
    pub corruption: Loss,
    /// Among which.
    pub corruptible: Victims,
    /// The probability that a packet is delivered twice, at the same instant.
    pub duplication: f64,
    /// Which packets are late.
    pub reordering: Reordering,
    /// By how much; what is sent within that time overtakes it.
    pub lateness: Duration,
    /// Each packet that is not lost is held for an exponential time of this mean, as a mix does
    /// (Danezis and Goldberg 2009; Piotrowska 2021): whatever the order in which packets come,
    /// each may leave before or after any other. Zero: none is.
    pub mixing: Duration,
    /// Each packet that is not lost is held for a time that is drawn; none: none is. Not together
    /// with reordering, mixing or a delay by load.
    pub jitter: Option<Jitter>,
    /// Each packet that is not lost is held for a time that depends on the load; none: none is.
    /// Not together with the others.
    pub load_delay: Option<LoadDelay>,
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
    /// Whether somebody was told when it arrives: once it is the first of all.
    pub is_called: bool,
}

/// What a link does to packets, and those that are late.
#[derive(Clone, Debug)]
pub struct Impairments {
    loss: Loss,
    victims: Victims,
    impairment: Impairment,
    load: Option<LoadMeter>,
    /// How many packets were sent.
    sent: u64,
    /// What the last delay was drawn from, where the next one depends on it.
    level: Option<f64>,
    /// When the last packet arrives that jitter has delayed.
    last: Time,
    /// In the order in which they arrive.
    pub late: VecDeque<Straggler>,
}

impl Impairments {
    /// Of a link on which nothing is late.
    #[must_use]
    pub fn new(loss: Loss, victims: Victims, impairment: Impairment) -> Self {
        let load = impairment.load_delay.map(LoadMeter::new);
        let (sent, level, last, late) = (0, None, Time::ZERO, VecDeque::new());
        Self { loss, victims, impairment, load, sent, level, last, late }
    }

    /// Whether anything can happen to a packet.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let Impairment { corruption, duplication, reordering, .. } = &self.impairment;
        let delays = reordering.is_any() || self.holds();
        [&self.loss, corruption].iter().any(|it| **it != Loss::None) || *duplication > 0.0 || delays
    }

    /// Whether it holds each packet.
    fn holds(&self) -> bool {
        let Impairment { mixing, jitter, .. } = &self.impairment;
        *mixing > Duration::ZERO || jitter.is_some() || self.load.is_some()
    }

    /// Whether those that are late can be overtaken.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        self.load.is_some() || self.impairment.jitter.as_ref().is_some_and(|it| it.keeps_order)
    }

    /// From now on it loses those packets, and so often.
    pub fn change_loss(&mut self, now: Time, loss: Loss, victims: Victims) {
        (self.loss, self.victims) = (loss.starting(now), victims);
    }

    /// From now on packets that are reordered are so late.
    pub fn change_lateness(&mut self, lateness: Duration) {
        self.impairment.lateness = lateness;
    }

    /// What becomes of the next packet, which is sent at `now`.
    pub fn fate(&mut self, now: Time, packet: &Packet, random: &mut Random) -> Fate {
        self.sent += 1;
        if self.victims.include(packet) && self.loss.strikes(now, random) {
            Fate::Lost
        } else if random.happens(self.impairment.duplication) {
            Fate::Twice
        } else if self.holds() || self.impairment.reordering.strikes(self.sent, random) {
            Fate::Late
        } else {
            Fate::Arrives
        }
    }

    /// How a packet is corrupted that arrives at `now`, if it is.
    pub fn corruption(
        &mut self,
        now: Time,
        packet: &Packet,
        random: &mut Random,
    ) -> Option<Corruption> {
        let Impairment { corruption, corruptible, .. } = &mut self.impairment;
        let strikes = corruptible.include(packet) && corruption.strikes(now, random);
        strikes.then(|| Corruption {
            place: random.bits(),
            bits: NonZeroU8::MIN.saturating_add((random.bits() % 0xff) as u8),
        })
    }

    /// Lets a packet come late that would have arrived at `now`; returns when, if
    /// it is the first of them.
    pub fn delay(
        &mut self,
        now: Time,
        packet: Handle,
        size: u32,
        random: &mut Random,
    ) -> Option<Time> {
        let Impairment { lateness, mixing, jitter, .. } = &self.impairment;
        let arrives = match (&mut self.load, jitter, *mixing) {
            (Some(load), _, _) => load.arrival(now, size),
            (None, Some(jitter), _) => {
                let drawn = now + jitter.draw(&mut self.level, random);
                // Where the order is kept, it waits for the latest of those before it.
                self.last = if jitter.keeps_order { self.last.max(drawn) } else { drawn };
                self.last
            }
            (None, None, Duration::ZERO) => now + *lateness,
            (None, None, mean) => now + mean.scaled(Exp1.sample(random.generator())),
        };
        let place = self.late.partition_point(|it| it.arrives <= arrives);
        self.late
            .insert(place, Straggler { packet, arrives, size, lost: false, is_called: place == 0 });
        (place == 0).then_some(arrives)
    }
}
