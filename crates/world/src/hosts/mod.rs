//! The hosts of flows over IP: their applications, and the ends of their connections.

mod at_host;
mod at_stack;
mod continuing;
mod end;
mod flow;
mod logging;
mod notices;
mod processor;
mod running;
mod setup;
mod sockets;
mod stack_counters;
mod stack_datagrams;
mod stack_ends;
mod stack_host;
mod stack_hosts;
mod stack_packets;
mod stack_paths;
mod stacks;
mod state;
mod waiting;

use std::sync::Arc;

use windtunnel_applications::DelayPercentiles;
use windtunnel_applications::PageLoad;
use windtunnel_applications::video::Player;
use windtunnel_applications::{Before, Completed, Stream};
use windtunnel_controllers::{Controller, Settings as ControllerSettings, seconds};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Ecn, Packet};
use windtunnel_transports::mptcp;
use windtunnel_transports::tcp::{self, Endpoint, EndpointCounters, LimitTimes, Role};

pub use flow::{Flow, FlowCounters, Subflow, TcpCounters, TransferCounts};
pub(crate) use flow::{ReceiverState, Sampled, SampledSubflow, SenderState, SubflowState};
pub use stack_counters::{StackCounters, StackCounts};

use self::end::End;
use self::flow::Window;
use self::running::Running;
use self::sockets::{Key, Socket};
use self::state::HostSlot;
pub(crate) use self::state::Hosts;
use crate::alarm::Alarm;
use crate::event::{Event, Kind};
use crate::network::{Arrived, Network};
use crate::side::Side;
use crate::transfers::Transfer;

impl Hosts {
    /// Has a flow over TCP that has not begun driven by another controller.
    pub(crate) fn set_controller(&mut self, flow: usize, controller: &ControllerSettings) {
        let class = self.flows[flow].class.expect("the flow is over TCP");
        let settings = &mut self.classes[class as usize].settings;
        Arc::make_mut(settings).controller = controller.clone();
    }

    /// The address of a flow's name is known: it begins.
    pub(crate) fn begin(&mut self, network: &mut Network, now: Time, flow: u32) {
        let Some(waiting) = self.waiting.remove(&flow) else { return };
        let ends = self.flows[flow as usize].ends();
        for (slot, running) in ends.into_iter().zip(waiting.begin(flow, now)) {
            self.slots[slot].running = running;
            self.arrange(network, slot as u32);
        }
    }

    /// Schedules the starts of the applications on nodes of the part.
    pub(crate) fn start(&mut self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        for slot in 0..self.slots.len() {
            let HostSlot { node, flow, .. } = self.slots[slot];
            if is_here(node as usize) && !self.waiting.contains_key(&flow) {
                self.arrange(network, slot as u32);
            }
        }
        self.start_hosts(network, is_here);
    }

    /// The node of an application.
    pub(crate) fn node(&self, application: u32) -> usize {
        self.slots[application as usize].node as usize
    }

    /// When a flow starts: it begins then, or asks for its address.
    pub(crate) fn start_of(&self, flow: u32) -> Time {
        self.flows[flow as usize].start
    }

    /// The nodes of the sender and of the receiver of a flow's data.
    pub(crate) fn ends(&self, flow: usize) -> [usize; 2] {
        self.flows[flow].ends().map(|it| self.slots[it].node as usize)
    }

    /// Percentiles of the delays of a flow's datagrams, at its receiver; none of other flows.
    fn delay_percentiles(&self, flow: usize) -> Option<DelayPercentiles> {
        match &self.slots[self.flows[flow].ends()[1]].running {
            Running::Sink(sink) => sink.delay_percentiles(),
            _ => None,
        }
    }

    /// A flow from here, of which `at` has the receiver.
    pub(crate) fn flow(&self, flow: usize, at: &Self) -> Flow {
        let place = &self.flows[flow];
        let connections = self.opened(flow).max(at.opened(flow));
        let receiver = at.receiver(flow);
        let (finished, counters) = match (self.sender(flow), receiver) {
            (
                SenderState::Tcp { counters: sender, multipath, in_flight, .. },
                ReceiverState::Tcp { counters: receiver, finished, .. },
            ) => {
                let multipath = (place.subflows > 0).then_some(multipath);
                let counters = TcpCounters { connections, sender, multipath, receiver, in_flight };
                (finished, FlowCounters::Tcp(Box::new(counters)))
            }
            (SenderState::Udp { sent }, ReceiverState::Udp(received)) => {
                (None, FlowCounters::Udp(sent, received))
            }
            (SenderState::Stack(sender), ReceiverState::Stack(receiver, finished)) => {
                (finished, FlowCounters::Stack(Box::new([sender, receiver])))
            }
            _ => unreachable!("a flow's two hosts speak the same protocol"),
        };
        let delays = at.delay_percentiles(flow);
        let transfers = place.has_transfers.then(|| self.count_transfers(flow, at));
        Flow { start: place.start, finished, transfers, delays, counters }
    }

    /// How many of a flow's transfers have begun and were received; `at` has the receiver.
    fn count_transfers(&self, flow: usize, at: &Self) -> TransferCounts {
        let [sender, receiver] = self.flows[flow].ends();
        let (sender, receiver) = (&self.slots[sender], &at.slots[receiver]);
        let begun = match &sender.running {
            Running::Source(source, _) => source.frames_begun(),
            Running::Streams(_) | Running::Sink(_) => sender.begun + receiver.begun,
        };
        TransferCounts { begun, received: receiver.transfers }
    }

    /// How many connections the first or the last host of a flow opened.
    pub(crate) fn opened(&self, flow: usize) -> u64 {
        self.flows[flow].ends().map(|it| self.slots[it].opened).into_iter().max().unwrap_or(0)
    }

    /// What the sender of a flow's data counted.
    pub(crate) fn sender(&self, flow: usize) -> SenderState {
        let flow = &self.flows[flow];
        let slot = &self.slots[flow.ends()[0]];
        if let Some(stack) = flow.stack {
            let mut counted = self.stacks[stack as usize].counted(Side::Sender);
            if let Running::Source(source, _) = &slot.running {
                counted.made = Some(source.sent());
            }
            return SenderState::Stack(counted);
        }
        if let Running::Source(source, ..) = &slot.running {
            return SenderState::Udp { sent: source.sent() };
        }
        let in_flight = self.open(slot).map(|it| it.endpoint.in_flight()).sum();
        let only = self.open(slot).next().filter(|_| !flow.has_many);
        let counters = self.counters(slot);
        let mut multipath = slot.closed.as_ref().map(|it| it.multipath).unwrap_or_default();
        self.open(slot).for_each(|it| multipath += it.endpoint.multipath_counters());
        SenderState::Tcp { counters, multipath, in_flight, window: only.and_then(Window::of) }
    }

    /// What the receiver of a flow's data counted.
    pub(crate) fn receiver(&self, flow: usize) -> ReceiverState {
        let slot = &self.slots[self.flows[flow].ends()[1]];
        let finished = slot.finished;
        let sink = match &slot.running {
            Running::Sink(sink) => Some(*sink.counters()),
            _ => None,
        };
        if let Some(stack) = self.flows[flow].stack {
            let counted = self.stacks[stack as usize].counted(Side::Receiver);
            return ReceiverState::Stack(
                StackCounts { sink: sink.map(Box::new), ..counted },
                finished,
            );
        }
        if let Some(sink) = sink {
            return ReceiverState::Udp(sink);
        }
        let waiting = self.open(slot).map(|it| it.endpoint.waiting_bytes()).sum();
        ReceiverState::Tcp { counters: self.counters(slot), waiting, finished }
    }

    /// How many subflows a flow's connections have.
    pub(crate) fn count_subflows(&self, flow: usize) -> usize {
        self.flows[flow].subflows as usize
    }

    /// What the end of a flow's data at `side` counted of a subflow, and how that fares.
    pub(crate) fn subflow(&self, flow: usize, subflow: usize, side: Side) -> SubflowState {
        let slot = &self.slots[self.flows[flow].ends()[side as usize]];
        let closed = slot.closed.as_ref().and_then(|it| it.subflows.get(subflow));
        let counters = closed.copied().unwrap_or_default();
        let mut state = SubflowState { counters, window: None, estimate: None };
        for socket in self.open(slot) {
            let End::Multipath(endpoint) = &socket.endpoint else { continue };
            if let Some((counters, controller)) = endpoint.subflows().nth(subflow) {
                state.counters += &counters;
                let rtt = endpoint.smoothed_rtt(subflow);
                state.window = controller.map(|it| Window::of_controller(it, rtt));
                let segment = f64::from(endpoint.settings().maximum_segment);
                let estimate = controller.and_then(Controller::estimate);
                state.estimate =
                    estimate.map(|it| (it.bandwidth * segment * 8.0, seconds(it.round_trip)));
            }
        }
        state
    }

    /// The player at the receiver of a flow's data, if it is one.
    pub(crate) fn player(&self, flow: usize) -> Option<&dyn Player> {
        match &self.slots[self.flows[flow].ends()[1]].running {
            Running::Streams(running) => running.as_ref()?.player(),
            Running::Sink(sink) => sink.player(),
            Running::Source(..) => None,
        }
    }

    /// How the page has loaded that the receiver of a flow's data loads, if it loads one.
    pub(crate) fn page(&self, flow: usize) -> Option<&PageLoad> {
        match &self.slots[self.flows[flow].ends()[1]].running {
            Running::Streams(running) => running.as_ref()?.page(),
            Running::Sink(_) | Running::Source(..) => None,
        }
    }

    /// The open sockets of an application.
    fn open<'a>(&'a self, slot: &'a HostSlot) -> impl Iterator<Item = &'a Socket> {
        slot.open.iter().map(|place| &self.sockets[*place])
    }

    /// What all connections of an application counted, the closed ones included.
    fn counters(&self, slot: &HostSlot) -> EndpointCounters {
        let mut counters = slot.closed.as_ref().map(|it| it.counters).unwrap_or_default();
        self.open(slot).for_each(|it| counters += &it.endpoint.counters());
        counters
    }

    /// For how long each limit of the sender of a flow's data was in force until now, over all
    /// its connections; none over UDP.
    pub(crate) fn limits(&self, flow: usize, now: Time) -> Option<LimitTimes> {
        let place = &self.flows[flow];
        place.class?;
        let slot = &self.slots[place.ends()[0]];
        let mut limits = slot.closed.as_ref().map(|it| it.limits).unwrap_or_default();
        self.open(slot).for_each(|it| limits += &it.endpoint.limits(now));
        Some(limits)
    }

    /// When the last byte of a flow's file was received.
    pub(crate) fn finished(&self, flow: usize) -> Option<Time> {
        self.slots[self.flows[flow].ends()[1]].finished
    }

    /// The transfers that were finished, in that order.
    pub(crate) fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Fetches what the next segment of a connection will touch: first its socket, then what
    /// lies behind that, and where the answer goes.
    #[inline]
    pub(crate) fn prefetch(&self, network: &Network, connection: u32, side: Side, first: bool) {
        let key = Key::new(connection, side);
        if first {
            self.sockets.prefetch(key);
        } else if let Some(place) = self.sockets.find(key) {
            let socket = &self.sockets[place];
            socket.endpoint.prefetch(connection);
            network.prefetch_path(socket.route);
        }
    }

    /// An IP packet has arrived at a host of its flow.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        network: &mut Network,
        now: Time,
        side: Side,
        packet: &Packet,
    ) {
        match &packet.body {
            Body::Segment(segment) => {
                let key = Key::new(segment.connection, side);
                match self.sockets.find(key) {
                    Some(place) => self.take_in(network, now, place, segment, packet),
                    None => self.receive_unknown(network, now, key, segment, packet),
                }
            }
            Body::Datagram(Datagram { content: Some(_), .. }) => {
                self.receive_for_stack(network, now, side, packet);
            }
            Body::Datagram(datagram) => {
                if network.log.is_some() {
                    logging::datagram_arrived(network, now, side, None, packet);
                }
                let slot = self.flows[datagram.flow as usize].first + 1;
                if let Running::Sink(sink) = &mut self.slots[slot as usize].running
                    && let Some(frame) = sink.receive(now, datagram, packet.ecn)
                {
                    self.complete(now, slot, frame);
                }
            }
            Body::Dns(_) => network.arrived.push(Arrived::Dns(*packet)),
            Body::Real(_) => network.receive_real(now, *packet),
            // No path to a host is computed for anything else.
            _ => {}
        }
    }

    #[inline]
    fn take_in(
        &mut self,
        network: &mut Network,
        now: Time,
        place: u32,
        segment: &Segment,
        packet: &Packet,
    ) {
        if network.log.is_some() {
            self.receive_logged(network, now, place, packet);
        } else {
            self.sockets[place].endpoint.receive(now, segment, packet.ecn, &mut self.outbox);
        }
        self.after(network, now, place);
    }

    /// A segment for which there is no socket: it opens a connection, or belongs to one
    /// that is closed. An end that is closed has received all and was acknowledged: as in
    /// TIME-WAIT, a FIN that is sent again is answered, for which nothing needs to be
    /// remembered (RFC 9293, section 3.10.7.8).
    #[cold]
    fn receive_unknown(
        &mut self,
        network: &mut Network,
        now: Time,
        key: Key,
        segment: &Segment,
        packet: &Packet,
    ) {
        let (class, ordinal) = self.numbers.class(key.number());
        let side = key.side();
        logging::unknown_arrived(network, now, side, packet);
        if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) {
            // A subflow does not open a connection.
            let joins = matches!(segment.multipath(), Some(Multipath::Join { .. }));
            let class = &mut self.classes[class as usize];
            if !joins && class.accepted.insert(ordinal) {
                self.accept(network, now, key, segment, packet.ecn);
            }
        } else if segment.flags.has(Flags::FIN) {
            let class = &self.classes[class as usize];
            let answer = tcp::acknowledge_again(now, segment, &class.settings);
            logging::answer_left(network, now, side, &answer);
            network.send(
                now,
                class.nodes[side as usize] as u32,
                class.routes[side as usize],
                answer,
            );
        }
    }

    fn accept(&mut self, network: &mut Network, now: Time, key: Key, segment: &Segment, ecn: Ecn) {
        let place = self.insert(network, key, Role::Server);
        let slot = self.sockets[place].application;
        self.sockets[place].endpoint.receive(now, segment, ecn, &mut self.outbox);
        self.flush(network, now, place);
        self.call(network, now, slot, |it, host| it.on_open(now, Stream(key.0), host));
    }

    /// Opens a socket; nothing is sent yet.
    fn insert(&mut self, network: &Network, key: Key, role: Role) -> u32 {
        let (first, ordinal) = self.numbers.class(key.number());
        let class = &self.classes[first as usize];
        let side = key.side() as usize;
        let application = class.applications[side];
        let slot = &self.slots[application as usize];
        let subflows = self.flows[slot.flow as usize].subflows;
        let (endpoint, others) = match &class.multipath {
            None => {
                let endpoint = Endpoint::new(key.number(), role, &class.settings);
                let small = class.small_queues[side];
                let endpoint = if small { endpoint.with_small_queue() } else { endpoint };
                (End::Tcp(endpoint), Box::default())
            }
            Some(settings) => {
                let classes = first..first + subflows;
                let keys = classes.clone().map(|it| self.numbers.number(it, ordinal));
                let small = classes.clone().map(|it| self.classes[it as usize].small_queues[side]);
                let endpoint = mptcp::Endpoint::new(keys.clone(), role, settings);
                let others = classes.skip(1).zip(keys.skip(1)).map(|(class, number)| {
                    let key = Key::new(number, key.side());
                    (key, self.classes[class as usize].route(network, key))
                });
                (End::Multipath(Box::new(endpoint.with_small_queues(small))), others.collect())
            }
        };
        let place = self.sockets.insert(Socket {
            endpoint,
            alarm: Alarm::NONE,
            node: class.nodes[side] as u32,
            route: class.route(network, key),
            key,
            others,
            application,
            awaited: u64::MAX,
            awaits_acknowledgements: false,
            is_closing: false,
        });
        self.slots[application as usize].open.push(place);
        place
    }

    /// The radio of a flow's sender is reported to it: the SINR in dB, the bandwidth in Hz.
    pub(crate) fn on_radio_report(&mut self, flow: u32, now: Time, sinr: f64, bandwidth: f64) {
        let slot = &self.slots[self.flows[flow as usize].first as usize];
        for place in &slot.open {
            self.sockets[*place].endpoint.on_radio_report(now, sinr, bandwidth);
        }
    }

    /// A socket checks its timers.
    pub(crate) fn wake_socket(&mut self, network: &mut Network, now: Time, key: u32) {
        let Some(place) = self.sockets.find(Key(key)) else { return };
        let socket = &mut self.sockets[place];
        if socket.alarm.rings(now) {
            if network.log.is_some() {
                self.wake_logged(network, now, place);
            } else {
                socket.endpoint.wake(now, &mut self.outbox);
            }
            self.after(network, now, place);
        }
    }

    /// An application starts, does what is next, or stops.
    pub(crate) fn wake_application(&mut self, network: &mut Network, now: Time, slot: u32) {
        let it = &mut self.slots[slot as usize];
        if it.wake != now {
            return;
        }
        it.wake = Time::NEVER;
        let stops = now >= it.stop;
        match &mut it.running {
            Running::Source(..) if !stops && self.flows[it.flow as usize].stack.is_some() => {
                self.send_over_stack(network, now, slot);
            }
            Running::Source(source, route) if !stops => {
                let packet = source.send(now);
                if network.log.is_some() {
                    logging::datagram_left(network, now, Side::Sender, None, &packet);
                }
                network.send(now, it.node, *route, packet);
                self.arrange(network, slot);
            }
            Running::Source(..) | Running::Sink(_) => {}
            Running::Streams(_) if stops => {
                it.stop = Time::ZERO;
                self.call(network, now, slot, |it, host| it.stop(now, host));
            }
            Running::Streams(Some(application)) if application.next_wake() <= now => {
                self.call(network, now, slot, |it, host| it.wake(now, host));
            }
            Running::Streams(_) => self.arrange(network, slot),
        }
    }

    /// Schedules an application's next wake-up, if none is scheduled in time. One that
    /// has stopped has none.
    pub(super) fn arrange(&mut self, network: &mut Network, slot: u32) {
        let it = &mut self.slots[slot as usize];
        let next = match &it.running {
            Running::Streams(Some(application)) => application.next_wake(),
            Running::Source(source, ..) => source.next_wake(),
            Running::Streams(None) | Running::Sink(_) => return,
        };
        let time = next.min(it.stop);
        if time < it.wake && it.stop > Time::ZERO {
            it.wake = time;
            network.schedule(time, Event::new(Kind::Application, slot));
        }
    }

    /// What follows when a socket has received something or checked its timers.
    #[inline]
    fn after(&mut self, network: &mut Network, now: Time, place: u32) {
        self.flush(network, now, place);
        let socket = &self.sockets[place];
        if socket.has_awaited() || socket.awaits_acknowledgements {
            self.tell(network, now, place);
        }
        if self.sockets[place].endpoint.is_finished() {
            self.end(network, now, place);
        }
    }

    /// Ends what is over of a connection whose other end will send nothing more. A connection
    /// that is closed is one of those.
    #[cold]
    fn end(&mut self, network: &mut Network, now: Time, place: u32) {
        let socket = &self.sockets[place];
        if !socket.is_closing {
            let (slot, stream) = (socket.application, Stream(socket.key.0));
            self.call(network, now, slot, |it, host| it.on_finished(now, stream, host));
        }
        if self.sockets[place].endpoint.is_closed() {
            self.release(network, now, place);
        }
    }

    /// Calls a socket's application with what it waits for.
    fn tell(&mut self, network: &mut Network, now: Time, place: u32) {
        let socket = &mut self.sockets[place];
        let (slot, stream) = (socket.application, Stream(socket.key.0));
        let (has_awaited, is_acknowledged) = (socket.has_awaited(), socket.awaits_acknowledgements);
        if has_awaited {
            socket.awaited = u64::MAX;
            self.call(network, now, slot, |it, host| it.on_received(now, stream, host));
        }
        if is_acknowledged {
            self.call(network, now, slot, |it, host| it.on_acknowledged(now, stream, host));
        }
    }

    /// Sends what a socket has to send, and schedules its wake-up.
    #[inline]
    fn flush(&mut self, network: &mut Network, now: Time, place: u32) {
        if network.log.is_some() {
            self.log_departures(network, now, place);
        }
        if !self.outbox.is_empty() {
            self.send_out(network, now, place);
        }
        let socket = &mut self.sockets[place];
        if let Some(time) = socket.next_wake(now) {
            network.schedule(time, Event::new(Kind::Socket, socket.key.0));
        }
    }

    /// Sends the packets of a socket.
    #[inline]
    fn send_out(&mut self, network: &mut Network, now: Time, place: u32) {
        let socket = &mut self.sockets[place];
        if !socket.others.is_empty() {
            socket.send_subflows(network, now, &mut self.outbox);
        } else if socket.endpoint.keeps_queue_small() {
            for packet in self.outbox.drain(..) {
                let data = packet.segment().map_or(0, |it| it.length);
                let leaves = network.send_own(now, socket.node, socket.route, packet);
                if data > 0 {
                    socket.endpoint.leave_queue(now, socket.key.number(), data, leaves);
                }
            }
        } else {
            for packet in self.outbox.drain(..) {
                network.send(now, socket.node, socket.route, packet);
            }
        }
    }

    /// Links send at other rates: what hosts have in the queues of their own links leaves at
    /// another time.
    #[cold]
    pub(crate) fn follow_rates(&mut self, network: &mut Network, now: Time) {
        while let Some(change) = network.rate_changes.pop() {
            let node = network.forwarding.topology().near(change.port) as u32;
            let slots = self.slots.iter().filter(|it| it.node == node);
            for place in slots.flat_map(|it| &it.open) {
                let socket = &mut self.sockets[*place];
                if socket.follow_rate(network, now, &change)
                    && let Some(time) = socket.next_wake(now)
                {
                    network.schedule(time, Event::new(Kind::Socket, socket.key.0));
                }
            }
        }
    }

    /// A service of the network sends a message over a flow.
    pub(crate) fn send_message(&mut self, network: &mut Network, now: Time, flow: u32, bytes: u64) {
        for slot in self.flows[flow as usize].ends() {
            self.call(network, now, slot as u32, |it, host| it.on_message(now, bytes, host));
        }
    }

    /// The flow over which the next message of a service has arrived.
    pub(crate) fn next_delivered(&mut self) -> Option<u32> {
        self.delivered.pop_front()
    }

    /// A transfer was received to its end.
    fn complete(&mut self, now: Time, slot: u32, completed: Completed) {
        let slot = &mut self.slots[slot as usize];
        slot.transfers += 1;
        let flow = &self.flows[slot.flow as usize];
        let Completed { number, bytes, start, before } = completed;
        let ideal = flow.ideal.as_ref().map_or(Duration::ZERO, |it| match before {
            Before::Opening => it.file(bytes),
            Before::Request { bytes: request, is_first } => it.exchange(request, bytes, is_first),
            Before::Nothing => it.message(bytes, number == 0),
        });
        slot.finished = flow.is_file.then_some(now);
        let completion = now.since(start);
        self.transfers.push(Transfer { flow: slot.flow, number, bytes, start, completion, ideal });
    }

    /// A socket has nothing more to do.
    #[cold]
    fn release(&mut self, network: &mut Network, now: Time, place: u32) {
        let socket = &self.sockets[place];
        let stream = Stream(socket.key.0);
        let application = socket.application;
        let slot = &mut self.slots[application as usize];
        slot.closed.get_or_insert_default().add(now, &socket.endpoint);
        slot.open.retain(|it| *it != place);
        self.sockets.remove(place);
        self.call(network, now, application, |it, _| it.on_closed(stream));
    }
}
