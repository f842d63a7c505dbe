//! Our TCP as an implementation with bytes: what it does without them, the sizes of its packets in
//! closed form, and that others understand it.

use std::time::Duration;

use windtunnel_packets::ip::IpVersion;
use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_stack::StackKind;
use windtunnel_tcp::{Tcp, TcpKind, controller, settings};
use windtunnel_testing::Network;
use windtunnel_world::{FlowCounters, World};

fn tcp(name: &str) -> Tcp {
    Tcp::new(controller(name).expect("there is one of that name"))
}

fn path() -> Network {
    Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"").queue("25 packets")
}

/// A flow over 10 Mbps, 15 ms each way and 25 packets, at the end of the run.
fn world(duration: &str, lines: &str) -> World {
    let text = format!(
        r#"
        duration = "{duration}"
        nodes = {{ server = {{}}, client = {{}} }}
        [links.path]
        nodes = ["server", "client"]
        rate = "10 Mbps"
        delay = "15 ms"
        overhead = "0 B"
        queue = {{ kind = "drop-tail", limit = "25 packets" }}
        [flows.f]
        from = "server"
        to = "client"
        {lines}
        "#
    );
    Network::scenario(&text).run(1)
}

/// A SYN of 20 B for IP, 20 B for TCP and 20 B of options, its answer, and the segment with the byte and the
/// end, of 53 B.
#[test]
fn the_first_byte_takes_a_round_trip_and_a_half() {
    let on_the_way = |bytes: f64| 0.015 + 8.0 * bytes / 10e6;
    let expected = 2.0 * on_the_way(60.0) + on_the_way(53.0);
    let taken = path().transfer(tcp("cubic"), 1).completion.unwrap().as_secs_f64();
    assert!((taken - expected).abs() < 1e-6, "{taken} s, not {expected} s");
}

/// The same state machine without bytes. It need not guard against strangers, and sends a request and an
/// answer at the same times.
#[test]
fn an_answer_takes_as_long_as_without_bytes() {
    let workload = r#"
        workload = { kind = "request-response", request = "100 B", response = "3 MB", think = "1 h" }
    "#;
    for name in ["cubic", "new-reno", "bbr3"] {
        let taken = |protocol: &str| {
            let transfers = world("15 s", &format!("{protocol}\n{workload}"));
            transfers.transfers()[0].completion.as_seconds()
        };
        let stack = format!(
            "protocol = \"tcp-stack\"\ntcp = {{ stack = \"windtunnel\", controller = \"{name}\" }}"
        );
        let plain = format!(
            "protocol = \"tcp\"\ncontroller = \"{name}\"\nsocket = {{ nagle = \"minshall\" }}"
        );
        let [with, without] = [taken(&stack), taken(&plain)];
        assert!((with / without - 1.0).abs() < 0.02, "{name}: {with} s, not {without} s");
    }
}

#[test]
fn each_run_of_a_seed_has_the_same_bytes_and_each_seed_others() {
    let network = path().loss("2 %");
    for name in ["cubic", "bbr3", "prague"] {
        let repeat = network.repeat(tcp(name), 300_000);
        assert!(repeat.difference.is_none() && repeat.has_same_bytes, "{name}: {repeat:?}");
    }
    let taken = |seed| network.clone().seed(seed).transfer(tcp("cubic"), 300_000).completion;
    assert_ne!(taken(1), taken(2));
}

/// Connections that are opened and closed again and again, both ways, over both versions of IP.
#[test]
fn streams_are_connections_of_their_own() {
    let lines = r#"
        protocol = "tcp-stack"
        tcp = { stack = "windtunnel" }
        workload = { kind = "request-response", request = "1 kB", response = "20 kB", workers = 4 }
    "#;
    for ip in ["v4", "v6"] {
        let world = world("20 s", &format!("ip = \"{ip}\"\n{lines}"));
        let flow = world.flows().next().unwrap();
        let FlowCounters::Stack(ends) = flow.counters else { panic!("it is over a stack") };
        assert!(ends.iter().all(|it| it.failure.is_none()), "{ends:?}");
        let transfers = world.transfers().len() as u64;
        assert!(transfers > 400, "{transfers} over {ip}");
        let received = ends[1].counters.received_bytes;
        assert!((20_000 * transfers..=20_000 * (transfers + 4)).contains(&received));
    }
}

/// smoltcp neither marks nor repairs by selective acknowledgements.
#[test]
fn another_implementation_and_it_understand_each_other() {
    let other = || Smoltcp::new(SmoltcpController::Cubic);
    for network in [path(), path().loss("1 %")] {
        for outcome in [
            network.transfer_between(tcp("bbr3"), other(), 1_000_000),
            network.transfer_between(other(), tcp("cubic"), 1_000_000),
        ] {
            let is_whole = outcome.received_bytes == 1_000_000 && outcome.failure().is_none();
            assert!(is_whole && outcome.completed_within(Duration::from_secs(60)), "{outcome}");
        }
    }
}

/// What is sent again is what was dropped, and what an end tells of its connection is what it measured.
#[test]
fn it_repairs_each_loss_and_tells_what_it_measured() {
    let outcome = path().transfer(tcp("cubic"), 2_000_000);
    let state = outcome.ends[0].state;
    assert!(outcome.dropped > 0 && state.decreases > Some(0), "{outcome}");
    assert_eq!(state.retransmissions, Some(outcome.dropped), "{outcome}");
    let least = state.least_rtt.unwrap().as_secs_f64();
    // A full segment, and what acknowledges it: alone where the receiver's buffer becomes twice as large.
    let shortest = 0.030 + 8.0 * (1500.0 + 52.0) / 10e6;
    assert!((least - shortest).abs() < 1e-6, "{least} s, not {shortest} s");
}

/// The default comes first, and only controllers that do with what real hosts report are offered.
#[test]
fn controllers_are_those_for_real_hosts() {
    let names = TcpKind::new(1500).controllers().unwrap();
    assert_eq!(names[0], "cubic");
    assert!(names.iter().all(|it| controller(it).is_ok()));
    assert!(names.iter().any(|it| it == "prague") && !names.iter().any(|it| it == "dctcp-sce"));
    let [v4, v6] = settings(&controller("cubic").unwrap(), 1500).map(|it| it.maximum_segment);
    assert_eq!(v4 - v6, IpVersion::V6.header() - IpVersion::V4.header());
}
