//! Namespaces and what is in them: interfaces and programs, while they live and afterwards.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/waiting.rs"]
mod waiting;

use std::net::UdpSocket;
use std::time::Duration;

use windtunnel_live::{Carries, MTU, TunInterface};

use crate::waiting::until;

#[test]
fn an_interface_is_seen_in_its_namespace_alone_and_carries_packets() {
    let Some(namespace) = common::namespace() else { return };
    let addresses = [("10.0.0.1".parse().unwrap(), 8), ("fd00::1".parse().unwrap(), 64)];
    let make = move || TunInterface::create(Carries::Packets, "windtunnel0", &addresses, MTU);
    let interface = namespace.run(make).unwrap();
    assert!(!std::fs::read_to_string("/proc/net/dev").unwrap().contains("windtunnel0"));
    assert_eq!(interface.dropped().unwrap(), 0);
    let socket = namespace.run(|| UdpSocket::bind("10.0.0.1:7000")).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    socket.send_to(b"there and back", "10.0.0.2:7000").unwrap();
    // The datagram comes back when its addresses change places: the checksums stay right.
    until("the datagram is there, and goes back", || {
        let mut bytes = [0; 2048];
        let Ok(Some(length)) = interface.receive(&mut bytes) else { return false };
        let (addresses, is_ours) = ([10, 0, 0, 1, 10, 0, 0, 2], bytes[0] >> 4 == 4);
        if !is_ours || bytes[12..20] != addresses {
            return false;
        }
        bytes[12..20].rotate_left(4);
        interface.send(&bytes[..length]).is_ok()
    });
    let mut answer = [0; 64];
    let (length, from) = socket.recv_from(&mut answer).unwrap();
    assert_eq!(
        (&answer[..length], from),
        (&b"there and back"[..], "10.0.0.2:7000".parse().unwrap())
    );
}

#[test]
fn what_finds_no_room_at_an_interface_is_counted() {
    let Some(namespace) = common::namespace() else { return };
    let addresses = [("10.0.0.1".parse().unwrap(), 8)];
    let interface = namespace
        .run(move || TunInterface::create(Carries::Packets, "windtunnel0", &addresses, MTU))
        .unwrap();
    let socket = namespace.run(|| UdpSocket::bind("10.0.0.1:7000")).unwrap();
    // The queue takes 1,000 packets, and a few of the kernel's own may wait there.
    for _ in 0..1_200 {
        socket.send_to(b"unread", "10.0.0.2:7000").unwrap();
    }
    let mut bytes = [0; 2048];
    let read = std::iter::from_fn(|| interface.receive(&mut bytes).unwrap()).count() as u64;
    let dropped = interface.dropped().unwrap();
    assert!((200..220).contains(&dropped), "{dropped}");
    assert!((1_200..1_220).contains(&(read + dropped)), "{read} {dropped}");
}

#[test]
fn a_program_finds_the_names_of_its_hosts_file() {
    let Some(namespace) = common::namespace() else { return };
    let program = ["sh", "-c", "getent hosts far | grep -q 10.0.0.9"].map(str::to_owned);
    let hosts = ["10.0.0.9 far".to_owned()];
    assert!(namespace.spawn(&program, &hosts, None).unwrap().wait().unwrap().success());
    assert!(!std::fs::read_to_string("/etc/hosts").unwrap().contains("10.0.0.9"));
}

#[test]
fn what_a_program_has_started_ends_with_the_namespace() {
    let Some(namespace) = common::namespace() else { return };
    let name = format!("windtunnel-test-{}", std::process::id());
    let sleep = format!("exec -a {name} sleep 1000 & exec -a {name} sleep 1000");
    let program = ["bash", "-c", &sleep].map(str::to_owned);
    let mut child = namespace.spawn(&program, &[], None).unwrap();
    let running = || {
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let named = |it: std::fs::DirEntry| {
            std::fs::read_to_string(it.path().join("cmdline")).is_ok_and(|it| it.starts_with(&name))
        };
        processes.map(named).filter(|it| *it).count()
    };
    until("both run", || running() == 2);
    drop(namespace);
    until("none runs", || running() == 0);
    drop(child.wait());
}
