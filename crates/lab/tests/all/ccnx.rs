//! CCNx from a scenario file to results and captures: sizes on links, the law of a fixed window,
//! and what is refused.

use crate::common;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use etherparse::{SlicedPacket, TransportSlice};
use windtunnel_lab::{Batch, Study, tables};
use windtunnel_packets::ccnx::Packet;

/// A consumer, a router and a producer; the first link is the narrower.
const LINE: &str = r#"
duration = "5 s"
nodes = { consumer = {}, router = {}, producer = {} }
[links]
access = { nodes = ["consumer", "router"], rate = "10 Mbps", delay = "1 ms" }
core = { nodes = ["router", "producer"], rate = "100 Mbps", delay = "1 ms" }
[consumers.c]
node = "consumer"
prefix = "ccnx:/foo/bar/hi"
controller = { kind = "fixed", window = 20 }
interest_lifetime = "2 s"
[producers.p]
node = "producer"
prefix = "ccnx:/foo/bar/hi"
"#;

fn read(text: &str) -> Study {
    windtunnel_lab::read("ccnx.toml", text, &[]).unwrap_or_else(|it| panic!("{it}"))
}

/// A column of the first row of a table of a run.
fn number(text: &str, table: &str, column: &str) -> f64 {
    number_in_row(text, table, column, 0)
}

fn number_in_row(text: &str, table: &str, column: &str, row: usize) -> f64 {
    let (study, outcome) = Batch::start(read(text), 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let all = tables::all(&study, &outcome.runs);
    let found = &all.iter().find(|it| it.0 == table).expect("the table is there").1[column];
    match found.as_primitive_opt::<Float64Type>() {
        Some(it) => it.value(row),
        None => found.as_primitive::<UInt64Type>().value(row) as f64,
    }
}

/// A Content Object with a name of 20 bytes and the number of a chunk in two has 1,094 bytes, and
/// 1,122 in its datagram.
#[test]
fn a_saturated_link_carries_the_share_of_payload_in_content_objects() {
    let goodput = number(LINE, "flows", "goodput_bps");
    let expected = 10e6 * 1024.0 / 1122.0;
    assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} of {expected}");
}

/// 8·W·s over the round trip, as long as no link is full: a window of 8 and 1,024 bytes.
#[test]
fn a_fixed_window_has_its_bytes_once_a_round_trip() {
    let text = LINE.replace("window = 20", "window = 8").replace("10 Mbps", "1 Gbps");
    let round_trip = number(&text, "flows", "rtt_s");
    let goodput = number(&text, "flows", "goodput_bps");
    let expected = 8.0 * 8.0 * 1024.0 / round_trip;
    assert!((0.004..0.0045).contains(&round_trip), "{round_trip}");
    assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} of {expected}");
}

/// The router serves what it has cached: a second consumer, who asks later for the same, costs the
/// link behind the router nothing.
#[test]
fn content_objects_are_cached() {
    let second = "[consumers.d]\nnode = \"other\"\nprefix = \"ccnx:/foo/bar/hi\"\n\
        controller = { kind = \"fixed\", window = 20 }\nstart = \"2 s\"\n\
        [links.second]\nnodes = [\"other\", \"router\"]\nrate = \"10 Mbps\"\ndelay = \"1 ms\"\n";
    let caching = |packets: &str| {
        let router =
            format!("router = {{ content_store = {{ capacity = \"{packets} packets\" }} }}");
        let text = LINE.replace("router = {}", &format!("{router}, other = {{}}"));
        // Of the link to the producer, towards the producer: the Interests.
        sent_on_core(&format!("{text}{second}"))
    };
    let [with, without] = ["100000", "0"].map(caching);
    // The first asks for 5 s, and the second for the first 3 s of the same.
    assert!((without / with - 1.6).abs() < 0.05, "{without} and {with}");
}

/// The packets that the router sends to the producer.
fn sent_on_core(text: &str) -> f64 {
    let (study, outcome) = Batch::start(read(text), 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let all = tables::all(&study, &outcome.runs);
    let links = &all.iter().find(|it| it.0 == "links").expect("the table is there").1;
    let ends = |column: &str| links[column].as_string::<i32>().clone();
    let (from, to) = (ends("from"), ends("to"));
    let row = (0..links.num_rows())
        .find(|it| from.value(*it) == "router" && to.value(*it) == "producer")
        .expect("the link is there");
    links["delivered"].as_primitive::<UInt64Type>().value(row) as f64
}

/// What the router sees of a run of a text.
fn captured(text: &str, name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ccnx-{name}"));
    let names = common::all_packets_at(&["router"]);
    let batch =
        Batch::into_folder(read(text), folder.clone(), names, 1).expect("there is a router");
    assert!(batch.finish().1.unwritten.is_none());
    common::packets(&folder.join("captures/run-0/router.pcapng"))
}

#[test]
fn a_capture_has_the_packets_to_the_byte() {
    let text = LINE.replace("5 s", "1 s");
    let mut counts = [0; 2];
    for packet in captured(&text, "plain") {
        let sliced = SlicedPacket::from_ip(&packet).expect("it is an IP packet");
        let Some(TransportSlice::Udp(udp)) = sliced.transport else { panic!("it is UDP") };
        assert_eq!((udp.source_port(), udp.destination_port()), (9695, 9695));
        match Packet::decode(udp.payload()).expect("it is a packet of CCNx") {
            Packet::Interest(it) => {
                assert_eq!(it.lifetime_ms, Some(2000));
                let chunk = it.name.segments[3].chunk().expect("a chunk");
                // 26 bytes, the name's 20, and the chunk's number.
                let length = 46 + if chunk < 256 { 1 } else { 2 };
                assert_eq!(udp.payload().len(), length);
                counts[0] += 1;
            }
            Packet::ContentObject(it) => {
                let name = it.name.expect("it has a name").to_string();
                assert!(name.starts_with("ccnx:/foo/bar/hi/Chunk="), "{name}");
                assert_eq!(it.payload.map(|it| it.len()), Some(1024));
                counts[1] += 1;
            }
            Packet::InterestReturn(it) => panic!("{it:?}"),
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

/// Cefore's reading: a window of 8, in order, and forwarders that take 1 ms for a packet: there
/// are three turns in a round trip, those of the Interest and its Content Object at the consumer's
/// forwarder, and one at that of the publisher, whose store answers.
const CEFORE: &str = r#"
duration = "40 s"
[nodes.viewer]
[nodes.server]
content_store = { capacity = "65535 packets" }
[links.access]
nodes = ["viewer", "server"]
rate = "1 Gbps"
delay = "1 ms"
[producers.file]
node = "server"
prefix = "ccnx:/foo/bar/hi"
publishing = { size = "20 MB", rate = "100 Mbps" }
[consumers.c]
node = "viewer"
prefix = "ccnx:/foo/bar/hi"
controller = { kind = "fixed", window = 8 }
interest_lifetime = "2 s"
start = "5 s"
blocking_read = {}
"#;

/// With forwarders that take so long; all is published before the consumer begins.
fn processing(viewer: &str, server: &str) -> String {
    let time = |it: &str| format!("\nprocessing_time = \"{it}\"");
    let text = CEFORE.replace("[nodes.viewer]", &format!("[nodes.viewer]{}", time(viewer)));
    let text = text.replace("[nodes.server]", &format!("[nodes.server]{}", time(server)));
    let file = "start = \"20 s\"\nworkload = { kind = \"file\", size = \"2 MB\" }";
    text.replace("20 MB", "2 MB").replace("start = \"5 s\"", file)
}

/// 8·W·s over the round trip: 65.5 Mb/s at 1 ms, 13.1 Mb/s at 5 ms.
#[test]
fn a_window_in_order_has_its_bytes_once_a_round_trip() {
    for (delay, expected) in [("0.5 ms", 65.536e6), ("2.5 ms", 13.107e6)] {
        let text = CEFORE.replace("1 ms", delay).replace("1 Gbps", "100 Gbps");
        let goodput = number(&text, "flows", "read_goodput_bps");
        assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} of {expected}");
    }
}

/// Two packets of each chunk take a turn at the consumer's forwarder, and one at the server's,
/// whose store answers: the slower of both decides.
#[test]
fn a_forwarder_that_takes_time_caps_the_throughput() {
    for (viewer, server, a_chunk) in [
        ("1 ms", "0 s", 2e-3),
        ("0 s", "1 ms", 1e-3),
        ("1 ms", "1 ms", 2e-3),
        ("1 ms", "4 ms", 4e-3),
    ] {
        let text = processing(viewer, server);
        let goodput = number(&text, "flows", "read_goodput_bps");
        let expected = 8.0 * 1024.0 / a_chunk;
        assert!((goodput / expected - 1.0).abs() < 0.01, "{viewer} {server}: {goodput}");
        let interval = number(&text, "flows", "read_interval_s");
        assert!((interval / a_chunk - 1.0).abs() < 0.01, "{viewer} {server}: {interval}");
    }
}

/// All 20,000 segments are published before the first is done: that one is in work, and 16,384
/// wait. The consumer asks for its window six times in vain.
#[test]
fn what_finds_no_room_before_a_forwarder_is_counted() {
    let text = CEFORE.replace("20 MB", "20480 kB").replace("100 Mbps", "10 Gbps");
    let text = text.replace("[nodes.server]", "[nodes.server]\nprocessing_time = \"1 min\"");
    assert_eq!(number_in_row(&text, "nodes", "processing_drops", 1), 20_048.0 - 16_385.0);
}

/// A window of one waits for the link twice and for three turns.
#[test]
fn a_round_trip_has_every_turn_on_its_path() {
    let text = processing("1 ms", "3 ms").replace("window = 8", "window = 1");
    let round_trip = number(&text, "flows", "rtt_s");
    // What the link takes for 75 and 1,121 bytes is 10 µs.
    assert!((0.007..0.0071).contains(&round_trip), "{round_trip}");
}

/// Throughput has the 20 bytes of the name with each payload, goodput the payload alone.
#[test]
fn throughput_is_goodput_and_the_name() {
    let [throughput, goodput] =
        ["read_throughput_bps", "read_goodput_bps"].map(|it| number(CEFORE, "flows", it));
    assert!((throughput / goodput - 1044.0 / 1024.0).abs() < 1e-9, "{throughput}, {goodput}");
}

/// A publisher's rate is that of filling the store. Who asks later gets what is there at the rate
/// of the path, and who asks meanwhile gets it at the publisher's.
#[test]
fn cached_content_has_nothing_of_the_rate_of_the_publisher() {
    let slowly = |size: &str, start: &str| {
        let text =
            CEFORE.replace("20 MB\", rate = \"100 Mbps", &format!("{size}\", rate = \"5 Mbps"));
        let consumer =
            format!("start = \"{start}\"\nworkload = {{ kind = \"file\", size = \"{size}\" }}");
        number(&text.replace("start = \"5 s\"", &consumer), "flows", "read_goodput_bps")
    };
    let [later, meanwhile] = [slowly("5 MB", "20 s"), slowly("20 MB", "0 s")];
    assert!((later / 32.8e6 - 1.0).abs() < 0.02, "{later}");
    // The first read is at 0.8 s, and what was published until then is there.
    let expected = 20e6 * 8.0 / (32.0 - 0.8);
    assert!((meanwhile / expected - 1.0).abs() < 0.01, "{meanwhile} of {expected}");
}

/// Each costs 1 s to 2 s and a round trip; two of one window cost it once.
#[test]
fn a_lost_chunk_costs_one_to_two_seconds() {
    let text = CEFORE.replace("delay = \"1 ms\"", "delay = \"1 ms\"\nloss = \"0.1 %\"");
    let file = "workload = { kind = \"file\", size = \"4 MB\" }\nstart = \"5 s\"";
    let text = text.replace("start = \"5 s\"", file).replace("40 s", "100 s");
    let lost = number(&text, "flows", "retransmissions");
    let completion = number(&text, "flows", "completion_s") - 0.8 - 4e6 / 32.8e6 * 8.0;
    assert!(lost > 1.0, "{lost}");
    assert!((0.5 * lost..=2.01 * lost).contains(&completion), "{completion} for {lost}");
}

#[track_caller]
fn refused(old: &str, new: &str) -> String {
    assert!(LINE.contains(old), "{old}");
    let text = LINE.replacen(old, new, 1);
    windtunnel_lab::read("ccnx.toml", &text, &[]).expect_err("it is wrong").to_string()
}

#[test]
fn who_asks_and_who_serves_speak_one_protocol() {
    let consumer = "node = \"consumer\"\nprefix = \"ccnx:/foo/bar/hi\"";
    let message = refused(consumer, "node = \"consumer\"\nprefix = \"/foo\"");
    assert!(
        message.contains("`/foo` is a name of NDN, and `/foo/bar/hi` one of CCNx"),
        "{message}"
    );
    let fresh = format!("{consumer}\nmust_be_fresh = true");
    assert!(refused(consumer, &fresh).contains("`must_be_fresh` does not apply"));
    let producer = "node = \"producer\"";
    let signed = format!("{producer}\nsignature = \"ed25519\"");
    assert!(refused(producer, &signed).contains("Content Objects of CCNx are not signed here"));
    let numbered = "node = \"consumer\"\nprefix = \"ccnx:/foo/v=3\"";
    assert!(refused(consumer, numbered).contains("a component of a type that CCNx lacks"));
}

#[test]
fn what_a_reader_and_a_publisher_need_is_said() {
    let refused = |old: &str, new: &str| {
        assert!(CEFORE.contains(old), "{old}");
        let text = CEFORE.replacen(old, new, 1);
        windtunnel_lab::read("ccnx.toml", &text, &[]).expect_err("it is wrong").to_string()
    };
    let timeout = refused("blocking_read = {}", "blocking_read = {}\ntimeout.minimum = \"1 s\"");
    assert!(
        timeout.contains("`timeout` cannot be set for a consumer with `blocking_read`"),
        "{timeout}"
    );
    assert!(timeout.contains("ccnx.toml:21"), "{timeout}");
    let endless = refused("blocking_read = {}", "blocking_read = { timeout = \"0 s\" }");
    assert!(endless.contains("\"0 s\" must be greater than zero"), "{endless}");
    let store = refused("content_store = { capacity = \"65535 packets\" }", "");
    assert!(store.contains("node `server` has no content store to publish into"), "{store}");
    let other = refused(
        "node = \"viewer\"\nprefix = \"ccnx:/foo/bar/hi\"",
        "node = \"viewer\"\nprefix = \"ccnx:/foo/bar/hi/there\"",
    );
    assert!(other.contains("nothing is published under `ccnx:/foo/bar/hi/there`"), "{other}");
    let at_once = refused(
        "publishing = { size = \"20 MB\", rate = \"100 Mbps\" }",
        "payload = \"1 B\"\npublishing = { size = \"20 MB\", rate = \"100 Tbps\" }",
    );
    assert!(at_once.contains("at this `rate` the time to publish a segment is zero"), "{at_once}");
    let empty = refused("size = \"20 MB\"", "size = \"0 MB\"");
    assert!(empty.contains("`size` must be greater than zero"), "{empty}");
}
