//! A connection of smoltcp, as a stream.

use std::collections::VecDeque;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{RecvError, Socket, State};
use windtunnel_stack::{Event, Read, content};

/// A connection, and what was told of it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) handle: SocketHandle,
    /// Bytes that were written and read.
    written: u64,
    read: u64,
    /// The state that it was in last.
    state: State,
    is_established: bool,
    /// Whether less was written than there was to write.
    is_full: bool,
    /// Whether nothing more will be written, and whether the other end knows.
    is_ending: bool,
    is_acknowledged: bool,
}

impl Connection {
    pub(crate) fn new(handle: SocketHandle) -> Self {
        Self {
            handle,
            written: 0,
            read: 0,
            state: State::SynSent,
            is_established: false,
            is_full: false,
            is_ending: false,
            is_acknowledged: false,
        }
    }

    /// Whether its handshake is over.
    pub(crate) fn is_established(&self) -> bool {
        self.is_established
    }

    /// Whether its socket can be forgotten.
    pub(crate) fn is_over(&self) -> bool {
        self.state == State::Closed
    }

    pub(crate) fn write(&mut self, socket: &mut Socket<'_>, bytes: u64) -> u64 {
        let write = |piece: &[u8]| socket.send_slice(piece).unwrap_or(0);
        let taken = content::write(&mut self.written, bytes, write);
        self.is_full = taken < bytes;
        taken
    }

    pub(crate) fn finish(&mut self, socket: &mut Socket<'_>) {
        self.is_ending = true;
        // Before that, it would give up to connect.
        if self.is_established {
            socket.close();
        }
    }

    /// Reads all that is there.
    ///
    /// # Errors
    /// If it brought other bytes than were written.
    pub(crate) fn read(&mut self, socket: &mut Socket<'_>) -> Result<Read, String> {
        let (mut offset, mut is_right) = (self.read, true);
        let is_end = loop {
            let received = socket.recv(|bytes| {
                is_right &= content::are_right(offset, bytes);
                (bytes.len(), bytes.len())
            });
            match received {
                Ok(0) | Err(RecvError::InvalidState) => break has_ended(socket.state()),
                Ok(count) => offset += count as u64,
                Err(RecvError::Finished) => break true,
            }
        };
        let bytes = offset - std::mem::replace(&mut self.read, offset);
        is_right.then_some(Read { bytes, is_end }).ok_or_else(|| {
            format!("a connection brought other bytes than were sent, before byte {offset}")
        })
    }

    /// Tells what has happened to it since the last time.
    pub(crate) fn tell(
        &mut self,
        number: u64,
        socket: &mut Socket<'_>,
        events: &mut VecDeque<Event>,
    ) {
        let before = std::mem::replace(&mut self.state, socket.state());
        if !self.is_established && !matches!(self.state, State::SynSent | State::Closed) {
            self.is_established = true;
            self.is_full = true;
            if self.is_ending {
                socket.close();
            }
        }
        if socket.recv_queue() > 0 || has_ended(self.state) && !has_ended(before) {
            events.push_back(Event::Readable(number));
        }
        if self.is_full && socket.can_send() {
            self.is_full = false;
            events.push_back(Event::Writable(number));
        }
        let is_closed = matches!(self.state, State::FinWait2 | State::TimeWait)
            // One whose end has come waits for the last acknowledgement as soon as it is closed here.
            || self.state == State::Closed
                && matches!(before, State::CloseWait | State::LastAck | State::Closing);
        if is_closed && self.is_ending && !self.is_acknowledged {
            self.is_acknowledged = true;
            events.push_back(Event::Acknowledged(number));
        }
        if self.state == State::Closed && !self.is_acknowledged {
            events.push_back(Event::Failed(format!("connection {number} was reset")));
        }
    }
}

/// Whether the other end has written all.
fn has_ended(state: State) -> bool {
    matches!(state, State::CloseWait | State::LastAck | State::Closing | State::TimeWait)
}
