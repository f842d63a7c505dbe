//! What the ends of a connection sent, so that two runs can be compared.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{
    Datagram, Departure, Event, HostCommand, MakeStack, Place, Read, Role, Stack, State,
    StreamStack, Unit,
};

/// A datagram, or an IP packet, that an end sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When the stack gave it out.
    pub at: Duration,
    /// Its bytes: how many.
    pub size: usize,
    /// A number that is another one if the bytes are others.
    pub digest: u64,
}

/// What both ends of a connection sent, in the order in which each did.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<[Mutex<Vec<Sent>>; 2]>);

/// Where two runs differ first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which end sent other datagrams.
    pub end: Role,
    /// The first one that differs in time or size, from 1 on, of those that the end sent.
    pub number: usize,
    /// What was sent in the first run and in the second; none if it sent no more.
    pub sent: [Option<Sent>; 2],
}

impl Difference {
    /// When it happened: at the earlier one of both times.
    #[must_use]
    pub fn at(&self) -> Duration {
        self.sent.iter().flatten().map(|it| it.at).min().unwrap_or(Duration::MAX)
    }
}

impl Trace {
    fn end(&self, role: Role) -> MutexGuard<'_, Vec<Sent>> {
        self.0[role as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an end sent.
    #[must_use]
    pub fn sent(&self, end: Role) -> Vec<Sent> {
        self.end(end).clone()
    }

    /// The earliest datagram of either end whose time or size is another one in another run.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        let differences = [Role::Client, Role::Server].into_iter().filter_map(|end| {
            let (one, another) = (self.sent(end), other.sent(end));
            let wire = |it: &Sent| (it.at, it.size);
            let equal = one.iter().zip(&another).take_while(|(a, b)| wire(a) == wire(b)).count();
            let sent = [one, another].map(|it| it.get(equal).copied());
            let differs = sent.iter().any(Option::is_some);
            differs.then_some(Difference { end, number: equal + 1, sent })
        });
        differences.min_by_key(Difference::at)
    }

    /// Whether also the bytes are the same in another run.
    #[must_use]
    pub fn has_same_bytes(&self, other: &Self) -> bool {
        [Role::Client, Role::Server].into_iter().all(|it| self.sent(it) == other.sent(it))
    }
}

/// Makes stacks as another maker does, and notes what they send.
#[derive(Clone, Debug)]
pub struct Traced {
    maker: Arc<dyn MakeStack>,
    trace: Trace,
}

impl Traced {
    /// Makes what `maker` does, and notes it in `trace`.
    #[must_use]
    pub fn new(maker: Arc<dyn MakeStack>, trace: Trace) -> Self {
        Self { maker, trace }
    }
}

impl MakeStack for Traced {
    fn name(&self) -> &str {
        self.maker.name()
    }

    fn unit(&self) -> Unit {
        self.maker.unit()
    }

    fn largest_datagram(&self) -> u16 {
        self.maker.largest_datagram()
    }

    fn first_datagram(&self) -> u16 {
        self.maker.first_datagram()
    }

    fn is_deterministic(&self) -> bool {
        self.maker.is_deterministic()
    }

    fn has_datagrams(&self) -> bool {
        self.maker.has_datagrams()
    }

    fn shares_host(&self) -> bool {
        self.maker.shares_host()
    }

    fn begins_with_the_run(&self) -> bool {
        self.maker.begins_with_the_run()
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let role = place.role;
        Ok(self.adopt(self.maker.make(now, place)?, role))
    }

    /// What each of them sends is noted by the maker that adopts it.
    fn make_together(
        &self,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Box<dyn StreamStack>>, String> {
        self.maker.make_together(now, places)
    }

    fn adopt(&self, stack: Box<dyn StreamStack>, role: Role) -> Box<dyn StreamStack> {
        let stack = self.maker.adopt(stack, role);
        Box::new(TracedEnd { stack, trace: self.trace.clone(), role })
    }
}

/// An end whose datagrams are noted.
#[derive(Debug)]
struct TracedEnd {
    stack: Box<dyn StreamStack>,
    trace: Trace,
    role: Role,
}

impl Stack for TracedEnd {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.stack.receive(now, datagrams);
    }

    fn wake(&mut self, now: Duration) {
        self.stack.wake(now);
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let departure = self.stack.send(now, buffer)?;
        let sent = buffer.chunks(departure.segment.max(1)).map(|bytes| {
            let mut digest = DefaultHasher::new();
            digest.write(bytes);
            Sent { at: now, size: bytes.len(), digest: digest.finish() }
        });
        self.trace.end(self.role).extend(sent);
        Some(departure)
    }

    fn next_wake(&mut self) -> Option<Duration> {
        self.stack.next_wake()
    }

    fn moved(&mut self, now: Duration, own: SocketAddr) {
        self.stack.moved(now, own);
    }

    fn state(&self) -> State {
        self.stack.state()
    }

    fn secrets(&self) -> String {
        self.stack.secrets()
    }

    fn commands(&self) -> Vec<HostCommand> {
        self.stack.commands()
    }
}

impl StreamStack for TracedEnd {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.stack.open(now)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.stack.write(now, stream, bytes)
    }

    fn prioritise(&mut self, now: Duration, stream: u64, urgency: u8) {
        self.stack.prioritise(now, stream, urgency);
    }

    fn unacknowledged(&self, stream: u64) -> Option<u64> {
        self.stack.unacknowledged(stream)
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.stack.finish(now, stream);
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.stack.read(now, stream)
    }

    fn send_datagram(&mut self, now: Duration, data: &[u8]) -> bool {
        self.stack.send_datagram(now, data)
    }

    fn receive_datagram(&mut self, buffer: &mut Vec<u8>) -> bool {
        self.stack.receive_datagram(buffer)
    }

    fn next_event(&mut self) -> Option<Event> {
        self.stack.next_event()
    }
}
