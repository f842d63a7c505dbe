//! How connections end, and how they do not begin.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

use nix::sys::socket::{setsockopt, sockopt::Linger};
use windtunnel_live::tcp::drive;
use windtunnel_tcp::{ConnectionId, Status, TcpHost};

use crate::exchange::{Closing, Exchange, Opener, exchange};
use crate::network::{LIMIT, Network, PORT, Version};

#[test]
fn connections_close_in_every_order_without_a_reset() {
    let Some(network) = Network::new() else { return };
    let mut host = network.host("cubic", 1500);
    for opener in [Opener::Us, Opener::Kernel] {
        for closing in [Closing::WhenSent, Closing::KernelLast, Closing::WeLast] {
            for size in [0, 1, 100_000] {
                let (to_kernel, to_us) = (size, size);
                let it = Exchange { opener, closing, to_kernel, to_us, ..Exchange::default() };
                exchange(&network, &mut host, &network.interface, it);
                for name in ["EstabResets", "AttemptFails"] {
                    assert_eq!(network.kernel_counter(name), 0, "{name} after {it:?}");
                }
                // On a busy machine the kernel may send its FIN again before we have seen the first; what
                // acknowledges the second finds the connection gone.
                let [resets, again] =
                    ["OutRsts", "RetransSegs"].map(|name| network.kernel_counter(name));
                assert!(resets <= again, "{resets} resets after {it:?}");
            }
        }
    }
    assert_eq!(host.counters().refused, 0);
}

/// Drives the host until the connection is so far.
fn until(network: &Network, host: &mut TcpHost, id: ConnectionId, status: Status) {
    let started = Instant::now();
    drive(&network.interface, host, &network.clock, |host, _| {
        assert!(started.elapsed() < LIMIT, "{:?}", host.endpoint(id));
        match host.status(id) {
            it if it == status => ControlFlow::Break(()),
            _ => ControlFlow::Continue(false),
        }
    })
    .unwrap();
}

fn connected(network: &Network, host: &mut TcpHost) -> (ConnectionId, TcpStream) {
    let listener = network.kernel_listener(Version::V4);
    let peer = SocketAddr::new(Version::V4.kernel(), PORT);
    let id = host.connect(network.clock.now(), peer).unwrap();
    until(network, host, id, Status::Established);
    (id, listener.accept().unwrap().0)
}

#[test]
fn a_connection_that_the_kernel_resets_is_reset() {
    let Some(network) = Network::new() else { return };
    let mut host = network.host("cubic", 1500);
    let (id, stream) = connected(&network, &mut host);
    let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    setsockopt(&stream, Linger, &linger).unwrap();
    drop(stream);
    until(&network, &mut host, id, Status::Reset);
}

#[test]
fn a_connection_that_we_reset_is_reset_for_the_kernel() {
    let Some(network) = Network::new() else { return };
    let mut host = network.host("cubic", 1500);
    let (id, mut stream) = connected(&network, &mut host);
    stream.write_all(b"what nobody reads").unwrap();
    host.reset(network.clock.now(), id);
    until(&network, &mut host, id, Status::Reset);
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let error = stream.read(&mut [0; 10]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn connections_to_ports_that_nobody_listens_on_are_refused_both_ways() {
    let Some(network) = Network::new() else { return };
    for version in [Version::V4, Version::V6] {
        let mut host = network.host("cubic", 1500);
        let peer = SocketAddr::new(version.kernel(), PORT);
        let id = host.connect(network.clock.now(), peer).unwrap();
        until(&network, &mut host, id, Status::Reset);
        let ours = SocketAddr::new(version.ours(), PORT);
        let refused = thread::spawn(network.tries_to_connect(ours));
        let started = Instant::now();
        drive(&network.interface, &mut host, &network.clock, |_, _| {
            assert!(started.elapsed() < LIMIT);
            if refused.is_finished() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(false)
        })
        .unwrap();
        assert_eq!(refused.join().unwrap().unwrap_err().kind(), ErrorKind::ConnectionRefused);
    }
}
