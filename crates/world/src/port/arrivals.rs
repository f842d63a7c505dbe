//! What comes out at the other end of a link.

use windtunnel_engine::{Handle, Time};
use windtunnel_links::Fate;
use windtunnel_packets::{Packet, PacketStore};

use super::Port;
use super::transit::Transit;

/// What came out at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The packet; none if the link lost it, or it is late.
    pub(crate) packet: Option<Handle>,
    /// When the next one arrives.
    pub(crate) next: Option<Time>,
    /// When the first of those that are late arrives, if it has become that now.
    pub(crate) late: Option<Time>,
}

impl Port {
    /// The packet first on the link arrives, or the first of those that are late; none does if
    /// the arrival was called for before the link changed, and is at another time now.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, store: &mut PacketStore) -> Option<Arrived> {
        if self.counts_backlog()
            && let Some(starts) = self.transit.front().map(|it| it.starts)
        {
            // Those that waited started before they arrived. Where the other end is on another
            // island, that is all that this one may say of the queue, which may be at an earlier
            // time.
            self.start_transmissions(starts.min(now));
        }
        self.arrive_next(now, store)
    }

    /// Takes out what arrives next if that is up to `last`, and when it does; the packet is
    /// none if the link lost it. Nothing happens to the port before `start` any more, and
    /// what arrives up to `last` has left before that.
    #[inline(never)]
    pub(crate) fn give_out(
        &mut self,
        start: Time,
        last: Time,
        store: &mut PacketStore,
    ) -> Option<(Time, Option<Handle>)> {
        self.start_transmissions(start);
        let late = self.effects.as_ref().and_then(|it| it.first_late());
        let time = self.next_arrival().into_iter().chain(late).min().filter(|it| *it <= last)?;
        Some((time, self.arrive_next(time, store).and_then(|it| it.packet)))
    }

    /// Whether packets are on the link or wait for their turn on it, late ones included.
    pub(crate) fn has_packets_on_its_link(&self) -> bool {
        !self.transit.is_empty() || self.effects.as_ref().is_some_and(|it| it.late() > 0)
    }

    /// Puts a packet on the link that left through the same port of another part. Returns
    /// whether it is the only one there.
    pub(crate) fn take_in(&mut self, time: Time, packet: Packet, store: &mut PacketStore) -> bool {
        let size = packet.size() + self.overhead;
        let packet = store.insert(packet);
        self.push(Transit::once(packet, size, [Time::ZERO, time], Fate::Arrives))
    }

    #[inline(always)]
    fn arrive_next(&mut self, now: Time, store: &mut PacketStore) -> Option<Arrived> {
        if self.effects.is_some() {
            return self.arrive_with_effects(now, store);
        }
        if !self.transit.front()?.has_arrived(now) {
            return None;
        }
        let head = self.pop()?;
        let packet = self.leave(head.packet, head.size, head.fate == Fate::Lost, store);
        Some(Arrived { packet, next: self.next_arrival(), late: None })
    }

    /// The same on a link that has more to it.
    fn arrive_with_effects(&mut self, now: Time, store: &mut PacketStore) -> Option<Arrived> {
        let head = self.transit.front().copied();
        let Some(head) = head.filter(|it| it.has_arrived(now)) else {
            return self.arrive_late(now, store);
        };
        let mut late = None;
        let loses_since = self.effects.as_mut().and_then(|it| *it.loses_since());
        let is_lost = head.fate == Fate::Lost
            || loses_since.is_some_and(|since| head.starts >= since)
            || self.corrupt(now, head.packet, store);
        let packet = match if is_lost { Fate::Lost } else { head.fate } {
            Fate::Twice => {
                // It stays first, to arrive again at once.
                self.transit[0].fate = Fate::Arrives;
                self.counters.duplicates += 1;
                self.deliver(head.size);
                let packet = store[head.packet];
                let copy = store.duplicate(&packet);
                Some(store.insert(copy))
            }
            Fate::Late => {
                self.pop();
                if let Some(effects) = &mut self.effects {
                    self.counters.late += u64::from(!effects.keeps_order());
                    late = effects.delay(now, head.packet, head.size);
                }
                None
            }
            Fate::Arrives | Fate::Lost => {
                self.pop();
                self.leave(head.packet, head.size, is_lost, store)
            }
        };
        Some(Arrived { packet, next: self.next_arrival(), late })
    }

    /// Changes a byte of a packet that arrives, if the link does that to it. Returns whether it is
    /// lost by it: where its bytes are not kept, it is the checksum of the next hop that fails.
    fn corrupt(&mut self, now: Time, packet: Handle, store: &mut PacketStore) -> bool {
        let effects = self.effects.as_mut();
        let Some(corruption) = effects.and_then(|it| it.corruption(now, &store[packet])) else {
            return false;
        };
        self.counters.corrupted += 1;
        !store.corrupt(packet, corruption)
    }

    /// The first of the late packets arrives, if its time has come.
    fn arrive_late(&mut self, now: Time, store: &mut PacketStore) -> Option<Arrived> {
        let (first, late) = self.effects.as_mut()?.next_late(now);
        let first = first?;
        let packet = self.leave(first.packet, first.size, first.lost, store);
        Some(Arrived { packet, next: None, late })
    }

    /// A packet leaves the link, delivered or lost.
    #[inline]
    fn leave(
        &mut self,
        packet: Handle,
        size: u32,
        lost: bool,
        store: &mut PacketStore,
    ) -> Option<Handle> {
        if lost {
            self.counters.losses += 1;
            store.drop_at(packet);
            return None;
        }
        self.deliver(size);
        Some(packet)
    }

    /// Counts a packet that arrives at the other end.
    #[inline]
    pub(super) fn deliver(&mut self, size: u32) {
        self.counters.delivered += 1;
        self.counters.delivered_bytes += u64::from(size);
    }
}
