//! When packets use a link and arrive, one after another.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_links::{Cursor, PhysicalLayer};

use super::transit::Transit;

/// How long packets use a link at one rate; for equal sizes in a row their transmission
/// time is computed once.
pub(super) struct Airtimes<'a> {
    rate: Rate,
    pub(super) layer: Option<&'a dyn PhysicalLayer>,
    size: u32,
    time: Duration,
}

impl<'a> Airtimes<'a> {
    pub(super) fn new(rate: Rate, layer: Option<&'a dyn PhysicalLayer>) -> Self {
        Self { rate, layer, size: 0, time: Duration::ZERO }
    }

    /// How long a packet uses the link.
    #[inline]
    pub(super) fn of(&mut self, packet: &Transit) -> Duration {
        if let Some(layer) = self.layer {
            return layer.airtime(packet.size, self.rate, packet.outcome());
        }
        if packet.size != self.size {
            self.size = packet.size;
            self.time = self.rate.transmission_time(packet.size);
        }
        self.time
    }
}

/// Gives packets their times, one after another.
pub(super) struct Schedule<'a> {
    pub(super) airtimes: Airtimes<'a>,
    pub(super) delay: Duration,
    pub(super) opportunities: Option<&'a mut Cursor>,
    /// The counters' sums.
    pub(super) sojourn_sum: Duration,
    pub(super) transmission_sum: Duration,
    /// When the link is free, or never.
    pub(super) free: Time,
    /// When the packet before arrives.
    pub(super) before: Time,
}

impl Schedule<'_> {
    /// Gives the next packet its times, if there are any for it. One that the physical
    /// layer would let overtake another arrives together with that.
    #[inline]
    pub(super) fn give(&mut self, packet: &mut Transit) {
        let airtime = self.airtimes.of(packet);
        let Some((starts, across)) = self.slot(airtime, packet) else { return };
        let counted = packet.counted();
        self.sojourn_sum = self.sojourn_sum + starts.since(counted) - counted.since(starts);
        self.transmission_sum += airtime;
        let more = self.airtimes.layer.map_or(Duration::ZERO, |it| it.delay(packet.outcome()));
        self.before = self.before.max(across + self.delay + more);
        (packet.starts, packet.arrives) = (starts, self.before);
    }

    /// From when on the packet uses the link, and when it has left it. If the trace ends
    /// before, nothing starts any more.
    #[inline]
    fn slot(&mut self, airtime: Duration, packet: &Transit) -> Option<(Time, Time)> {
        if self.free == Time::NEVER {
            return None;
        }
        if let Some(slot) = self.airtimes.layer.and_then(PhysicalLayer::slot) {
            self.free = slot.ends;
            return Some((slot.starts, slot.across));
        }
        let Some(cursor) = &mut self.opportunities else {
            let starts = self.free;
            self.free += airtime;
            return Some((starts, self.free));
        };
        let starts = cursor.time();
        let ends = cursor.take(packet.bytes());
        self.free = if ends == Time::NEVER { ends } else { cursor.time() };
        (ends != Time::NEVER).then_some((starts, ends))
    }
}
