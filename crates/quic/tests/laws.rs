//! What QUIC does on the wire, in closed form; what the same implementations did in a program of their
//! own; and that each run is the same, whatever the threads.

use std::time::Duration;

use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
use windtunnel_stack::MakeStack;
use windtunnel_testing::Network;
use windtunnel_world::{FlowCounters, World};

fn quinn() -> Quinn {
    Quinn::new(QuinnController::Cubic)
}

fn noq() -> Noq {
    Noq::new(NoqController::Cubic)
}

/// 10 Mbps, 15 ms each way, 25 packets, no headers but those of IP and UDP.
fn path() -> Network {
    Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"").queue("25 packets")
}

fn world(text: &str, threads: usize) -> World {
    Network::scenario(text).run(threads)
}

/// RFC 9002, section 6.2: with 333 ms as the first round trip, the first flight goes again
/// after 999 (2ᵏ − 1) ms, as two datagrams each time.
#[test]
fn a_first_flight_that_is_lost_goes_again_after_three_initial_round_trips() {
    fn datagrams(stack: impl MakeStack + 'static, duration: &str) -> u64 {
        path().loss("100 %").duration(duration).transfer(stack, 1).datagrams[0]
    }
    for (duration, count) in [("998 ms", 1), ("1100 ms", 3), ("2996 ms", 3), ("3100 ms", 5)] {
        assert_eq!(datagrams(quinn(), duration), count, "quinn, {duration}");
        assert_eq!(datagrams(noq(), duration), count, "noq, {duration}");
    }
}

/// The client's handshake is over after two packets of 1228 B on their way, and what it sends
/// then arrives with the third: a stream of one byte, 4 of the header and 21 of the packet.
#[test]
fn the_first_byte_takes_a_round_trip_and_a_half() {
    let large = 0.015 + 8.0 * 1228.0 / 10e6;
    for completion in [path().transfer(quinn(), 1).completion, path().transfer(noq(), 1).completion]
    {
        let taken = completion.expect("nothing is lost").as_secs_f64();
        let least = 2.0 * large + 0.015;
        // The packet with the byte has at most what a datagram holds.
        assert!((least..least + 8.0 * 1480.0 / 10e6 + large - 0.015).contains(&taken), "{taken}");
    }
}

/// What decryption or a connection ID does not accept is as good as lost: the same packets, changed
/// in place of lost, cost the same time.
#[test]
fn a_packet_with_another_byte_is_as_good_as_lost() {
    fn completion(stack: impl MakeStack + 'static, key: &str) -> Option<Duration> {
        // Of the data, in slow start and later.
        let packets = r#"{ kind = "listed", packets = [9, 30, 31, 200, 350] }"#;
        path().with(key, packets).duration("5 s").transfer(stack, 1_000_000).completion
    }
    for [lost, corrupted] in [
        ["loss", "corruption"].map(|it| completion(quinn(), it)),
        ["loss", "corruption"].map(|it| completion(noq(), it)),
    ] {
        assert!(lost.is_some());
        assert_eq!(lost, corrupted);
    }
    let undisturbed = path().transfer(quinn(), 1_000_000).completion;
    assert_ne!(undisturbed, completion(quinn(), "corruption"));
}

/// A request of 100 B and an answer of 10 MB, with the figures of quinn-proto 0.11.19 and
/// noq-proto 1.4.0 in programs of their own: to a thousandth, since their certificate was shorter.
#[test]
fn a_transfer_takes_as_long_as_in_a_program_of_its_own() {
    for (stack, expected) in [("quinn", 8.442_568), ("noq", 8.443_918)] {
        let world = world(
            &format!(
                r#"
                duration = "9 s"
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
                protocol = "quic"
                quic.stack = "{stack}"
                workload = {{ kind = "request-response", request = "100 B", response = "10 MB" }}
                "#
            ),
            1,
        );
        let taken = world.transfers()[0].completion.as_seconds();
        assert!((taken / expected - 1.0).abs() < 1e-3, "{stack}: {taken} s, not {expected} s");
    }
}

/// Everything that flows counted, where three of them cross a network that can be cut in many
/// places, with losses and reordering.
#[test]
fn runs_are_the_same_on_any_number_of_threads() {
    let text = r#"
        duration = "3 s"
        seed = 7
        nodes = { a = {}, b = {}, c = {}, d = {}, e = {}, f = {} }
        defaults.link = { rate = "20 Mbps", delay = "5 ms", loss = "1 %" }
        links.ab = { nodes = ["a", "b"] }
        links.bc = { nodes = ["b", "c"], rate = "10 Mbps" }
        links.cd = { nodes = ["c", "d"] }
        links.eb = { nodes = ["e", "b"] }
        links.cf = { nodes = ["c", "f"] }
        defaults.flow = { protocol = "quic" }
        flows.one = { from = "a", to = "d" }
        flows.two = { from = "e", to = "f", controller = "bbr3", quic.stack = "noq" }
        flows.three = { from = "d", to = "a", workload = { kind = "request-response", request = "1 kB", response = "50 kB", workers = 3 } }
    "#;
    let told = |threads| {
        let world = world(text, threads);
        let flows: Vec<FlowCounters> = world.flows().map(|it| it.counters).collect();
        format!("{flows:#?} {:#?}", world.transfers())
    };
    let one = told(1);
    assert!(one.contains("received_bytes"));
    for threads in [1, 2, 3, 4] {
        assert_eq!(one, told(threads), "on {threads} threads");
    }
}

/// Each has what the other wants, and at every moment there is no more than what was sent.
#[test]
fn nothing_arrives_that_was_not_sent() {
    let network = path()
        .loss("5 %")
        .with("jitter", "{ kind = \"uniform\", most = \"3 ms\", reorders = true }");
    for seed in 1..=20 {
        let outcome = network.clone().seed(seed).transfer(quinn(), 300_000);
        assert!(outcome.completed_within(Duration::from_secs(60)), "{seed}: {outcome}");
        assert_eq!((outcome.received_bytes, outcome.failure()), (300_000, None));
        let [sender, receiver] = &outcome.ends;
        let (there, back) = (&sender.counters, &receiver.counters);
        let missing =
            there.datagrams - back.received_datagrams + (back.datagrams - there.received_datagrams);
        assert!(missing >= outcome.dropped, "{seed}: {missing} are missing, {outcome}");
    }
}

/// A host that reads late acknowledges less often and as late; one that reads at once in all
/// but name does the same as one that does.
#[test]
fn datagrams_that_are_read_together_are_acknowledged_together() {
    let transfer = |reads: &str| {
        let text = format!(
            r#"
            duration = "20 s"
            nodes = {{ sender = {{}}, receiver = {{}} }}
            links.link = {{ nodes = ["sender", "receiver"], rate = "10 Mbps", delay = "15 ms" }}
            [flows.test]
            from = "sender"
            to = "receiver"
            protocol = "quic"
            quic.reads = "{reads}"
            "#
        );
        Network::scenario(&text).transfer(quinn(), 2_000_000)
    };
    let [at_once, soon, late] = ["0 s", "1 ns", "5 ms"].map(transfer);
    assert_eq!(at_once.received_bytes, 2_000_000);
    let taken = |it: &windtunnel_testing::Outcome| it.completion.unwrap().as_secs_f64();
    assert!((taken(&soon) / taken(&at_once) - 1.0).abs() < 1e-3, "{soon}, {at_once}");
    assert!(late.datagrams[1] * 3 < at_once.datagrams[1] * 2, "{late}, {at_once}");
    let least = at_once.ends[0].state.least_rtt.unwrap() + Duration::from_millis(5);
    assert!(late.ends[0].state.least_rtt.unwrap() >= least, "{late}");
}

/// RFC 8899: probes that are too large for a link are lost, and nothing else.
#[test]
fn the_mtu_of_the_path_is_found() {
    for (mtu, most) in [(1500, 1452), (1300, 1272), (1240, 1212)] {
        let network = Network::link("10 Mbps", "5 ms").with("mtu", &format!("\"{mtu} B\""));
        let outcome = network.transfer(quinn(), 1_000_000);
        assert!(outcome.completed_within(Duration::from_secs(2)), "{mtu}: {outcome}");
        let found = outcome.ends[0].state.mtu.unwrap();
        assert!((1200..=most).contains(&found), "{found} over {mtu}");
    }
}
