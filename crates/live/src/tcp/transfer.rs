//! One transfer over one connection: a file goes, a file comes.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};

use serde::Serialize;
use thiserror::Error;
use windtunnel_controllers::Settings as ControllerSettings;
use windtunnel_engine::Time;

use windtunnel_tcp::{ConnectionId, Status, TcpHost};

/// How much is read and written at a time.
const PIECE: usize = 1 << 16;

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
    /// Nothing moved while others waited to be served.
    #[error("{0} was idle while others waited")]
    Idle(SocketAddr),
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
    /// The data in a full segment, in bytes: what both ends agreed on, or less where the path
    /// carries no more.
    pub maximum_segment: u16,
    /// Whether segments have timestamps.
    pub timestamps: bool,
    /// Whether selective acknowledgements are used.
    pub sack: bool,
    /// Packets that were dropped because they were malformed.
    pub malformed: u64,
}

/// Where what comes is written.
pub trait Sink: Write + Send {
    /// All of it has come.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The files of a transfer: what is sent, and where what comes is written.
#[derive(Default)]
pub struct Files {
    /// What is sent; nothing if there is none.
    pub source: Option<Box<dyn Read + Send>>,
    /// Where what comes is written; nowhere if there is none.
    pub sink: Option<Box<dyn Sink>>,
}

impl fmt::Debug for Files {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Files").finish_non_exhaustive()
    }
}

/// A transfer, and how far it is.
pub(super) struct Transfer {
    id: ConnectionId,
    pub(super) peer: SocketAddr,
    files: Files,
    piece: Vec<u8>,
    /// The part of the piece that was read and not sent.
    unsent: std::ops::Range<usize>,
    buffer: Vec<u8>,
    begun: Option<Time>,
    /// When bytes moved last.
    moved: Time,
    ended: Option<Time>,
}

impl Transfer {
    pub(super) fn new(now: Time, id: ConnectionId, peer: SocketAddr, files: Files) -> Self {
        Self {
            id,
            peer,
            files,
            piece: vec![0; PIECE],
            unsent: 0..0,
            buffer: vec![0; PIECE],
            begun: None,
            moved: now,
            ended: None,
        }
    }

    pub(super) fn id(&self) -> ConnectionId {
        self.id
    }

    /// When bytes moved last.
    pub(super) fn moved(&self) -> Time {
        self.moved
    }

    /// When both ends had closed, once they have.
    pub(super) fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Its turn; whether it did something.
    ///
    /// # Errors
    /// If it cannot go on; its connection is reset then.
    pub(super) fn act(&mut self, host: &mut TcpHost, now: Time) -> Result<bool, TransferError> {
        match host.status(self.id) {
            Status::Opening => return Ok(false),
            Status::Reset if self.begun.is_none() => return Err(TransferError::Refused(self.peer)),
            Status::Reset => return Err(TransferError::Reset(self.peer)),
            Status::TimedOut => return Err(TransferError::TimedOut(self.peer)),
            Status::Established | Status::Closed => self.begun.get_or_insert(now),
        };
        let did = self.move_bytes(host, now);
        let did = did.and_then(|did| self.note_end(host, now).map(|()| did));
        if matches!(did, Ok(true)) {
            self.moved = now;
        }
        did.inspect_err(|_| host.reset(now, self.id))
    }

    /// Moves what can be moved; whether it was something. Closes when everything was sent.
    fn move_bytes(&mut self, host: &mut TcpHost, now: Time) -> Result<bool, TransferError> {
        self.read_on()?;
        let mut did = false;
        if !self.unsent.is_empty() {
            let count = host.write(now, self.id, &self.piece[self.unsent.clone()]);
            self.unsent.start += count;
            did |= count > 0;
        } else if self.files.source.is_none() {
            host.close(now, self.id);
        }
        let count = host.read(now, self.id, &mut self.buffer);
        if let Some(sink) = &mut self.files.sink {
            sink.write_all(&self.buffer[..count]).map_err(TransferError::Sink)?;
        }
        Ok(did || count > 0)
    }

    /// Reads the next piece of the source, once the last one was sent.
    fn read_on(&mut self) -> Result<(), TransferError> {
        if let Some(source) = self.files.source.as_mut().filter(|_| self.unsent.is_empty()) {
            let count = source.read(&mut self.piece).map_err(TransferError::Source)?;
            self.unsent = 0..count;
            if count == 0 {
                self.files.source = None;
            }
        }
        Ok(())
    }

    fn note_end(&mut self, host: &TcpHost, now: Time) -> Result<(), TransferError> {
        let is_over = host.status(self.id) == Status::Closed && host.is_at_end(self.id);
        if is_over && self.ended.is_none() {
            self.ended = Some(now);
            if let Some(sink) = self.files.sink.take() {
                sink.finish().map_err(TransferError::Sink)?;
            }
        }
        Ok(())
    }

    /// What it was like.
    pub(super) fn summary(&self, host: &TcpHost, controller: &ControllerSettings) -> Transferred {
        let endpoint = host.endpoint(self.id);
        let counters = endpoint.map(|it| *it.counters()).unwrap_or_default();
        let agreed = endpoint.map(|it| it.settings());
        let (begun, ended) = (self.begun.unwrap_or_default(), self.ended.unwrap_or_default());
        Transferred {
            peer: self.peer,
            controller: controller.description().name,
            sent_bytes: counters.acknowledged_bytes,
            received_bytes: counters.received_bytes,
            duration_s: ended.since(begun).as_seconds(),
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
}
