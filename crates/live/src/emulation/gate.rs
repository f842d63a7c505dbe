//! Where packets of the wire enter the world and leave it: an interface, with the segments that the
//! kernel hands over as one packet cut apart, and those that leave together put together.

use std::io;

use windtunnel_engine::Time;
use windtunnel_packets::offload::{Coalescer, OFFLOAD_HEADER, OffloadHeader, for_each_segment};
use windtunnel_world::Departure;

use super::report::{Counters, Left};
use crate::clock::Clock;
use crate::interface::{Carries, TunInterface};

/// The room for what is received: the longest packet, and the header before it.
pub(super) const ROOM: usize = OFFLOAD_HEADER + u16::MAX as usize;

/// An interface of an emulation.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) interface: TunInterface,
    /// When it was last seen without a packet that waits.
    pub(super) emptied: Time,
    /// What leaves as one packet, and what is counted of each of its packets.
    coalescer: Coalescer,
    leaving: Vec<Left>,
}

impl Gate {
    pub(super) fn new(interface: TunInterface) -> Self {
        let coalescer = Coalescer::new(interface.has_udp_offload());
        Self { interface, emptied: Time::ZERO, coalescer, leaving: Vec::new() }
    }

    /// A packet leaves: at once, or with those that follow it until [`Gate::flush`].
    pub(super) fn leave(&mut self, packet: &Departure<'_>, clock: &Clock, counters: &mut Counters) {
        if !self.coalescer.push(packet.bytes) {
            self.flush(clock, counters);
            self.coalescer.push(packet.bytes);
        }
        self.leaving.push(Left::of(packet, self.interface.carries()));
        if self.interface.carries() != Carries::Segments {
            self.flush(clock, counters);
        }
    }

    /// Gives the kernel what is leaving.
    pub(super) fn flush(&mut self, clock: &Clock, counters: &mut Counters) {
        if self.leaving.is_empty() {
            return;
        }
        let is_sent = self.send().is_ok();
        let now = clock.now();
        self.leaving.drain(..).for_each(|it| counters.left(&it, now, is_sent));
    }

    fn send(&mut self) -> io::Result<()> {
        let interface = &self.interface;
        let skipped = if interface.carries() == Carries::Segments { 0 } else { OFFLOAD_HEADER };
        self.coalescer.take(|bytes| interface.send(&bytes[skipped..]))
    }
}

/// Calls `each` with every packet of the wire that was received as one; false if the kernel cannot have
/// made it.
pub(super) fn cut(carries: Carries, received: &mut [u8], mut each: impl FnMut(&[u8])) -> bool {
    if carries != Carries::Segments {
        each(received);
        return true;
    }
    let Some((header, packet)) = received.split_first_chunk_mut() else { return false };
    OffloadHeader::read(header).is_some_and(|it| for_each_segment(&it, packet, each).is_ok())
}
