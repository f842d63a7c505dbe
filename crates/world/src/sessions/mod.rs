//! Sessions whose state is paged between the nodes that serve them: when users access pages
//! and are handed over, and how what their sessions send gets across, as messages over TCP.

mod idle;
mod plan;
mod totals;
mod user;

use std::collections::{HashMap, VecDeque};

use windtunnel_applications::sessions::Site;
use windtunnel_engine::{Duration, Streams, Time};

use self::user::User;
use crate::event::{Event, Kind};
use crate::hosts::Hosts;
use crate::network::Network;
use crate::plan::Plan;

pub use plan::{SessionUserPlan, SessionsPlan, StagePlan};
pub use totals::{SessionNode, SessionStage, SessionTotals};

/// How often it is counted what each node holds.
const SAMPLED: Duration = Duration::from_millis(1_000);

/// A message under way from one node to another.
#[derive(Clone, Copy, Debug)]
struct Message {
    user: usize,
    /// Which of the user's sessions it belongs to.
    session: u64,
    transfer: u64,
    /// Of a request: between which nodes the answer goes, and its size.
    answer: Option<([Site; 2], u64)>,
}

/// The users of one kind.
#[derive(Clone, Debug)]
struct Group {
    plan: SessionsPlan,
    totals: SessionTotals,
    /// The flow from one node to another.
    flows: HashMap<[Site; 2], u32>,
}

/// All sessions. In a part of a world, those are at work whose nodes are there: all nodes of one
/// kind are in one part, because a session is one thing at all nodes that serve it, and because the
/// totals and the search for an idle neighbour are those of all users of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    groups: Vec<Group>,
    users: Vec<User>,
    /// By flow, what is under way.
    messages: Vec<VecDeque<Message>>,
}

impl Sessions {
    /// The sessions of a plan, if it has any.
    pub(crate) fn new(plan: &Plan, streams: &Streams) -> Option<Self> {
        if plan.sessions.is_empty() {
            return None;
        }
        let mut sessions = Self {
            groups: Vec::new(),
            users: Vec::new(),
            messages: vec![VecDeque::new(); plan.flows.len()],
        };
        for (group, of) in plan.sessions.iter().enumerate() {
            let random = |user: &str| streams.stream(&format!("sessions {} {user}", of.name));
            let users = of.users.iter().map(|it| User::new(group, it, of, random(&it.name)));
            sessions.users.extend(users);
            let site = |node: usize| Site(node as u32);
            let flows = of.flows.clone().map(|flow| {
                let it = &plan.flows[flow];
                ([site(it.from), site(it.to)], flow as u32)
            });
            let (flows, totals) = (flows.collect(), SessionTotals::default());
            sessions.groups.push(Group { plan: of.clone(), totals, flows });
        }
        Some(sessions)
    }

    /// Schedules what happens first to the sessions of the part.
    pub(crate) fn start(&self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        let is_here = |group: usize| is_here(self.node(group));
        for user in (0..self.users.len()).filter(|it| is_here(self.users[*it].group)) {
            self.arrange(network, user);
        }
        for (group, of) in self.groups.iter().enumerate().filter(|it| is_here(it.0)) {
            let event = Event::new(Kind::Session, (self.users.len() + group) as u32);
            network.schedule(Time::ZERO + SAMPLED, event);
            of.plan.failures.iter().for_each(|(time, _)| network.schedule(*time, event));
        }
    }

    /// Something is due for a user, or for a group: those are numbered after all users.
    pub(crate) fn wake(&mut self, network: &mut Network, hosts: &mut Hosts, now: Time, of: u32) {
        match (of as usize).checked_sub(self.users.len()) {
            Some(group) => self.wake_group(network, hosts, now, group),
            None => self.wake_user(network, hosts, now, of as usize),
        }
    }

    fn wake_user(&mut self, network: &mut Network, hosts: &mut Hosts, now: Time, of: usize) {
        while self.users[of].next_wake() <= now {
            self.choose_idle(now, of);
            let user = &mut self.users[of];
            let group = &mut self.groups[user.group];
            user.step(now, &group.plan, &mut group.totals);
            self.send(network, hosts, now, of);
        }
        self.arrange(network, of);
    }

    /// Schedules a user's next wake-up, which nothing else brings forward.
    fn arrange(&self, network: &mut Network, of: usize) {
        let next = self.users[of].next_wake();
        if next < Time::NEVER {
            network.schedule(next, Event::new(Kind::Session, of as u32));
        }
    }

    /// Counts what nodes hold, if that is due, and has those lose it that fail now.
    fn wake_group(&mut self, network: &mut Network, hosts: &mut Hosts, now: Time, of: usize) {
        let group = &mut self.groups[of];
        let users = || self.users.iter().enumerate().filter(|it| it.1.group == of);
        if now.as_picos().is_multiple_of(SAMPLED.as_picos()) {
            group.totals.sample(users().filter_map(|it| it.1.session()));
            let event = Event::new(Kind::Session, (self.users.len() + of) as u32);
            network.schedule(now + SAMPLED, event);
        }
        let failing: Vec<Site> = group.plan.failing(now).map(|it| Site(it as u32)).collect();
        if failing.is_empty() {
            return;
        }
        let users: Vec<usize> = users().map(|it| it.0).collect();
        for (user, site) in users.iter().flat_map(|it| failing.iter().map(move |site| (*it, *site)))
        {
            let group = &mut self.groups[of];
            self.users[user].fail(now, site, &mut group.totals);
            self.send(network, hosts, now, user);
        }
    }

    /// What was received whole goes to the sessions that it belongs to.
    pub(crate) fn deliver(&mut self, network: &mut Network, hosts: &mut Hosts, now: Time) {
        while let Some(flow) = hosts.next_delivered() {
            let Some(message) = self.messages[flow as usize].pop_front() else { continue };
            let user = &mut self.users[message.user];
            if user.number() != message.session {
                continue;
            }
            if let Some((ends, bytes)) = message.answer {
                let answer = Message { answer: None, ..message };
                self.post(network, hosts, now, ends, bytes, answer);
                continue;
            }
            let group = &mut self.groups[user.group];
            user.arrived(now, message.transfer, &mut group.totals);
            self.send(network, hosts, now, message.user);
        }
    }

    /// Sends what a user's session has to send.
    fn send(&mut self, network: &mut Network, hosts: &mut Hosts, now: Time, of: usize) {
        while let Some(it) = self.users[of].next_transfer() {
            let session = self.users[of].number();
            let ends = [it.from, it.to];
            let message = Message { user: of, session, transfer: it.number, answer: None };
            match it.requested_by {
                None => self.post(network, hosts, now, ends, it.bytes, message),
                Some(asking) => {
                    let request = Message { answer: Some((ends, it.bytes)), ..message };
                    let ends = [asking, it.from];
                    self.post(network, hosts, now, ends, it.request_bytes, request);
                }
            }
        }
    }

    fn post(
        &mut self,
        network: &mut Network,
        hosts: &mut Hosts,
        now: Time,
        ends: [Site; 2],
        bytes: u64,
        message: Message,
    ) {
        let group = &self.groups[self.users[message.user].group];
        let flow = group.flows[&ends];
        self.messages[flow as usize].push_back(message);
        hosts.send_message(network, now, flow, bytes);
    }

    /// How many kinds there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// One of the nodes of the sessions of a kind.
    pub(crate) fn node(&self, group: usize) -> usize {
        self.groups[group].plan.nodes().next().unwrap_or(0)
    }

    /// The node of an event of a user or of a kind.
    pub(crate) fn node_of(&self, of: u32) -> usize {
        let group = (of as usize).checked_sub(self.users.len());
        self.node(group.unwrap_or_else(|| self.users[of as usize].group))
    }

    /// What the sessions of a kind have counted.
    pub(crate) fn totals(&self, group: usize) -> SessionTotals {
        let mut totals = self.groups[group].totals.clone();
        let users = self.users.iter().filter(|it| it.group == group);
        users.for_each(|it| it.add_to(&mut totals));
        totals
    }
}
