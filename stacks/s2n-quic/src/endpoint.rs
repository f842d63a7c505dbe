//! An endpoint of s2n-quic without a socket.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use s2n_quic::provider::io::Provider;
use s2n_quic_core::endpoint::Endpoint;
use s2n_quic_core::inet::SocketAddress;
use s2n_quic_core::path::RemoteAddress;
use s2n_quic_core::time::Timestamp;
use windtunnel_stack::Datagram;

use crate::queues::{Arrivals, Departures, Full};

/// What is called of an endpoint, whose type depends on all of its providers.
pub(crate) trait Machine: Send {
    /// These datagrams have arrived and are read together.
    fn receive(&mut self, now: Timestamp, datagrams: &[Datagram<'_>]);

    /// Looks after the timers that are due.
    fn check_timers(&mut self, now: Timestamp);

    /// Does what the application has asked for.
    fn answer_application(&mut self, now: Timestamp);

    /// Hands over all that leaves now.
    fn transmit(&mut self, now: Timestamp, departures: &mut Departures);

    /// When the next timer is due.
    fn timeout(&self) -> Option<Timestamp>;
}

impl<E: Endpoint<PathHandle = RemoteAddress>> Machine for E {
    fn receive(&mut self, now: Timestamp, datagrams: &[Datagram<'_>]) {
        Endpoint::receive(self, &mut Arrivals(datagrams), &now);
    }

    fn check_timers(&mut self, now: Timestamp) {
        Endpoint::transmit(self, &mut Full, &now);
    }

    fn answer_application(&mut self, now: Timestamp) {
        // It is asked after every call, so that nobody needs to be woken.
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Ok(_)) = self.poll_wakeups(&mut context, &now) {}
    }

    fn transmit(&mut self, now: Timestamp, departures: &mut Departures) {
        Endpoint::transmit(self, departures, &now);
    }

    fn timeout(&self) -> Option<Timestamp> {
        Endpoint::timeout(self)
    }
}

/// A provider of input and output that only keeps the endpoint, to be called.
#[derive(Clone)]
pub(crate) struct Io {
    own: SocketAddr,
    machine: Arc<Mutex<Option<Box<dyn Machine>>>>,
}

impl Io {
    /// For an endpoint with this address.
    pub(crate) fn new(own: SocketAddr) -> Self {
        Self { own, machine: Arc::default() }
    }

    /// The endpoint, once it was started.
    pub(crate) fn machine(&self) -> Option<Box<dyn Machine>> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Provider for Io {
    type PathHandle = RemoteAddress;
    type Error = Infallible;

    fn start<E: Endpoint<PathHandle = RemoteAddress>>(
        self,
        endpoint: E,
    ) -> Result<SocketAddress, Infallible> {
        *self.machine.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(endpoint));
        Ok(self.own.into())
    }
}
