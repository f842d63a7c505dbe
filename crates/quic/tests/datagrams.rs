//! DATAGRAM frames (RFC 9221) of quinn and noq: their delay in closed form, what is lost stays lost, and
//! each is received or lost, also beside data without end.

use windtunnel_applications::udp::SinkCounters;
use windtunnel_testing::Network;
use windtunnel_world::{FlowCounters, StackCounts};

/// What a flow of datagrams counted at the sender and at the receiver of its data.
struct Ends {
    sender: StackCounts,
    receiver: StackCounts,
}

impl Ends {
    fn made(&self) -> u64 {
        self.sender.made.expect("it has a source")
    }

    fn sink(&self) -> &SinkCounters {
        self.receiver.sink.as_deref().expect("it has a sink")
    }
}

/// The flow `call` over 10 Mbps and 15 ms each way until 4 s, with more in the file and other keys of the link.
fn run(stack: &str, datagrams: &str, link: &str, more: &str, threads: usize) -> Ends {
    let text = format!(
        r#"
        duration = "5 s"
        seed = 3
        nodes = {{ server = {{}}, client = {{}} }}
        [links.path]
        nodes = ["server", "client"]
        rate = "10 Mbps"
        delay = "15 ms"
        overhead = "0 B"
        queue = {{ kind = "drop-tail", limit = "25 packets" }}
        {link}
        [flows.call]
        from = "server"
        to = "client"
        stop = "4 s"
        protocol = "quic"
        quic = {{ stack = "{stack}" }}
        datagrams = {{ {datagrams} }}
        {more}
        "#
    );
    let world = Network::scenario(&text).run(threads);
    let flow = world.flows().next().expect("there is a flow");
    let FlowCounters::Stack(ends) = flow.counters else { panic!("it is over a stack") };
    let [sender, receiver] = *ends;
    assert_eq!((&sender.failure, &receiver.failure), (&None, &None));
    Ends { sender, receiver }
}

const CALL: &str = r#"rate = "1 Mbps", payload = "1000 B""#;
/// Its first datagram leaves when the handshake is over, the others each 8 ms until 4 s.
const MADE: u64 = 1 + ((4.0 - 2.0 * (0.015 + 8.0 * 1228.0 / 10e6)) / 0.008) as u64;

/// Beside 1000 B there are headers of 28 B of IP and UDP, 9 B of flags and connection ID, 1 B of the packet's
/// number as long as few are not acknowledged, 3 B of the frame's type and length, and a tag of 16 B.
#[test]
fn a_datagram_takes_as_long_as_its_packet() {
    for stack in ["quinn", "noq"] {
        let ends = run(stack, CALL, "", "", 1);
        let sink = ends.sink();
        assert_eq!((ends.made(), sink.datagrams, sink.lost), (MADE, MADE, 0), "{stack}");
        assert_eq!(sink.bytes, 1000 * MADE);
        let least = sink.delay_minimum.expect("there are some").as_seconds();
        let expected = 0.015 + 8.0 * 1057.0 / 10e6;
        assert!((least - expected).abs() < 1e-9, "{stack}: {least} s, not {expected} s");
        // Now and then a packet has an acknowledgement as well, or waits for one packet before it.
        let mean = sink.delay_sum.as_seconds() / MADE as f64;
        assert!((expected..expected + 1e-4).contains(&mean), "{stack}: {mean} s");
    }
}

#[test]
fn what_is_lost_is_not_sent_again() {
    for stack in ["quinn", "noq"] {
        let ends = run(stack, CALL, r#"loss = "20 %""#, "", 1);
        let (made, sink) = (ends.made(), ends.sink());
        assert!(sink.lost > made / 10 && sink.duplicates == 0, "{stack}: {sink:?}");
        // What its window has no room for waits at the sender until the end.
        let waiting = made - sink.datagrams - sink.lost;
        assert!(waiting < made / 10, "{stack}: {waiting}");
        // Beside the datagrams there are the handshake, searches for the path's MTU and probes for
        // acknowledgements; one of each ten is hardly those again that were lost.
        let other = ends.sender.counters.datagrams - made;
        assert!(other < made / 10, "{stack}: {other} of {made}");
    }
}

#[test]
fn each_is_received_or_lost_beside_data_without_end() {
    let bulk = "[flows.bulk]\nfrom = \"server\"\nto = \"client\"\nprotocol = \"quic\"";
    for stack in ["quinn", "noq"] {
        let ends = run(stack, CALL, "", bulk, 1);
        let (made, sink) = (ends.made(), ends.sink());
        assert!(made - sink.datagrams - sink.lost < 3, "{stack}: {sink:?}");
        // A packet waits for 26 of 1480 B at the most, and while its window is full at the sender.
        let mean = sink.delay_sum.as_seconds() / sink.datagrams as f64;
        assert!((0.02..0.1).contains(&mean), "{stack}: {mean} s");
    }
}

/// What the window has no room for waits at the sender: 1 MiB by default, of which the oldest make room
/// for what is new.
#[test]
fn more_than_the_link_carries_waits_and_is_lost_at_the_sender() {
    for stack in ["quinn", "noq"] {
        let ends = run(stack, r#"rate = "20 Mbps", payload = "1000 B""#, "", "", 1);
        let (made, sink) = (ends.made(), ends.sink());
        assert!((9_800..=10_000).contains(&made), "{stack}: {made}");
        let share = sink.bytes as f64 * 8.0 / 5.0 / 10e6;
        assert!((0.75..0.95).contains(&share), "{stack}: {share}");
        let longest = sink.delay_maximum.as_seconds();
        assert!((0.7..1.2).contains(&longest), "{stack}: {longest} s");
    }
}

#[test]
fn it_is_the_same_on_any_number_of_threads() {
    let told = |threads| {
        let ends = run("quinn", CALL, r#"loss = "2 %""#, "", threads);
        (ends.made(), *ends.sink(), ends.sender.counters)
    };
    let one = told(1);
    assert_eq!(one, told(1));
    assert_eq!(one, told(2));
}
