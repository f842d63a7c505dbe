//! What a command does: it connects to a peer and transfers files, or it does so with whoever
//! connects to it.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;

use serde::Serialize;
use windtunnel_controllers::Settings as ControllerSettings;
use windtunnel_engine::{Duration, Time};

use super::run::{Wire, drive};
use super::transfer::{Files, Transfer, TransferError, Transferred};
use crate::clock::Clock;
use windtunnel_tcp::settings;
use windtunnel_tcp::{ConnectionId, TcpHost};

/// How long the peer's last segments are answered after both ends have closed: the process ends
/// then, and its connections with it.
const LINGER: Duration = Duration::from_millis(500);
/// This many clients are served at once. Further ones wait, until one is done or has been idle for
/// so long.
const AT_ONCE: usize = 128;
const IDLE: Duration = Duration::from_millis(500);
/// The bytes that were not acknowledged, and those that wait for others before them, of all
/// clients together at most.
const SENDING: u64 = 48 << 20;
const RECEIVING: u64 = 64 << 20;

/// Our end: an address on a network, and what is sent with.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// Our address.
    pub address: IpAddr,
    /// Our controller.
    pub controller: &'a ControllerSettings,
}

impl End<'_> {
    /// A host with that many connections at most.
    fn host(&self, connections: usize) -> TcpHost {
        let random = RandomState::new();
        let secret = [random.hash_one(0), random.hash_one(1)];
        let mut settings = settings(self.controller, crate::interface::MTU);
        for it in &mut settings {
            let share = |bytes: u64| bytes / connections as u64;
            it.buffers.send = it.buffers.send.min(share(SENDING));
            it.buffers = it.buffers.receiving_at_most(share(RECEIVING));
        }
        TcpHost::new(vec![self.address], settings, secret)
    }
}

/// Connects to a peer, sends what the source has, and writes what comes. Then both ends close.
/// `is_stopped` is asked at least ten times a second.
///
/// # Errors
/// If one of the ends gives up, or a file or the network is gone.
pub fn connect(
    wire: impl Wire,
    end: End<'_>,
    peer: SocketAddr,
    files: Files,
    mut is_stopped: impl FnMut() -> bool,
) -> Result<Transferred, TransferError> {
    let (clock, mut host) = (Clock::start(), end.host(1));
    let id = host.connect(clock.now(), peer);
    let id = id.ok_or(TransferError::Version(peer, end.address))?;
    let mut transfer = Transfer::new(clock.now(), id, peer, files);
    let result = drive(wire, &mut host, &clock, |host, now| {
        if is_stopped() {
            host.reset(now, id);
            return ControlFlow::Break(Err(TransferError::Interrupted));
        }
        match transfer.act(host, now) {
            Err(error) => ControlFlow::Break(Err(error)),
            Ok(_) if has_lingered(transfer.ended(), now) => ControlFlow::Break(Ok(())),
            Ok(did) => ControlFlow::Continue(did),
        }
    });
    result.map_err(TransferError::Wire)??;
    Ok(transfer.summary(&host, end.controller))
}

/// Whether the peer has had the time to ask for our last answer again.
fn has_lingered(ended: Option<Time>, now: Time) -> bool {
    ended.is_some_and(|it| it + LINGER <= now)
}

/// What became of all clients.
#[derive(Debug, Default, Serialize)]
pub struct Served {
    /// Those to whom everything was sent, and from whom everything came, in the order in which
    /// they were done.
    pub connections: Vec<Transferred>,
    /// The others.
    pub failed: Vec<Failure>,
    /// Whether it was stopped before all were served.
    pub interrupted: bool,
}

/// A client that was not served to the end.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// The client.
    pub peer: SocketAddr,
    /// Why.
    pub error: String,
    /// Bytes of data that it has acknowledged.
    pub sent_bytes: u64,
    /// Bytes that came from it.
    pub received_bytes: u64,
}

/// Serves this many clients that connect to that port, several at once: each as
/// [`connect`] does, with files of its own, which are asked for by its number from 1 on. All
/// others are reset, and those that are being served when it is stopped.
///
/// # Errors
/// If the network is gone. What happens to a client is no error.
pub fn serve(
    wire: impl Wire,
    end: End<'_>,
    port: u16,
    clients: usize,
    files: impl FnMut(usize) -> Result<Files, TransferError>,
    mut is_stopped: impl FnMut() -> bool,
) -> Result<Served, TransferError> {
    let (clock, mut host) = (Clock::start(), end.host(clients.clamp(1, AT_ONCE)));
    let own = SocketAddr::new(end.address, port);
    host.listen(own);
    let mut server = Server {
        own,
        clients,
        controller: end.controller,
        files,
        accepted: 0,
        under_way: Vec::new(),
        served: Served::default(),
        ended: Time::ZERO,
    };
    let result = drive(wire, &mut host, &clock, |host, now| {
        if is_stopped() {
            server.interrupt(host, now);
            return ControlFlow::Break(());
        }
        let did = server.act(host, now);
        if server.is_done() && has_lingered(Some(server.ended), now) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(did)
    });
    result.map_err(TransferError::Wire)?;
    Ok(server.served)
}

/// The clients, and how far they are.
struct Server<'a, F> {
    own: SocketAddr,
    clients: usize,
    controller: &'a ControllerSettings,
    files: F,
    accepted: usize,
    under_way: Vec<Transfer>,
    served: Served,
    /// When the last was done.
    ended: Time,
}

impl<F: FnMut(usize) -> Result<Files, TransferError>> Server<'_, F> {
    /// The turn of all clients; whether one did something.
    fn act(&mut self, host: &mut TcpHost, now: Time) -> bool {
        self.accept(host, now);
        let mut did = false;
        for mut transfer in std::mem::take(&mut self.under_way) {
            match transfer.act(host, now) {
                Ok(it) if transfer.ended().is_none() => {
                    did |= it;
                    self.under_way.push(transfer);
                }
                other => self.end(host, now, &transfer, other.err()),
            }
        }
        did
    }

    fn accept(&mut self, host: &mut TcpHost, now: Time) {
        while self.accepted < self.clients {
            let is_full = self.under_way.len() >= AT_ONCE;
            let idle = if is_full { self.idle(now) } else { None };
            if is_full && idle.is_none() {
                return;
            }
            let Some(id) = host.accept(self.own) else { return };
            if let Some(idle) = idle.map(|it| self.under_way.swap_remove(it)) {
                host.reset(now, idle.id());
                self.end(host, now, &idle, Some(TransferError::Idle(idle.peer)));
            }
            self.begin(host, now, id);
        }
    }

    /// The client that has been idle for the longest time, if that is long enough.
    fn idle(&self, now: Time) -> Option<usize> {
        let by_time = |it: &usize| self.under_way[*it].moved();
        let longest = (0..self.under_way.len()).min_by_key(by_time)?;
        (self.under_way[longest].moved() + IDLE <= now).then_some(longest)
    }

    fn begin(&mut self, host: &mut TcpHost, now: Time, id: ConnectionId) {
        let Some(peer) = host.peer(id) else { return };
        self.accepted += 1;
        if self.accepted == self.clients {
            host.stop_listening(now, self.own);
        }
        let (files, error) = match (self.files)(self.accepted) {
            Ok(files) => (files, None),
            Err(error) => (Files::default(), Some(error)),
        };
        let transfer = Transfer::new(now, id, peer, files);
        if error.is_some() {
            host.reset(now, id);
            self.end(host, now, &transfer, error);
        } else {
            self.under_way.push(transfer);
        }
    }

    /// Resets all clients that are not done.
    fn interrupt(&mut self, host: &mut TcpHost, now: Time) {
        self.served.interrupted = true;
        for transfer in std::mem::take(&mut self.under_way) {
            host.reset(now, transfer.id());
            self.end(host, now, &transfer, Some(TransferError::Interrupted));
        }
    }

    /// A client is done, or cannot be served.
    fn end(
        &mut self,
        host: &mut TcpHost,
        now: Time,
        transfer: &Transfer,
        error: Option<TransferError>,
    ) {
        self.ended = now;
        match error {
            None => self.served.connections.push(transfer.summary(host, self.controller)),
            Some(error) => {
                let Transferred { peer, sent_bytes, received_bytes, .. } =
                    transfer.summary(host, self.controller);
                let error = error.to_string();
                self.served.failed.push(Failure { peer, error, sent_bytes, received_bytes });
            }
        }
        host.forget(now, transfer.id());
    }

    fn is_done(&self) -> bool {
        self.accepted == self.clients && self.under_way.is_empty()
    }
}
