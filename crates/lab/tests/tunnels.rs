//! Tunnels in scenario files: what they become, what their table and a capture say, and
//! what is refused. `¶` marks the place that a message must name.

mod common;

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use etherparse::{NetSlice, SlicedPacket};
use windtunnel_lab::{Batch, ScenarioError, Study};
use windtunnel_packets::ip::IpVersion;

const VALID: &str = r#"duration = "1 s"
nodes = { a = {}, near = {}, core = {}, far = {}, b = {} }
[defaults.link]
rate = "50 Mbps"
delay = "1 ms"
[links]
first = { nodes = ["a", "near"] }
second = { nodes = ["near", "core"] }
third = { nodes = ["core", "far"] }
fourth = { nodes = ["far", "b"] }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
[tunnels.t]
nodes = ["near", "far"]
"#;

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("scenario.toml", text, &[])
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

#[test]
fn a_tunnel_is_between_its_nodes_and_over_ipv4_unless_it_says_otherwise() {
    let plan = |text: &str| read(text).expect("the scenario is right").cases[0].plan.clone();
    let tunnel = &plan(VALID).tunnels[0];
    assert_eq!((tunnel.name.as_str(), tunnel.ends, tunnel.version), ("t", [1, 3], IpVersion::V4));
    let over_v6 = plan(&format!("{VALID}ip = \"v6\"\n"));
    assert_eq!(over_v6.tunnels[0].version, IpVersion::V6);
}

#[test]
fn the_table_has_what_entered_and_left_in_each_direction() {
    let table = common::table(read(VALID).expect("the scenario is right"), "tunnels");
    let text =
        |name: &str| -> Vec<&str> { table[name].as_string::<i32>().iter().flatten().collect() };
    let count = |name: &str| table[name].as_primitive::<UInt64Type>().values().to_vec();
    assert_eq!([text("from"), text("to")], [["near", "far"], ["far", "near"]]);
    let (entered, left) = (count("entered"), count("left"));
    for direction in [0, 1] {
        assert!(entered[direction] > 100);
        assert!(entered[direction] - left[direction] < 1000, "the rest is on its way");
    }
    // A segment of 1448 bytes with its headers, and the outer one.
    assert!(count("entered_bytes")[0] <= 1520 * entered[0]);
    assert_eq!((count("too_large"), count("unmarkable")), (vec![0, 0], vec![0, 0]));
}

/// Each frame between the ends is an IP packet in an IP packet, whose lengths fit.
#[test]
fn a_capture_between_the_ends_has_packets_in_packets() {
    for (ip, headers) in [("v4", 20), ("v6", 40)] {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tunnels-{ip}"));
        let study = read(&format!("{VALID}ip = \"{ip}\"\n")).expect("the scenario is right");
        let batch = Batch::into_folder(study, folder.clone(), vec!["core".to_owned()], 1)
            .expect("there is that node");
        assert!(batch.finish().1.unwritten.is_none());
        let packets = common::packets(&folder.join("captures/run-0").join("core.pcapng"));
        for packet in &packets {
            let outer = SlicedPacket::from_ip(packet).expect("it is an IP packet");
            let payload = match outer.net.expect("it is an IP packet") {
                NetSlice::Ipv4(it) => it.payload().payload,
                NetSlice::Ipv6(it) => it.payload().payload,
                NetSlice::Arp(_) => panic!("there is no ARP here"),
            };
            assert_eq!(packet.len(), headers + payload.len());
            let inner = SlicedPacket::from_ip(payload).expect("an IP packet is inside");
            assert!(matches!(inner.net, Some(NetSlice::Ipv4(_))) && inner.transport.is_some());
        }
        assert!(packets.len() > 100, "{} packets", packets.len());
    }
}

#[test]
fn a_tunnel_that_cannot_be_is_refused() {
    let with = |nodes: &str| VALID.replace(r#"nodes = ["near", "far"]"#, nodes);
    assert_refused(&with(r#"nodes = ["near", ¶"near"]"#), &["both ends of tunnel `t`"]);
    assert_refused(&with(r#"nodes = ["near", ¶"fra"]"#), &["no node `fra`", "far"]);
    assert_refused(&with(r#"nodes = ¶["near"]"#), &["2"]);
    let marked = VALID.replace("[tunnels.t]", "[tunnels.¶t]");
    let others = marked
        .replace("b = {} }", "b = {}, x = {} }")
        .replace("[flows.f]", "fifth = { nodes = [\"b\", \"x\"] }\n[flows.f]");
    assert_refused(&others.replace(r#"["near", "far"]"#, r#"["near", "x"]"#), &["no flow crosses"]);
    let apart = VALID.replace("b = {} }", "b = {}, x = {} }");
    assert_refused(&apart.replace(r#"["near", "far"]"#, r#"["near", ¶"x"]"#), &["no path between"]);
    let same = format!("{VALID}[tunnels.¶u]\nnodes = [\"far\", \"near\"]\n");
    assert_refused(&same, &["tunnels `t` and `u` have the same ends"]);
    let bridge = "[bridges.x]\nfrom = \"core\"\nto = \"b\"\nbuffer = \"1 MB\"\n";
    assert_refused(
        &format!("{marked}{bridge}"),
        &["an edge of bridge `x` is inside tunnel `t`", "flow `f`"],
    );
}

#[test]
fn a_bridge_is_refused_where_packets_keep_to_no_path() {
    let bridge = "[bridges.¶x]\nfrom = \"near\"\nto = \"far\"\nbuffer = \"1 MB\"\n";
    let routing = "[routing]\nsharing = \"packets\"\n";
    let text = VALID.replace("[tunnels.t]\nnodes = [\"near\", \"far\"]\n", bridge);
    assert_refused(&format!("{text}{routing}"), &["bridge `x` requires flows that keep to a path"]);
}
