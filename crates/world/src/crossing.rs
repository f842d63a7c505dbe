//! What goes from one part of a world to another.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Packet;
use windtunnel_packets::scion::Path;

use crate::network::Network;
use crate::port_id::PortId;

/// A packet that arrives at another part, through a port of this one. What is inside of it
/// follows it.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    port: PortId,
    time: Time,
    packet: Packet,
}

/// What one part gives another at the beginning of a window.
#[derive(Debug, Default)]
pub(crate) struct Mail {
    crossings: Vec<Crossing>,
    /// The bytes of the messages in those packets, in their order.
    messages: Vec<Vec<u8>>,
    /// The paths that packets have got in the part since the window before.
    paths: Vec<Arc<Path>>,
}

impl Network {
    /// The least delay of links between parts at present: how far these may be apart.
    pub(crate) fn lookahead(&self, cut: &[PortId]) -> Duration {
        cut.iter().map(|it| self.ports[it.index()].delay()).min().unwrap_or(Duration::MAX)
    }

    /// Gives out what arrives at other parts from `start` up to `last`: to each part its mail.
    /// Returns how many arrivals were none, because the link had lost the packet or it is late.
    pub(crate) fn give_out(&mut self, start: Time, last: Time, mail: &mut [Mail]) -> u64 {
        self.give_paths(mail);
        let mut missing = 0;
        let mut used = std::mem::take(&mut self.leaving.used);
        used.retain(|port| {
            let to = self.leaving.to[port.index()].expect("it leads to another part");
            missing += self.give_out_of(*port, [start, last], &mut mail[to as usize]);
            let is_used = self.ports[port.index()].has_packets_on_its_link();
            self.leaving.is_used[port.index()] = is_used;
            is_used
        });
        self.leaving.used = used;
        missing
    }

    /// Gives out what arrives through one port.
    fn give_out_of(&mut self, port: PortId, [start, last]: [Time; 2], mail: &mut Mail) -> u64 {
        let mut missing = 0;
        let it = &mut self.ports[port.index()];
        while let Some((time, packet)) = it.give_out(start, last, &mut self.packets) {
            missing += u64::from(packet.is_none());
            let mut outside = packet.map(|it| self.packets.take(it));
            while let Some(packet) = outside {
                mail.crossings.push(Crossing { port, time, packet });
                outside = packet.body.inside().map(|it| self.packets.take(it));
                mail.messages.extend(packet.body.message().map(|it| self.packets.take_message(it)));
            }
        }
        missing
    }

    /// Gives all other parts the paths that packets have got here.
    fn give_paths(&mut self, mail: &mut [Mail]) {
        let given = self.leaving.paths;
        for path in self.packets.own_paths(given) {
            self.leaving.paths += 1;
            let others = mail.iter_mut().enumerate().filter(|it| it.0 != self.leaving.from);
            others.for_each(|(_, it)| it.paths.push(Arc::clone(path)));
        }
    }

    /// Takes in what another part gave out.
    pub(crate) fn take_in(&mut self, part: usize, mail: &mut Mail) {
        let Mail { crossings, messages, paths } = mail;
        self.packets.insert_paths_of(part, paths.drain(..));
        let (mut crossings, mut messages) = (crossings.drain(..), messages.drain(..));
        while let Some(Crossing { port, time, packet }) = crossings.next() {
            let inside = crossings.by_ref().map(|it| it.packet);
            let packet = self.packets.restore(packet, inside, messages.by_ref());
            if self.ports[port.index()].take_in(time, packet, &mut self.packets) {
                self.schedule_arrival(time, port);
            }
        }
    }
}
