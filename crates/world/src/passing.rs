//! Packets that go from port to port ahead of time: see [`crate::contraction`].

use windtunnel_engine::{Handle, Time};

use crate::network::Network;
use crate::path::Hop;
use crate::port_id::PortId;

impl Network {
    /// Has a packet offered to a port that passes on its packets.
    #[inline(never)]
    pub(crate) fn send_ahead<const OWN: bool>(&mut self, now: Time, port: PortId, packet: Handle) {
        let due = self.ports[port.index()].offer::<OWN>(now, packet, &mut self.packets);
        if let Some(time) = due.arrival {
            self.arrive_ahead(time, packet);
        }
    }

    /// Gives a packet that was passed on to the next port of its path, where it arrives at `time`,
    /// and so on as long as ports pass it on.
    fn arrive_ahead(&mut self, mut time: Time, packet: Handle) {
        loop {
            self.contraction.count(time);
            let port = self.next_port(packet);
            let next = &mut self.ports[port.index()];
            if !next.passes_on() {
                return self.act(port, |it, store| it.offer::<false>(time, packet, store));
            }
            let Some(then) = next.offer::<false>(time, packet, &mut self.packets).arrival else {
                return;
            };
            time = then;
        }
    }

    /// The port that a packet goes through next.
    #[inline]
    fn next_port(&mut self, packet: Handle) -> PortId {
        let route = &mut self.packets[packet].route;
        let Hop::Port(port) = self.forwarding.hop(*route) else {
            unreachable!("no path ends behind a port that passes on")
        };
        route.0 += 1;
        port
    }

    /// Time is going to pass until `horizon`: what arrives until then is passed on.
    pub(crate) fn move_horizon(&mut self, horizon: Time) {
        for place in 0..self.contraction.passing.len() {
            let port = self.contraction.passing[place].index();
            self.ports[port].move_horizon(horizon);
            while let Some((time, packet)) = self.ports[port].release() {
                self.arrive_ahead(time, packet);
            }
        }
    }

    /// From now on ports pass on nothing: the arrival of what they hold back is an event. Only where
    /// the horizon has been reached.
    pub(crate) fn contract_nothing(&mut self) {
        for port in std::mem::take(&mut self.contraction.passing) {
            if let Some(time) = self.ports[port.index()].stop_passing_on() {
                self.schedule_arrival(time, port);
            }
        }
    }

    /// The time of the last arrival, whether that was an event or not.
    pub(crate) fn reached(&self) -> Time {
        self.events.reached().max(self.contraction.reached)
    }

    /// When something happens next, whether it is an event or the arrival of a packet that is
    /// held back.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let ports = self.contraction.passing.iter().map(|it| &self.ports[it.index()]);
        ports.filter_map(|it| it.next_held()).chain(self.events.next_time()).min()
    }
}
