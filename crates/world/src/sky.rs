//! Nodes that move by the laws of orbits: where they are, how long light takes between them,
//! and when which links can be used.

use windtunnel_engine::{Duration, Time};
use windtunnel_orbits::{DVec3, LIGHT_SPEED};

use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::{ChangePlan, LinkChange, Metric, Plan, SkyPlan};
use crate::port_id::PortId;

/// How long light takes over a kilometre, in picoseconds: a little less, so that rounding does
/// not make it more.
const LEAST_PICOSECONDS: f64 = 1e12 / LIGHT_SPEED * (1.0 - 1e-15);

impl SkyPlan {
    /// How long light takes over a distance in km.
    #[must_use]
    pub fn delay(distance: f64) -> Duration {
        Duration::from_seconds(distance / LIGHT_SPEED).unwrap_or(Duration::MAX)
    }

    /// What happens to links as contacts begin and end, but those that begin with the run.
    pub(crate) fn changes(&self) -> Vec<ChangePlan> {
        let mut changes = Vec::new();
        let mut add = |link, time, change| {
            let ports = [0, 1].map(|side| PortId::new(link, side));
            changes.extend(ports.map(|port| ChangePlan { time, port, change }));
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
#[derive(Debug)]
pub(crate) struct Sky {
    plan: SkyPlan,
    /// The nodes of each link.
    ends: Vec<[usize; 2]>,
    satellites: Vec<DVec3>,
    /// By node.
    places: Vec<DVec3>,
    /// Whether no path is shorter than the straight line.
    is_bounded: bool,
    /// The changes that nodes learn of at the next interval.
    pub(crate) changed: Vec<ChangePlan>,
}

impl Sky {
    pub(crate) fn new(plan: &Plan) -> Option<Self> {
        let sky = plan.sky.clone()?;
        let moving = sky.satellites.len() + sky.stations.len();
        let all = moving == plan.nodes.len() && sky.links.len() == plan.links.len();
        Some(Self {
            ends: sky.links.iter().map(|it| plan.links[*it].nodes).collect(),
            satellites: Vec::with_capacity(sky.satellites.len()),
            places: vec![DVec3::ZERO; plan.nodes.len()],
            is_bounded: all && plan.routing.metric == Metric::Delay,
            changed: Vec::new(),
            plan: sky,
        })
    }

    /// Has the network follow from the beginning on.
    pub(crate) fn start(network: &mut Network) {
        network.schedule(Time::ZERO, Event::new(Kind::Sky, 0));
    }

    /// All are where they are at `now`: links have the delays of that, and IP packets take the
    /// shortest paths.
    pub(crate) fn follow(&mut self, network: &mut Network, now: Time) {
        self.place(now);
        let ends = self.plan.links.iter().zip(&self.ends);
        let delay =
            |ends: &[usize; 2]| SkyPlan::delay(self.places[ends[0]].distance(self.places[ends[1]]));
        let delays: Vec<(usize, Duration)> =
            ends.map(|(link, ends)| (*link, delay(ends))).collect();
        for (link, delay) in &delays {
            let ports = [0, 1].map(|side| PortId::new(*link, side));
            ports.into_iter().for_each(|it| network.change(now, it, LinkChange::Delay(*delay)));
        }
        let (places, changed) = (&self.places, &mut self.changed);
        // A delay is rounded to the next picosecond, and costs one more.
        let bound = |one: usize, other: usize| match self.is_bounded {
            true => (places[one].distance(places[other]) * LEAST_PICOSECONDS) as u64,
            false => 0,
        };
        let change = |topology: &mut crate::routing::Topology| {
            delays.iter().for_each(|(link, delay)| topology.set_delay(*link, *delay));
            changed.drain(..).for_each(|it| topology.apply(&it));
        };
        network.forwarding.follow(now, change, bound);
        network.schedule(now + self.plan.interval, Event::new(Kind::Sky, 0));
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
