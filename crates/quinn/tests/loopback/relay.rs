//! A bottleneck between two sockets, in real time.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::bottleneck::{Link, LinkSettings};

/// Where packets go that come back from the server.
type Client = Arc<Mutex<Option<SocketAddr>>>;

/// Relays datagrams of one client to a server and back until the process ends; returns where
/// the client is to send them.
pub(crate) fn relay(settings: LinkSettings, server: SocketAddr) -> io::Result<SocketAddr> {
    let front = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
    let back = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
    let address = front.local_addr()?;
    let client = Client::default();
    let note = Arc::clone(&client);
    carry(settings, &front, &back, move |from| {
        *note.lock().unwrap() = Some(from);
        Some(server)
    });
    carry(settings, &back, &front, move |_| *client.lock().unwrap());
    Ok(address)
}

/// One direction; `to` says where a datagram goes by where it came from.
fn carry(
    settings: LinkSettings,
    from: &Arc<UdpSocket>,
    by: &Arc<UdpSocket>,
    to: impl Fn(SocketAddr) -> Option<SocketAddr> + Send + 'static,
) {
    let (from, by) = (Arc::clone(from), Arc::clone(by));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (began, mut link) = (Instant::now(), Link::new(settings));
        let mut datagram = vec![0; 1 << 16];
        while let Ok((length, from)) = from.recv_from(&mut datagram) {
            let Some(to) = to(from) else { continue };
            if let Some((arrives, _)) = link.send(began.elapsed(), length) {
                let _ = sender.send((began + arrives, datagram[..length].to_vec(), to));
            }
        }
    });
    thread::spawn(move || deliver(&receiver, &by));
}

fn deliver(receiver: &Receiver<(Instant, Vec<u8>, SocketAddr)>, by: &UdpSocket) {
    while let Ok((arrives, datagram, to)) = receiver.recv() {
        let left = arrives.saturating_duration_since(Instant::now());
        if left > Duration::ZERO {
            thread::sleep(left);
        }
        let _ = by.send_to(&datagram, to);
    }
}
