//! Real packets through simulated networks.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/waiting.rs"]
mod waiting;

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use windtunnel_lab::Extensions;
use windtunnel_live::emulation::{Door, EmulationSession, Layer};
use windtunnel_live::ip;
use windtunnel_world::Plan;

use crate::waiting::until;

/// Two hosts and a link between them.
fn plan(link: &str) -> Plan {
    let text = format!(
        "duration = \"30 s\"\nnodes = {{ near = {{}}, far = {{}} }}\n\
         links.line = {{ nodes = [\"near\", \"far\"], {link} }}\n"
    );
    let study = windtunnel_lab::read_with("test.toml", &text, &[], &Extensions::default());
    Plan::clone(&study.unwrap().cases[0].plan)
}

/// Its emulation under way, and a UDP socket at each host; none where that is not allowed.
fn session(link: &str) -> Option<(EmulationSession, [UdpSocket; 2])> {
    let (mut session, sockets) = set_up(link)?;
    session.begin();
    Some((session, sockets))
}

/// The same, before virtual time begins.
fn set_up(link: &str) -> Option<(EmulationSession, [UdpSocket; 2])> {
    common::namespace()?;
    let session = EmulationSession::start(
        plan(link),
        &[(0, Door::Own), (1, Door::Own)],
        Layer::Ip,
        |_, _| {},
    )
    .unwrap();
    let sockets = [0, 1].map(|node| {
        let bind = move || UdpSocket::bind(format!("10.0.0.{}:7000", node + 1));
        let socket = session.namespace(node).unwrap().run(bind).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        socket
    });
    Some((session, sockets))
}

fn received(socket: &UdpSocket) -> Option<Vec<u8>> {
    let mut bytes = [0; 2048];
    let length = socket.recv(&mut bytes).ok()?;
    Some(bytes[..length].to_vec())
}

fn no_thread_that_emulates_has_capabilities() -> bool {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let status = |it: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(it.ok()?.path().join("status")).ok()
    };
    let mut all = threads.filter_map(status).filter(|it| it.starts_with("Name:\temulation\n"));
    all.all(|it| {
        it.contains("CapEff:\t0000000000000000") && it.contains("CapPrm:\t0000000000000000")
    })
}

#[test]
fn bytes_cross_unchanged_after_the_delay_of_the_link() {
    let Some((session, [near, far])) = session("rate = \"1 Gbps\", delay = \"20 ms\"") else {
        return;
    };
    for number in 0..20_u8 {
        let data: Vec<u8> = (0..1_000).map(|it| (it as u8).wrapping_mul(number)).collect();
        let sent = Instant::now();
        near.send_to(&data, "10.0.0.2:7000").unwrap();
        assert_eq!(received(&far).unwrap(), data);
        let forth = sent.elapsed();
        far.send_to(&data, "10.0.0.1:7000").unwrap();
        assert_eq!(received(&near).unwrap(), data);
        // On a busy machine it may take longer, but never less.
        assert!(forth >= Duration::from_millis(20), "{forth:?}");
        assert!(sent.elapsed() >= Duration::from_millis(40));
    }
    until("no thread that emulates has capabilities", no_thread_that_emulates_has_capabilities);
    session.stop();
    let report = session.finish().unwrap().report;
    assert!(report.lateness.percentiles.median < 0.02);
    let of = |from| report.directions.iter().find(|it| it.from == from).unwrap();
    for direction in [0, 1].map(of) {
        assert!(direction.entered_packets >= 20);
        assert_eq!(direction.left_packets, direction.entered_packets);
        assert!(direction.entered_bytes >= 20 * 1_028);
        assert_eq!(direction.left_bytes, direction.entered_bytes);
        // 1,028 bytes at 1 Gbps take 8 µs, and the histogram is exact to one part in a hundred.
        assert!((direction.delay_s.median / 0.020_008 - 1.0).abs() < 0.01);
    }
    assert_eq!((report.malformed, report.refused, report.unreachable), (0, 0, 0));
}

#[test]
fn virtual_time_stands_still_until_it_begins() {
    let Some((mut session, [near, far])) = set_up("rate = \"1 Gbps\", delay = \"1 ms\"") else {
        return;
    };
    near.send_to(b"early", "10.0.0.2:7000").unwrap();
    far.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert_eq!(received(&far), None);
    session.begin();
    let began = Instant::now();
    far.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    assert_eq!(received(&far).unwrap(), b"early");
    session.stop();
    let report = session.finish().unwrap().report;
    assert!(report.duration_s <= began.elapsed().as_secs_f64() + 0.1, "{}", report.duration_s);
}

#[test]
fn one_that_never_began_ends_with_an_empty_report() {
    let Some((session, _)) = set_up("rate = \"1 Gbps\", delay = \"1 ms\"") else { return };
    session.stop();
    let report = session.finish().unwrap().report;
    assert!(report.directions.iter().all(|it| it.entered_packets == 0));
}

#[test]
fn what_is_under_way_at_the_end_is_not_counted_as_dropped() {
    let Some((session, [near, _far])) = session("rate = \"1 Gbps\", delay = \"5 s\"") else {
        return;
    };
    for _ in 0..10 {
        near.send_to(b"on its way", "10.0.0.2:7000").unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    session.stop();
    let report = session.finish().unwrap().report;
    let forth = report.directions.iter().find(|it| it.from == 0).unwrap();
    assert_eq!((forth.entered_packets, forth.left_packets), (10, 0));
    assert_eq!((forth.in_flight_packets, forth.dropped_packets), (10, 0));
    assert_eq!(report.queues[0].in_transit, 10);
}

#[test]
fn a_burst_leaves_at_the_rate_of_the_link_and_its_end_is_dropped() {
    let link = "rate = \"8 Mbps\", delay = \"5 ms\", queue = { limit = \"40 packets\" }";
    let Some((session, [near, far])) = session(link) else { return };
    let started = Instant::now();
    for number in 0..100_u32 {
        // With 28 bytes of headers, 1 ms at 8 Mbps.
        let data: Vec<u8> = number.to_be_bytes().into_iter().cycle().take(972).collect();
        near.send_to(&data, "10.0.0.2:7000").unwrap();
    }
    far.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let arrived: Vec<(u32, Duration)> = std::iter::from_fn(|| received(&far))
        .map(|it| (u32::from_be_bytes([it[0], it[1], it[2], it[3]]), started.elapsed()))
        .collect();
    session.stop();
    let report = session.finish().unwrap().report;
    assert!(arrived.is_sorted_by(|one, other| one.0 < other.0));
    // All that waited while the link was busy; those that it sent while others came as well.
    assert!((41..60).contains(&arrived.len()), "{}", arrived.len());
    for (place, (_, time)) in (1..).zip(&arrived) {
        assert!(*time >= Duration::from_millis(place + 5), "{place} after {time:?}");
    }
    let forth = report.directions.iter().find(|it| it.from == 0).unwrap();
    assert_eq!(forth.left_packets, arrived.len() as u64);
    assert_eq!(forth.entered_packets, 100);
    assert_eq!((forth.in_flight_packets, forth.dropped_packets), (0, 100 - forth.left_packets));
    let queue = &report.queues[0];
    assert_eq!((queue.from.as_str(), queue.to.as_str()), ("near", "far"));
    assert_eq!((queue.overlimit_drops, queue.losses), (forth.dropped_packets, 0));
}

#[test]
fn what_has_no_place_to_go_is_counted() {
    let Some((session, [near, _far])) = session("rate = \"1 Gbps\", delay = \"1 ms\"") else {
        return;
    };
    for _ in 0..5 {
        near.send_to(b"nobody", "10.0.0.77:7000").unwrap();
    }
    std::thread::sleep(Duration::from_millis(100));
    session.stop();
    let report = session.finish().unwrap().report;
    assert_eq!(report.unknown_destination, 5);
    assert!(report.directions.iter().all(|it| it.entered_packets == 0));
}

#[test]
fn hosts_behind_a_node_are_known_by_what_they_send() {
    let Some((session, [_, far])) = session("rate = \"1 Gbps\", delay = \"1 ms\"") else {
        return;
    };
    let behind = || {
        ip(&["address", "add", "10.7.0.1/32", "dev", "lo"])?;
        UdpSocket::bind("10.7.0.1:7000")
    };
    let behind = session.namespace(0).unwrap().run(behind).unwrap();
    behind.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    behind.send_to(b"question", "10.0.0.2:7000").unwrap();
    let mut bytes = [0; 100];
    let (length, source) = far.recv_from(&mut bytes).unwrap();
    assert_eq!(
        (&bytes[..length], source.to_string().as_str()),
        (&b"question"[..], "10.7.0.1:7000")
    );
    far.send_to(b"answer", source).unwrap();
    assert_eq!(received(&behind).unwrap(), b"answer");
    session.stop();
    assert_eq!(session.finish().unwrap().report.unknown_destination, 0);
}

#[test]
fn an_interface_that_vanishes_ends_it_with_a_report() {
    let Some((session, [near, far])) = session("rate = \"1 Gbps\", delay = \"1 ms\"") else {
        return;
    };
    near.send_to(b"before", "10.0.0.2:7000").unwrap();
    assert_eq!(received(&far).unwrap(), b"before");
    session.namespace(1).unwrap().run(|| ip(&["link", "delete", "world0"])).unwrap();
    until("it has ended", || session.is_done());
    let report = session.finish().unwrap().report;
    let failure = report.failure.map(|it| it.to_string());
    assert!(failure.is_some_and(|it| it.contains("world0 has vanished")));
    assert_eq!(report.directions.iter().map(|it| it.left_packets).sum::<u64>(), 1);
}

#[test]
fn it_ends_with_the_scenario() {
    if common::namespace().is_none() {
        return;
    }
    let mut plan = plan("rate = \"1 Gbps\", delay = \"1 ms\"");
    plan.duration = windtunnel_engine::Duration::from_millis(200);
    let mut session =
        EmulationSession::start(plan, &[(0, Door::Own), (1, Door::Own)], Layer::Ip, |_, _| {})
            .unwrap();
    session.begin();
    until("its duration is over", || session.is_done());
    let report = session.finish().unwrap().report;
    assert!((report.duration_s - 0.2).abs() < 1e-9);
}
