//! The streams of a connection.

use std::collections::{BTreeMap, VecDeque};

use quiche::{Connection, Error};
use windtunnel_stack::{Event, Read, content};

/// Streams that are not over.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// By number.
    open: BTreeMap<u64, Stream>,
    /// How many this end has opened.
    opened: u64,
    /// Whether the peer allowed no more when one was wanted.
    is_short: bool,
    /// What bytes are read into.
    buffer: Vec<u8>,
}

#[derive(Debug, Default)]
struct Stream {
    written: u64,
    read: u64,
    /// Whether there was too little room.
    is_full: bool,
    /// Whether nothing more will be written.
    is_finished: bool,
}

/// How many bytes are read at a time.
const PIECE: usize = 1 << 16;

/// Streams of the end that connects are 0, 4, 8 and so on (RFC 9000, section 2.1).
const fn id_of(number: u64) -> u64 {
    4 * number
}

impl Streams {
    /// Opens a stream, if the peer allows another one; returns its number.
    pub(crate) fn open(&mut self, connection: &mut Connection) -> Option<u64> {
        let number = self.opened;
        if connection.is_server() || !connection.is_established() {
            return None;
        }
        self.is_short = connection.peer_streams_left_bidi() == 0;
        // Writing nothing opens it.
        if self.is_short || connection.stream_send(id_of(number), &[], false).is_err() {
            return None;
        }
        self.opened += 1;
        self.open.insert(number, Stream::default());
        Some(number)
    }

    /// Takes as many of `bytes` more as there is room for; returns how many.
    pub(crate) fn write(&mut self, connection: &mut Connection, number: u64, bytes: u64) -> u64 {
        let Some(stream) = self.open.get_mut(&number) else { return 0 };
        let mut left = bytes;
        while left > 0 {
            let piece = content::piece(stream.written, left);
            let taken = connection.stream_send(id_of(number), piece, false).unwrap_or(0);
            stream.written += taken as u64;
            left -= taken as u64;
            if taken < piece.len() {
                break;
            }
        }
        stream.is_full = left > 0;
        bytes - left
    }

    /// Nothing more will be written.
    pub(crate) fn finish(&mut self, connection: &mut Connection, number: u64) {
        let Some(stream) = self.open.get_mut(&number) else { return };
        stream.is_finished = true;
        // There is always room for the end; a peer that wants no more does not miss it.
        let _ = connection.stream_send(id_of(number), &[], true);
    }

    /// Reads what has arrived in order.
    pub(crate) fn read(
        &mut self,
        connection: &mut Connection,
        number: u64,
        events: &mut VecDeque<Event>,
    ) -> Read {
        let mut read = Read::default();
        let Some(stream) = self.open.get_mut(&number) else { return read };
        self.buffer.resize(PIECE, 0);
        while let Ok((count, is_end)) = connection.stream_recv(id_of(number), &mut self.buffer) {
            if !content::are_right(stream.read, &self.buffer[..count]) {
                let what = format!("stream {number} brought other bytes than were sent");
                events.push_back(Event::Failed(what));
            }
            stream.read += count as u64;
            read.bytes += count as u64;
            read.is_end = is_end;
            if is_end {
                break;
            }
        }
        read
    }

    /// Tells what has happened to them.
    pub(crate) fn tell(&mut self, connection: &mut Connection, events: &mut VecDeque<Event>) {
        while let Some(id) = connection.stream_readable_next() {
            let number = id / 4;
            if connection.is_server() && !self.open.contains_key(&number) {
                self.open.insert(number, Stream::default());
                events.push_back(Event::Opened(number));
            }
            events.push_back(Event::Readable(number));
        }
        self.open.retain(|number, stream| match connection.stream_capacity(id_of(*number)) {
            // quiche forgets a stream that is over in both directions when all was acknowledged.
            Err(Error::InvalidStreamState(_)) => {
                if stream.is_finished {
                    events.push_back(Event::Acknowledged(*number));
                }
                false
            }
            Ok(room) if room > 0 => {
                if std::mem::take(&mut stream.is_full) {
                    events.push_back(Event::Writable(*number));
                }
                true
            }
            Ok(_) | Err(_) => true,
        });
        if self.is_short && connection.peer_streams_left_bidi() > 0 {
            self.is_short = false;
            events.push_back(Event::Available);
        }
    }
}
