//! An end of a connection.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use s2n_quic::client::Connect;
use s2n_quic::provider::congestion_controller::{self, Bbr, Cubic};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use windtunnel_stack::{Datagram, Departure, Event, Place, Read, Role, Stack, State, StreamStack};

use crate::application::{Application, Source};
use crate::configuration::Providers;
use crate::controller::Controller;
use crate::endpoint::{Io, Machine};
use crate::identity::NAME;
use crate::observer::Observer;
use crate::queues::Departures;
use crate::random::Seeded;
use crate::secrets::Secrets;
use crate::tls::Tls;

/// One end of a connection: an endpoint, and the application that uses it.
pub(crate) struct End {
    /// When the run began: s2n-quic counts microseconds, and from one on.
    began: Timestamp,
    machine: Box<dyn Machine>,
    application: Application,
    departures: Departures,
    observer: Observer,
    /// Of the end that connects.
    secrets: Arc<Secrets>,
}

impl fmt::Debug for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("End").finish_non_exhaustive()
    }
}

impl End {
    /// One that has not begun.
    pub(crate) fn new(controller: Controller, place: &Place) -> Result<Self, Box<dyn Error>> {
        match controller {
            Controller::Cubic => Self::with(Cubic::default(), place),
            Controller::Bbr2 => Self::with(Bbr::default(), place),
        }
    }

    fn with(
        controller: impl congestion_controller::Provider,
        place: &Place,
    ) -> Result<Self, Box<dyn Error>> {
        let (io, observer) = (Io::new(place.own), Observer::default());
        let secrets: Arc<Secrets> = Arc::default();
        let providers = Providers {
            controller,
            io: io.clone(),
            observer: observer.clone(),
            random: Seeded::new(place.seed),
            tls: Tls(Arc::clone(&secrets)),
        };
        let source = match place.role {
            Role::Client => {
                let client = providers.client()?;
                let attempt = client.connect(Connect::new(place.peer).with_server_name(NAME));
                Source::Client(client, attempt)
            }
            Role::Server => Source::Server(providers.server()?),
        };
        let machine = io.machine().ok_or("s2n-quic did not start")?;
        let (application, departures) = (Application::new(source), Departures::default());
        let began = NoopClock.get_time();
        Ok(Self { began, machine, application, departures, observer, secrets })
    }

    /// A time as s2n-quic has it: rounded down.
    fn at(&self, now: Duration) -> Timestamp {
        self.began + now
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        let now = self.at(now);
        self.machine.receive(now, datagrams);
        self.machine.answer_application(now);
    }

    fn wake(&mut self, now: Duration) {
        let now = self.at(now);
        self.machine.check_timers(now);
        self.machine.answer_application(now);
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let leaving = self.departures.take().or_else(|| {
            let now = self.at(now);
            self.machine.answer_application(now);
            self.machine.transmit(now, &mut self.departures);
            self.departures.take()
        })?;
        buffer.extend_from_slice(&leaving.bytes);
        let (from, to, ecn) = (None, leaving.to, leaving.ecn);
        Some(Departure { from, to, ecn, segment: leaving.bytes.len() })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        if !self.application.is_idle() {
            // Sending woke it, after its events were asked for.
            return Some(Duration::ZERO);
        }
        Some(self.machine.timeout()?.saturating_duration_since(self.began))
    }

    fn state(&self) -> State {
        self.observer.state()
    }

    fn secrets(&self) -> String {
        self.secrets.lines()
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        self.application.open()
    }

    fn write(&mut self, _now: Duration, stream: u64, bytes: u64) -> u64 {
        self.application.write(stream, bytes)
    }

    fn finish(&mut self, _now: Duration, stream: u64) {
        self.application.close(stream);
    }

    fn read(&mut self, _now: Duration, stream: u64) -> Read {
        self.application.read(stream)
    }

    fn next_event(&mut self) -> Option<Event> {
        self.application.next_event()
    }
}
