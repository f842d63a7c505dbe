//! Roots that answer on UDP sockets.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use windtunnel_engine::Time;

use crate::answer::is_reply;
use crate::root::{Output, Root, RootSettings};
use crate::zone::Zone;

/// So long a root waits for a message before it looks at its timers.
const TICK: Duration = Duration::from_millis(50);
/// The largest message over UDP.
const LARGEST: usize = u16::MAX as usize;

/// A root, and where it answers.
#[derive(Clone, Debug)]
pub struct ServedRoot {
    /// What it knows.
    pub settings: RootSettings,
    /// Its names.
    pub zone: Zone,
    /// Where it answers, if it does.
    pub listen: Option<SocketAddr>,
}

/// Roots that have their addresses, and do not answer yet.
#[derive(Debug)]
pub struct BoundRoots(Vec<(ServedRoot, UdpSocket, SocketAddr)>);

impl BoundRoots {
    /// Opens the sockets of the roots that have an address.
    ///
    /// # Errors
    /// If one cannot be had, with its name.
    pub fn open(roots: Vec<ServedRoot>) -> io::Result<Self> {
        let mut bound = Vec::new();
        for root in roots {
            let Some(address) = root.listen else { continue };
            let socket = UdpSocket::bind(address).and_then(|it| {
                it.set_read_timeout(Some(TICK))?;
                Ok((it.local_addr()?, it))
            });
            let (address, socket) = socket
                .map_err(|it| io::Error::new(it.kind(), format!("cannot use {address}: {it}")))?;
            bound.push((root, socket, address));
        }
        Ok(Self(bound))
    }
}

/// Roots at work, each on a thread of its own, until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<(String, SocketAddr)>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Has the roots answer, on threads with the capabilities of the calling one.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn start(BoundRoots(bound): BoundRoots) -> io::Result<Self> {
        let names = bound.iter().map(|(root, _, it)| (root.settings.region.clone(), *it));
        let addresses: Vec<(String, SocketAddr)> = names.collect();
        let others: Arc<BTreeMap<String, SocketAddr>> =
            Arc::new(addresses.iter().cloned().collect());
        let stop = Arc::new(AtomicBool::new(false));
        let threads = bound.into_iter().map(|(root, socket, _)| {
            let (others, stop) = (Arc::clone(&others), Arc::clone(&stop));
            let root = Root::new(root.settings, root.zone);
            let answer = move || answer(root, &socket, &others, &stop);
            thread::Builder::new().name("dns".to_owned()).spawn(answer)
        });
        let threads = threads.collect::<io::Result<_>>()?;
        Ok(Self { threads, addresses, stop })
    }

    /// Where which region's root answers.
    #[must_use]
    pub fn addresses(&self) -> &[(String, SocketAddr)] {
        &self.addresses
    }

    /// Has all stop.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that failed has told so.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Lets a root answer until it is to stop.
fn answer(
    mut root: Root<SocketAddr>,
    socket: &UdpSocket,
    others: &BTreeMap<String, SocketAddr>,
    stop: &AtomicBool,
) {
    let start = Instant::now();
    let mut buffer = vec![0; LARGEST];
    let mut output = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let received = socket.recv_from(&mut buffer);
        let now = Time::from_picos(start.elapsed().as_nanos() as u64 * 1000);
        // An error is that of an earlier message, or that none has come.
        if let Ok((length, from)) = received {
            let bytes = &buffer[..length];
            let region = others.iter().find(|it| *it.1 == from).map(|it| it.0.as_str());
            match region.filter(|_| is_reply(bytes)) {
                Some(region) => root.reply(now, region, bytes, &mut output),
                None => root.query(now, from, bytes, &mut output),
            }
        }
        if root.next_wake() <= now {
            root.wake(now, &mut output);
        }
        for it in output.drain(..) {
            let (to, bytes) = match it {
                Output::Client(client, bytes) => (Some(client), bytes),
                Output::Root(region, bytes) => (others.get(&region).copied(), bytes),
            };
            // What does not get there is asked again, or given up.
            let _ = to.map(|it| socket.send_to(&bytes, it));
        }
    }
}
