//! Tunnels in scenario files: what they become, what their table and a capture say, and
//! what is refused. `¶` marks the place that a message must name.

use crate::common;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use windtunnel_engine::Rate;
use windtunnel_lab::{Batch, ScenarioError, Study};
use windtunnel_networks::tunnel::WireGuardSettings;
use windtunnel_packets::ip::IpVersion;
use windtunnel_world::{Transport, TunnelCarrier};

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
    assert_eq!((tunnel.name.as_str(), tunnel.ends), ("t", [1, 3]));
    assert!(matches!(tunnel.carrier, TunnelCarrier::Ip(IpVersion::V4)));
    let over_v6 = plan(&format!("{VALID}ip = \"v6\"\n"));
    assert!(matches!(over_v6.tunnels[0].carrier, TunnelCarrier::Ip(IpVersion::V6)));
    let wireguard = |keys: &str| {
        let plan = plan(&format!("{VALID}kind = \"wireguard\"\n{keys}"));
        let TunnelCarrier::WireGuard(settings) = plan.tunnels[0].carrier else {
            panic!("it is WireGuard")
        };
        settings
    };
    let version = IpVersion::V4;
    let settings = WireGuardSettings { version, mtu: 1420, crypto: None };
    assert_eq!(wireguard(""), settings);
    let crypto = Rate::from_bits_per_second(5_000_000_000);
    let settings = WireGuardSettings { version: IpVersion::V6, mtu: 1400, crypto };
    let keys = "ip = \"v6\"\nmtu = \"1400 B\"\ncrypto = \"5 Gbps\"\n";
    assert_eq!(wireguard(keys), settings);
}

/// The data of a segment with timestamps, through tunnels between these nodes.
fn segment(tunnels: &[(&str, &str)]) -> u16 {
    let tunnels: Vec<String> = tunnels
        .iter()
        .enumerate()
        .map(|(number, (nodes, keys))| format!("[tunnels.t{number}]\nnodes = {nodes}\n{keys}\n"))
        .collect();
    let text =
        format!("{}{}", VALID.split_once("[tunnels.t]").expect("it is there").0, tunnels.concat());
    let plan = &read(&text).expect("the scenario is right").cases[0].plan;
    let Transport::Tcp { settings, .. } = &plan.flows[0].transport else { panic!("it is TCP") };
    settings.maximum_segment
}

/// Of 1500 bytes, 40 are headers of IPv4 and TCP, and 12 timestamps: the maximum segment size
/// of RFC 9293, without options, is 1380 in a WireGuard tunnel.
#[test]
fn segments_are_so_small_that_their_packets_are_within_the_mtu_of_tunnels() {
    let wireguard = "kind = \"wireguard\"";
    assert_eq!(segment(&[]), 1460 - 12);
    assert_eq!(segment(&[(r#"["near", "far"]"#, "")]), 1460 - 12);
    assert_eq!(segment(&[(r#"["near", "far"]"#, wireguard)]), 1380 - 12);
    assert_eq!(segment(&[(r#"["far", "near"]"#, wireguard)]), 1380 - 12);
    let nested = [(r#"["near", "far"]"#, wireguard), (r#"["a", "b"]"#, "")];
    assert_eq!(segment(&nested), 1380 - 12 - 20);
    let small = [(r#"["near", "far"]"#, "kind = \"wireguard\"\nmtu = \"1300 B\"")];
    assert_eq!(segment(&small), 1260 - 12);
}

/// On Ethernet, whose framing takes 38 bytes: 1380 of 1518 bytes, and 1380 of 1538 over IPv6.
#[test]
fn a_wireguard_tunnel_leaves_its_known_share_of_the_wire() {
    for (ip, wire) in [("v4", 1518.0), ("v6", 1538.0)] {
        let text = VALID
            .replace("delay = \"1 ms\"", "delay = \"1 ms\"\noverhead = \"38 B\"")
            .replace("duration = \"1 s\"", "duration = \"20 s\"")
            .replace("controller = \"cubic\"", "controller = \"cubic\"\ntimestamps = false")
            .replace(
                "first = { nodes = [\"a\", \"near\"]",
                "first = { rate = \"1 Gbps\", nodes = [\"a\", \"near\"]",
            );
        let text = format!("{text}kind = \"wireguard\"\nip = \"{ip}\"\n");
        let flows = common::table(read(&text).expect("the scenario is right"), "flows");
        let goodput = flows["goodput_bps"].as_primitive::<Float64Type>().value(0);
        let share = goodput / 50e6;
        let expected = 1380.0 / wire;
        assert!(share <= expected && share > 0.998 * expected, "{share} of {expected}");
    }
}

#[test]
fn a_capture_between_the_ends_of_a_wireguard_tunnel_has_its_messages() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tunnels-wireguard");
    let study = read(&format!("{VALID}kind = \"wireguard\"\n")).expect("the scenario is right");
    let batch = Batch::into_folder(study, folder.clone(), common::all_packets_at(&["core"]), 1)
        .expect("there is that node");
    assert!(batch.finish().1.unwritten.is_none());
    let packets = common::packets(&folder.join("captures/run-0").join("core.pcapng"));
    let messages: Vec<(u8, usize)> = packets
        .iter()
        .map(|packet| {
            let sliced = SlicedPacket::from_ip(packet).expect("it is an IP packet");
            let Some(TransportSlice::Udp(udp)) = sliced.transport else { panic!("it is UDP") };
            assert_eq!((udp.source_port(), udp.destination_port()), (51_820, 51_820));
            (udp.payload()[0], udp.payload().len())
        })
        .collect();
    // Each comes and goes.
    assert_eq!(messages[..4], [(1, 148), (1, 148), (2, 92), (2, 92)]);
    let data = &messages[4..];
    // A segment in a packet of 1420 bytes; an acknowledgement in one of 52, padded to 64.
    assert!(data.iter().all(|it| *it == (4, 1452) || it.0 == 4 && it.1 <= 112), "{data:?}");
    assert!(data.iter().filter(|it| it.1 == 1452).count() > 100);
    assert!(data.iter().filter(|it| it.1 == 96).count() > 100);
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
        let batch = Batch::into_folder(study, folder.clone(), common::all_packets_at(&["core"]), 1)
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
    let expected = ["tunnels `t` and `u` have the same ends", "each would be inside the other"];
    assert_refused(&same, &expected);
    let wireguard = |keys: &str| format!("{VALID}kind = \"wireguard\"\n{keys}\n");
    assert_refused(&wireguard("mtu = ¶\"100 B\""), &["an MTU of 100 B", "\"1280 B\""]);
    assert_refused(&wireguard("mtu = ¶\"1 MB\""), &["an MTU of 1000000 B", "\"65440 B\""]);
    assert_refused(&wireguard("crypto = ¶\"0 Gbps\""), &["never sends anything"]);
    assert_refused(&format!("{VALID}¶mtu = \"1400 B\"\n"), &["`mtu` does not apply to `ip-in-ip`"]);
    let tcp = |keys: &str| format!("{VALID}kind = \"tcp\"\n{keys}\n");
    assert_refused(&tcp("tcp = { controller = ¶\"cubix\" }"), &["cubix", "cubic"]);
    let small = "tcp = { controller = \"cubic\" }\nbuffer = ¶\"1 kB\"";
    assert_refused(&tcp(small), &["a buffer of 1000 B holds not even one packet", "65537 B"]);
    let workload = "tcp = { controller = \"cubic\", workload = ¶{ kind = \"bulk\" } }";
    assert_refused(&tcp(workload), &["`workload` cannot be set for tunnels", "remove `workload`"]);
    assert_refused(&format!("{VALID}kind = ¶\"ipsec\"\n"), &["ipsec", "wireguard"]);
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

/// Both ends have the same ports; their sequence numbers and lengths fit.
#[test]
fn a_capture_between_the_ends_of_a_tcp_tunnel_has_one_connection() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tunnels-tcp");
    let text = format!("{VALID}kind = \"tcp\"\ntcp = {{ controller = \"cubic\" }}\n");
    let study = read(&text).expect("the scenario is right");
    let batch = Batch::into_folder(study, folder.clone(), common::all_packets_at(&["core"]), 1)
        .expect("there is that node");
    assert!(batch.finish().1.unwritten.is_none());
    let packets = common::packets(&folder.join("captures/run-0").join("core.pcapng"));
    let mut ports = Vec::new();
    for packet in &packets {
        let sliced = SlicedPacket::from_ip(packet).expect("it is an IP packet");
        let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("it is TCP") };
        let mut both = [tcp.source_port(), tcp.destination_port()];
        both.sort_unstable();
        ports.push(both);
        assert!(packet.len() <= 1500);
    }
    ports.dedup();
    assert_eq!((ports.len(), packets.len() > 100), (1, true), "{ports:?}");
}
