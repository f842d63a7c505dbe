//! What few links have: a physical layer, a delivery trace, impairments.

use windtunnel_engine::{Duration, Handle, Random, Time};
use windtunnel_links::{
    Cursor, Fate, Frame, Impairments, Outcome, PhysicalLayer, PhysicalLayerMaker, Reception,
    Straggler,
};
use windtunnel_packets::{Corruption, Packet};

use crate::plan::{DirectionPlan, LossChange};

/// What a link does beside sending at a rate and delivering everything once.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    random: Random,
    /// For how long packets are held: drawn as they arrive, not as they are sent.
    holding: Random,
    layer: Option<Box<dyn PhysicalLayer>>,
    pub(super) opportunities: Option<Cursor>,
    impairments: Impairments,
    /// Since when all is lost, while it is.
    loses_since: Option<Time>,
    /// How packets are received, if the link's channel says.
    reception: Option<Reception>,
}

impl Effects {
    /// What a link has, if it has anything; `can_lose` says whether its channel loses all at
    /// times, or what it loses changes.
    pub(super) fn new(plan: &DirectionPlan, can_lose: bool, random: Random) -> Option<Box<Self>> {
        let impairments =
            Impairments::new(plan.loss.clone(), plan.victims.clone(), plan.impairment.clone());
        let opportunities = plan.opportunities.clone().map(Cursor::new);
        let layer = plan.physical_layer.as_deref().map(PhysicalLayerMaker::layer);
        let any = layer.is_some() || opportunities.is_some() || impairments.is_any();
        let (holding, loses_since, reception) = (random.second(), None, None);
        (any || can_lose).then(|| {
            Box::new(Self {
                random,
                holding,
                layer,
                opportunities,
                impairments,
                loses_since,
                reception,
            })
        })
    }

    /// Since when all is lost, while it is.
    pub(super) fn loses_since(&mut self) -> &mut Option<Time> {
        &mut self.loses_since
    }

    /// How packets are received, if the link's channel says.
    pub(super) fn reception(&mut self) -> &mut Option<Reception> {
        &mut self.reception
    }

    /// Whether a packet uses the link once, and as soon as that is free.
    #[inline]
    pub(super) fn sends_at_once(&self) -> bool {
        self.layer.is_none() && self.opportunities.is_none()
    }

    /// How packets get across, if not in one attempt at the link's rate.
    pub(super) fn layer(&self) -> Option<&dyn PhysicalLayer> {
        self.layer.as_deref()
    }

    /// The physical layer and the delivery trace, as far as there are any.
    pub(super) fn timing(&mut self) -> (Option<&dyn PhysicalLayer>, Option<&mut Cursor>) {
        (self.layer.as_deref(), self.opportunities.as_mut())
    }

    /// What becomes of the next packet, which is sent at `now`, if the physical layer does not
    /// lose it.
    #[inline]
    pub(super) fn fate(&mut self, now: Time, packet: &Packet) -> Fate {
        self.impairments.fate(now, packet, &mut self.random)
    }

    /// How the next packet gets across, and what becomes of it, as things are at `now`. What
    /// the physical layer loses is not impaired further.
    pub(super) fn send(&mut self, now: Time, frame: &Frame, packet: &Packet) -> (Outcome, Fate) {
        let random = &mut self.random;
        let outcome = self.layer.as_mut().map_or(Outcome::AT_ONCE, |it| it.send(frame, random));
        let fate = if outcome.lost { Fate::Lost } else { self.fate(now, packet) };
        (outcome, fate)
    }

    /// How a packet is corrupted that arrives at `now`, if it is.
    pub(super) fn corruption(&mut self, now: Time, packet: &Packet) -> Option<Corruption> {
        self.impairments.corruption(now, packet, &mut self.holding)
    }

    /// From now on it loses what the change says.
    pub(super) fn change_loss(&mut self, now: Time, change: &LossChange) {
        let LossChange { loss, victims } = change.clone();
        self.impairments.change_loss(now, loss, victims);
    }

    /// From now on packets that are reordered are so late.
    pub(super) fn change_lateness(&mut self, lateness: Duration) {
        self.impairments.change_lateness(lateness);
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

    /// Gives back the bytes of packets that do not start.
    pub(super) fn give_back(&mut self, bytes: u64) {
        if let Some(cursor) = &mut self.opportunities {
            cursor.give_back(bytes);
        }
    }

    /// How many packets are late.
    pub(super) fn late(&self) -> usize {
        self.impairments.late.len()
    }

    /// Whether what is late cannot be overtaken.
    pub(super) fn keeps_order(&self) -> bool {
        self.impairments.keeps_order()
    }

    /// Lets a packet come late that would have arrived at `now`; returns when, if it
    /// is the first of them.
    pub(super) fn delay(&mut self, now: Time, packet: Handle, size: u32) -> Option<Time> {
        self.impairments.delay(now, packet, size, &mut self.holding)
    }

    /// When the first of the late packets arrives.
    pub(super) fn first_late(&self) -> Option<Time> {
        self.impairments.late.front().map(|it| it.arrives)
    }

    /// The late packet that arrives at `now`, and when the next one does, if nobody was told.
    pub(super) fn next_late(&mut self, now: Time) -> (Option<Straggler>, Option<Time>) {
        let late = &mut self.impairments.late;
        if late.front().is_none_or(|it| it.arrives > now) {
            return (None, None);
        }
        let first = late.pop_front();
        let next = late.front_mut().and_then(|it| {
            let is_known = std::mem::replace(&mut it.is_called, true);
            (!is_known).then_some(it.arrives)
        });
        (first, next)
    }

    /// Those that are late are lost.
    pub(super) fn lose_late(&mut self) {
        self.impairments.late.iter_mut().for_each(|it| it.lost = true);
    }
}
