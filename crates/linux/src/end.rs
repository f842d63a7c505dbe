//! One end of a flow: its connections at a guest, as streams.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Failure, HostCommand, Place, Read, Stack, State, StreamStack,
};

use crate::host::Host;
use crate::installation::Installation;
use crate::settings::Settings;

/// One end.
#[derive(Debug)]
pub(crate) struct End {
    peer: SocketAddr,
    host: Arc<Mutex<Host>>,
    /// Which of the host's ends it is.
    which: usize,
    failure: Failure,
}

impl End {
    /// The ends of one host, at these places.
    pub(crate) fn of_one_host(
        installation: &Installation,
        settings: &Settings,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Self>, String> {
        let peers: Vec<_> = places.iter().map(|it| it.peer).collect();
        let host = Arc::new(Mutex::new(Host::new(installation, settings, now, places)?));
        let end = |(which, peer)| {
            let host = Arc::clone(&host);
            Self { peer, host, which, failure: Failure::default() }
        };
        Ok(peers.into_iter().enumerate().map(end).collect())
    }

    fn host(&self) -> MutexGuard<'_, Host> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host at this time.
    fn at(&self, now: Duration) -> MutexGuard<'_, Host> {
        let mut host = self.host();
        host.now = now;
        host
    }

    /// Takes notice of a failure of the host, which is its own.
    fn notice(&self) {
        if let Some(why) = self.host().failure() {
            self.failure.set(|| why.to_owned());
        }
    }
}

/// What is sent to or by an end that is over goes nowhere, and holds nobody else up.
impl Drop for End {
    fn drop(&mut self) {
        self.host().end_is_over(self.which);
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.at(now).receive(datagrams.iter().map(|it| it.bytes));
    }

    fn wake(&mut self, now: Duration) {
        self.at(now).wake();
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let packet = self.at(now).take_sent(self.which)?;
        buffer.extend_from_slice(&packet);
        let (segment, to) = (packet.len(), self.peer);
        Some(Departure { from: None, to, ecn: Ecn::NotCapable, segment })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let time = self.host().next_wake();
        self.notice();
        self.failure.wake(time)
    }

    fn state(&self) -> State {
        self.host().state(self.which)
    }

    fn commands(&self) -> Vec<HostCommand> {
        self.host().commands()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.at(now).open(self.which)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.at(now).write(self.which, stream, bytes)
    }

    fn unacknowledged(&self, stream: u64) -> Option<u64> {
        self.host().unacknowledged(self.which, stream)
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.at(now).finish(self.which, stream);
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.at(now).read(self.which, stream)
    }

    fn next_event(&mut self) -> Option<Event> {
        let event = self.host().next_event(self.which);
        self.notice();
        event.or_else(|| self.failure.event())
    }
}
