//! When packets use a link and arrive, one after another.

use windtunnel_engine::{Duration, Rate, Time};

use super::Transit;
use crate::AirPlan;
use crate::opportunities::Cursor;

/// Transmission times at one rate; for equal sizes in a row it is computed once.
pub(super) struct Transmissions {
    rate: Rate,
    size: u32,
    time: Duration,
}

impl Transmissions {
    pub(super) fn at(rate: Rate) -> Self {
        Self { rate, size: 0, time: Duration::ZERO }
    }

    /// How long a packet uses the link.
    #[inline]
    pub(super) fn of(&mut self, packet: &Transit) -> Duration {
        if packet.size != self.size {
            self.size = packet.size;
            self.time = self.rate.transmission_time(packet.size);
        }
        self.time * u64::from(packet.attempts)
    }
}

/// Gives packets their times, one after another.
pub(super) struct Schedule<'a> {
    pub(super) transmissions: Transmissions,
    pub(super) delay: Duration,
    pub(super) air: Option<AirPlan>,
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
    /// Gives the next packet its times, if there are any for it. One that the air
    /// would let overtake another arrives together with that.
    #[inline]
    pub(super) fn give(&mut self, packet: &mut Transit) {
        let transmission = self.transmissions.of(packet);
        let Some((starts, ends)) = self.slot(transmission, packet) else { return };
        let counted = packet.counted();
        self.sojourn_sum = self.sojourn_sum + starts.since(counted) - counted.since(starts);
        self.transmission_sum += transmission;
        let again = self.air.map_or(Duration::ZERO, |it| it.delay(packet.attempts));
        self.before = self.before.max(ends + self.delay + again);
        (packet.starts, packet.arrives) = (starts, self.before);
    }

    /// From when to when the packet uses the link. If the trace ends before, nothing
    /// starts any more.
    #[inline]
    fn slot(&mut self, transmission: Duration, packet: &Transit) -> Option<(Time, Time)> {
        if self.free == Time::NEVER {
            return None;
        }
        let Some(cursor) = &mut self.opportunities else {
            let starts = self.free;
            self.free += transmission;
            return Some((starts, self.free));
        };
        let starts = cursor.time();
        let ends = cursor.take(packet.octets());
        self.free = if ends == Time::NEVER { ends } else { cursor.time() };
        (ends != Time::NEVER).then_some((starts, ends))
    }
}
