//! The streams of a connection.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use tquic::Connection;
use windtunnel_stack::{Event, Read, content};

/// Streams that are not over.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// By number.
    open: BTreeMap<u64, Stream>,
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
}

/// How many bytes are read at a time.
const PIECE: usize = 1 << 16;
/// The urgency of streams whose urgency nobody has set.
const URGENCY: u8 = 127;

/// Streams of the end that connects are 0, 4, 8 and so on (RFC 9000, section 2.1).
const fn id_of(number: u64) -> u64 {
    4 * number
}

impl Streams {
    /// Opens a stream, if the peer allows another one; returns its number.
    pub(crate) fn open(&mut self, connection: &mut Connection) -> Option<u64> {
        if connection.is_server() || !connection.is_established() {
            return None;
        }
        let opened = connection.stream_bidi_new(URGENCY, true).ok().map(|id| id / 4);
        self.is_short = opened.is_none();
        self.open.extend(opened.map(|number| (number, Stream::default())));
        opened
    }

    /// Takes as many of `bytes` more as there is room for; returns how many.
    pub(crate) fn write(&mut self, connection: &mut Connection, number: u64, bytes: u64) -> u64 {
        let Some(stream) = self.open.get_mut(&number) else { return 0 };
        let mut left = bytes;
        while left > 0 {
            let piece = content::piece(stream.written, left);
            let written = connection.stream_write(id_of(number), Bytes::from_static(piece), false);
            let taken = written.unwrap_or(0);
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
    pub(crate) fn finish(connection: &mut Connection, number: u64) {
        // There is always room for the end; a peer that wants no more does not miss it.
        let _ = connection.stream_write(id_of(number), Bytes::new(), true);
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
        while let Ok((count, is_end)) = connection.stream_read(id_of(number), &mut self.buffer) {
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
        let mut readable: Vec<u64> = connection.stream_readable_iter().collect();
        readable.sort_unstable();
        for number in readable.into_iter().map(|id| id / 4) {
            if connection.is_server() && !self.open.contains_key(&number) {
                self.open.insert(number, Stream::default());
                events.push_back(Event::Opened(number));
            }
            events.push_back(Event::Readable(number));
        }
        for (number, stream) in &mut self.open {
            let room = connection.stream_capacity(id_of(*number)).unwrap_or(0);
            if room > 0 && std::mem::take(&mut stream.is_full) {
                events.push_back(Event::Writable(*number));
            }
        }
        if std::mem::take(&mut self.is_short) {
            events.push_back(Event::Available);
        }
    }

    /// tquic forgets a stream that is over in both directions when all was acknowledged.
    pub(crate) fn close(&mut self, id: u64, events: &mut VecDeque<Event>) {
        let number = id / 4;
        if self.open.remove(&number).is_some() {
            events.push_back(Event::Acknowledged(number));
        }
    }
}
