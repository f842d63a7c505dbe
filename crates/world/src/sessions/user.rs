//! A user, whose sessions are served by one node after the other.

use windtunnel_applications::sessions::{
    Access, PageLocation, PageTransfer, Purpose, Session, Site,
};
use windtunnel_applications::{Period, Sizes};
use windtunnel_engine::{Duration, Random, Time};

use super::{SessionTotals, SessionUserPlan, SessionsPlan, StagePlan};

/// An access that is not done.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    page: usize,
    since: Time,
    /// The transfer that answers it, if the page stays where it is.
    transfer: Option<u64>,
}

/// A user and the session of now.
#[derive(Clone, Debug)]
pub(super) struct User {
    pub(super) group: usize,
    random: Random,
    stages: Vec<StagePlan>,
    /// The stage that comes next, and the last one whose node got pages ahead.
    next_stage: usize,
    prepared: usize,
    ahead: Option<Duration>,
    /// Who serves the user, if anyone does, and until when.
    serving: Option<Site>,
    until: Time,
    session: Option<Session>,
    /// How many sessions have begun.
    number: u64,
    begin: Time,
    end: Time,
    next_access: Time,
    /// Accesses while no node served the user: they begin when one does.
    unserved: Vec<usize>,
    /// Accesses that the serving node refused, because it had not the session's token.
    refused: Vec<Waiting>,
    /// Accesses that wait for a page.
    waiting: Vec<Waiting>,
}

impl User {
    pub(super) fn new(
        group: usize,
        plan: &SessionUserPlan,
        of: &SessionsPlan,
        mut random: Random,
    ) -> Self {
        let begin = of.start + of.start_within.scaled(random.unit());
        Self {
            group,
            random,
            stages: plan.stages.clone(),
            next_stage: 0,
            prepared: 0,
            ahead: of.ahead,
            serving: None,
            until: Time::NEVER,
            session: None,
            number: 0,
            begin,
            end: Time::NEVER,
            next_access: Time::NEVER,
            unserved: Vec::new(),
            refused: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// The session of now.
    pub(super) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The number of the session of now, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// When something happens next.
    pub(super) fn next_wake(&self) -> Time {
        if self.session.is_none() {
            return self.begin;
        }
        let next = self.stages.get(self.next_stage).map_or(Time::NEVER, |it| it.from);
        let preparation = self.preparation().map_or(Time::NEVER, |it| it.0);
        self.end.min(self.until).min(next).min(preparation).min(self.next_access)
    }

    /// When pages are copied to the node that serves next, and that node, if they were not.
    fn preparation(&self) -> Option<(Time, Site)> {
        let next = self.stages.get(self.next_stage).filter(|_| self.prepared < self.next_stage)?;
        let ahead = self.ahead?.min(next.from.since(Time::ZERO));
        Some((Time::ZERO + (next.from.since(Time::ZERO) - ahead), site(*next)))
    }

    /// Between which nodes a handover is due.
    pub(super) fn due_handover(&self, now: Time) -> Option<[Site; 2]> {
        let next = self.stages.get(self.next_stage).filter(|it| it.from <= now)?;
        Some([self.session.as_ref()?.owner()?, site(*next)])
    }

    /// Names the node that takes what the next handover leaves behind.
    pub(super) fn set_idle(&mut self, idle: Option<Site>) {
        self.session.iter_mut().for_each(|it| it.set_idle(idle));
    }

    /// The node that serves the user.
    pub(super) fn serving(&self) -> Option<Site> {
        self.serving
    }

    /// What is due happens, or the first of it.
    pub(super) fn step(&mut self, now: Time, plan: &SessionsPlan, totals: &mut SessionTotals) {
        let stage = self.stages.get(self.next_stage).copied();
        if self.session.is_none() {
            self.begin(now, plan, totals);
        } else if self.end <= now {
            self.end(now, plan, totals);
        } else if let Some(stage) = stage.filter(|it| it.from <= now) {
            self.enter(now, stage, totals);
        } else if self.until <= now {
            self.serving = None;
            self.until = Time::NEVER;
        } else if let Some((_, next)) = self.preparation().filter(|it| it.0 <= now) {
            self.prepared = self.next_stage;
            self.session.iter_mut().for_each(|it| it.prepare(next));
        } else {
            self.next_access = now + plan.access_interval.draw(&mut self.random);
            totals.accesses += 1;
            let page = plan.popularity.draw(&mut self.random);
            match self.serving {
                Some(_) => self.begin_access(now, page, totals),
                None => {
                    totals.unserved += 1;
                    self.unserved.push(page);
                }
            }
        }
    }

    /// Begins a session at the node that serves the user now; without one, when one does.
    fn begin(&mut self, now: Time, plan: &SessionsPlan, totals: &mut SessionTotals) {
        let is_over = |it: &StagePlan| it.until <= now;
        self.next_stage = self.stages.iter().take_while(|it| is_over(it)).count();
        let Some(stage) = self.stages.get(self.next_stage).copied() else {
            self.begin = Time::NEVER;
            return;
        };
        if stage.from > now {
            self.begin = stage.from;
            return;
        }
        let last = self.stages.last().map_or(Time::NEVER, |it| it.until);
        let length = plan.length.map(|it| it.draw(&mut self.random));
        self.end = length.map_or(last, |it| last.min(now + it));
        let session = Session::new(plan.settings.clone(), site(stage));
        let draw = |sizes: &Sizes| sizes.draw(&mut self.random);
        let elements =
            plan.elements.iter().flat_map(|it| std::iter::repeat_n(it, plan.settings.pages));
        self.session = Some(session.with_elements(elements.map(draw).collect()));
        self.number += 1;
        totals.sessions += 1;
        self.next_stage += 1;
        (self.serving, self.until) = (Some(site(stage)), stage.until);
        self.next_access = now
            + match plan.access_interval {
                // So none is at the very beginning or end of a stage of whole intervals.
                Period::Fixed(interval) => interval.scaled(0.5),
                interval @ Period::Exponential(_) => interval.draw(&mut self.random),
            };
    }

    /// Ends the session; the next one begins at once, if sessions have a length.
    fn end(&mut self, now: Time, plan: &SessionsPlan, totals: &mut SessionTotals) {
        let Some(mut session) = self.session.take() else { return };
        totals.end_stage(&session);
        session.end();
        totals.counters += *session.counters();
        totals.unfinished += self.unfinished();
        self.unserved.clear();
        self.refused.clear();
        self.waiting.clear();
        self.begin = if plan.length.is_some() { now } else { Time::NEVER };
    }

    /// The next node serves the user: the session is handed over to it.
    fn enter(&mut self, now: Time, stage: StagePlan, totals: &mut SessionTotals) {
        let Some(session) = &mut self.session else { return };
        let to = site(stage);
        self.next_stage += 1;
        (self.serving, self.until) = (Some(to), stage.until);
        if session.owner() != Some(to) {
            totals.end_stage(session);
            session.handover(to);
        }
        self.settle(now, totals);
        let unserved = std::mem::take(&mut self.unserved);
        unserved.into_iter().for_each(|page| self.begin_access(now, page, totals));
    }

    /// Accesses a page at the node that serves the user.
    fn begin_access(&mut self, now: Time, page: usize, totals: &mut SessionTotals) {
        if let Some(site) = self.serving {
            totals.node(site).accesses += 1;
            self.access(now, Waiting { page, since: now, transfer: None }, totals);
        }
    }

    /// Accesses a page, or does so again.
    fn access(&mut self, now: Time, mut wanted: Waiting, totals: &mut SessionTotals) {
        let Some(session) = &mut self.session else { return };
        // Out of contact, the last node still has the token.
        let Some(site) = self.serving.or(session.owner()) else {
            return self.refused.push(wanted);
        };
        match session.access(site, wanted.page) {
            Access::Hit | Access::Created => done(now, &wanted, totals),
            Access::Refused => self.refused.push(wanted),
            Access::Fault { .. } | Access::Waiting => self.waiting.push(wanted),
            Access::Remote { transfer, .. } => {
                wanted.transfer = Some(transfer);
                self.waiting.push(wanted);
            }
        }
    }

    /// A transfer of the session has arrived.
    pub(super) fn arrived(&mut self, now: Time, transfer: u64, totals: &mut SessionTotals) {
        let Some(session) = &mut self.session else { return };
        let Some(PageTransfer { purpose, .. }) = session.arrived(transfer) else { return };
        if purpose == Purpose::RemoteAccess {
            self.waiting.retain(|it| {
                let is_answered = it.transfer == Some(transfer);
                if is_answered {
                    done(now, it, totals);
                }
                !is_answered
            });
        }
        self.settle(now, totals);
    }

    /// A node loses what it holds: what was to come from there or go there is asked for again.
    pub(super) fn fail(&mut self, now: Time, at: Site, totals: &mut SessionTotals) {
        let Some(session) = &mut self.session else { return };
        let ended = session.fail(at);
        let is_ended = |it: &Waiting| it.transfer.is_some_and(|it| ended.contains(&it));
        let again: Vec<Waiting> = self.waiting.extract_if(.., |it| is_ended(it)).collect();
        again.into_iter().for_each(|it| self.access(now, it, totals));
        self.settle(now, totals);
    }

    /// Accesses are done whose page has arrived; those are repeated that a handover or a
    /// failure has overtaken, as soon as a node has the token.
    fn settle(&mut self, now: Time, totals: &mut SessionTotals) {
        let Some(session) = &self.session else { return };
        let Some(owner) = session.owner() else { return };
        let mut again = Vec::new();
        self.waiting.retain(|it| match session.location(it.page) {
            _ if it.transfer.is_some() => true,
            PageLocation::Moving { .. } => true,
            PageLocation::At(frame) if frame.site == owner => {
                done(now, it, totals);
                false
            }
            PageLocation::At(_) | PageLocation::Nowhere => {
                again.push(*it);
                false
            }
        });
        again.append(&mut self.refused);
        again.into_iter().for_each(|it| self.access(now, it, totals));
    }

    /// The next transfer to carry.
    pub(super) fn next_transfer(&mut self) -> Option<PageTransfer> {
        self.session.as_mut()?.next_transfer()
    }

    fn unfinished(&self) -> u64 {
        (self.unserved.len() + self.refused.len() + self.waiting.len()) as u64
    }

    /// Adds what a session has counted that has not ended.
    pub(super) fn add_to(&self, totals: &mut SessionTotals) {
        if let Some(session) = &self.session {
            totals.counters += *session.counters();
            totals.unfinished += self.unfinished();
        }
    }
}

fn site(stage: StagePlan) -> Site {
    Site(stage.node as u32)
}

/// An access is done.
fn done(now: Time, it: &Waiting, totals: &mut SessionTotals) {
    let took = now.since(it.since);
    if took > Duration::ZERO {
        totals.latencies.push(took);
    }
}
