//! What stacks, their applications and the network have for each other.

use smallvec::SmallVec;
use windtunnel_applications::Stream;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::real::set_ecn;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Packet};
use windtunnel_stack::{self as stack, Departure, Event as StackEvent, Path};

use super::logging;
use super::stack_ends::{StackEnd, StackStream, Stacks, ecn_for_stack, inside, outside};
use super::state::Hosts;
use crate::network::Network;
use crate::side::Side;

/// More datagrams and events than any stack has at one instant: who has so many never ends.
const MOST_AT_ONCE: u64 = 100_000;
/// How much later than now a stack is woken that asks for a time that is over.
const GRANULARITY: Duration = Duration::from_nanos(1000);
/// How often in a row a stack may ask for that while nothing comes or goes.
const MOST_OVERDUE: u32 = 10_000;

impl Stacks {
    /// Sends these bytes from an end, when its processor is done with each part.
    ///
    /// # Errors
    /// Why they cannot be sent.
    fn leave(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        departure: &Departure,
        bytes: &[u8],
        sent: &mut u64,
    ) -> Result<(), String> {
        let segment = departure.segment.clamp(1, bytes.len().max(1));
        let cost = self.settings.cost;
        // What sends nothing for ever never ends either.
        *sent += u64::from(bytes.is_empty());
        for part in bytes.chunks(segment) {
            let Some(end) = &mut self.ends[side as usize] else { break };
            let leaves = if cost == Duration::ZERO { now } else { end.processor.work(now, cost) };
            let number = end.counters.datagrams + end.processor.to_leave();
            let (path, ecn) = self.path_of(side, departure, part)?;
            let packet = self.packet(network, path, (leaves, number), part, ecn);
            let Some(end) = &mut self.ends[side as usize] else { break };
            end.overdue = 0;
            if leaves > now {
                end.processor.leave_at(leaves, packet);
            } else {
                end.depart(network, now, side, &packet);
                let (node, route) = self.way(side, path);
                network.send(now, node, route, packet);
            }
            *sent += 1;
        }
        match *sent > MOST_AT_ONCE {
            true => Err(format!("it sends more than {MOST_AT_ONCE} datagrams at one instant")),
            false => Ok(()),
        }
    }
}

impl StackEnd {
    /// Counts a datagram that leaves, and logs it where that is wanted.
    fn depart(&mut self, network: &Network, now: Time, side: Side, packet: &Packet) {
        self.counters.datagrams += 1;
        if network.log.is_some() {
            logging::datagram_left(network, now, side, Some(&self.state()), packet);
        }
    }

    /// What has happened to its streams; `happened` counts that at one instant.
    pub(super) fn next_event(&mut self, happened: &mut u64) -> Option<StackEvent> {
        let event = self.call(|it| it.next_event()).flatten()?;
        *happened += 1;
        if *happened > MOST_AT_ONCE {
            self.fail(format!("it tells of more than {MOST_AT_ONCE} events at one instant"));
            return None;
        }
        Some(event)
    }

    /// When its stack wants to be woken: later than now.
    fn next_wake(&mut self, now: Time) -> Option<Time> {
        let wake = Time::ZERO + inside(self.call(|it| it.next_wake()).flatten()?);
        if wake > now {
            self.overdue = 0;
            return Some(wake);
        }
        self.overdue += 1;
        if self.overdue > MOST_OVERDUE {
            self.fail("it asks for ever to be woken at a time that is over".to_owned());
            return None;
        }
        Some(now + GRANULARITY)
    }

    /// When its processor has done something, or its stack wants to be woken.
    pub(super) fn next_work(&mut self, now: Time) -> Option<Time> {
        if self.processor.is_busy() { self.processor.next() } else { self.next_wake(now) }
    }
}

/// The bytes of a datagram that count in a socket's buffer: its data, or all of an IP packet.
fn in_buffer(network: &Network, datagram: &Datagram) -> u64 {
    datagram.content.map_or(0, |it| network.packets.message(it.bytes).len() as u64)
}

impl Hosts {
    /// What decrypts the packets of stacks, as lines of a key log.
    pub(crate) fn secrets(&self) -> String {
        self.stacks.iter().flat_map(Stacks::secrets).collect()
    }

    /// A datagram has arrived at an end of a flow that is over a stack: it is read, now or with those
    /// that follow.
    pub(super) fn receive_for_stack(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        packet: &Packet,
    ) {
        let Body::Datagram(datagram) = &packet.body else { return };
        let Some(stack) = self.flows[datagram.flow as usize].stack else { return };
        let Stacks { settings, counts_packets, .. } = &self.stacks[stack as usize];
        let (reads, room) = (settings.reads, settings.socket_buffer);
        let content = if *counts_packets { in_buffer(network, datagram) } else { 0 };
        let end = self.begun_end(now, (stack, side));
        let waiting = end.unread_bytes + in_buffer(network, datagram);
        if room.is_some_and(|it| waiting > it) {
            end.counters.socket_drops += 1;
            if network.log.is_some() {
                logging::datagram_dropped(network, now, side, packet);
            }
            return network.packets.discard(packet);
        }
        end.unread_bytes = waiting;
        end.counters.receive(datagram, packet.ecn);
        end.counters.received_bytes += content;
        if network.log.is_some() {
            logging::datagram_arrived(network, now, side, Some(&end.state()), packet);
        }
        end.overdue = 0;
        end.unread.push(*packet);
        let is_busy = end.processor.is_busy();
        if end.reads_at == Time::NEVER {
            end.reads_at = now + reads;
            if reads > Duration::ZERO {
                self.wake_host_at(network, now + reads, (stack, side));
            }
        }
        if reads == Duration::ZERO && !is_busy {
            self.read_for_stack(network, now, stack, side);
        }
    }

    /// An end reads the datagrams that have arrived, which may take time.
    fn read_for_stack(&mut self, network: &mut Network, now: Time, stack: u32, side: Side) {
        let cost = self.stacks[stack as usize].settings.cost;
        let end = self.begun_end(now, (stack, side));
        end.reads_at = Time::NEVER;
        end.unread_bytes = 0;
        let packets = std::mem::take(&mut end.unread);
        if cost == Duration::ZERO {
            return self.hand_to_stack(network, now, (stack, side), packets);
        }
        end.processor.read(now, packets, cost);
        if let Some(time) = end.processor.next() {
            self.wake_host_at(network, time, (stack, side));
        }
    }

    /// A stack is given the datagrams that have arrived.
    fn hand_to_stack(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        mut packets: Vec<Packet>,
    ) {
        for packet in &packets {
            if let Body::Datagram(Datagram { content: Some(content), .. }) = packet.body
                && content.is_packet
            {
                set_ecn(network.packets.message_mut(content.bytes), packet.ecn);
            }
        }
        self.begun_end(now, (stack, side));
        let stacks = &mut self.stacks[stack as usize];
        let Some(end) = &mut stacks.ends[side as usize] else { return };
        let datagrams = packets.iter().filter_map(|packet| {
            let Body::Datagram(Datagram { content: Some(content), path, .. }) = packet.body else {
                return None;
            };
            let Path { own, peer } = stacks.paths[usize::from(path)].from(side);
            Some(stack::Datagram {
                from: peer,
                to: own,
                ecn: ecn_for_stack(packet.ecn),
                bytes: network.packets.message(content.bytes),
            })
        });
        let datagrams: SmallVec<[stack::Datagram<'_>; 1]> = datagrams.collect();
        end.call(|it| it.receive(outside(now), &datagrams));
        drop(datagrams);
        self.receive_over_stack(now, stack, side);
        packets.drain(..).for_each(|it| network.packets.discard(&it));
        // There is room again for what comes.
        if let Some(end) = self.stack_end(stack, side)
            && end.unread.is_empty()
        {
            end.unread = packets;
        }
        self.settle(network, now, stack, side);
        if let Some(end) = self.stack_end(stack, side) {
            end.note_round_trip();
        }
        self.tell_watchers(network, now, stack, side);
    }

    /// An end sends or has read what it was at work on, reads what has arrived, or checks its timers.
    pub(super) fn wake_end(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
    ) {
        let read = self.finish_work(network, now, (stack, side));
        if !read.is_empty() {
            self.hand_to_stack(network, now, (stack, side), read);
        }
        let Some(end) = self.stack_end(stack, side) else { return };
        if end.reads_at <= now && !end.processor.is_busy() {
            self.read_for_stack(network, now, stack, side);
        }
        self.stacks[stack as usize].migrate(now, side);
        if let Some(end) = self.stack_end(stack, side)
            && !end.processor.is_busy()
        {
            end.call(|it| it.wake(outside(now)));
        }
    }

    /// Sends what has left the processor of an end; returns what it has read.
    fn finish_work(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
    ) -> Vec<Packet> {
        let stacks = &mut self.stacks[stack as usize];
        let Some(end) = &mut stacks.ends[side as usize] else { return Vec::new() };
        while let Some(packet) = end.processor.take_left(now) {
            end.depart(network, now, side, &packet);
            let Body::Datagram(Datagram { path, .. }) = packet.body else { continue };
            let route = stacks.paths[usize::from(path)].routes[side as usize];
            network.send(now, stacks.nodes[side as usize], route, packet);
        }
        end.processor.take_read(now)
    }

    /// Sends what leaves at once; whether there was anything.
    pub(super) fn send_from_stack(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        sent: &mut u64,
    ) -> bool {
        let stacks = &mut self.stacks[stack as usize];
        let Some(end) = &mut stacks.ends[side as usize] else { return false };
        if end.processor.is_busy() {
            return false;
        }
        let mut bytes = std::mem::take(&mut self.stack_bytes);
        bytes.clear();
        let departure = end.call(|it| it.send(outside(now), &mut bytes)).flatten();
        if let Some(departure) = &departure
            && let Err(failure) = stacks.leave(network, now, side, departure, &bytes, sent)
            && let Some(end) = &mut stacks.ends[side as usize]
        {
            end.fail(failure);
        }
        self.stack_bytes = bytes;
        departure.is_some()
    }

    pub(super) fn on_event(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
        event: StackEvent,
    ) {
        let Some(end) = self.stack_end(stack, side) else { return };
        match event {
            StackEvent::Connected => {
                end.is_connected = true;
                self.begin_source(network, now, (stack, side));
            }
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
                let counters = &mut end.counters;
                counters.received_bytes = counters.received_bytes.saturating_add(read.bytes);
                if let Some(stream) = end.streams.get_mut(&number) {
                    stream.received = stream.received.saturating_add(read.bytes);
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
            if let Some(end) = self.stack_end(stack, side) {
                end.streams.remove(&number);
                end.watched.remove(&number);
            }
            let slot = self.slot_of(stack, side);
            self.call(network, now, slot, |it, _| it.on_closed(Stream(number as u32)));
        }
    }

    /// Calls applications that want to know whenever their streams were active.
    fn tell_watchers(&mut self, network: &mut Network, now: Time, stack: u32, side: Side) {
        let Some(end) = self.stack_end(stack, side) else { return };
        let watched: SmallVec<[u64; 4]> = end.watched.iter().copied().collect();
        let slot = self.slot_of(stack, side);
        for number in watched {
            self.call(network, now, slot, |it, host| {
                it.on_acknowledged(now, Stream(number as u32), host);
            });
        }
    }

    /// An end that has begun.
    pub(super) fn stack_end(&mut self, stack: u32, side: Side) -> Option<&mut StackEnd> {
        self.stacks[stack as usize].ends[side as usize].as_mut()
    }

    fn stack_stream(&mut self, stack: u32, side: Side, number: u64) -> Option<&mut StackStream> {
        self.stack_end(stack, side)?.streams.get_mut(&number)
    }

    /// The application at an end.
    pub(super) fn slot_of(&self, stack: u32, side: Side) -> u32 {
        let flow = &self.flows[self.stacks[stack as usize].flow as usize];
        flow.ends()[side as usize] as u32
    }
}
