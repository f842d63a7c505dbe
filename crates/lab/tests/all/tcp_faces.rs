//! Faces over TCP from a scenario file to results and captures: what the connection takes of a
//! link, what losses become, and what is refused. `¶` marks the place that a message must name.

use crate::common;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use etherparse::{SlicedPacket, TransportSlice};
use windtunnel_lab::{Batch, Bounds, ScenarioError, Study, tables};

/// A consumer, a router and a producer, of which the first two talk through a connection. Its
/// window, of the consumer's segments, is never full.
const LINE: &str = r#"
duration = "5 s"
nodes = { consumer = {}, router = {}, producer = {} }
[defaults.link]
delay = "1 ms"
queue = { limit = "1000 packets" }
[links.access]
nodes = ["consumer", "router"]
rate = "10 Mbps"
tcp_face = { tcp = { controller = { kind = "fixed", window = 10000 } } }
[links.core]
nodes = ["router", "producer"]
rate = "1 Gbps"
[consumers.c]
node = "consumer"
prefix = "ccnx:/foo/bar/hi"
controller = { kind = "fixed", window = 20 }
interest_lifetime = "30 s"
timeout = { initial = "30 s", minimum = "30 s" }
start = "1 s"
[producers.p]
node = "producer"
prefix = "ccnx:/foo/bar/hi"
"#;

const NDN: &str = "/foo/bar/hi";

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("scenario.toml", text, &[])
}

/// A column of a table of a run.
fn column(text: &str, table: &str, column: &str) -> Vec<f64> {
    let study = read(text).unwrap_or_else(|it| panic!("{it}"));
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let all = tables::all(&study, &outcome.runs);
    let found = &all.iter().find(|it| it.0 == table).expect("the table is there").1[column];
    match found.as_primitive_opt::<Float64Type>() {
        Some(it) => it.values().to_vec(),
        None => found.as_primitive::<UInt64Type>().values().iter().map(|it| *it as f64).collect(),
    }
}

fn bound(text: &str) -> f64 {
    Bounds::of(&read(text).unwrap_or_else(|it| panic!("{it}")).cases[0].plan).goodput_bps
}

fn of_flow(text: &str, name: &str) -> f64 {
    column(text, "flows", name)[0]
}

/// What a flow received over the time in which it was active.
fn active_goodput(text: &str) -> f64 {
    of_flow(text, "received_bytes") * 8.0 / of_flow(text, "active_s")
}

/// A file of this many chunks of 1,024 bytes.
fn file(chunks: u64) -> String {
    let workload = format!(
        "start = \"1 s\"\nworkload = {{ kind = \"file\", size = \"{} B\" }}",
        1024 * chunks
    );
    LINE.replace("start = \"1 s\"", &workload)
}

#[track_caller]
fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured / expected - 1.0).abs() < tolerance, "{measured} for {expected}");
}

/// A Content Object with the number of a chunk in two bytes has 1,094 bytes, and a segment with
/// timestamps 52 before its data: a packet each as long as the window is not full.
#[test]
fn each_packet_has_a_segment_while_the_window_has_room() {
    assert_near(active_goodput(LINE), 10e6 * 1024.0 / (1094.0 + 52.0), 0.01);
}

/// What waits for the window is sent in full segments: 1,448 bytes of the stream in 1,500.
#[test]
fn a_stream_that_waits_for_its_window_has_its_share_of_full_segments() {
    let text = LINE
        .replace("window = 10000", "window = 20")
        .replace("window = 20 }\n", "window = 100 }\n");
    assert_near(active_goodput(&text), 10e6 * 1024.0 / (1094.0 * 1500.0 / 1448.0), 0.01);
}

/// With a framing of 38 bytes for each segment, and packets smaller and larger than it. Beside
/// small ones there are many acknowledgements of Interests.
#[test]
fn no_goodput_is_above_the_bound_of_a_link_with_a_face() {
    for prefix in ["ccnx:/foo/bar/hi", NDN] {
        for (payload, share) in [(100, 0.6), (1024, 0.9), (8000, 0.9)] {
            let text = LINE
                .replace("ccnx:/foo/bar/hi", prefix)
                .replace("rate = \"10 Mbps\"", "rate = \"10 Mbps\"\noverhead = \"38 B\"")
                .replace("window = 10000", "window = 30")
                .replace("window = 20 }", &format!("window = {} }}", 400_000 / payload));
            let text = format!("{text}payload = \"{payload} B\"\n");
            let bound = bound(&text);
            let goodput = active_goodput(&text);
            assert!(goodput <= bound && goodput > share * bound, "{payload}: {goodput} of {bound}");
        }
    }
}

#[test]
fn a_fixed_window_has_its_bytes_once_a_round_trip_through_a_connection() {
    let text = LINE.replace("window = 20", "window = 8").replace("10 Mbps", "1 Gbps");
    let round_trip = of_flow(&text, "rtt_s");
    assert!((0.004..0.0045).contains(&round_trip), "{round_trip}");
    assert_near(active_goodput(&text), 8.0 * 8.0 * 1024.0 / round_trip, 0.01);
}

/// 200 Interests of 47 bytes and Content Objects of 1,093, the sizes of RFC 8609: nothing else is in
/// the streams.
#[test]
fn a_stream_has_the_bytes_of_its_packets_without_headers_around_them() {
    let entered = column(&file(200), "tunnels", "entered_bytes");
    assert_eq!(entered, [200.0 * 47.0, 200.0 * 1093.0]);
}

/// NDN's packets have the same bytes in a stream as bare on a link, and those of CCNx 28 fewer.
#[test]
fn a_stream_has_the_bytes_of_bare_packets() {
    for (prefix, headers) in [(NDN, 0.0), ("ccnx:/foo/bar/hi", 28.0)] {
        let text = file(700).replace("ccnx:/foo/bar/hi", prefix);
        let face = text.lines().find(|it| it.starts_with("tcp_face")).expect("it has one");
        let bare = text.replace(face, "");
        let [bytes, packets] =
            ["delivered_bytes", "delivered"].map(|it| column(&bare, "links", it));
        let [entered, count] = ["entered_bytes", "entered"].map(|it| column(&text, "tunnels", it));
        for side in [0, 1] {
            assert_eq!(count[side], packets[side]);
            assert_eq!(entered[side], bytes[side] - headers * packets[side], "{prefix}");
        }
    }
}

/// The connection sends again what the link loses, and what came after it waits: the consumer sees
/// delays, but no loss, and every packet that entered leaves.
#[test]
fn what_a_link_loses_becomes_delay() {
    let whole = file(1000).replace("5 s", "60 s");
    let lossy = whole.replace("[links.core]", "loss = { probability = \"2 %\" }\n[links.core]");
    assert!(column(&lossy, "links", "losses")[1] > 10.0);
    assert_eq!(of_flow(&lossy, "received_bytes"), 1000.0 * 1024.0);
    for nothing in ["retransmissions", "timeouts", "duplicates"] {
        assert_eq!(of_flow(&lossy, nothing), 0.0, "{nothing}");
    }
    let [entered, left, dropped] =
        ["entered", "left", "dropped"].map(|it| column(&lossy, "tunnels", it));
    assert_eq!((&entered, dropped), (&left, vec![0.0; 2]));
    assert_eq!(entered, [1000.0; 2]);
    assert!(column(&lossy, "tunnels", "retransmissions")[1] > 10.0);
    assert!(of_flow(&lossy, "delay_s") > 1.1 * of_flow(&whole, "delay_s"));
}

/// All 40 Content Objects leave the router at about one instant, and the round trip of the link is
/// 100 ms: the lost one and those behind it come one round trip later.
#[test]
fn what_follows_a_lost_segment_waits_one_round_trip() {
    let whole = file(40)
        .replace("window = 20 }\n", "window = 100 }\n")
        .replace("10 Mbps\"", "1 Gbps\"\ndelay = \"50 ms\"");
    // Number 1 is the answer to the SYN, number 2 an acknowledgement of the first Interests.
    let lossy = whole.replace(
        "[links.core]",
        "loss = [{ probability = \"0 %\" }, { kind = \"listed\", packets = [23] }]\n[links.core]",
    );
    assert_eq!(column(&lossy, "links", "losses"), [0.0, 1.0, 0.0, 0.0]);
    let difference = |name: &str| of_flow(&lossy, name) - of_flow(&whole, name);
    assert_near(difference("completion_s"), 0.1, 0.01);
    assert_near(difference("delay_s"), 0.1 * 20.0 / 40.0, 0.01);
    assert_eq!(difference("delay_minimum_s"), 0.0);
}

/// A link that is down loses what is on it; the connection sends that again when its timer expires.
#[test]
fn a_connection_outlives_a_failure_of_its_link() {
    let changes =
        "changes = [{ at = \"2 s\", state = \"down\" }, { at = \"3 s\", state = \"up\" }]";
    let rate = "rate = \"10 Mbps\"";
    // Routes lead over the link all the time.
    let text = file(2000).replace("5 s", "20 s").replace(rate, &format!("{rate}\n{changes}"));
    let text = format!("{text}[routing]\nupdate = \"static\"\n");
    assert_eq!(of_flow(&text, "received_bytes"), 2000.0 * 1024.0);
    assert_eq!(of_flow(&text, "retransmissions"), 0.0);
    assert!(of_flow(&text, "delay_maximum_s") > 1.0);
}

/// A mark of NDNLPv2 is in the packet; CCNx has its mark in the header of IP, which is not there.
#[test]
fn marks_of_ndn_stay_with_their_packets_and_those_of_ccnx_end_at_a_connection() {
    let marking = LINE.replace("window = 20", "window = 50").replace("10 Mbps", "1 Gbps").replace(
        "\"1 Gbps\"\n[consumers.c]",
        "\"10 Mbps\"\nqueue = { kind = \"codel\", action = \"mark\" }\n[consumers.c]",
    );
    for (prefix, reaches) in [(NDN, true), ("ccnx:/foo/bar/hi", false)] {
        let text = marking.replace("ccnx:/foo/bar/hi", prefix);
        assert!(column(&text, "links", "marks")[3] > 10.0);
        assert_eq!(of_flow(&text, "marks") > 10.0, reaches, "{prefix}");
    }
}

#[test]
fn a_pit_token_goes_through_a_connection() {
    let text = file(300).replace("ccnx:/foo/bar/hi", NDN);
    let bytes = |text: &str| column(text, "tunnels", "entered_bytes");
    let with = text.replace("rate = \"10 Mbps\"", "rate = \"10 Mbps\"\npit_token = \"4 B\"");
    assert_eq!(of_flow(&with, "received_bytes"), 300.0 * 1024.0);
    // LpPacket (4), PitToken (6) and Fragment (4); those of an Interest have lengths of one byte.
    assert_eq!(bytes(&with)[1] - bytes(&text)[1], 300.0 * 14.0);
    assert_eq!(bytes(&with)[0] - bytes(&text)[0], 300.0 * 10.0);
}

#[test]
fn a_full_buffer_drops_before_packets_enter() {
    let text = LINE
        .replace("window = 20 }\n", "window = 500 }\n")
        .replace("window = 10000 } }", "window = 20 } }, buffer = \"70 kB\"")
        .replace("30 s", "1 s");
    let [entered, left, dropped] =
        ["entered", "left", "dropped"].map(|it| column(&text, "tunnels", it)[1]);
    assert!(dropped > 100.0, "{dropped} dropped");
    assert!(entered >= left && (entered - left) * 1094.0 <= 70_000.0, "{entered}, {left}");
    assert_eq!(entered + dropped, column(&text, "links", "delivered")[3]);
}

#[test]
fn a_capture_of_the_link_has_one_connection_and_nothing_else() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tcp-faces");
    let study = read(LINE).expect("the scenario is right");
    let batch = Batch::into_folder(study, folder.clone(), common::all_packets_at(&["consumer"]), 1)
        .expect("there is that node");
    assert!(batch.finish().1.unwritten.is_none());
    let packets = common::packets(&folder.join("captures/run-0").join("consumer.pcapng"));
    assert!(packets.len() > 1000);
    for packet in &packets {
        let sliced = SlicedPacket::from_ip(packet).expect("it is an IP packet");
        assert!(matches!(sliced.transport, Some(TransportSlice::Tcp(_))));
    }
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

#[test]
fn a_face_that_cannot_be_is_refused() {
    let marked = LINE.replace("tcp_face = ", "tcp_face = ¶");
    let mtu = marked.replace("rate = \"10 Mbps\"", "rate = \"10 Mbps\"\nmtu = \"1500 B\"");
    assert_refused(
        &mtu,
        &["`mtu` and `tcp_face` cannot both be set", "remove `mtu` or `tcp_face`"],
    );
    let (network, _) = marked.split_once("[consumers.c]").expect("it is there");
    let flow = "[flows.f]\nfrom = \"consumer\"\nto = \"router\"\ncontroller = \"cubic\"\n";
    let expected = ["`tcp_face` requires NDN or CCNx packets", "no consumers", "[consumers.c1]"];
    assert_refused(&format!("{network}{flow}"), &expected);
    let tunnel = "[tunnels.access]\nnodes = [\"consumer\", \"producer\"]\n[flows.f]\n\
        from = \"consumer\"\nto = \"producer\"\ncontroller = \"cubic\"\n";
    assert_refused(&format!("{marked}{tunnel}"), &["link `access`", "same name as a tunnel"]);
    let with = |face: &str| {
        LINE.replace("{ tcp = { controller = { kind = \"fixed\", window = 10000 } } }", face)
    };
    assert_refused(&with("{ tcp = { controller = ¶\"cubix\" } }"), &["cubix", "cubic"]);
    let small = "{ tcp = { controller = \"cubic\" }, buffer = ¶\"1 kB\" }";
    assert_refused(&with(small), &["a buffer of 1000 B holds not even one packet"]);
    let workload = "{ tcp = { controller = \"cubic\", workload = ¶{ kind = \"bulk\" } } }";
    assert_refused(&with(workload), &["`workload` cannot be set for faces", "remove `workload`"]);
    assert_refused(&with("¶{}"), &["tcp"]);
    assert_refused(&with("{ tcp = { controller = \"cubic\" }, ¶ip = \"v6\" }"), &["ip", "buffer"]);
}
