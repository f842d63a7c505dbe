//! A connection over a bottleneck, in virtual time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windtunnel_engine::Rate;
use windtunnel_quinn::{WindtunnelController, WindtunnelFactory};

use crate::bottleneck::{Link, LinkCounters, LinkSettings};
use crate::endpoints::{Datagram, End, MTU, Sending, address, ends};
use crate::quic::{self, ControllerFactory, EcnCodepoint};

pub(crate) const RATE: u64 = 20_000_000;
pub(crate) const DELAY: Duration = Duration::from_millis(20);
/// One product of rate and round trip, in packets.
pub(crate) const LIMIT: usize = 67;

pub(crate) fn bottleneck() -> LinkSettings {
    let rate = Rate::from_bits_per_second(RATE).expect("it is not zero");
    LinkSettings { rate, delay: DELAY, limit: LIMIT, mark: None }
}

/// A client that sends to a server, and the links there and back.
#[derive(Debug)]
pub(crate) struct Run {
    began: Instant,
    now: Duration,
    pub(crate) ends: [End; 2],
    links: [Link; 2],
}

/// What was measured between two instants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// Of data received in order, in bits per second.
    pub(crate) goodput: f64,
    /// The mean time that a packet waits for the bottleneck.
    pub(crate) waited: Duration,
    pub(crate) drops: u64,
    pub(crate) marks: u64,
}

impl Run {
    pub(crate) fn new(
        factory: Arc<dyn ControllerFactory + Send + Sync>,
        settings: LinkSettings,
        sending: Sending,
    ) -> Self {
        Self::with_mtu(MTU, factory, settings, sending)
    }

    pub(crate) fn with_mtu(
        initial_mtu: u16,
        factory: Arc<dyn ControllerFactory + Send + Sync>,
        settings: LinkSettings,
        sending: Sending,
    ) -> Self {
        let began = Instant::now();
        let ends = ends(began, factory, initial_mtu, sending);
        Self { began, now: Duration::ZERO, ends, links: [settings; 2].map(Link::new) }
    }

    pub(crate) fn of(controller: &str) -> Self {
        let factory = WindtunnelFactory::named(controller, &[]).expect("it is not refused");
        Self::new(Arc::new(factory), bottleneck(), Sending::Always)
    }

    /// Lets time pass until `end`.
    pub(crate) fn until(&mut self, end: Duration) {
        loop {
            while self.step() {}
            let wakes = self.ends.iter_mut().filter_map(|it| it.wakes(self.began)).min();
            let next = wakes.unwrap_or(end).max(self.now + Duration::from_nanos(1));
            self.now = next.min(end);
            if next >= end {
                return;
            }
        }
    }

    /// Both ends do what they can at this instant; returns whether anything was sent.
    fn step(&mut self) -> bool {
        let (began, now) = (self.began, self.now);
        let mut sent = false;
        for side in 0..2 {
            let [one, other] = &mut self.ends;
            let (end, peer) = if side == 0 { (one, other) } else { (other, one) };
            end.receive(began, now, address(1 - side));
            let link = &mut self.links[side];
            sent |= end.transmit(began + now, |ecn, bytes| {
                let Some((arrives, marked)) = link.send(now, bytes.len()) else { return };
                let ecn = if marked { Some(EcnCodepoint::Ce) } else { ecn };
                peer.inbox.push_back(Datagram { arrives, ecn, bytes });
            });
        }
        sent
    }

    pub(crate) fn counters(&self) -> LinkCounters {
        self.links[0].counters
    }

    /// What happens from now until `end`.
    pub(crate) fn measure(&mut self, end: Duration) -> Measured {
        let (from, received, before) = (self.now, self.ends[1].received, self.counters());
        self.until(end);
        let after = self.counters();
        let bits = 8.0 * (self.ends[1].received - received) as f64;
        let packets = (after.packets - before.packets).max(1) as u32;
        Measured {
            goodput: bits / (end - from).as_secs_f64(),
            waited: (after.waited - before.waited) / packets,
            drops: after.drops - before.drops,
            marks: after.marks - before.marks,
        }
    }

    /// The client's controller.
    pub(crate) fn controller(&self) -> WindtunnelController {
        let (_, connection) = self.ends[0].connection.as_ref().expect("the client has one");
        quic::controller(connection)
    }
}
