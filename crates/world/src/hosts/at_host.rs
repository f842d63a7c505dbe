//! What a host offers the application that it calls.

use windtunnel_applications::{Application, Completed, Host, Stream};
use windtunnel_engine::Time;
use windtunnel_transports::tcp::{Role, TcpSettings};

use super::at_stack::AtStack;
use super::running::Running;
use super::sockets::{Key, Socket};
use super::state::{HostSlot, Hosts, PlannedFlow};
use crate::network::Network;
use crate::side::Side;

/// An application's view of its host, while it is called. A stream's number is its
/// socket's key; streams that are closed are ignored.
pub(super) struct AtHost<'a> {
    pub(super) hosts: &'a mut Hosts,
    pub(super) network: &'a mut Network,
    pub(super) now: Time,
    /// The application.
    pub(super) slot: u32,
}

impl Hosts {
    /// Calls an application, and arranges for its next wake-up.
    pub(super) fn call(
        &mut self,
        network: &mut Network,
        now: Time,
        slot: u32,
        call: impl FnOnce(&mut dyn Application, &mut dyn Host),
    ) {
        let HostSlot { running, flow, position, .. } = &mut self.slots[slot as usize];
        let Running::Streams(running) = running else { return };
        let mut application = running.take().expect("an application is not called while it runs");
        let side = if *position == 0 { Side::Sender } else { Side::Receiver };
        let stack = self.flows[*flow as usize].stack;
        match stack {
            None => call(application.as_mut(), &mut AtHost { hosts: self, network, now, slot }),
            Some(stack) => {
                call(application.as_mut(), &mut AtStack { hosts: self, now, slot, stack, side });
            }
        }
        self.slots[slot as usize].running = Running::Streams(Some(application));
        self.arrange(network, slot);
        if let Some(stack) = stack {
            self.settle(network, now, stack, side);
        }
    }
}

impl AtHost<'_> {
    fn flow(&self) -> (&PlannedFlow, u32) {
        let slot = &self.hosts.slots[self.slot as usize];
        (&self.hosts.flows[slot.flow as usize], slot.position)
    }

    fn settings(&self) -> &TcpSettings {
        let class = self.flow().0.class.expect("only flows with streams have such applications");
        &self.hosts.classes[class as usize].settings
    }

    fn place(&self, stream: Stream) -> Option<u32> {
        self.hosts.sockets.find(Key(stream.0))
    }

    fn socket(&self, stream: Stream) -> Option<&Socket> {
        self.place(stream).map(|it| &self.hosts.sockets[it])
    }

    fn socket_mut(&mut self, stream: Stream) -> Option<&mut Socket> {
        let place = self.place(stream)?;
        Some(&mut self.hosts.sockets[place])
    }

    /// The key of the end here of the connection that is opened as that number.
    fn next_key(&self, ordinal: u64) -> Key {
        let (flow, position) = self.flow();
        let first = flow.class.expect("only flows with streams have such applications");
        let (class, side) = match position {
            it if it + 1 == flow.hosts => (first + it - 1, Side::Receiver),
            it => (first + it, Side::Sender),
        };
        Key::new(self.hosts.numbers.number(class, ordinal), side)
    }
}

impl Host for AtHost<'_> {
    fn open(&mut self, ordinal: u64) -> Stream {
        let key = self.next_key(ordinal);
        if self.hosts.sockets.find(key).is_none() {
            let place = self.hosts.insert(self.network, key, Role::Client);
            self.hosts.slots[self.slot as usize].opened += 1;
            let hosts = &mut *self.hosts;
            hosts.sockets[place].endpoint.open(self.now, &mut hosts.outbox);
            hosts.flush(self.network, self.now, place);
        }
        Stream(key.0)
    }

    fn write(&mut self, stream: Stream, bytes: u64) {
        let Some(place) = self.place(stream) else { return };
        let hosts = &mut *self.hosts;
        hosts.sockets[place].endpoint.write(self.now, bytes, &mut hosts.outbox);
        hosts.flush(self.network, self.now, place);
    }

    fn close(&mut self, stream: Stream) {
        let Some(place) = self.place(stream) else { return };
        let hosts = &mut *self.hosts;
        hosts.sockets[place].is_closing = true;
        hosts.sockets[place].endpoint.close(self.now, &mut hosts.outbox);
        hosts.flush(self.network, self.now, place);
    }

    fn read(&mut self, stream: Stream, bytes: u64) {
        let Some(place) = self.place(stream) else { return };
        let hosts = &mut *self.hosts;
        hosts.sockets[place].endpoint.take(self.now, bytes, &mut hosts.outbox);
        hosts.flush(self.network, self.now, place);
    }

    fn await_received(&mut self, stream: Stream, bytes: u64) {
        if let Some(socket) = self.socket_mut(stream) {
            socket.awaited = bytes;
        }
    }

    fn await_acknowledged(&mut self, stream: Stream) {
        if let Some(socket) = self.socket_mut(stream) {
            socket.awaits_acknowledgements = true;
        }
    }

    fn ordinal(&self, stream: Stream) -> u64 {
        self.hosts.numbers.class(Key(stream.0).number()).1
    }

    fn received(&self, stream: Stream) -> u64 {
        self.socket(stream).map_or(0, |it| it.endpoint.received_bytes())
    }

    fn unacknowledged(&self, stream: Stream) -> u64 {
        self.socket(stream).map_or(0, |it| it.endpoint.unacknowledged())
    }

    fn is_finished(&self, stream: Stream) -> bool {
        self.socket(stream).is_some_and(|it| it.endpoint.is_finished())
    }

    fn room(&self, stream: Stream) -> u64 {
        let Some(socket) = self.socket(stream) else { return 0 };
        let settings = socket.endpoint.settings();
        let initial = settings.window.initial;
        let window = socket.endpoint.cwnd().unwrap_or(initial);
        let wanted = (2.0 * window * f64::from(settings.maximum_segment)).ceil() as u64;
        wanted.saturating_sub(socket.endpoint.unacknowledged())
    }

    fn segment(&self) -> u16 {
        self.settings().maximum_segment
    }

    fn write_size(&self) -> Option<u64> {
        self.settings().socket.write_size
    }

    fn begin(&mut self) {
        self.hosts.slots[self.slot as usize].begun += 1;
    }

    fn complete(&mut self, transfer: Completed) {
        self.hosts.complete(self.now, self.slot, transfer);
    }

    fn deliver(&mut self) {
        let flow = self.hosts.slots[self.slot as usize].flow;
        self.hosts.delivered.push_back(flow);
    }
}
