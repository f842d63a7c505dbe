//! Faces: link packets over UDP and TCP sockets, in one loop with one timer.

mod statuses;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration as RealDuration;

use mio::net::{TcpListener, TcpStream, UdpSocket};
use mio::unix::SourceFd;
use mio::{Interest as Readiness, Poll, Token as Source};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::link_service::LinkServiceCounters;
use windtunnel_packets::ndn::wire::MAX_NDN_PACKET_SIZE;
use windtunnel_packets::{Body, Packet};
use windtunnel_scenario::{FaceAddress, FaceProtocol};

use super::NdnError;
use super::link::{Link, NetworkPacket, size_at_front};
use super::socket;
use super::status::PacketCounters;
use crate::Clock;

/// What a UDP datagram takes by default: what fits into 1500 bytes beside IPv4 and UDP.
const UDP_MTU: u16 = 1472;
/// On this machine, the largest packet: not every peer reassembles fragments.
const LOOPBACK_MTU: u16 = MAX_NDN_PACKET_SIZE as u16;
/// A stream's link packets are no larger than the largest packet.
const TCP_MTU: u16 = MAX_NDN_PACKET_SIZE as u16;

/// Something happened at a face.
#[derive(Debug)]
pub(super) enum FaceEvent {
    /// Somebody connected, or sent the first datagram.
    Opened(FaceId),
    /// The other end is gone.
    Closed(FaceId),
    /// An Interest or Data came.
    Received(FaceId, NetworkPacket),
}

/// What faces counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCounters {
    /// Link packets that came in.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Link packets sent.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Link packets dropped because they are malformed.
    pub malformed: u64,
    /// Link packets dropped because the socket could not take them.
    pub dropped: u64,
    /// Datagrams and connections refused because there are too many faces.
    pub refused: u64,
    /// Faces that others made, closed because there was no room for another one.
    pub evicted: u64,
}

#[derive(Debug)]
enum Transport {
    /// Datagrams to and from a peer, over that socket.
    Udp {
        socket: usize,
        peer: SocketAddr,
    },
    Tcp {
        stream: TcpStream,
        inbound: Vec<u8>,
        outbound: VecDeque<u8>,
    },
}

#[derive(Debug)]
struct Face {
    transport: Transport,
    link: Link,
    is_local: bool,
    origin: Origin,
    mtu: u16,
    last_used: Time,
    received: PacketCounters,
    sent: PacketCounters,
}

/// Who made a face. What others made goes when there is no room for another face, in this order:
/// who sends datagrams only has to send another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A datagram that came; it closes when nothing has come for long.
    Datagram,
    /// A connection that was accepted.
    Accepted,
    /// We did.
    Own,
}

#[derive(Debug)]
struct Datagrams {
    socket: UdpSocket,
    /// Whether whoever sends gets a face.
    accepts: bool,
    peers: BTreeMap<SocketAddr, FaceId>,
}

/// All sockets of a program.
#[derive(Debug)]
pub(super) struct Faces {
    clock: Clock,
    poll: Poll,
    readiness: mio::Events,
    timer: TimerFd,
    udp: Vec<Datagrams>,
    tcp: Vec<TcpListener>,
    faces: Vec<Option<Face>>,
    free: VecDeque<FaceId>,
    /// Numbers of faces that were closed since the last `wait`: what they had received before is
    /// still to be handled, and the answers are not for others.
    closed: Vec<FaceId>,
    /// Sockets that may have more to read.
    ready: VecDeque<Source>,
    /// What happened outside of `wait`.
    pending: Vec<FaceEvent>,
    buffer: Box<[u8]>,
    counters: FaceCounters,
    closed_links: LinkServiceCounters,
    swept: Time,
}

/// The kinds of sources, in the upper half of their numbers.
const KIND: usize = 1 << 32;
const TIMER: usize = 0;
const UDP: usize = 1;
const LISTENER: usize = 2;
const STREAM: usize = 3;

fn source(kind: usize, index: usize) -> Source {
    Source(kind * KIND + index)
}

impl Faces {
    /// The most faces at once.
    const MOST: usize = 1024;
    /// How long a face may be without packets that was made for a datagram (NFD's default).
    const IDLE: Duration = Duration::from_secs(600);
    /// The most bytes that wait to be sent over a connection.
    const MOST_QUEUED: usize = 1 << 20;
    /// How many packets of a socket are read in turn.
    const BATCH: usize = 64;
    /// The longest wait.
    const LONGEST: RealDuration = RealDuration::from_millis(100);

    /// None yet.
    pub(super) fn new(clock: Clock) -> Result<Self, NdnError> {
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK)
            .map_err(|it| NdnError::system("a timer")(it.into()))?;
        let poll = Poll::new().map_err(NdnError::system("epoll"))?;
        let descriptor = timer.as_fd().as_raw_fd();
        poll.registry()
            .register(&mut SourceFd(&descriptor), source(TIMER, 0), Readiness::READABLE)
            .map_err(NdnError::system("epoll"))?;
        Ok(Self {
            clock,
            poll,
            readiness: mio::Events::with_capacity(256),
            timer,
            udp: Vec::new(),
            tcp: Vec::new(),
            faces: Vec::new(),
            free: VecDeque::new(),
            closed: Vec::new(),
            ready: VecDeque::new(),
            pending: Vec::new(),
            buffer: vec![0; 1 << 16].into(),
            counters: FaceCounters::default(),
            closed_links: LinkServiceCounters::default(),
            swept: Time::ZERO,
        })
    }

    /// What was counted so far.
    pub(super) fn counters(&self) -> FaceCounters {
        self.counters
    }

    /// What the link services of all faces counted.
    pub(super) fn link_counters(&self) -> LinkServiceCounters {
        let open = self.faces.iter().flatten().map(|it| *it.link.counters());
        open.fold(self.closed_links, |sum, it| sum + it)
    }

    /// How many faces there are.
    pub(super) fn len(&self) -> usize {
        self.faces.len() - self.free.len() - self.closed.len()
    }

    /// Whether the other end of a face is on this machine.
    pub(super) fn is_local(&self, face: FaceId) -> bool {
        self.face(face).is_some_and(|it| it.is_local)
    }

    /// Listens at an address; returns it with the port that was found, if it was 0.
    pub(super) fn listen(&mut self, at: FaceAddress) -> Result<FaceAddress, NdnError> {
        let refused = || NdnError::system(format!("cannot listen on {at}"));
        let address = match at.protocol {
            FaceProtocol::Udp => {
                let index = self.add_datagrams(at.address, true).map_err(refused())?;
                self.udp[index].socket.local_addr()
            }
            FaceProtocol::Tcp => {
                let mut listener = socket::listener(at.address).map_err(refused())?;
                let token = source(LISTENER, self.tcp.len());
                let registered =
                    self.poll.registry().register(&mut listener, token, Readiness::READABLE);
                registered.map_err(refused())?;
                self.tcp.push(listener);
                self.tcp[self.tcp.len() - 1].local_addr()
            }
        };
        Ok(FaceAddress { address: address.map_err(refused())?, ..at })
    }

    /// Makes a face with a remote address, from a local one if it is given.
    pub(super) fn connect(
        &mut self,
        remote: FaceAddress,
        bind: Option<SocketAddr>,
        mtu: Option<u16>,
    ) -> Result<FaceId, NdnError> {
        let refused = || NdnError::system(format!("cannot connect to {remote}"));
        let face = match remote.protocol {
            FaceProtocol::Udp => {
                let socket = match self.listening(remote.address).filter(|_| bind.is_none()) {
                    Some(index) => index,
                    None => {
                        let any = if remote.address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
                        let any = any.parse().expect("it is an address");
                        let index =
                            self.add_datagrams(bind.unwrap_or(any), false).map_err(refused())?;
                        // From nobody else it takes any.
                        self.udp[index].socket.connect(remote.address).map_err(refused())?;
                        index
                    }
                };
                let transport = Transport::Udp { socket, peer: remote.address };
                let face = self.add(
                    transport,
                    remote.address,
                    mtu.unwrap_or(udp_mtu(remote.address)),
                    Origin::Own,
                );
                if let Some(face) = face {
                    self.udp[socket].peers.insert(remote.address, face);
                }
                face
            }
            FaceProtocol::Tcp => {
                let stream = socket::connection(bind, remote.address).map_err(refused())?;
                let mtu = mtu.unwrap_or(TCP_MTU).min(TCP_MTU);
                self.add_stream(stream, remote.address, mtu, Origin::Own)
            }
        };
        face.ok_or_else(|| NdnError::Failed(format!("more than {} faces", Self::MOST)))
    }

    /// The socket that listens where datagrams to `remote` may come from.
    fn listening(&self, remote: SocketAddr) -> Option<usize> {
        let fits = |it: &Datagrams| {
            it.accepts
                && it.socket.local_addr().is_ok_and(|local| {
                    local.is_ipv4() == remote.is_ipv4()
                        && (local.ip().is_unspecified()
                            || local.ip().is_loopback() && remote.ip().is_loopback())
                })
        };
        self.udp.iter().position(fits)
    }

    fn add_datagrams(&mut self, address: SocketAddr, accepts: bool) -> io::Result<usize> {
        let mut socket = socket::udp(address)?;
        let index = self.udp.len();
        self.poll.registry().register(&mut socket, source(UDP, index), Readiness::READABLE)?;
        self.udp.push(Datagrams { socket, accepts, peers: BTreeMap::new() });
        Ok(index)
    }

    fn add_stream(
        &mut self,
        stream: TcpStream,
        remote: SocketAddr,
        mtu: u16,
        origin: Origin,
    ) -> Option<FaceId> {
        let transport = Transport::Tcp { stream, inbound: Vec::new(), outbound: VecDeque::new() };
        let face = self.add(transport, remote, mtu, origin)?;
        let Some(Face { transport: Transport::Tcp { stream, .. }, .. }) =
            &mut self.faces[usize::from(face.0)]
        else {
            return None;
        };
        let both = Readiness::READABLE | Readiness::WRITABLE;
        let token = source(STREAM, usize::from(face.0));
        if self.poll.registry().register(stream, token, both).is_err() {
            self.close(face);
            return None;
        }
        Some(face)
    }

    /// Adds a face, if need be in the place of another; none if there is no room.
    fn add(
        &mut self,
        transport: Transport,
        remote: SocketAddr,
        mtu: u16,
        origin: Origin,
    ) -> Option<FaceId> {
        if self.len() == Self::MOST {
            self.evict();
        }
        if self.len() == Self::MOST {
            self.counters.refused += 1;
            return None;
        }
        let face = match self.free.pop_front() {
            Some(face) => face,
            None => {
                self.faces.push(None);
                FaceId(self.faces.len() as u16 - 1)
            }
        };
        let is_local = is_loopback(remote.ip());
        let link = Link::new(mtu);
        let last_used = self.clock.now();
        let (received, sent) = <(PacketCounters, PacketCounters)>::default();
        let added = Face { transport, link, is_local, origin, mtu, last_used, received, sent };
        self.faces[usize::from(face.0)] = Some(added);
        self.pending.push(FaceEvent::Opened(face));
        Some(face)
    }

    /// Closes the face that others made and that has been idle for the longest time.
    fn evict(&mut self) {
        let all = self.faces.iter().enumerate();
        let open = all.filter_map(|(index, it)| it.as_ref().map(|it| (it, index)));
        let others = open.filter(|(it, _)| it.origin != Origin::Own);
        if let Some((_, index)) = others.min_by_key(|(it, _)| (it.origin, it.last_used)) {
            self.counters.evicted += 1;
            self.close(FaceId(index as u16));
        }
    }

    fn close(&mut self, face: FaceId) {
        let Some(closed) = self.faces[usize::from(face.0)].take() else { return };
        self.closed_links = self.closed_links + *closed.link.counters();
        match closed.transport {
            Transport::Udp { socket, peer } => drop(self.udp[socket].peers.remove(&peer)),
            // It is going away with its registration.
            Transport::Tcp { mut stream, .. } => {
                let _ = self.poll.registry().deregister(&mut stream);
            }
        }
        self.closed.push(face);
        self.pending.push(FaceEvent::Closed(face));
    }

    fn face(&self, face: FaceId) -> Option<&Face> {
        self.faces.get(usize::from(face.0))?.as_ref()
    }

    /// Sends the bytes of what `packet` describes over a face.
    pub(super) fn send(
        &mut self,
        face: FaceId,
        packet: &Packet,
        bytes: &[u8],
        token: Option<&[u8]>,
    ) {
        let Some(Some(to)) = self.faces.get_mut(usize::from(face.0)) else { return };
        let (counters, udp) = (&mut self.counters, &self.udp);
        let Face { transport, link, sent, .. } = to;
        match packet.body {
            Body::Interest(_) => sent.interests += 1,
            Body::Nack(_) => sent.nacks += 1,
            _ => sent.data += 1,
        }
        link.send(packet, bytes, token, |it| {
            let is_sent = match transport {
                Transport::Udp { socket, peer } => udp[*socket].socket.send_to(it, *peer).is_ok(),
                Transport::Tcp { stream, outbound, .. } => queue(stream, outbound, it),
            };
            if is_sent {
                counters.packets_out += 1;
                counters.bytes_out += it.len() as u64;
                sent.bytes += it.len() as u64;
            } else {
                counters.dropped += 1;
            }
        });
    }

    /// Waits until something happens or a time is there, a tenth of a second at most; appends
    /// what happened.
    pub(super) fn wait(
        &mut self,
        until: Option<Time>,
        events: &mut Vec<FaceEvent>,
    ) -> Result<(), NdnError> {
        self.free.extend(self.closed.drain(..));
        let left = until.map_or(Self::LONGEST, |it| self.clock.until(it));
        let wait = if self.ready.is_empty() && self.pending.is_empty() {
            left.min(Self::LONGEST)
        } else {
            RealDuration::ZERO
        };
        if !wait.is_zero() && wait < Self::LONGEST {
            // The poll itself waits for whole milliseconds.
            let expiration = Expiration::OneShot(TimeSpec::from_duration(wait));
            self.timer
                .set(expiration, TimerSetTimeFlags::empty())
                .map_err(|it| NdnError::system("a timer")(it.into()))?;
        }
        let limit = if wait.is_zero() { wait } else { Self::LONGEST };
        match self.poll.poll(&mut self.readiness, Some(limit)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(NdnError::system("epoll")(error)),
        }
        let sources: Vec<(Source, bool)> =
            self.readiness.iter().map(|it| (it.token(), it.is_writable())).collect();
        for (source, is_writable) in sources {
            if source.0 / KIND == STREAM && is_writable {
                self.flush(FaceId((source.0 % KIND) as u16));
            }
            if source.0 / KIND == TIMER {
                // Read, or it would not become readable again.
                let _ = self.timer.wait();
            } else if !self.ready.contains(&source) {
                self.ready.push_back(source);
            }
        }
        for _ in 0..self.ready.len() {
            let Some(source) = self.ready.pop_front() else { break };
            if self.read(source) {
                self.ready.push_back(source);
            }
        }
        self.sweep();
        events.append(&mut self.pending);
        Ok(())
    }

    /// Reads a batch from a socket; returns whether there may be more.
    fn read(&mut self, source: Source) -> bool {
        let index = source.0 % KIND;
        match source.0 / KIND {
            UDP => self.read_datagrams(index),
            LISTENER => self.accept(index),
            STREAM => self.read_stream(FaceId(index as u16)),
            _ => false,
        }
    }

    fn read_datagrams(&mut self, index: usize) -> bool {
        for _ in 0..Self::BATCH {
            let datagrams = &self.udp[index];
            let (size, peer) = match datagrams.socket.recv_from(&mut self.buffer) {
                Ok(received) => received,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                // Such as what an ICMP message tells of an earlier datagram.
                Err(_) => continue,
            };
            let known = datagrams.peers.get(&peer).copied();
            let is_link_packet = matches!(self.buffer[..size].first(), Some(5 | 6 | 100));
            let face = match known {
                Some(face) => face,
                None if !datagrams.accepts => continue,
                None if !is_link_packet => {
                    self.counters.malformed += 1;
                    continue;
                }
                None => {
                    let transport = Transport::Udp { socket: index, peer };
                    let added = self.add(transport, peer, udp_mtu(peer), Origin::Datagram);
                    let Some(face) = added else { continue };
                    self.udp[index].peers.insert(peer, face);
                    face
                }
            };
            let buffer = std::mem::take(&mut self.buffer);
            self.take_in(face, &buffer[..size]);
            self.buffer = buffer;
        }
        true
    }

    fn accept(&mut self, index: usize) -> bool {
        for _ in 0..Self::BATCH {
            match self.tcp[index].accept() {
                Ok((stream, remote)) => {
                    let _ = stream.set_nodelay(true);
                    self.add_stream(stream, remote, TCP_MTU, Origin::Accepted);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                // A connection that ended before it was accepted.
                Err(_) => {}
            }
        }
        true
    }

    fn read_stream(&mut self, face: FaceId) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        let more = self.read_into(face, &mut buffer);
        self.buffer = buffer;
        more.unwrap_or_else(|| {
            self.close(face);
            false
        })
    }

    /// Reads what a stream has; none if it has ended or is no sequence of packets.
    fn read_into(&mut self, face: FaceId, buffer: &mut [u8]) -> Option<bool> {
        let Some(Some(from)) = self.faces.get_mut(usize::from(face.0)) else { return Some(false) };
        let Transport::Tcp { stream, inbound, .. } = &mut from.transport else {
            return Some(false);
        };
        let size = match stream.read(buffer) {
            Ok(0) => return None,
            Ok(size) => size,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Some(true),
            Err(_) => return None,
        };
        let mut stream = std::mem::take(inbound);
        stream.extend_from_slice(&buffer[..size]);
        let mut start = 0;
        loop {
            let Ok(size) = size_at_front(&stream[start..]) else {
                self.counters.malformed += 1;
                return None;
            };
            let Some(end) = size.map(|it| start + it).filter(|it| *it <= stream.len()) else {
                break;
            };
            self.take_in(face, &stream[start..end]);
            start = end;
        }
        stream.drain(..start);
        if let Some(Some(Face { transport: Transport::Tcp { inbound, .. }, .. })) =
            self.faces.get_mut(usize::from(face.0))
        {
            *inbound = stream;
        }
        Some(true)
    }

    /// A link packet came over a face.
    fn take_in(&mut self, face: FaceId, link_packet: &[u8]) {
        let now = self.clock.now();
        let Some(Some(from)) = self.faces.get_mut(usize::from(face.0)) else { return };
        from.last_used = now;
        self.counters.packets_in += 1;
        self.counters.bytes_in += link_packet.len() as u64;
        from.received.bytes += link_packet.len() as u64;
        match from.link.receive(now, link_packet) {
            Ok(Some(packet)) => {
                match (packet.nack, packet.bytes.first()) {
                    (Some(_), _) => from.received.nacks += 1,
                    (None, Some(5)) => from.received.interests += 1,
                    (None, _) => from.received.data += 1,
                }
                self.pending.push(FaceEvent::Received(face, packet));
            }
            Ok(None) => {}
            Err(_) => self.counters.malformed += 1,
        }
    }

    /// Sends on what waits for a connection.
    fn flush(&mut self, face: FaceId) {
        let Some(Some(to)) = self.faces.get_mut(usize::from(face.0)) else { return };
        if let Transport::Tcp { stream, outbound, .. } = &mut to.transport {
            while !outbound.is_empty() {
                match stream.write(outbound.as_slices().0) {
                    Ok(size) => drop(outbound.drain(..size)),
                    // What failed for good is found by reading.
                    Err(_) => break,
                }
            }
        }
    }

    /// Closes the faces that were made for a datagram long ago.
    fn sweep(&mut self) {
        let now = self.clock.now();
        if now.since(self.swept) < Duration::from_secs(10) {
            return;
        }
        self.swept = now;
        let is_idle =
            |it: &Face| it.origin == Origin::Datagram && now.since(it.last_used) > Self::IDLE;
        let idle: Vec<usize> = (0..self.faces.len())
            .filter(|it| self.faces[*it].as_ref().is_some_and(is_idle))
            .collect();
        idle.into_iter().for_each(|it| self.close(FaceId(it as u16)));
    }
}

/// Sends over a connection, or lets it wait; `false` if too much waits already.
fn queue(stream: &mut TcpStream, outbound: &mut VecDeque<u8>, bytes: &[u8]) -> bool {
    let sent = if outbound.is_empty() { stream.write(bytes).unwrap_or(0) } else { 0 };
    if outbound.len() + bytes.len() > Faces::MOST_QUEUED && sent == 0 {
        return false;
    }
    outbound.extend(&bytes[sent..]);
    true
}

fn udp_mtu(peer: SocketAddr) -> u16 {
    if is_loopback(peer.ip()) { LOOPBACK_MTU } else { UDP_MTU }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}
