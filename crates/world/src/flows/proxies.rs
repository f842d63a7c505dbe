//! Proxies that split a flow's connections (RFC 3135, section 2.4).
//!
//! A proxy answers the SYN itself and opens its own connection to the next node at
//! once. What it receives it hands to that connection, and takes from the first only
//! what the second has delivered: it holds no more than its buffer, and the window of
//! the first says so.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::Route;
use windtunnel_transports::tcp::{Reading, TcpSettings};

use super::{Application, Flows};
use crate::network::{End, Network};
use crate::plan::SplitPlan;

/// What stands behind a connection's receiving end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// The flow's receiver.
    Host,
    /// A proxy that has not yet opened its connection.
    Unopened,
    /// A proxy, with the connection at that place.
    Open(u32),
    /// A proxy whose connection has been closed.
    Closed,
}

/// The place of a connection among those that carry the same data one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    /// How many there are before it.
    pub(crate) part: u32,
    /// The place of the one before it, as long as that is open.
    pub(crate) before: Option<u32>,
    pub(crate) behind: Behind,
    /// Octets that were handed to the one behind it, and those that it delivered.
    relayed: u64,
    delivered: u64,
}

impl Chain {
    /// The connection that the sending host opens.
    pub(crate) fn first(is_split: bool) -> Self {
        Self::new(0, None, !is_split)
    }

    fn new(part: u32, before: Option<u32>, is_last: bool) -> Self {
        let behind = if is_last { Behind::Host } else { Behind::Unopened };
        Self { part, before, behind, relayed: 0, delivered: 0 }
    }
}

/// How a flow is split.
#[derive(Debug)]
pub(super) struct Split {
    /// Of connections that end at a proxy.
    settings: Arc<TcpSettings>,
    /// Where the ways of both ends begin, for each connection of a proxy.
    routes: Box<[[Route; 2]]>,
}

impl Split {
    pub(super) fn new(plan: &SplitPlan, settings: &TcpSettings, routes: &[[Route; 2]]) -> Self {
        let settings = TcpSettings {
            receive_buffer: plan.buffer,
            reading: Reading::AsTaken,
            ..settings.clone()
        };
        Self { settings: Arc::new(settings), routes: routes.into() }
    }

    /// How the connection to the first proxy behaves.
    pub(super) fn settings(&self) -> &Arc<TcpSettings> {
        &self.settings
    }
}

impl Flows {
    /// What follows at the proxies when an end of a connection was at work.
    pub(super) fn follow(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        let chain = self.connections.get(place).chain;
        match (end, chain.before, chain.behind) {
            (End::Receiver, _, Behind::Unopened) => {
                let behind = self.open_behind(network, now, place);
                self.relay(network, now, place, behind);
            }
            (End::Receiver, _, Behind::Open(behind)) => self.relay(network, now, place, behind),
            (End::Sender, Some(before), _) => self.relay(network, now, before, place),
            _ => {}
        }
    }

    /// A proxy opens its connection; the transfer in hand is finished at its far end.
    fn open_behind(&mut self, network: &mut Network, now: Time, place: u32) -> u32 {
        let connection = self.connections.get(place);
        let (flow, part) = (connection.flow, connection.chain.part + 1);
        let (size, began) = (connection.size, connection.began);
        let awaited = std::mem::replace(&mut connection.awaited, [u64::MAX; 2]);
        let Application::Tcp(tcp) = &self.seats[flow as usize].application else {
            unreachable!("only flows over TCP are split")
        };
        let split = tcp.split.as_ref().expect("its connection has one behind it");
        let is_last = part as usize == split.routes.len();
        let settings = if is_last { &tcp.settings } else { &split.settings };
        let routes = split.routes[part as usize - 1];
        let chain = Chain::new(part, Some(place), is_last);
        let behind = self.connections.open(flow, settings, End::Sender, routes, chain, began);
        let connection = self.connections.get(behind);
        (connection.awaited, connection.size) = (awaited, size);
        connection.ends[End::Sender as usize].open(now, &mut self.outbox);
        self.flush(network, now, behind, End::Sender);
        self.connections.get(place).chain.behind = Behind::Open(behind);
        behind
    }

    /// Hands on what a proxy has received over one connection, takes from it what was
    /// delivered over the one behind it, and closes that when all is handed on.
    fn relay(&mut self, network: &mut Network, now: Time, place: u32, behind: u32) {
        let connection = self.connections.get(place);
        let receiver = &connection.ends[End::Receiver as usize];
        let (received, is_finished) = (receiver.counters().received_bytes, receiver.is_finished());
        let fresh = received - std::mem::replace(&mut connection.chain.relayed, received);
        if fresh > 0 {
            self.write(network, now, behind, End::Sender, fresh);
        }
        if is_finished && !self.connections.get(behind).is_closing[End::Sender as usize] {
            self.close(network, now, behind, End::Sender);
        }
        let waiting = self.connections.at(behind).ends[End::Sender as usize].unacknowledged();
        let connection = self.connections.get(place);
        let delivered = received - waiting.min(received);
        let taken = delivered - std::mem::replace(&mut connection.chain.delivered, delivered);
        if taken > 0 {
            connection.ends[End::Receiver as usize].take(now, taken, &mut self.outbox);
            self.flush(network, now, place, End::Receiver);
        }
    }

    /// A connection is closed: those beside it know it no more.
    pub(super) fn leave(&mut self, place: u32) {
        let chain = self.connections.get(place).chain;
        if let Some(before) = chain.before {
            self.connections.get(before).chain.behind = Behind::Closed;
        }
        if let Behind::Open(behind) = chain.behind {
            self.connections.get(behind).chain.before = None;
        }
    }
}
