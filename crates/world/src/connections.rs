//! TCP connections in use: both ends, the times of their wake-ups, and what they
//! counted. Places are used again, so that connections may come and go for ever.

use std::collections::VecDeque;
use std::ops::AddAssign;
use std::sync::Arc;

use windtunnel_engine::{Time, prefetch};
use windtunnel_packets::Route;
use windtunnel_transports::tcp::{Endpoint, EndpointCounters, Role, TcpSettings};

use crate::flows::proxies::{Behind, Chain};
use crate::network::End;

/// The times of an end's scheduled wake-ups, the earliest first: a timer that is
/// set anew again and again needs no event each time, and one that lies behind
/// an earlier one keeps its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm([Time; 3]);

impl Alarm {
    /// None is scheduled.
    pub(crate) const NONE: Self = Self([Time::NEVER; 3]);

    /// Whether an event is to be scheduled for `time`: none comes as early.
    #[inline]
    pub(crate) fn set(&mut self, time: Time) -> bool {
        let Self([first, second, _]) = *self;
        let earlier = time < first;
        if earlier {
            // An event that no longer has room here is ignored when it comes.
            self.0 = [time, first, second];
        }
        earlier
    }

    /// Whether the event of this moment counts.
    #[inline]
    pub(crate) fn rings(&mut self, now: Time) -> bool {
        let Self([first, second, third]) = *self;
        let rings = first == now;
        if rings {
            self.0 = [second, third, Time::NEVER];
        }
        rings
    }
}

/// What a flow's connections counted, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TcpCounters {
    /// Connections opened.
    pub connections: u64,
    /// What the ends counted that send the flow's data.
    pub sender: EndpointCounters,
    /// What the ends counted that receive it.
    pub receiver: EndpointCounters,
    /// Segments in flight from the senders.
    pub in_flight: u64,
}

impl AddAssign<&Self> for TcpCounters {
    fn add_assign(&mut self, other: &Self) {
        self.connections += other.connections;
        add(&mut self.sender, &other.sender);
        add(&mut self.receiver, &other.receiver);
        self.in_flight += other.in_flight;
    }
}

impl AddAssign<&Connection> for TcpCounters {
    fn add_assign(&mut self, connection: &Connection) {
        let [sender, receiver] = &connection.ends;
        // Of a flow that is split, what its hosts count.
        if connection.chain.part == 0 {
            add(&mut self.sender, sender.counters());
            self.in_flight += sender.in_flight();
        }
        if connection.chain.behind == Behind::Host {
            add(&mut self.receiver, receiver.counters());
        }
    }
}

/// Adds what one end counted.
fn add(sum: &mut EndpointCounters, counters: &EndpointCounters) {
    // Named one by one, so that none is forgotten.
    let EndpointCounters {
        segments,
        retransmissions,
        acknowledged_bytes,
        received_segments,
        received_bytes,
        duplicates,
        marks,
        timeouts,
        decreases,
        undone,
        probes,
        rtt_sum,
        rtt_samples,
        rtt_minimum,
        delay_sum,
        delay_samples,
    } = *counters;
    sum.segments += segments;
    sum.retransmissions += retransmissions;
    sum.acknowledged_bytes += acknowledged_bytes;
    sum.received_segments += received_segments;
    sum.received_bytes += received_bytes;
    sum.duplicates += duplicates;
    sum.marks += marks;
    sum.timeouts += timeouts;
    sum.decreases += decreases;
    sum.undone += undone;
    sum.probes += probes;
    sum.rtt_sum += rtt_sum;
    sum.rtt_samples += rtt_samples;
    sum.rtt_minimum = match (sum.rtt_minimum, rtt_minimum) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    sum.delay_sum += delay_sum;
    sum.delay_samples += delay_samples;
}

/// A connection, or the place of one that was closed.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The sending end and the receiving end.
    pub(crate) ends: [Endpoint; 2],
    pub(crate) alarms: [Alarm; 2],
    pub(crate) routes: [Route; 2],
    /// The number in its segments.
    number: u32,
    pub(crate) flow: u32,
    pub(crate) chain: Chain,
    pub(crate) is_open: bool,
    /// Whether each end's application has said that it will write nothing more.
    pub(crate) is_closing: [bool; 2],
    /// Whether its sender's application writes whenever there is room.
    pub(crate) tops_up: bool,
    /// How many octets each end has received when it has what it waits for.
    pub(crate) awaited: [u64; 2],
    /// When the transfer in hand began, and how large it is.
    pub(crate) began: Time,
    pub(crate) size: u64,
}

impl Connection {
    /// Whether an end has received what it waits for.
    #[inline]
    pub(crate) fn has_awaited(&self, end: End) -> bool {
        let end = end as usize;
        self.ends[end].counters().received_bytes >= self.awaited[end]
    }

    /// Whether an end closes because the other one has.
    #[inline]
    pub(crate) fn closes_too(&self, end: End) -> bool {
        self.ends[end as usize].is_finished() && !self.is_closing[end as usize]
    }

    /// Whether both ends are done with it; `end` is the one at work, whose memory
    /// is at hand.
    #[inline]
    pub(crate) fn is_done(&self, end: End) -> bool {
        self.ends[end as usize].is_closed() && self.ends.iter().all(Endpoint::is_closed)
    }
}

/// All connections in use.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    places: Vec<Connection>,
    /// Closed ones, those closed first before others: a place rests as long as
    /// possible.
    free: VecDeque<u32>,
}

/// A connection's number holds its place, and above that how often the place was
/// used before: a segment that comes after its connection was closed is told
/// from those of the next one there.
const PLACE_BITS: u32 = 22;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;

impl Connections {
    /// Opens a connection of `flow`; `opener` is the end that sends the SYN.
    /// Nothing is sent yet; what it carries began at `began`. Returns its place.
    pub(crate) fn open(
        &mut self,
        flow: u32,
        settings: &Arc<TcpSettings>,
        opener: End,
        routes: [Route; 2],
        chain: Chain,
        began: Time,
    ) -> u32 {
        let place = self.free.pop_front().unwrap_or(self.places.len() as u32);
        assert!(place <= PLACE_MASK, "fewer than {} connections at once", PLACE_MASK + 1);
        let known = self.places.get(place as usize);
        let number = known.map_or(place, |it| it.number.wrapping_add(1 << PLACE_BITS));
        let [sender, receiver] = match opener {
            End::Sender => [Role::Client, Role::Server],
            End::Receiver => [Role::Server, Role::Client],
        };
        let connection = Connection {
            ends: [sender, receiver].map(|role| Endpoint::new(number, role, settings)),
            alarms: [Alarm::NONE; 2],
            routes,
            number,
            flow,
            chain,
            is_open: true,
            is_closing: [false; 2],
            tops_up: false,
            awaited: [u64::MAX; 2],
            began,
            size: 0,
        };
        match self.places.get_mut(place as usize) {
            Some(free) => *free = connection,
            None => self.places.push(connection),
        }
        place
    }

    /// Gives a place back.
    pub(crate) fn close(&mut self, place: u32) {
        self.places[place as usize].is_open = false;
        self.free.push_back(place);
    }

    #[inline]
    pub(crate) fn get(&mut self, place: u32) -> &mut Connection {
        &mut self.places[place as usize]
    }

    /// The place of the connection of that number, if it is still open.
    #[inline]
    pub(crate) fn find(&self, number: u32) -> Option<u32> {
        let place = number & PLACE_MASK;
        let connection = &self.places[place as usize];
        (connection.number == number && connection.is_open).then_some(place)
    }

    /// Brings near an end of the connection of that number.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32, end: End) {
        let connection = &self.places[(number & PLACE_MASK) as usize];
        prefetch(&connection.number);
        connection.ends[end as usize].prefetch();
    }

    /// The open ones of a flow.
    pub(crate) fn of_flow(&mut self, flow: u32) -> impl Iterator<Item = &mut Connection> {
        self.places.iter_mut().filter(move |it| it.is_open && it.flow == flow)
    }

    /// Those that are open.
    pub(crate) fn open_ones(&self) -> impl Iterator<Item = &Connection> {
        self.places.iter().filter(|it| it.is_open)
    }

    /// The connection at a place, open or not.
    pub(crate) fn at(&self, place: u32) -> &Connection {
        &self.places[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn an_alarm_that_lies_behind_an_earlier_one_keeps_its_event() {
        let mut alarm = Alarm::NONE;
        assert!(alarm.set(at(200)));
        assert!(alarm.set(at(10)));
        assert!(!alarm.set(at(20)), "an earlier one is scheduled");
        assert!(alarm.rings(at(10)));
        assert!(!alarm.set(at(210)), "the one at 200 ms still comes");
        assert!(alarm.rings(at(200)));
        assert!(alarm.set(at(210)));
    }

    #[test]
    fn an_event_that_was_forgotten_does_not_ring() {
        let mut alarm = Alarm::NONE;
        for time in [400, 300, 200, 100] {
            assert!(alarm.set(at(time)));
        }
        for time in [100, 200, 300] {
            assert!(alarm.rings(at(time)));
        }
        assert!(!alarm.rings(at(400)));
    }
}
