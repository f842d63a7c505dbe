//! What few links have: an air interface, a delivery trace, impairments.

use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_packets::Ecn;

use crate::air::{Air, Crossing};
use crate::impairment::{Fate, Impaired, Straggler};
use crate::opportunities::Cursor;
use crate::plan::DirectionPlan;

/// What a link does beside sending at a rate and delivering everything once.
#[derive(Debug)]
pub(super) struct Medium {
    random: Random,
    pub(super) air: Option<Air>,
    pub(super) opportunities: Option<Cursor>,
    impaired: Impaired,
}

impl Medium {
    /// What a link has, if it has anything.
    pub(super) fn new(plan: &DirectionPlan, random: Random) -> Option<Box<Self>> {
        let impaired = Impaired::new(plan.loss, plan.victims, plan.impairment);
        let opportunities = plan.opportunities.clone().map(Cursor::new);
        let any = plan.air.is_some() || opportunities.is_some() || impaired.is_any();
        any.then(|| Box::new(Self { random, air: plan.air.map(Air::new), opportunities, impaired }))
    }

    /// Whether a packet uses the link once, and as soon as that is free.
    #[inline]
    pub(super) fn sends_at_once(&self) -> bool {
        self.air.is_none() && self.opportunities.is_none()
    }

    /// What becomes of the next packet, if nothing happens to it in the air.
    #[inline]
    pub(super) fn fate(&mut self, ecn: Ecn) -> Fate {
        self.impaired.fate(ecn, &mut self.random)
    }

    /// In how many attempts the next packet crosses the air, and what becomes of it.
    /// What is lost there meets nothing behind it. It uses the link for so long at each
    /// attempt, and found it free or not.
    pub(super) fn send(&mut self, transmission: Duration, was_free: bool, ecn: Ecn) -> (u32, Fate) {
        let random = &mut self.random;
        let air = self.air.as_mut();
        let crossing = air.map_or(Crossing::AT_ONCE, |it| it.cross(transmission, was_free, random));
        let fate = if crossing.lost { Fate::Lost } else { self.fate(ecn) };
        (crossing.attempts, fate)
    }

    /// When the next opportunity comes, if the link has a delivery trace.
    pub(super) fn next_opportunity(&self) -> Option<Time> {
        self.opportunities.as_ref().map(Cursor::time)
    }

    /// The same, when those before `now` are gone.
    pub(super) fn opportunity_from(&mut self, now: Time) -> Option<Time> {
        let cursor = self.opportunities.as_mut()?;
        cursor.skip_to(now);
        Some(cursor.time())
    }

    /// Gives back the octets of packets that do not start.
    pub(super) fn give_back(&mut self, octets: u64) {
        if let Some(cursor) = &mut self.opportunities {
            cursor.give_back(octets);
        }
    }

    /// How many packets are late.
    pub(super) fn late(&self) -> usize {
        self.impaired.late.len()
    }

    /// Lets a packet come late that would have arrived at `now`; returns when, if it
    /// is the first of them.
    pub(super) fn delay(&mut self, now: Time, packet: Handle, size: u32) -> Option<Time> {
        self.impaired.delay(now, packet, size)
    }

    /// When the first of the late packets arrives.
    pub(super) fn first_late(&self) -> Option<Time> {
        self.impaired.late.front().map(|it| it.arrives)
    }

    /// The late packet that arrives at `now`, and when the next one does.
    pub(super) fn next_late(&mut self, now: Time) -> (Option<Straggler>, Option<Time>) {
        let late = &mut self.impaired.late;
        if late.front().is_none_or(|it| it.arrives > now) {
            return (None, None);
        }
        (late.pop_front(), late.front().map(|it| it.arrives))
    }

    /// Those that are late are lost.
    pub(super) fn lose_late(&mut self) {
        self.impaired.late.iter_mut().for_each(|it| it.lost = true);
    }
}
