//! CCNx from a scenario file to results and captures: sizes on links, the law of a fixed window,
//! and what is refused.

mod common;

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
    let (study, outcome) = Batch::start(read(text), 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let all = tables::all(&study, &outcome.runs);
    let found = &all.iter().find(|it| it.0 == table).expect("the table is there").1[column];
    match found.as_primitive_opt::<Float64Type>() {
        Some(it) => it.value(0),
        None => found.as_primitive::<UInt64Type>().value(0) as f64,
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
    assert!(refused(consumer, &fresh).contains("`must_be_fresh` is for NDN"));
    let producer = "node = \"producer\"";
    let signed = format!("{producer}\nsignature = \"ed25519\"");
    assert!(refused(producer, &signed).contains("Content Objects of CCNx are not signed here"));
    let numbered = "node = \"consumer\"\nprefix = \"ccnx:/foo/v=3\"";
    assert!(refused(consumer, numbered).contains("a component of a type that CCNx lacks"));
}
