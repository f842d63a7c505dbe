//! A connection, as a stream of which only the number of bytes matters.

use std::collections::VecDeque;

use windtunnel_engine::Time;
use windtunnel_stack::{Event, Read, content};

use crate::connection::Status;
use crate::host::{ConnectionId, TcpHost};

/// How many bytes are read at a time.
const PIECE: usize = 1 << 14;

/// A connection, and what was told of it.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) id: ConnectionId,
    /// Bytes that were written and read.
    written: u64,
    read: u64,
    /// Bytes that had come when that was told last.
    told: u64,
    /// Whether less was written than there was to write.
    is_full: bool,
    /// Whether nothing more will be written, and whether the other end knows.
    is_ending: bool,
    is_acknowledged: bool,
    /// Whether the end of what comes was told, and read.
    is_end_told: bool,
    is_end_read: bool,
    has_failed: bool,
}

impl Stream {
    pub(crate) fn new(id: ConnectionId) -> Self {
        Self {
            id,
            written: 0,
            read: 0,
            told: 0,
            is_full: false,
            is_ending: false,
            is_acknowledged: false,
            is_end_told: false,
            is_end_read: false,
            has_failed: false,
        }
    }

    /// Whether nothing more will be told of it.
    pub(crate) fn is_over(&self) -> bool {
        self.has_failed || self.is_acknowledged && self.is_end_read
    }

    pub(crate) fn write(&mut self, host: &mut TcpHost, now: Time, bytes: u64) -> u64 {
        let taken = content::write(&mut self.written, bytes, |it| host.write(now, self.id, it));
        self.is_full = taken < bytes;
        taken
    }

    pub(crate) fn finish(&mut self, host: &mut TcpHost, now: Time) {
        self.is_ending = true;
        host.close(now, self.id);
    }

    /// Reads all that is there.
    ///
    /// # Errors
    /// If it brought other bytes than were written.
    pub(crate) fn read(&mut self, host: &mut TcpHost, now: Time) -> Result<Read, String> {
        let mut buffer = [0; PIECE];
        let from = self.read;
        loop {
            let count = host.read(now, self.id, &mut buffer);
            if !content::are_right(self.read, &buffer[..count]) {
                let at = self.read;
                return Err(format!(
                    "a connection brought other bytes than were sent, after byte {at}"
                ));
            }
            self.read += count as u64;
            if count == 0 {
                break;
            }
        }
        self.is_end_read = host.is_at_end(self.id);
        Ok(Read { bytes: self.read - from, is_end: self.is_end_read })
    }

    /// Tells what has happened to it since the last time.
    pub(crate) fn tell(&mut self, number: u64, host: &TcpHost, events: &mut VecDeque<Event>) {
        let status = host.status(self.id);
        if matches!(status, Status::Reset | Status::TimedOut) && !self.is_acknowledged {
            let why = match status {
                Status::TimedOut => "the other end does not answer",
                _ => "it was reset",
            };
            self.has_failed = true;
            events.push_back(Event::Failed(format!("connection {number}: {why}")));
            return;
        }
        let Some(endpoint) = host.endpoint(self.id) else { return };
        let (received, is_ended) = (endpoint.counters().received_bytes, endpoint.is_finished());
        if received > self.told || is_ended && !self.is_end_told {
            (self.told, self.is_end_told) = (received, is_ended);
            events.push_back(Event::Readable(number));
        }
        if self.is_full && host.room(self.id) > 0 {
            self.is_full = false;
            events.push_back(Event::Writable(number));
        }
        if self.is_ending && !self.is_acknowledged && endpoint.has_closed() {
            self.is_acknowledged = true;
            events.push_back(Event::Acknowledged(number));
        }
    }
}
