//! Listeners that many connect to at once: RFC 4987 (SYN floods), RFC 9293, section 3.10.7.1.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use windtunnel_engine::{Duration, Time};
use windtunnel_tcp::{ConnectionId, Status, TcpHost, controller, settings};

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

fn port() -> SocketAddr {
    SocketAddr::new(SERVER.into(), 7007)
}

fn host(address: IpAddr) -> TcpHost {
    TcpHost::new(vec![address], settings(&controller("new-reno").unwrap(), 1500), [1, 2])
}

fn client(number: u8) -> TcpHost {
    host(Ipv4Addr::new(10, 9, 0, number).into())
}

fn server() -> TcpHost {
    let mut server = host(SERVER.into());
    server.listen(port());
    server
}

/// Carries packets between two hosts until none is left; those of the server's to others are
/// lost.
fn exchange(now: Time, client: &mut TcpHost, server: &mut TcpHost) {
    loop {
        let to_server: Vec<_> = std::iter::from_fn(|| client.take_packet()).collect();
        to_server.iter().for_each(|it| server.receive(now, it));
        let to_client: Vec<_> = std::iter::from_fn(|| server.take_packet()).collect();
        to_client.iter().for_each(|it| client.receive(now, it));
        if to_server.is_empty() && to_client.is_empty() {
            return;
        }
    }
}

/// SYNs of which none is answered again.
fn flood(now: Time, server: &mut TcpHost, count: usize) {
    let mut flooder = client(9);
    for _ in 0..count {
        flooder.connect(now, port()).unwrap();
        while let Some(packet) = flooder.take_packet() {
            server.receive(now, &packet);
        }
    }
    while server.take_packet().is_some() {}
}

fn connect(now: Time, client: &mut TcpHost, server: &mut TcpHost) -> ConnectionId {
    let id = client.connect(now, port()).unwrap();
    exchange(now, client, server);
    id
}

#[test]
fn half_open_connections_do_not_keep_others_out() {
    let mut server = server();
    flood(Time::ZERO, &mut server, 1_000);
    let mut honest = client(3);
    let id = connect(Time::ZERO, &mut honest, &mut server);
    assert_eq!(honest.status(id), Status::Established);
    let accepted = server.accept(port()).expect("its handshake is over");
    flood(Time::ZERO, &mut server, 1_000);
    assert_eq!(server.status(accepted), Status::Established);
}

#[test]
fn who_is_ready_is_not_pushed_out_by_who_is_not() {
    let (mut server, mut clients) = (server(), client(3));
    let ready: Vec<_> = (0..128).map(|_| connect(Time::ZERO, &mut clients, &mut server)).collect();
    flood(Time::ZERO, &mut server, 1_000);
    assert!(ready.iter().all(|it| clients.status(*it) == Status::Established));
    assert_eq!(std::iter::from_fn(|| server.accept(port())).count(), 128);
}

#[test]
fn who_is_not_served_is_reset() {
    let now = Time::ZERO;
    let (mut server, mut clients) = (server(), client(3));
    let served = connect(now, &mut clients, &mut server);
    server.accept(port()).unwrap();
    let waiting = connect(now, &mut clients, &mut server);
    server.stop_listening(now, port());
    exchange(now, &mut clients, &mut server);
    let later = connect(now + Duration::from_millis(1), &mut clients, &mut server);
    let status = [served, waiting, later].map(|it| clients.status(it));
    assert_eq!(status, [Status::Established, Status::Reset, Status::Reset]);
}
