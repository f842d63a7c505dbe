//! A name server behind a node that asks the machine's own: queries and answers go on as they
//! came, over UDP and TCP.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::capabilities::give_up_all_but;
use crate::namespace::Namespace;

/// The port of the DNS.
const PORT: u16 = 53;
/// How long an answer is waited for: as long as resolvers wait (resolv.conf(5)).
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether to stop.
const TURN: Duration = Duration::from_millis(50);
/// The most queries and connections at a time; others are dropped.
const MOST: usize = 256;
/// The longest message, in bytes.
const LONGEST: usize = u16::MAX as usize;

/// Where the machine's name server is configured.
const CONFIGURATION: &str = "/etc/resolv.conf";

/// A name server, until it is dropped.
#[derive(Debug)]
pub(super) struct NameRelay {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What its threads share.
#[derive(Clone, Debug)]
struct Relay {
    server: SocketAddr,
    stop: Arc<AtomicBool>,
    under_way: Arc<AtomicUsize>,
}

impl NameRelay {
    /// Starts one in a namespace at this address. Its threads have no capabilities.
    ///
    /// # Errors
    /// If it cannot listen there.
    pub(super) fn start(namespace: &Namespace, address: Ipv4Addr) -> io::Result<Self> {
        let (datagrams, connections) = namespace.run(move || {
            Ok((UdpSocket::bind((address, PORT))?, TcpListener::bind((address, PORT))?))
        })?;
        datagrams.set_read_timeout(Some(TURN))?;
        connections.set_nonblocking(true)?;
        let server = SocketAddr::new(server(&fs::read_to_string(CONFIGURATION)?), PORT);
        let relay = Relay { server, stop: Arc::default(), under_way: Arc::default() };
        let other = relay.clone();
        let stop = Arc::clone(&relay.stop);
        let threads = vec![
            spawn(move || relay.datagrams(&Arc::new(datagrams)))?,
            spawn(move || other.connections(&connections))?,
        ];
        Ok(Self { stop, threads })
    }
}

impl Drop for NameRelay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that panicked has printed why.
            drop(thread.join());
        }
    }
}

fn spawn(run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let bare = move || {
        if give_up_all_but(&[]).is_ok() {
            run();
        }
    };
    thread::Builder::new().name("names".to_owned()).spawn(bare)
}

/// The first name server of a resolver's configuration; this machine without one
/// (resolv.conf(5)).
fn server(configuration: &str) -> IpAddr {
    let lines = configuration.lines().map(str::split_whitespace);
    let mut servers = lines.filter_map(|mut it| (it.next()? == "nameserver").then(|| it.next())?);
    let first = servers.find_map(|it| it.parse().ok());
    first.unwrap_or_else(|| Ipv4Addr::LOCALHOST.into())
}

impl Relay {
    fn datagrams(&self, inside: &Arc<UdpSocket>) {
        let mut query = vec![0; LONGEST];
        while !self.stop.load(Ordering::Relaxed) {
            let Ok((length, asker)) = inside.recv_from(&mut query) else { continue };
            let (query, inside) = (query[..length].to_vec(), Arc::clone(inside));
            self.on_thread(move |server| {
                let answer = ask(server, &query)?;
                inside.send_to(&answer, asker).map(drop)
            });
        }
    }

    fn connections(&self, inside: &TcpListener) {
        while !self.stop.load(Ordering::Relaxed) {
            match inside.accept() {
                Ok((asker, _)) => self.on_thread(move |server| relay_stream(&asker, server)),
                Err(_) => thread::sleep(TURN),
            }
        }
    }

    /// Has something done on a thread of its own, unless too much is under way.
    fn on_thread(&self, act: impl FnOnce(SocketAddr) -> io::Result<()> + Send + 'static) {
        let (server, under_way) = (self.server, Arc::clone(&self.under_way));
        if under_way.load(Ordering::Relaxed) >= MOST {
            return;
        }
        under_way.fetch_add(1, Ordering::Relaxed);
        let act = move || {
            // Who asked and has no answer asks again.
            drop(act(server));
            under_way.fetch_sub(1, Ordering::Relaxed);
        };
        if spawn(act).is_err() {
            self.under_way.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Asks over UDP: from a port of its own for each query, against forged answers (RFC 5452).
fn ask(server: SocketAddr, query: &[u8]) -> io::Result<Vec<u8>> {
    let any: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(query)?;
    let mut answer = vec![0; LONGEST];
    let length = socket.recv(&mut answer)?;
    answer.truncate(length);
    Ok(answer)
}

/// Passes on the messages of a connection, each behind its length (RFC 7766).
fn relay_stream(asker: &TcpStream, server: SocketAddr) -> io::Result<()> {
    let server = TcpStream::connect_timeout(&server, PATIENCE)?;
    for stream in [asker, &server] {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
    }
    loop {
        pass_message(asker, &server)?;
        pass_message(&server, asker)?;
    }
}

fn pass_message(mut from: &TcpStream, mut to: &TcpStream) -> io::Result<()> {
    let mut length = [0; 2];
    from.read_exact(&mut length)?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    from.read_exact(&mut message)?;
    to.write_all(&[&length[..], &message].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_server_is_asked() {
        let text = "# nameserver 9.9.9.9\nsearch example.org\nnameserver fe80::1%eth0\n\
                    nameserver 10.1.1.1\nnameserver 10.1.1.2\n";
        assert_eq!(server(text), Ipv4Addr::new(10, 1, 1, 1));
        assert_eq!(server("nameserver 2001:db8::1"), "2001:db8::1".parse::<IpAddr>().unwrap());
        assert_eq!(server("options edns0"), Ipv4Addr::LOCALHOST);
    }
}
