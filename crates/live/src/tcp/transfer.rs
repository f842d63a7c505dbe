//! One transfer over one connection, as a command makes it: a file goes, a file comes.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;
use windtunnel_controllers::Settings as ControllerSettings;
use windtunnel_engine::Time;

use super::connection::Status;
use super::host::{ConnectionId, TcpHost};
use super::run::{Wire, drive};
use super::settings::settings;
use crate::clock::Clock;

/// How long the peer's last segments are answered after both ends have closed: the process ends
/// then, and its connection with it.
const LINGER: Duration = Duration::from_millis(500);
/// How much is read and written at a time.
const PIECE: usize = 1 << 16;

/// Who opens the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// We do, to this address and port.
    Connect(SocketAddr),
    /// The peer does, to this port.
    Listen(u16),
}

/// Why a transfer ended early.
#[derive(Debug, Error)]
pub enum TransferError {
    /// The peer refused the connection.
    #[error("{0} refused the connection: nothing listens on that port")]
    Refused(SocketAddr),
    /// The peer reset it.
    #[error("{0} reset the connection")]
    Reset(SocketAddr),
    /// It does not answer.
    #[error("{0} does not answer")]
    TimedOut(SocketAddr),
    /// The peer's address is of another version of IP than ours.
    #[error("{0} cannot be reached from {1}: their IP versions differ")]
    Version(SocketAddr, IpAddr),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The file to send cannot be read.
    #[error("the file to send: {0}")]
    Source(io::Error),
    /// The file that comes cannot be written.
    #[error("the file to receive: {0}")]
    Sink(io::Error),
    /// The interface is gone.
    #[error("the interface: {0}")]
    Wire(io::Error),
}

/// What a transfer was like.
#[derive(Clone, Debug, Serialize)]
pub struct Transferred {
    /// The other end.
    pub peer: SocketAddr,
    /// Our controller.
    pub controller: &'static str,
    /// Bytes of data that the peer has acknowledged.
    pub sent_bytes: u64,
    /// Bytes that came from it.
    pub received_bytes: u64,
    /// From the handshake to the last byte, in seconds.
    pub duration_s: f64,
    /// Segments with data that were sent, those sent again among them.
    pub segments: u64,
    /// Those sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Segments that came twice.
    pub duplicates: u64,
    /// The last smoothed round trip, in seconds.
    pub smoothed_rtt_s: Option<f64>,
    /// What both ends agreed on: the data in a full segment, in bytes.
    pub maximum_segment: u16,
    /// Whether segments have timestamps.
    pub timestamps: bool,
    /// Whether selective acknowledgements are used.
    pub sack: bool,
    /// Packets that were dropped because they were malformed.
    pub malformed: u64,
}

/// The two files, and how far they are.
struct Files<'a> {
    source: Option<&'a mut dyn Read>,
    sink: Option<&'a mut dyn Write>,
    piece: Vec<u8>,
    /// The part of the piece that was read and not sent.
    unsent: std::ops::Range<usize>,
    buffer: Vec<u8>,
}

impl Files<'_> {
    /// Moves what can be moved; whether it was something. Closes when everything was sent.
    fn act(
        &mut self,
        host: &mut TcpHost,
        id: ConnectionId,
        now: Time,
    ) -> Result<bool, TransferError> {
        let mut did = false;
        if self.unsent.is_empty()
            && let Some(source) = &mut self.source
        {
            let count = source.read(&mut self.piece).map_err(TransferError::Source)?;
            self.unsent = 0..count;
            if count == 0 {
                self.source = None;
            }
        }
        if !self.unsent.is_empty() {
            let count = host.write(now, id, &self.piece[self.unsent.clone()]);
            self.unsent.start += count;
            did |= count > 0;
        } else if self.source.is_none() {
            host.close(now, id);
        }
        let count = host.read(now, id, &mut self.buffer);
        if let Some(sink) = &mut self.sink {
            sink.write_all(&self.buffer[..count]).map_err(TransferError::Sink)?;
        }
        Ok(did || count > 0)
    }
}

/// Connects or waits for a connection from that address of ours, sends what the source has, and
/// writes what comes. Then both ends close. `is_stopped` is asked at least ten times a second.
///
/// # Errors
/// If one of the ends gives up, or a file or the network is gone.
pub fn transfer<'a>(
    wire: impl Wire,
    address: IpAddr,
    call: Call,
    controller: &ControllerSettings,
    files: (Option<&'a mut dyn Read>, Option<&'a mut dyn Write>),
    mut is_stopped: impl FnMut() -> bool,
) -> Result<Transferred, TransferError> {
    let clock = Clock::start();
    let random = RandomState::new();
    let secret = [random.hash_one(0), random.hash_one(1)];
    let mut host = TcpHost::new(vec![address], settings(controller, crate::interface::MTU), secret);
    let mut id = match call {
        Call::Connect(peer) => {
            let id = host.connect(clock.now(), peer);
            Some(id.ok_or(TransferError::Version(peer, address))?)
        }
        Call::Listen(port) => {
            host.listen(SocketAddr::new(address, port));
            None
        }
    };
    let (source, sink) = files;
    let mut files =
        Files { source, sink, piece: vec![0; PIECE], unsent: 0..0, buffer: vec![0; PIECE] };
    let mut begun = None;
    let mut ended = None;
    let result = drive(wire, &mut host, &clock, |host, now| {
        if is_stopped() {
            if let Some(id) = id {
                host.reset(now, id);
            }
            return ControlFlow::Break(Err(TransferError::Interrupted));
        }
        if let (None, Call::Listen(port)) = (id, call) {
            let own = SocketAddr::new(address, port);
            id = host.accept(own);
            if id.is_some() {
                // Nobody else is served.
                host.stop_listening(now, own);
            }
        }
        let Some(id) = id else { return ControlFlow::Continue(false) };
        let Some(peer) = host.peer(id) else { return ControlFlow::Continue(false) };
        let did = match host.status(id) {
            Status::Opening => return ControlFlow::Continue(false),
            Status::Reset if begun.is_none() => {
                return ControlFlow::Break(Err(TransferError::Refused(peer)));
            }
            Status::Reset => return ControlFlow::Break(Err(TransferError::Reset(peer))),
            Status::TimedOut => return ControlFlow::Break(Err(TransferError::TimedOut(peer))),
            Status::Established | Status::Closed => {
                begun.get_or_insert(now);
                files.act(host, id, now)
            }
        };
        match did {
            Err(error) => {
                host.reset(now, id);
                ControlFlow::Break(Err(error))
            }
            Ok(did) => {
                let is_over = host.status(id) == Status::Closed && host.is_at_end(id);
                let closed = is_over.then(|| *ended.get_or_insert(now));
                // The peer may not have our last answer.
                match closed {
                    Some(it) if clock.until(it + linger()).is_zero() => {
                        ControlFlow::Break(Ok((id, peer)))
                    }
                    _ => ControlFlow::Continue(did),
                }
            }
        }
    });
    let (id, peer) = result.map_err(TransferError::Wire)??;
    if let Some(sink) = &mut files.sink {
        sink.flush().map_err(TransferError::Sink)?;
    }
    let (begun, ended) = (begun.unwrap_or_default(), ended.unwrap_or_default());
    let duration_s = ended.since(begun).as_seconds();
    Ok(summary(&host, id, peer, controller, duration_s))
}

fn linger() -> windtunnel_engine::Duration {
    windtunnel_engine::Duration::from_nanos(LINGER.as_nanos() as u64)
}

fn summary(
    host: &TcpHost,
    id: ConnectionId,
    peer: SocketAddr,
    controller: &ControllerSettings,
    duration_s: f64,
) -> Transferred {
    let endpoint = host.endpoint(id);
    let counters = endpoint.map(|it| *it.counters()).unwrap_or_default();
    let agreed = endpoint.map(|it| it.settings());
    Transferred {
        peer,
        controller: controller.description().name,
        sent_bytes: counters.acknowledged_bytes,
        received_bytes: counters.received_bytes,
        duration_s,
        segments: counters.segments,
        retransmissions: counters.retransmissions,
        timeouts: counters.timeouts,
        duplicates: counters.duplicates,
        smoothed_rtt_s: endpoint.and_then(|it| it.smoothed_rtt()).map(|it| it.as_seconds()),
        maximum_segment: agreed.map_or(0, |it| it.maximum_segment),
        timestamps: agreed.is_some_and(|it| it.timestamps),
        sack: agreed.is_some_and(|it| it.recovery.uses_sack()),
        malformed: host.counters().malformed,
    }
}
