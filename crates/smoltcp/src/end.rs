//! One end: an interface of smoltcp, and its connections.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State as TcpState};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpCidr};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Place, Read, Role, Stack, State, StreamStack, ports,
};

use crate::connection::Connection;
use crate::controller::SmoltcpController;
use crate::wire::Wire;

/// How many bytes each end of a connection holds that are not acknowledged, or not read.
const BUFFER: usize = 1 << 20;

/// One end.
pub(crate) struct End {
    controller: SmoltcpController,
    place: Place,
    now: Duration,
    interface: Interface,
    wire: Wire,
    sockets: SocketSet<'static>,
    /// Sockets that wait for connections, or for the last part of a handshake.
    waiting: Vec<SocketHandle>,
    /// By number.
    connections: BTreeMap<u64, Connection>,
    /// One more than the highest number so far.
    next: u64,
    is_connected: bool,
    events: VecDeque<Event>,
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, now, connections, .. } = self;
        f.debug_tuple("End").field(place).field(now).field(connections).finish()
    }
}

/// A time as smoltcp counts it: what has passed of a microsecond is dropped.
fn instant(now: Duration) -> Instant {
    Instant::from_micros(now.as_micros() as i64)
}

impl End {
    pub(crate) fn new(
        controller: SmoltcpController,
        mtu: u16,
        now: Duration,
        place: Place,
    ) -> Result<Self, String> {
        let mut wire = Wire { mtu, ..Wire::default() };
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = place.seed;
        let mut interface = Interface::new(config, &mut wire, instant(now));
        let address = place.own.ip();
        let prefix = if address.is_ipv4() { 32 } else { 128 };
        let mut has_room = true;
        interface.update_ip_addrs(|it| {
            has_room = it.push(IpCidr::new(address.into(), prefix)).is_ok();
        });
        let mut end = Self {
            controller,
            place,
            now,
            interface,
            wire,
            sockets: SocketSet::new(Vec::new()),
            waiting: Vec::new(),
            connections: BTreeMap::new(),
            next: 0,
            is_connected: false,
            events: VecDeque::new(),
        };
        end.listen()?;
        has_room.then_some(end).ok_or_else(|| "it takes no address".to_owned())
    }

    fn socket(&self) -> Socket<'static> {
        let buffer = || SocketBuffer::new(vec![0; BUFFER]);
        let mut socket = Socket::new(buffer(), buffer());
        socket.set_congestion_control(match self.controller {
            SmoltcpController::Cubic => CongestionControl::Cubic,
            SmoltcpController::Reno => CongestionControl::Reno,
            SmoltcpController::None => CongestionControl::None,
        });
        socket
    }

    /// Has a socket wait for the next connection, if it is the end that waits.
    fn listen(&mut self) -> Result<(), String> {
        let listens =
            |it: &SocketHandle| self.sockets.get::<Socket<'_>>(*it).state() == TcpState::Listen;
        if self.place.role == Role::Server && !self.waiting.iter().any(listens) {
            let mut socket = self.socket();
            socket.listen(self.place.own.port()).map_err(|it| it.to_string())?;
            self.waiting.push(self.sockets.add(socket));
        }
        Ok(())
    }

    /// Takes the connections over whose handshake is over.
    fn accept(&mut self) {
        let mut is_spare = false;
        for handle in std::mem::take(&mut self.waiting) {
            let socket = self.sockets.get::<Socket<'_>>(handle);
            match (socket.state(), socket.remote_endpoint()) {
                // One is enough: another one's handshake was given up.
                (TcpState::Listen, _) if std::mem::replace(&mut is_spare, true) => {
                    self.sockets.remove(handle);
                }
                (TcpState::Listen | TcpState::SynReceived, _) => self.waiting.push(handle),
                (_, Some(peer)) => {
                    let number = ports::number(self.place.peer.port(), peer.port, self.next);
                    self.next = self.next.max(number + 1);
                    self.connections.insert(number, Connection::new(handle));
                    self.events.push_back(Event::Opened(number));
                }
                (_, None) => drop(self.sockets.remove(handle)),
            }
        }
    }

    /// Tells what has happened, and forgets the connections that are over.
    fn settle(&mut self) {
        self.accept();
        let Self { connections, sockets, events, .. } = self;
        connections.retain(|number, connection| {
            connection.tell(*number, sockets.get_mut(connection.handle), events);
            let is_over = connection.is_over();
            if is_over {
                sockets.remove(connection.handle);
            }
            !is_over
        });
        let is_established = |it: &Connection| it.is_established();
        if !self.is_connected && self.connections.values().any(is_established) {
            self.is_connected = true;
            self.events.push_front(Event::Connected);
        }
    }

    fn stream(&mut self, number: u64) -> Option<(&mut Connection, &mut Socket<'static>)> {
        let connection = self.connections.get_mut(&number)?;
        let socket = self.sockets.get_mut(connection.handle);
        Some((connection, socket))
    }

    fn fail(&mut self, why: String) {
        self.events.push_back(Event::Failed(why));
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.now = now;
        for datagram in datagrams {
            self.wire.arrived = Some(datagram.bytes.to_vec());
            self.interface.poll_ingress_single(instant(now), &mut self.wire, &mut self.sockets);
            if let Err(why) = self.listen() {
                self.fail(why);
            }
        }
        self.settle();
    }

    fn wake(&mut self, now: Duration) {
        self.now = now;
        self.interface.poll_egress(instant(now), &mut self.wire, &mut self.sockets);
        self.settle();
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.now = now;
        if self.wire.leaving.is_empty() {
            self.interface.poll_egress(instant(now), &mut self.wire, &mut self.sockets);
        }
        let packet = self.wire.leaving.pop_front()?;
        buffer.extend_from_slice(&packet);
        Some(Departure {
            from: None,
            to: self.place.peer,
            ecn: Ecn::NotCapable,
            segment: packet.len(),
        })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let at = self.interface.poll_at(instant(self.now), &self.sockets)?;
        Some(Duration::from_micros(u64::try_from(at.total_micros()).unwrap_or_default()))
    }

    /// It tells nothing of its connections.
    fn state(&self) -> State {
        State { mtu: Some(self.wire.mtu), ..State::default() }
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.now = now;
        let number = self.next;
        let mut socket = self.socket();
        let Place { own, peer, .. } = self.place;
        let from = (own.ip(), ports::port(own.port(), number));
        if let Err(error) = socket.connect(self.interface.context(), peer, from) {
            self.fail(error.to_string());
            return None;
        }
        self.next += 1;
        let handle = self.sockets.add(socket);
        self.connections.insert(number, Connection::new(handle));
        Some(number)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.now = now;
        self.stream(stream).map_or(0, |(connection, socket)| connection.write(socket, bytes))
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.now = now;
        if let Some((connection, socket)) = self.stream(stream) {
            connection.finish(socket);
        }
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.now = now;
        let Some((connection, socket)) = self.stream(stream) else { return Read::default() };
        match connection.read(socket) {
            Ok(read) => read,
            Err(why) => {
                self.fail(why);
                Read::default()
            }
        }
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
