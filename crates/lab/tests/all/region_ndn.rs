//! NDN under the header of regions: what it costs, what agreements do, marks, fragments, captures,
//! and what is refused. `¶` marks the place that a message must name.

use crate::common;
use std::path::PathBuf;

use crate::common::{Ran, with_changes};
use windtunnel_lab::Batch;
use windtunnel_packets::region::{Code, Header, protocol};

/// The link between the regions is the bottleneck.
const SCENARIO: &str = r#"
duration = "10 s"
[nodes]
viewer = {}
b1 = {}
b2 = {}
studio = {}
[defaults.link]
rate = "100 Mbps"
delay = "2 ms"
overhead = "38 B"
queue = { kind = "drop-tail", limit = "1000 packets" }
[links]
here = { nodes = ["viewer", "b1"] }
between = { nodes = ["b1", "b2"], rate = "10 Mbps" }
there = { nodes = ["b2", "studio"] }
[regions]
ct1 = { code = 1, nodes = ["viewer", "b1"] }
ct2 = { code = 2, nodes = ["b2", "studio"] }
[region_protocol]
ndn = "inside"
[producers.video]
node = "studio"
prefix = "/video"
[consumers.viewer]
node = "viewer"
prefix = "/video"
controller = { kind = "fixed", window = 100 }
start = "1 s"
"#;

const BESIDE: (&str, &str) = ("ndn = \"inside\"", "ndn = \"beside\"");

#[track_caller]
fn ran(changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(SCENARIO, changes))
}

/// A Data of S bytes takes S + 38 bytes of a link, and S + 16 + 38 under the header.
#[test]
fn each_packet_costs_the_bytes_of_the_header() {
    let [inside, beside] = [ran(&[]), ran(&[BESIDE])];
    // From the studio into the region, where nothing but Data is on the link.
    let place = beside.texts("links", "from").iter().position(|it| it == "studio").expect("a link");
    let of = |column| beside.counts("links", column)[place] as f64;
    let size = of("delivered_bytes") / of("delivered") - 38.0;
    let expected = (size + 38.0) / (size + 54.0);
    let found = inside.goodput() / beside.goodput();
    assert!((found - expected).abs() < 1e-3, "{found} is not {expected}, of {size} B");
    for (encoding, header) in [("ipv4-shaped", 20.0), ("flow", 16.0)] {
        let with = format!("ndn = \"inside\"\nencoding = \"{encoding}\"");
        let found = ran(&[("ndn = \"inside\"", &with)]).goodput() / beside.goodput();
        let expected = (size + 38.0) / (size + 38.0 + header);
        assert!((found - expected).abs() < 1e-3, "{encoding}: {found} is not {expected}");
    }
}

/// What regions have not agreed on is not carried; beside the header nobody looks.
#[test]
fn names_cross_only_where_regions_agree() {
    let agreement =
        "[agreements]\nc = { regions = [\"ct1\", \"ct2\"], until = \"5.5 s\" }\n[region_protocol]";
    let agreed = ("[region_protocol]", agreement);
    let [lasting, ended, beside] = [ran(&[]), ran(&[agreed]), ran(&[agreed, BESIDE])];
    let share = |it: &Ran| it.goodput() / lasting.goodput();
    assert!((share(&ended) - 0.5).abs() < 0.02, "half of the time: {}", share(&ended));
    assert!(share(&beside) > 1.0, "{}", share(&beside));
    assert!(ended.sum("routers", "unreachable") > 0);
    assert_eq!(beside.sum("routers", "sent"), 0);
}

/// A mark on the header comes to the consumer (RFC 6040), as one beside it does.
#[test]
fn marks_come_out_of_the_header() {
    let pcon = (
        "rate = \"10 Mbps\"",
        "rate = \"10 Mbps\", queue = { kind = \"pcon\", limit = \"1000 packets\" }",
    );
    let [inside, beside] = [ran(&[pcon]), ran(&[pcon, BESIDE])];
    let marks = [&inside, &beside].map(|it| it.sum("flows", "marks") as f64);
    assert!(marks[0] > 10.0 && (marks[0] / marks[1] - 1.0).abs() < 0.2, "{marks:?}");
}

/// Parts of packets have room for the header: none is too big for its link.
#[test]
fn fragments_leave_room_for_the_header() {
    let mtu = ("rate = \"10 Mbps\"", "rate = \"10 Mbps\", mtu = \"600 B\"");
    let ran = ran(&[mtu]);
    assert!(ran.sum("nodes", "fragments_out") > 1000);
    assert!(ran.goodput() > 7e6, "{}", ran.goodput());
    assert_eq!(ran.sum("routers", "too_large"), 0);
    assert_eq!(ran.sum("nodes", "reassembly_timeouts"), 0);
}

/// On the link between regions each NDN packet is seen under a header with both codes; in a region
/// it is seen as it is.
#[test]
fn a_capture_shows_ndn_in_the_header() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("region-ndn");
    let text = with_changes(SCENARIO, &[("duration = \"10 s\"", "duration = \"1.2 s\"")]);
    let study = windtunnel_lab::read("ndn.toml", &text, &[]).expect("the scenario is right");
    let watched = common::all_packets_at(&["b2"]);
    let batch = Batch::into_folder(study, folder.clone(), watched, 1).expect("there is that node");
    assert!(batch.finish().1.unwritten.is_none());
    let packets = common::packets(&folder.join("captures").join("run-0").join("b2.pcapng"));
    let headers = packets.iter().filter_map(|it| Header::decode(it).ok());
    let named: Vec<_> = headers.filter(|(_, it, _)| it.protocol == protocol::NDN).collect();
    let of_type = |kind: u8| named.iter().filter(move |it| it.2.first() == Some(&kind));
    // An Interest is of type 5, a Data of type 6 (NDN packet format 0.3).
    assert!(of_type(5).count() > 10 && of_type(6).count() > 10);
    assert_eq!(of_type(5).count() + of_type(6).count(), named.len());
    let codes = |it: &&(_, Header, &[u8])| (it.1.source, it.1.destination);
    let [ct1, ct2] = [1, 2].map(Code::of_region);
    assert!(of_type(5).all(|it| codes(&it) == (ct1, ct2)));
    assert!(of_type(6).all(|it| codes(&it) == (ct2, ct1)));
}

#[test]
fn what_cannot_be_under_the_header_is_refused() {
    let refused = |changes: &[(&str, &str)], expected: &[&str]| {
        let inside = ("ndn = \"inside\"", "ndn = ¶\"inside\"");
        let text = with_changes(SCENARIO, &[changes, &[inside]].concat());
        let read = |text: &str| windtunnel_lab::read("ndn.toml", text, &[]);
        common::assert_contains(&common::refused(&text, read), expected);
    };
    let link = "rate = \"10 Mbps\"";
    refused(&[(link, "rate = \"10 Mbps\", mtu = \"130 B\"")], &["too small", "at least 143 B"]);
    refused(
        &[(link, "rate = \"10 Mbps\", tcp_face = { tcp = { controller = \"cubic\" } }")],
        &["`between` has a `tcp_face`"],
    );
    let both = [
        ("node = \"studio\"\nprefix = \"/", "node = \"studio\"\nprefix = \"ccnx:/"),
        ("node = \"viewer\"\nprefix = \"/", "node = \"viewer\"\nprefix = \"ccnx:/"),
    ];
    refused(&both, &["packets of CCNx"]);
}
