//! What hosts do about what befell their packets.

use windtunnel_engine::Time;
use windtunnel_networks::layer::Notice;
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Packet};

use super::running::Running;
use super::sockets::Key;
use super::state::Hosts;
use crate::network::Network;
use crate::side::Side;

impl Hosts {
    /// A packet of the end at `side` met something on its way.
    #[cold]
    pub(crate) fn on_notice(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        packet: &Packet,
        notice: Notice,
    ) {
        match &packet.body {
            Body::Segment(it) => self.on_notice_of_segment(network, now, side, it, notice),
            Body::Datagram(it) => self.on_notice_of_datagram(it, notice),
            _ => {}
        }
    }

    fn on_notice_of_segment(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        segment: &Segment,
        notice: Notice,
    ) {
        let connection = segment.connection;
        let Some(place) = self.sockets.find(Key::new(connection, side)) else { return };
        let (endpoint, outbox) = (&mut self.sockets[place].endpoint, &mut self.outbox);
        match notice {
            Notice::TooLarge { excess } => {
                endpoint.shrink(now, connection, [segment.length, excess], outbox);
            }
            Notice::PathChange => endpoint.change_path(now, connection, outbox),
        }
        self.after(network, now, place);
    }

    /// UDP itself does nothing about either; a source may send smaller datagrams.
    fn on_notice_of_datagram(&mut self, datagram: &Datagram, notice: Notice) {
        let slot = self.flows[datagram.flow as usize].first;
        if let Notice::TooLarge { excess } = notice
            && let Running::Source(source, _) = &mut self.slots[slot as usize].running
        {
            source.shrink(datagram.length, excess);
        }
    }
}
