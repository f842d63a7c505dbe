//! What runs across regions: TCP, UDP and NDN; and what becomes of packets that are larger than a
//! link carries.

use crate::common;
use crate::common::{Ran, with_changes};

const SCENARIO: &str = r#"
duration = "10 s"
[nodes]
h1 = {}
b1 = {}
b31 = {}
r3 = {}
b32 = {}
b2 = {}
h2 = {}
[defaults.link]
rate = "100 Mbps"
delay = "2 ms"
overhead = "38 B"
queue = { kind = "drop-tail", limit = "1000 packets" }
[links]
h1-b1 = { nodes = ["h1", "b1"] }
b1-b31 = { nodes = ["b1", "b31"] }
b31-r3 = { nodes = ["b31", "r3"] }
r3-b32 = { nodes = ["r3", "b32"] }
b32-b2 = { nodes = ["b32", "b2"] }
b2-h2 = { nodes = ["b2", "h2"] }
[regions]
ct1 = { code = 1, nodes = ["h1", "b1"] }
ct2 = { code = 2, nodes = ["h2", "b2"] }
ct3 = { code = 3, nodes = ["b31", "r3", "b32"] }
"#;

const TCP: &str = r#"
[flows.data]
from = "h1"
to = "h2"
controller = { kind = "fixed", window = 600 }
timestamps = false
start = "1 s"
"#;

/// What becomes of the scenario with more in it, and changes.
#[track_caller]
fn ran(more: &str, changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(&format!("{SCENARIO}{more}"), changes))
}

/// A link that carries less than 1,500 bytes: its router says how much, and the sender's segments
/// become so much smaller. A full link's goodput is then (MTU − 16 − 40) ÷ (MTU + 38) of its rate.
#[test]
fn segments_become_as_small_as_the_path_needs() {
    let link = "b32-b2 = { nodes = [\"b32\", \"b2\"]";
    for mtu in [1499_u32, 1400, 1296, 576] {
        let smaller = format!("{link}, mtu = \"{mtu} B\"");
        let longer = ("duration = \"10 s\"", "duration = \"30 s\"");
        let ran = ran(TCP, &[(link, &smaller), longer]);
        let expected = f64::from(mtu - 56) / f64::from(mtu + 38);
        let share = ran.goodput() / 100e6 / expected;
        assert!((0.97..=1.0).contains(&share), "{mtu}: {share} of {expected}");
        // The window that was under way was too large, and nothing after it.
        let dropped = ran.sum("routers", "too_large");
        assert!((1..=600).contains(&dropped), "{mtu}: {dropped}");
        assert!((1..=30).contains(&ran.sum("routers", "errors_received")));
    }
}

/// Where the first and the last link between regions have an MTU, in bytes.
fn ran_over(flows: &str, [first, last]: [u32; 2]) -> Ran {
    let links = ["b1-b31 = { nodes = [\"b1\", \"b31\"]", "b32-b2 = { nodes = [\"b32\", \"b2\"]"];
    let [one, other] = [first, last].map(|mtu| format!(", mtu = \"{mtu} B\""));
    let smaller = [format!("{}{one}", links[0]), format!("{}{other}", links[1])];
    ran(flows, &[(links[0], &smaller[0]), (links[1], &smaller[1])])
}

/// The largest packet of a path is that of its smallest link, which may be found link by link.
#[test]
fn each_link_that_carries_less_is_found() {
    let ran = ran_over(TCP, [1400, 1300]);
    let share = ran.goodput() / 100e6 / (1244.0 / 1338.0);
    assert!((0.9..=1.0).contains(&share), "{share}");
}

/// In a tunnel a packet has the tunnel's header too, of which the border takes account.
#[test]
fn a_tunnel_leaves_less_room_for_segments() {
    let link = "b31-r3 = { nodes = [\"b31\", \"r3\"]";
    let region = "nodes = [\"b31\", \"r3\", \"b32\"]";
    for (transit, header) in [("ipv4-tunnel", 20.0), ("ipv6-tunnel", 40.0)] {
        let changes = [
            (link, format!("{link}, mtu = \"1500 B\"")),
            (region, format!("{region}, transit = \"{transit}\"")),
        ];
        let changes: Vec<(&str, &str)> = changes.iter().map(|(old, new)| (*old, &**new)).collect();
        let ran = ran(TCP, &[&changes[..], &[("\"10 s\"", "\"30 s\"")]].concat());
        // Payload of 1500 less all headers, in 1,538 bytes on the wire.
        let share = ran.goodput() / 100e6 / ((1444.0 - header) / 1538.0);
        assert!((0.97..=1.0).contains(&share), "{transit}: {share}");
        assert!(ran.sum("routers", "too_large") > 0);
    }
}

/// All that was written arrives, once, although segments in flight were too large.
#[test]
fn a_file_arrives_whole_over_a_small_link() {
    let file = TCP.replace("start =", "workload = { kind = \"file\", size = \"1 MB\" }\nstart =");
    let link = "b32-b2 = { nodes = [\"b32\", \"b2\"]";
    let smaller = format!("{link}, mtu = \"1000 B\"");
    let ran = ran(&file, &[(link, &smaller)]);
    assert_eq!(ran.sum("flows", "received_bytes"), 1_000_000);
    assert_eq!(ran.sum("flows", "timeouts"), 0);
}

fn udp(payload: &str) -> String {
    format!(
        "[flows.data]\nfrom = \"h1\"\nto = \"h2\"\nprotocol = \"udp\"\nrate = \"10 Mbps\"\n\
         payload = \"{payload}\"\nstart = \"1 s\"\n"
    )
}

/// UDP's datagrams are as large as their application says: none arrives that is too large.
#[test]
fn datagrams_do_not_become_smaller_by_themselves() {
    let link = "b32-b2 = { nodes = [\"b32\", \"b2\"]";
    // IP and UDP take 28 bytes, and the region protocol 16.
    let smaller = format!("{link}, mtu = \"1000 B\"");
    let fits = ran(&udp("956 B"), &[(link, &smaller)]);
    let share = fits.goodput() / 10e6;
    assert!((0.99..=1.01).contains(&share), "{share}");
    let larger = ran(&udp("957 B"), &[(link, &smaller)]);
    assert_eq!(larger.sum("flows", "received_bytes"), 0);
    assert!(larger.sum("routers", "too_large") > 1000);
}

/// An application that discovers the path's MTU sends datagrams that fit, at its rate: what was
/// under way for the round trip to the router that says so is lost, and nothing after it.
#[test]
fn datagrams_become_as_small_as_the_path_needs() {
    let ran = ran_over(&format!("{}path_mtu_discovery = true\n", udp("1450 B")), [1400, 1000]);
    // 2 and 8 ms forth, and as long back; a datagram each 1.16 ms.
    let dropped = ran.sum("routers", "too_large");
    assert!((2..=30).contains(&dropped), "{dropped}");
    let share = ran.goodput() / 10e6;
    assert!((0.99..1.0).contains(&share), "{share}");
    // IP and UDP take 28 bytes of 1,000, and the region protocol 16.
    let received = ran.sum("flows", "received_bytes");
    assert_eq!(received % 956, 0, "{received}");
}

/// Frames are cut before they are sent, as their receiver expects them.
#[test]
fn frames_do_not_become_smaller() {
    let frames = r#"
[flows.live]
from = "h1"
to = "h2"
protocol = "udp"
workload = { kind = "frames", rate = "1 Mbps", duration = "1 s" }
path_mtu_discovery = ¶true
"#;
    let read = |text: &str| windtunnel_lab::read("regions.toml", text, &[]);
    let refused = common::refused(&format!("{SCENARIO}{frames}"), read);
    common::assert_contains(
        &refused,
        &["`path_mtu_discovery` cannot be set", "a `payload` that fits"],
    );
}

/// NDN asks for names and knows no hosts: it goes from node to node over links of any region,
/// beside the region protocol.
#[test]
fn names_are_asked_for_across_regions() {
    let ndn = r#"
[producers.video]
node = "h2"
prefix = "/video"
[consumers.viewer]
node = "h1"
prefix = "/video"
controller = "cubic"
start = "1 s"
"#;
    let ran = ran(ndn, &[]);
    assert!(ran.goodput() > 80e6, "{}", ran.goodput());
    assert_eq!(ran.sum("routers", "region_lookups") + ran.sum("routers", "sent"), 0);
}

/// Inside a region a flow may take several paths at once, while another leaves it.
#[test]
fn several_paths_are_taken_inside_a_region() {
    let both = r#"
[flows.inside]
from = "b31"
to = "b32"
controller = "cubic"
start = "1 s"
multipath.paths = [["b31-r3", "r3-b32"], ["b31-b32"]]
[flows.across]
from = "h1"
to = "h2"
controller = "cubic"
start = "1 s"
"#;
    let links = "b2-h2 = { nodes = [\"b2\", \"h2\"] }";
    let more = format!("{links}\nb31-b32 = {{ nodes = [\"b31\", \"b32\"] }}");
    let ran = ran(both, &[(links, &more)]);
    let goodput = ran.numbers("flows", "goodput_bps");
    let sum: f64 = goodput.iter().sum();
    // Two links of 100 Mbps between the two nodes.
    assert!(sum > 150e6, "{goodput:?}");
    assert!(goodput.iter().all(|it| *it > 10e6), "{goodput:?}");
}
