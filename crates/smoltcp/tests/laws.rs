//! What smoltcp does in a program of its own, the sizes of its packets in closed form, and that each
//! run has the same bytes.

use std::time::Duration;

use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_testing::Network;
use windtunnel_world::{FlowCounters, World};

/// 10 Mbps, 15 ms each way, 25 packets, no headers but those of IP.
const PATH: &str = r#"
    nodes = { server = {}, client = {} }
    [links.path]
    nodes = ["server", "client"]
    rate = "10 Mbps"
    delay = "15 ms"
    overhead = "0 B"
    queue = { kind = "drop-tail", limit = "25 packets" }
    [flows.f]
    from = "server"
    to = "client"
    protocol = "tcp-stack"
"#;

fn smoltcp() -> Smoltcp {
    Smoltcp::new(SmoltcpController::Cubic)
}

fn path() -> Network {
    Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"").queue("25 packets")
}

/// The path with these other lines, at the end of the run.
fn world(duration: &str, lines: &str) -> World {
    Network::scenario(&format!("duration = \"{duration}\"\n{PATH}{lines}")).run(1)
}

fn request(controller: &str) -> String {
    format!(
        r#"
        tcp.controller = "{controller}"
        workload = {{ kind = "request-response", request = "100 B", response = "10 MB", think = "1 h" }}
        "#
    )
}

/// A request of 100 B and an answer of 10 MB, with the figures of smoltcp 0.14.0 in a program of its
/// own: in floating point, its CUBIC computes the same on any machine but for the last digits.
#[test]
fn a_transfer_takes_as_long_as_in_a_program_of_its_own() {
    for (controller, expected) in [("cubic", 13.919), ("reno", 10.075)] {
        let world = world("15 s", &request(controller));
        let taken = world.transfers()[0].completion.as_seconds();
        assert!((taken / expected - 1.0).abs() < 1e-3, "{controller}: {taken} s");
    }
}

/// Without a controller, what is sent at once are its buffers of 1 MiB, of which 26 packets get
/// through: one timeout follows another. In a program of its own, smoltcp sent 11,191 packets in
/// the same time.
#[test]
fn without_a_controller_most_packets_are_dropped() {
    let world = world("600 s", &request("none"));
    let flow = world.flows().next().unwrap();
    let FlowCounters::Stack(ends) = flow.counters else { panic!("it is over a stack") };
    let (sent, received) = (ends[0].counters.datagrams, ends[1].counters.received_datagrams);
    assert!((11_000..11_400).contains(&sent) && 10 * received < sent, "{received} of {sent}");
    assert!(world.transfers().is_empty());
}

/// A SYN of 20 B for IP, 20 B for TCP and 12 B of options, its answer, and the segment with the
/// byte, of 41 B.
#[test]
fn the_first_byte_takes_a_round_trip_and_a_half() {
    let on_the_way = |bytes: f64| 0.015 + 8.0 * bytes / 10e6;
    let expected = 2.0 * on_the_way(52.0) + on_the_way(41.0);
    let taken = path().transfer(smoltcp(), 1).completion.unwrap().as_secs_f64();
    // It counts in microseconds.
    assert!((taken - expected).abs() < 3e-6, "{taken} s, not {expected} s");
}

#[test]
fn each_run_of_a_seed_has_the_same_bytes_and_each_seed_others() {
    let network = path().loss("2 %");
    for controller in [SmoltcpController::Cubic, SmoltcpController::Reno] {
        let repeat = network.repeat(Smoltcp::new(controller), 300_000);
        assert!(repeat.difference.is_none() && repeat.has_same_bytes, "{repeat:?}");
    }
    let taken = |seed| network.clone().seed(seed).transfer(smoltcp(), 300_000).completion.unwrap();
    assert_ne!(taken(1), taken(2));
}

/// Connections that are opened and closed again and again, both ways, over both versions of IP.
#[test]
fn streams_are_connections_of_their_own() {
    let workload = r#"
        workload = { kind = "request-response", request = "1 kB", response = "20 kB", workers = 4 }
    "#;
    for ip in ["v4", "v6"] {
        let world = world("20 s", &format!("ip = \"{ip}\"\n{workload}"));
        let flow = world.flows().next().unwrap();
        let FlowCounters::Stack(ends) = flow.counters else { panic!("it is over a stack") };
        assert!(ends.iter().all(|it| it.failure.is_none()), "{ends:?}");
        let transfers = world.transfers().len() as u64;
        assert!(transfers > 400, "{transfers} over {ip}");
        let received = ends[1].counters.received_bytes;
        assert!((20_000 * transfers..=20_000 * (transfers + 4)).contains(&received));
    }
}

#[test]
fn a_file_ends_and_so_does_its_connection() {
    let outcome = path().transfer(smoltcp(), 2_000_000);
    assert!(outcome.completed_within(Duration::from_secs(10)), "{outcome}");
    assert_eq!((outcome.received_bytes, outcome.failure()), (2_000_000, None));
}
