//! What a host whose transport is a stack offers the application that it calls.

use windtunnel_applications::{Completed, Host, Stream};
use windtunnel_engine::Time;

use super::stack_ends::{StackEnd, StackStream};
use super::state::Hosts;
use crate::side::Side;

/// An application's view of such a host, while it is called. A stream's number is the same at
/// both ends. What is written is sent once the application has been called.
pub(super) struct AtStack<'a> {
    pub(super) hosts: &'a mut Hosts,
    pub(super) now: Time,
    /// The application, its flow's stacks, and its side.
    pub(super) slot: u32,
    pub(super) stack: u32,
    pub(super) side: Side,
}

impl AtStack<'_> {
    fn end(&mut self) -> &mut StackEnd {
        self.hosts.begun_end(self.now, (self.stack, self.side))
    }

    fn existing(&self) -> Option<&StackEnd> {
        self.hosts.stacks[self.stack as usize].ends[self.side as usize].as_ref()
    }

    fn stream(&self, stream: Stream) -> Option<&StackStream> {
        self.existing()?.streams.get(&u64::from(stream.0))
    }

    fn stream_mut(&mut self, stream: Stream) -> Option<&mut StackStream> {
        self.end().streams.get_mut(&u64::from(stream.0))
    }
}

impl Host for AtStack<'_> {
    fn open(&mut self, ordinal: u64) -> Stream {
        let end = self.end();
        end.streams.entry(ordinal).or_insert_with(StackStream::new);
        end.wanted = end.wanted.max(ordinal + 1);
        self.hosts.slots[self.slot as usize].opened = 1;
        Stream(ordinal as u32)
    }

    fn prioritise(&mut self, stream: Stream, urgency: u8) {
        if let Some(it) = self.stream_mut(stream) {
            it.urgency = Some(urgency);
        }
    }

    fn write(&mut self, stream: Stream, bytes: u64) {
        let now = self.now;
        if let Some(it) = self.stream_mut(stream) {
            it.pending = it.pending.saturating_add(bytes);
            self.end().push(now, stream.0.into());
        }
    }

    fn close(&mut self, stream: Stream) {
        let now = self.now;
        self.end().close(now, stream.0.into());
    }

    /// A stack takes in what comes as it reads.
    fn read(&mut self, _stream: Stream, _bytes: u64) {}

    fn await_received(&mut self, stream: Stream, bytes: u64) {
        if let Some(it) = self.stream_mut(stream) {
            it.awaited = bytes;
        }
    }

    fn await_acknowledged(&mut self, stream: Stream) {
        self.end().watched.insert(stream.0.into());
    }

    fn ordinal(&self, stream: Stream) -> u64 {
        stream.0.into()
    }

    fn received(&self, stream: Stream) -> u64 {
        self.stream(stream).map_or(0, |it| it.received)
    }

    /// What the stack has had no room for, and of what it took, what it says that is not
    /// acknowledged: most do not tell.
    fn unacknowledged(&self, stream: Stream) -> u64 {
        let Some(end) = self.existing() else { return 0 };
        let number = u64::from(stream.0);
        let pending = end.streams.get(&number).map_or(0, |it| it.pending);
        pending.saturating_add(end.unacknowledged(number))
    }

    fn is_finished(&self, stream: Stream) -> bool {
        self.stream(stream).is_some_and(|it| it.is_finished)
    }

    fn room(&self, stream: Stream) -> u64 {
        let Some(end) = self.existing() else { return 0 };
        let initial = 10 * u64::from(self.segment());
        let wanted = 2 * end.state().cwnd.unwrap_or(initial);
        wanted.saturating_sub(self.unacknowledged(stream))
    }

    fn segment(&self) -> u16 {
        self.hosts.stacks[self.stack as usize].settings.largest_datagram()
    }

    fn write_size(&self) -> Option<u64> {
        None
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
