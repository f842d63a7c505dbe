//! The network follows nodes that move.

use std::time::Instant;

use windtunnel_engine::Time;
use windtunnel_orbits::LIGHT_SPEED;

use super::Sky;
use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::LinkChange;
use crate::port_id::PortId;

/// How long light takes over a kilometre, in picoseconds: a little less, so that rounding does
/// not make it more.
const LEAST_PICOSECONDS: f64 = 1e12 / LIGHT_SPEED * (1.0 - 1e-15);

impl Sky {
    /// Has the network follow from the beginning on.
    pub(crate) fn start(network: &mut Network) {
        network.schedule(Time::ZERO, Event::new(Kind::Sky, 0));
    }

    /// All are where they are at `now`: links have the delays of that, and IP packets take the
    /// shortest paths.
    pub(crate) fn follow(&mut self, network: &mut Network, now: Time) {
        let start = Instant::now();
        self.measure(now);
        for (link, delay) in &self.delays {
            let ports = [0, 1].map(|side| PortId::new(*link, side));
            let used = ports.into_iter().filter(|it| self.used[it.index()]);
            used.for_each(|it| network.change(now, it, LinkChange::Delay(*delay)));
        }
        let (places, delays, changed) = (&self.places, &self.delays, &mut self.changed);
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
        self.took += start.elapsed();
    }
}
