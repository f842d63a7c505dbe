//! Nodes that move by the laws of orbits: where they are, how long light takes between them,
//! and when which links can be used.

mod following;

use std::collections::HashSet;

use windtunnel_engine::{Duration, Time};
use windtunnel_orbits::{DVec3, LIGHT_SPEED};

use crate::plan::{ChangePlan, ContactPlan, LinkChange, Metric, Plan, SkyPlan};
use crate::port_id::PortId;

impl SkyPlan {
    /// How long light takes over a distance in km.
    #[must_use]
    pub fn delay(distance: f64) -> Duration {
        Duration::from_seconds(distance / LIGHT_SPEED).unwrap_or(Duration::MAX)
    }

    /// Whether a node is on the ground and uses satellites.
    pub(crate) fn is_station(&self, node: usize) -> bool {
        self.stations.iter().any(|it| it.0 == node)
    }

    /// Whether a link is between nodes that move: these links are in their order.
    pub(crate) fn moves(&self, link: usize) -> bool {
        self.links.binary_search(&link).is_ok()
    }

    /// The links that can be used all the time.
    fn permanent(&self) -> Vec<usize> {
        let intermittent: HashSet<usize> = self.intermittent.iter().copied().collect();
        self.links.iter().copied().filter(|it| !intermittent.contains(it)).collect()
    }

    /// What happens to links as contacts begin and end, but those that begin with the run.
    pub(crate) fn changes(&self) -> Vec<ChangePlan> {
        let mut changes = Vec::new();
        let mut add = |link, time, change: LinkChange| {
            let ports = [0, 1].map(|side| PortId::new(link, side));
            changes.extend(ports.map(|port| ChangePlan { time, port, change: change.clone() }));
        };
        for contact in &self.contacts {
            if contact.from > Time::ZERO {
                add(contact.link, contact.from, LinkChange::Up);
                add(contact.link, contact.from, LinkChange::Announce);
            }
            if let Some(until) = contact.until {
                add(contact.link, until, LinkChange::Withdraw);
                if let Some(overlap) = contact.cut {
                    add(contact.link, until + overlap, LinkChange::Cut);
                }
            }
        }
        changes
    }
}

/// Where the nodes of a plan are, and what of it the network does not know yet.
#[derive(Clone, Debug)]
pub(crate) struct Sky {
    plan: SkyPlan,
    /// The nodes of each link of the plan.
    ends: Vec<[usize; 2]>,
    /// By port, whether packets go through it in this part of the world.
    used: Vec<bool>,
    /// The links that can be used all the time, and those whose contacts have begun and not
    /// ended, with their ends. One whose contact is over keeps its delay: what waits there is
    /// sent soon.
    permanent: Vec<usize>,
    current: Vec<(usize, Time)>,
    /// How many contacts have begun.
    begun: usize,
    delays: Vec<(usize, Duration)>,
    satellites: Vec<DVec3>,
    /// By node.
    places: Vec<DVec3>,
    /// Whether no path is shorter than the straight line.
    is_bounded: bool,
    /// The changes that nodes learn of at the next interval.
    pub(crate) changed: Vec<ChangePlan>,
    /// How much real time it took so far to follow.
    pub(crate) took: std::time::Duration,
}

impl Sky {
    /// Those of a plan in a part of its world, where packets go through the ports that are used.
    pub(crate) fn new(plan: &Plan, is_used: impl Fn(PortId) -> bool) -> Option<Self> {
        let sky = plan.sky.clone()?;
        let moving = sky.satellites.len() + sky.stations.len();
        let all = moving == plan.nodes.len() && sky.links.len() == plan.links.len();
        Some(Self {
            ends: plan.links.iter().map(|it| it.nodes).collect(),
            used: (0..2 * plan.links.len() as u32).map(|it| is_used(PortId(it))).collect(),
            permanent: sky.permanent(),
            current: Vec::new(),
            begun: 0,
            delays: Vec::with_capacity(sky.links.len()),
            satellites: Vec::with_capacity(sky.satellites.len()),
            places: vec![DVec3::ZERO; plan.nodes.len()],
            is_bounded: all && plan.routing.metric == Metric::Delay,
            changed: Vec::new(),
            took: std::time::Duration::ZERO,
            plan: sky,
        })
    }

    /// Finds out how long light takes over the links that can be used.
    fn measure(&mut self, now: Time) {
        self.place(now);
        self.follow_contacts(now);
        let delay = |link: usize| {
            let [one, other] = self.ends[link].map(|it| self.places[it]);
            (link, SkyPlan::delay(one.distance(other)))
        };
        let links = self.permanent.iter().chain(self.current.iter().map(|it| &it.0));
        self.delays.clear();
        self.delays.extend(links.map(|it| delay(*it)));
    }

    /// How long light takes over the links at the least, of all instants that are `every` apart
    /// and at which they can be used.
    pub(crate) fn least_delays(plan: &Plan, every: Duration) -> Vec<(usize, Duration)> {
        let Some(mut sky) = Self::new(plan, |_| false) else { return Vec::new() };
        let instants = (0..).map(|it| Time::ZERO + every * it).take_while(|it| *it <= plan.end());
        let mut least = Vec::new();
        for now in instants {
            sky.measure(now);
            least.extend_from_slice(&sky.delays);
            // One for each link is enough.
            least.sort_unstable();
            least.dedup_by_key(|it| it.0);
        }
        least
    }

    /// Finds out which links can be used, until the next interval.
    fn follow_contacts(&mut self, now: Time) {
        let begin = |it: &&ContactPlan| it.from < now + self.plan.interval;
        let contacts = self.plan.contacts[self.begun..].iter().take_while(begin);
        let before = self.current.len();
        self.current.extend(contacts.map(|it| (it.link, it.until.unwrap_or(Time::NEVER))));
        self.begun += self.current.len() - before;
        self.current.retain(|it| it.1 >= now);
    }

    /// Finds out where all are.
    fn place(&mut self, now: Time) {
        let time = now.as_seconds();
        self.plan.sky.positions(time, &mut self.satellites);
        for (node, position) in self.plan.satellites.iter().zip(&self.satellites) {
            self.places[*node] = *position;
        }
        for (node, path) in &self.plan.stations {
            if now == Time::ZERO || !path.stays() {
                self.places[*node] = path.place(time).position();
            }
        }
    }
}
