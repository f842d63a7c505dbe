//! Flows over protocols whose implementations are real ones: the stacks of their two ends, and
//! what these and the network have for each other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use windtunnel_applications::Stream;
use windtunnel_controllers::Failed;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::{IpVersion, address_of_node, address_of_node_v6};
use windtunnel_packets::udp::{self, Datagram};
use windtunnel_packets::{Body, Ecn, Packet, Route};
use windtunnel_stack::{self as stack, Event as StackEvent, Place, Role, State, StreamStack};

use super::flow::StackCounts;
use super::state::Hosts;
use crate::alarm::Alarm;
use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::StackSettings;
use crate::side::Side;

/// The port of the end that waits for the connection, and of the one that connects.
const PORTS: [u16; 2] = [443, 40_000];
/// More datagrams than any stack sends at one instant: who sends so many never ends.
const MOST_AT_ONCE: u64 = 100_000;
/// How much later than now a stack is woken that asks for a time that is over.
const GRANULARITY: Duration = Duration::from_nanos(1000);
/// How often in a row a stack may ask for that while nothing comes or goes.
const MOST_OVERDUE: u32 = 10_000;

/// The two ends of a flow.
#[derive(Clone, Debug)]
pub(super) struct Stacks {
    pub(super) settings: Arc<StackSettings>,
    flow: u32,
    seed: u64,
    nodes: [u32; 2],
    routes: [Route; 2],
    addresses: [SocketAddr; 2],
    /// Those that have begun.
    pub(super) ends: [Option<StackEnd>; 2],
}

/// One end.
#[derive(Debug)]
pub(super) struct StackEnd {
    /// None once it has failed.
    stack: Option<Box<dyn StreamStack>>,
    /// By number.
    pub(super) streams: BTreeMap<u64, StackStream>,
    /// Those whose application is to be called whenever they were active.
    pub(super) watched: BTreeSet<u64>,
    /// Streams are opened up to this one, as soon as the peer allows it.
    pub(super) wanted: u64,
    opened: u64,
    is_connected: bool,
    /// How often in a row it has asked to be woken at a time that was over.
    overdue: u32,
    /// Whether it is being called, or an application by it.
    is_busy: bool,
    alarm: Alarm,
    pub(super) counters: StackCounters,
    pub(super) failure: Option<String>,
}

/// A real implementation cannot be copied, and a world that has one is not.
impl Clone for StackEnd {
    fn clone(&self) -> Self {
        let why = "a real implementation of a protocol cannot be copied";
        resume_unwind(Box::new(Failed(why.to_owned())))
    }
}

/// A stream at one end.
#[derive(Clone, Debug)]
pub(super) struct StackStream {
    /// Whether the stack knows it.
    is_open: bool,
    /// Bytes that the application has written and the stack has had no room for.
    pub(super) pending: u64,
    pub(super) is_closing: bool,
    is_ended: bool,
    pub(super) received: u64,
    pub(super) is_finished: bool,
    is_acknowledged: bool,
    /// When so many bytes are received, the application is called.
    pub(super) awaited: u64,
}

impl StackStream {
    pub(super) fn new() -> Self {
        Self {
            is_open: false,
            pending: 0,
            is_closing: false,
            is_ended: false,
            received: 0,
            is_finished: false,
            is_acknowledged: false,
            awaited: u64::MAX,
        }
    }
}

/// What one end of a flow over a stack counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackCounters {
    /// Datagrams sent.
    pub datagrams: u64,
    /// The bytes in them.
    pub bytes: u64,
    /// Datagrams received.
    pub received_datagrams: u64,
    /// Those of them that were marked.
    pub marks: u64,
    /// Those that came after one that was sent later.
    pub reordered: u64,
    /// The number of the next one, if none comes late.
    next: u64,
    /// Bytes of streams that were received in order.
    pub received_bytes: u64,
    /// The sum of the smoothed round trips that its stack told whenever datagrams had arrived,
    /// once it was connected.
    pub rtt_sum: Duration,
    /// How many they are.
    pub rtt_samples: u64,
}

impl StackCounters {
    fn receive(&mut self, datagram: &Datagram, ecn: Ecn) {
        self.received_datagrams += 1;
        self.marks += u64::from(ecn == Ecn::Congestion);
        self.reordered += u64::from(datagram.sequence < self.next);
        self.next = self.next.max(datagram.sequence + 1);
    }
}

impl Stacks {
    pub(super) fn new(
        settings: Arc<StackSettings>,
        flow: u32,
        ends: [usize; 2],
        routes: [Route; 2],
        seed: u32,
    ) -> Self {
        let mut addresses = [Side::Sender, Side::Receiver].map(|side| {
            let node = ends[side as usize];
            let port = PORTS[usize::from(settings.receiver_opens == (side == Side::Receiver))];
            match settings.ip {
                IpVersion::V4 => SocketAddr::from((address_of_node(node, 0), port)),
                IpVersion::V6 => SocketAddr::from((address_of_node_v6(node, 0), port)),
            }
        });
        // Flows between the same nodes have ports of their own.
        addresses.iter_mut().for_each(|it| it.set_port(it.port().wrapping_add(flow as u16)));
        Self {
            settings,
            flow,
            seed: u64::from(seed),
            nodes: ends.map(|it| it as u32),
            routes,
            addresses,
            ends: [None, None],
        }
    }

    /// Which end connects.
    fn role(&self, side: Side) -> Role {
        let is_receiver = side == Side::Receiver;
        if self.settings.receiver_opens == is_receiver { Role::Client } else { Role::Server }
    }

    /// The end there, which begins now if it has not.
    pub(super) fn end(&mut self, now: Time, side: Side) -> &mut StackEnd {
        let (own, role) = (side as usize, self.role(side));
        let place = Place {
            role,
            own: self.addresses[own],
            peer: self.addresses[1 - own],
            seed: self.seed << 1 | own as u64,
        };
        let maker = &self.settings.maker;
        self.ends[own].get_or_insert_with(|| {
            let made = guarded(|| maker.make(outside(now), place)).and_then(|it| it);
            let (stack, failure) = match made {
                Ok(stack) => (Some(stack), None),
                Err(failure) => (None, Some(failure)),
            };
            StackEnd {
                stack,
                streams: BTreeMap::new(),
                watched: BTreeSet::new(),
                wanted: 0,
                opened: if role == Role::Client { 0 } else { u64::MAX },
                is_connected: false,
                overdue: 0,
                is_busy: false,
                alarm: Alarm::NONE,
                counters: StackCounters::default(),
                failure,
            }
        })
    }

    /// What the end there counted, and its stack tells.
    pub(super) fn counted(&self, side: Side) -> StackCounts {
        let counted = |it: &StackEnd| StackCounts {
            counters: it.counters,
            state: it.state(),
            failure: it.failure.clone(),
        };
        self.ends[side as usize].as_ref().map(counted).unwrap_or_default()
    }

    fn packet(&self, datagram: Datagram, ecn: Ecn) -> Packet {
        let network_size = self.settings.ip.header() + udp::HEADER + datagram.length;
        let body = Body::Datagram(datagram);
        Packet { body, ecn, network_size, hops: 0, route: Route::default() }
    }
}

impl StackEnd {
    /// Calls the stack. One that panics is over.
    fn call<T>(&mut self, call: impl FnOnce(&mut dyn StreamStack) -> T) -> Option<T> {
        let stack = self.stack.as_mut()?;
        match guarded(|| call(stack.as_mut())) {
            Ok(result) => Some(result),
            Err(failure) => {
                self.fail(failure);
                None
            }
        }
    }

    fn fail(&mut self, failure: String) {
        self.stack = None;
        self.failure.get_or_insert(failure);
    }

    /// What it tells of its connection.
    pub(super) fn state(&self) -> State {
        let state = |it: &dyn StreamStack| guarded(|| it.state()).unwrap_or_default();
        self.stack.as_deref().map(state).unwrap_or_default()
    }

    fn note_round_trip(&mut self) {
        if let Some(rtt) = self.state().smoothed_rtt.filter(|_| self.is_connected) {
            self.counters.rtt_sum += inside(rtt);
            self.counters.rtt_samples += 1;
        }
    }

    /// Opens the streams that are wanted, as far as the peer allows it.
    fn open(&mut self, now: Time) {
        while self.opened < self.wanted
            && let Some(Some(number)) = self.call(|it| it.open(outside(now)))
        {
            self.opened = number + 1;
            let stream = self.streams.entry(number).or_insert_with(StackStream::new);
            stream.is_open = true;
            self.push(now, number);
        }
    }

    /// Hands a stream's bytes to the stack, as many as it has room for.
    pub(super) fn push(&mut self, now: Time, number: u64) {
        let Some(stream) = self.streams.get_mut(&number).filter(|it| it.is_open) else { return };
        let (pending, is_closing, is_ended) = (stream.pending, stream.is_closing, stream.is_ended);
        let now = outside(now);
        let taken = match pending {
            0 => 0,
            _ => self.call(|it| it.write(now, number, pending)).unwrap_or_default(),
        };
        let left = if pending == u64::MAX { pending } else { pending - taken };
        let ends = is_closing && !is_ended && left == 0;
        if ends {
            self.call(|it| it.finish(now, number));
        }
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.pending = left;
            stream.is_ended |= ends;
        }
    }

    /// The application closes a stream: of data without end, what the stack has is all.
    pub(super) fn close(&mut self, now: Time, number: u64) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.is_closing = true;
            if stream.pending == u64::MAX {
                stream.pending = 0;
            }
            self.push(now, number);
        }
    }
}

impl Hosts {
    /// A datagram has arrived at an end of a flow that is over a stack.
    pub(super) fn receive_for_stack(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        packet: &Packet,
    ) {
        let Body::Datagram(datagram) = &packet.body else { return };
        let stack = self.flows[datagram.flow as usize].stack;
        let (Some(content), Some(stack)) = (datagram.content, stack) else { return };
        let stacks = &mut self.stacks[stack as usize];
        let [own, peer] = [side, side.other()].map(|it| stacks.addresses[it as usize]);
        let arrived = stack::Datagram {
            from: peer,
            to: own,
            ecn: ecn_for_stack(packet.ecn),
            bytes: network.packets.message(content),
        };
        let end = stacks.end(now, side);
        end.counters.receive(datagram, packet.ecn);
        end.overdue = 0;
        end.call(|it| it.receive(outside(now), &[arrived]));
        network.packets.discard(packet);
        self.settle(network, now, stack, side);
        if let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] {
            end.note_round_trip();
        }
        self.tell_watchers(network, now, stack, side);
    }

    /// A stack checks its timers.
    pub(crate) fn wake_stack(&mut self, network: &mut Network, now: Time, of: u32) {
        let (stack, side) = (of / 2, if of % 2 == 0 { Side::Sender } else { Side::Receiver });
        let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] else { return };
        if end.alarm.rings(now) {
            end.call(|it| it.wake(outside(now)));
            self.settle(network, now, stack, side);
        }
    }

    /// Does what follows when a stack was called: its application learns of what has happened,
    /// what the stack sends leaves, and its next wake-up is scheduled.
    pub(super) fn settle(&mut self, network: &mut Network, now: Time, stack: u32, side: Side) {
        let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] else { return };
        if std::mem::replace(&mut end.is_busy, true) {
            return;
        }
        end.open(now);
        let mut events = VecDeque::new();
        let mut sent = 0;
        loop {
            if let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] {
                while let Some(Some(event)) = end.call(|it| it.next_event()) {
                    events.push_back(event);
                }
            }
            match events.pop_front() {
                Some(event) => self.on_event(network, now, (stack, side), event),
                None if self.send_from_stack(network, now, (stack, side), &mut sent) => {}
                None => break,
            }
        }
        let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] else { return };
        end.is_busy = false;
        if let Some(Some(wake)) = end.call(|it| it.next_wake()) {
            let mut wake = Time::ZERO + inside(wake);
            if wake <= now {
                wake = now + GRANULARITY;
                end.overdue += 1;
            } else {
                end.overdue = 0;
            }
            if end.overdue > MOST_OVERDUE {
                end.fail("it asks for ever to be woken at a time that is over".to_owned());
            } else if end.alarm.set(wake) {
                network.schedule(wake, Event::new(Kind::Stack, 2 * stack + side as u32));
            }
        }
    }

    /// Sends what leaves at once; whether there was anything.
    fn send_from_stack(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        sent: &mut u64,
    ) -> bool {
        let stacks = &mut self.stacks[stack as usize];
        let Some(end) = &mut stacks.ends[side as usize] else { return false };
        let mut bytes = std::mem::take(&mut self.stack_bytes);
        bytes.clear();
        let departure = end.call(|it| it.send(outside(now), &mut bytes)).flatten();
        if let Some(departure) = &departure {
            let most = usize::from(u16::MAX - udp::HEADER - IpVersion::V6.header());
            let segment = departure.segment.max(1);
            if segment > most {
                end.fail(format!("it sends a datagram of {segment} B, and {most} B is the most"));
            }
            for part in bytes.chunks(segment.min(most)) {
                let Some(end) = &mut stacks.ends[side as usize] else { break };
                let datagram = Datagram {
                    flow: stacks.flow,
                    length: part.len() as u16,
                    dscp: stacks.settings.dscp,
                    sequence: end.counters.datagrams,
                    sent: now,
                    content: Some(network.packets.copy_message(part)),
                };
                end.counters.datagrams += 1;
                end.overdue = 0;
                end.counters.bytes += part.len() as u64;
                let packet = stacks.packet(datagram, ecn_of_stack(departure.ecn));
                network.send(
                    now,
                    stacks.nodes[side as usize],
                    stacks.routes[side as usize],
                    packet,
                );
                *sent += 1;
            }
            if *sent > MOST_AT_ONCE
                && let Some(end) = &mut stacks.ends[side as usize]
            {
                end.fail(format!("it sends more than {MOST_AT_ONCE} datagrams at one instant"));
            }
        }
        self.stack_bytes = bytes;
        departure.is_some()
    }

    fn on_event(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        event: StackEvent,
    ) {
        let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] else { return };
        match event {
            StackEvent::Connected => end.is_connected = true,
            StackEvent::Available => end.open(now),
            StackEvent::Opened(number) => {
                end.streams.entry(number).or_insert_with(StackStream::new).is_open = true;
                end.push(now, number);
                let slot = self.slot_of(stack, side);
                self.call(network, now, slot, |it, host| {
                    it.on_open(now, Stream(number as u32), host);
                });
            }
            StackEvent::Readable(number) => {
                let Some(read) = end.call(|it| it.read(outside(now), number)) else { return };
                end.counters.received_bytes += read.bytes;
                if let Some(stream) = end.streams.get_mut(&number) {
                    stream.received += read.bytes;
                    stream.is_finished |= read.is_end;
                }
                self.tell_received(network, now, (stack, side), number);
            }
            StackEvent::Writable(number) => end.push(now, number),
            StackEvent::Acknowledged(number) => {
                if let Some(stream) = end.streams.get_mut(&number) {
                    stream.is_acknowledged = true;
                }
                self.close_if_over(network, now, (stack, side), number);
            }
            StackEvent::Failed(why) => end.fail(why),
        }
    }

    /// An application learns what a stream has received.
    fn tell_received(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        number: u64,
    ) {
        let slot = self.slot_of(stack, side);
        let Some(stream) = self.stack_stream(stack, side, number) else { return };
        if stream.received >= stream.awaited {
            stream.awaited = u64::MAX;
            self.call(network, now, slot, |it, host| {
                it.on_received(now, Stream(number as u32), host);
            });
        }
        let stream = self.stack_stream(stack, side, number);
        if stream.is_some_and(|it| it.is_finished && !it.is_closing) {
            self.call(network, now, slot, |it, host| {
                it.on_finished(now, Stream(number as u32), host);
            });
        }
        self.close_if_over(network, now, (stack, side), number);
    }

    fn close_if_over(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        number: u64,
    ) {
        let stream = self.stack_stream(stack, side, number);
        if stream.is_some_and(|it| it.is_finished && it.is_acknowledged) {
            if let Some(end) = &mut self.stacks[stack as usize].ends[side as usize] {
                end.streams.remove(&number);
                end.watched.remove(&number);
            }
            let slot = self.slot_of(stack, side);
            self.call(network, now, slot, |it, _| it.on_closed(Stream(number as u32)));
        }
    }

    /// Calls applications that want to know whenever their streams were active.
    fn tell_watchers(&mut self, network: &mut Network, now: Time, stack: u32, side: Side) {
        let Some(end) = &self.stacks[stack as usize].ends[side as usize] else { return };
        let slot = self.slot_of(stack, side);
        for number in end.watched.iter().copied().collect::<Vec<_>>() {
            self.call(network, now, slot, |it, host| {
                it.on_acknowledged(now, Stream(number as u32), host);
            });
        }
    }

    fn stack_stream(&mut self, stack: u32, side: Side, number: u64) -> Option<&mut StackStream> {
        let end = self.stacks[stack as usize].ends[side as usize].as_mut()?;
        end.streams.get_mut(&number)
    }

    /// The application at an end.
    fn slot_of(&self, stack: u32, side: Side) -> u32 {
        let flow = &self.flows[self.stacks[stack as usize].flow as usize];
        flow.ends()[side as usize] as u32
    }
}

/// What has passed since the run began, as stacks count it.
pub(super) fn outside(now: Time) -> std::time::Duration {
    std::time::Duration::from_nanos(now.as_nanos())
}

/// A time as stacks count it, as the world does; what is beyond its end is the end.
fn inside(time: std::time::Duration) -> Duration {
    let picoseconds = time.as_nanos().saturating_mul(1000);
    Duration::from_picos(u64::try_from(picoseconds).unwrap_or(u64::MAX))
}

fn ecn_for_stack(ecn: Ecn) -> stack::Ecn {
    match ecn {
        Ecn::NotCapable => stack::Ecn::NotCapable,
        Ecn::Capable => stack::Ecn::Capable0,
        Ecn::Scalable => stack::Ecn::Capable1,
        Ecn::Congestion => stack::Ecn::Congestion,
    }
}

fn ecn_of_stack(ecn: stack::Ecn) -> Ecn {
    match ecn {
        stack::Ecn::NotCapable => Ecn::NotCapable,
        stack::Ecn::Capable0 => Ecn::Capable,
        stack::Ecn::Capable1 => Ecn::Scalable,
        stack::Ecn::Congestion => Ecn::Congestion,
    }
}

/// Calls what is written outside; one that panics says why.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        if panic.is::<Failed>() {
            // A controller in it that is written outside ends the run, as in any other flow.
            resume_unwind(panic);
        }
        let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("it panicked: {}", text.unwrap_or_else(|| "no reason given".to_owned()))
    })
}
