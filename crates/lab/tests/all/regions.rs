//! Regions in scenario files: what becomes of packets from one to another, what the tables and
//! a capture say, and what is refused. `¶` marks the place that a message must name.

use crate::common;
use std::path::PathBuf;

use crate::common::{Ran, with_changes};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use etherparse::SlicedPacket;
use windtunnel_lab::{Batch, ScenarioError, Study};
use windtunnel_packets::region::{
    AddressKind, Code, Encoding, Header, TypedAddresses, protocol, typed_header,
};

const VALID: &str = include_str!("../../../../scenarios/regions.toml");

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("regions.toml", text, &[])
}

/// The scenario with things in others' places.
fn with(changes: &[(&str, &str)]) -> String {
    with_changes(VALID, changes)
}

/// A count of the router of a node.
#[track_caller]
fn count(ran: &Ran, node: &str, column: &str) -> u64 {
    let nodes = ran.texts("routers", "node");
    let row = nodes.iter().position(|it| it == node).expect("there is that node");
    ran.counts("routers", column)[row]
}

/// The agreement of ct1 and ct3 does not end.
const LASTING: (&str, &str) = (", until = \"10 s\"", "");
/// Only the way through ct4 is agreed on.
const THROUGH_CT4: (&str, &str) =
    ("ct1-ct3 = { regions = [\"ct1\", \"ct3\"], until = \"10 s\" }\n", "");

/// Section VI.D.2: in the regions of the sender and of a transparent transit all devices look at
/// the codes of regions, in that of the receiver at the payload's address, and inside a tunnel at
/// the outer address alone.
#[test]
fn each_device_looks_at_what_the_paper_says() {
    let transparent = Ran::new(&with(&[LASTING]));
    let tunnel = Ran::new(&with(&[THROUGH_CT4]));
    let looks = |ran: &Ran, node: &str| {
        ["region_lookups", "address_lookups", "tunnel_lookups"].map(|it| count(ran, node, it) > 0)
    };
    // Acknowledgements go the other way, where the sender's region is the receiver's.
    for ran in [&transparent, &tunnel] {
        for node in ["r1", "b1", "r2", "b2"] {
            assert_eq!(looks(ran, node), [true, true, false], "{node}");
        }
    }
    for node in ["b31", "r3", "b32"] {
        assert_eq!(looks(&transparent, node), [true, false, false], "{node}");
        assert_eq!(looks(&tunnel, node), [false; 3], "{node}");
    }
    assert_eq!(looks(&tunnel, "r4"), [false, false, true]);
    for node in ["b41", "b42"] {
        assert_eq!(looks(&tunnel, node), [true, false, false], "{node}");
    }
    assert!(count(&tunnel, "b41", "encapsulated") > 1000);
    let on_the_way = tunnel.sum("routers", "encapsulated") - tunnel.sum("routers", "decapsulated");
    assert!(on_the_way < 1000, "the rest is on its way");
}

/// The table of overheads: the payload's share of 1,538 bytes on the wire is (1500 − header − 40)
/// ÷ 1538, and a tunnel adds its header to them where the links carry that.
#[test]
fn goodput_falls_by_the_bytes_of_the_header() {
    /// One more or less of the 40,000 in 5 s.
    const A_SEGMENT: f64 = 3e-5;
    let plain = (
        "start = \"1 s\"",
        "start = \"1 s\"\ntimestamps = false\nbuffers = { receive = \"4 MB\", send = \"4 MB\" }",
    );
    let room = ("limit = \"300 packets\"", "limit = \"1500 packets\"");
    let received = |changes: &[(&str, &str)], duration: &str| {
        let lasting = format!("duration = \"{duration}\"");
        let lasts = ("duration = \"30 s\"", lasting.as_str());
        let text = with(&[&[lasts, plain, room], changes].concat());
        let text = text.replace("\"cubic\"", "{ kind = \"fixed\", window = 900 }");
        Ran::new(&text).counts("flows", "received_bytes")[0] as f64
    };
    // Without the beginning, which brings less.
    let steady = |changes: &[(&str, &str)]| {
        8.0 * (received(changes, "8 s") - received(changes, "3 s")) / 5.0 / 100e6
    };
    let encoding = |it: &str| format!("[region_protocol]\nencoding = \"{it}\"");
    for (name, header) in [("compact", 16.0), ("flow", 16.0), ("ipv4-shaped", 20.0)] {
        let text = encoding(name);
        let share = steady(&[LASTING, ("[region_protocol]", &text)]);
        let expected = (1460.0 - header) / 1538.0;
        assert!((share / expected - 1.0).abs() < A_SEGMENT, "{name}: {share} of {expected}");
    }
    let share = steady(&[THROUGH_CT4]);
    let expected = 1444.0 / 1558.0;
    assert!((share / expected - 1.0).abs() < A_SEGMENT, "tunnel: {share} of {expected}");
}

/// When the agreement ends, the way through ct4 is taken, once both sides know: a withdrawal may
/// wait for the interval of advertisements.
#[test]
fn a_flow_takes_another_way_when_an_agreement_ends() {
    let waits = Ran::new(VALID);
    let at_once = Ran::new(&with(&[("withdrawals_wait = true", "withdrawals_wait = false")]));
    assert!(at_once.goodput() > 1.5 * waits.goodput());
    for ran in [&waits, &at_once] {
        assert!(count(ran, "b31", "without_agreement") > 0, "what was under way comes too late");
        assert!(count(ran, "h1", "errors_received") + count(ran, "h2", "errors_received") > 0);
    }
    assert!(count(&at_once, "b41", "encapsulated") > 1000);
    assert_eq!(
        at_once.sum("routers", "hop_limit_exceeded") + waits.sum("routers", "hop_limit_exceeded"),
        0
    );
}

/// By link-state all know as soon as the news is there, in either direction: what waits for 14 s by
/// a path vector takes the time that routers wait before they search, and a few links.
#[test]
fn a_flow_takes_another_way_at_once_by_link_state() {
    let routing = ("[region_protocol]", "[region_protocol]\nrouting = \"link-state\"");
    let ran = Ran::new(&with(&[routing]));
    let times = ran.numbers("route_changes", "time_s");
    let late: Vec<f64> = times.into_iter().filter(|it| *it > 9.0).collect();
    assert!(!late.is_empty() && late.iter().all(|it| (10.0..10.2).contains(it)), "{late:?}");
    assert!(count(&ran, "b41", "encapsulated") > 1000);
    assert_eq!(ran.sum("routers", "hop_limit_exceeded"), 0);
    let at_once = Ran::new(&with(&[("withdrawals_wait = true", "withdrawals_wait = false")]));
    assert!(ran.goodput() > 0.9 * at_once.goodput());
}

/// Nothing is lost unaccounted: what hosts sent was delivered, dropped by a router for a reason
/// that it counted, dropped by a link, or is still under way.
#[test]
fn every_packet_between_regions_is_accounted_for() {
    let stop = ("start = \"1 s\"", "start = \"1 s\"\nstop = \"8 s\"");
    for changes in [vec![LASTING, stop], vec![THROUGH_CT4, stop]] {
        let ran = Ran::new(&with(&changes));
        let reasons =
            ["unreachable", "without_agreement", "hop_limit_exceeded", "too_large", "unmarkable"];
        let dropped: u64 = reasons.iter().map(|it| ran.sum("routers", it)).sum();
        let links = ran.table("links");
        let drops = |it: &str| links[it].as_primitive::<UInt64Type>().values().iter().sum::<u64>();
        let lost = drops("overlimit_drops") + drops("discipline_drops") + drops("losses");
        assert_eq!(ran.sum("routers", "sent"), ran.sum("routers", "delivered") + dropped + lost);
        assert!(ran.sum("routers", "sent") > 10_000);
    }
}

/// Inside a region IP is used as ever, and routers keep the prefixes of their own region and one
/// entry for each other region.
#[test]
fn tables_hold_the_own_prefixes_and_a_code_for_each_other_region() {
    let prefixes =
        ("nodes = [\"h1\", \"r1\", \"b1\"]", "nodes = [\"h1\", \"r1\", \"b1\"], prefixes = 1000");
    let ran = Ran::new(&with(&[LASTING, prefixes]));
    for (node, entries) in [("h1", 1003), ("b1", 1003), ("b31", 6), ("r4", 6)] {
        assert_eq!(
            (count(&ran, node, "entries"), count(&ran, node, "flat_entries")),
            (entries, 1009)
        );
    }
    let inside = with(&[("to = \"h2\"", "to = \"r1\"")]);
    let ran = Ran::new(&inside);
    assert!(ran.goodput() > 90e6);
    assert_eq!(ran.sum("routers", "sent") + ran.sum("routers", "region_lookups"), 0);
}

const FIGURE_4: &str = include_str!("../../../../papers/region-internet/figure-4.toml");

/// Figure 4: of a region with two sub-regions and a border in none, others keep its code alone, or
/// by all 32 bits one for each; whoever looks for the longest prefix needs no more than the first.
#[test]
fn tables_hold_the_codes_that_are_looked_up() {
    let (figure, _) = FIGURE_4.split_once("[compare.sender]").expect("it compares senders");
    let figure = figure.replace("\"10 s\"", "\"2 s\"").replace("runs = 5", "runs = 1");
    for (lookup, codes) in [("two-level", 1), ("full", 3), ("longest-prefix", 1)] {
        let ran = Ran::new(&figure.replace("two-level", lookup));
        // Two nodes have a prefix each.
        assert_eq!(count(&ran, "b1", "entries"), 2 + codes, "{lookup}");
        let nodes = ran.texts("route_changes", "node");
        let parts = ran.counts("route_changes", "sub_region");
        let of_b1 = nodes.iter().zip(&parts).filter(|it| it.0 == "b1").map(|it| *it.1);
        let expected = if lookup == "full" { vec![0, 1, 2] } else { vec![0] };
        assert_eq!(of_b1.collect::<Vec<_>>(), expected, "{lookup}");
        assert!(ran.goodput() > 2e7);
    }
}

/// What each interface sees of the first run of a text, at these nodes; `case` is its folder.
fn captured(text: &str, [name, case]: [&str; 2], nodes: &[&str]) -> Vec<Vec<Vec<u8>>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("regions-{name}"));
    let study = read(text).expect("the scenario is right");
    let names = common::all_packets_at(nodes);
    let batch = Batch::into_folder(study, folder.clone(), names, 1).expect("there are those nodes");
    assert!(batch.finish().1.unwritten.is_none());
    let captures = folder.join("captures").join(case).join("run-0");
    let file = |node: &&str| captures.join(format!("{node}.pcapng"));
    nodes.iter().map(|it| common::packets(&file(it))).collect()
}

/// The hop limits of packets with a payload from h1's region, as a node sees them arrive.
fn hop_limits(packets: &[Vec<u8>]) -> Vec<u8> {
    let headers = packets.iter().filter_map(|it| Header::decode(it).ok());
    let payloads = headers.filter(|(_, it, _)| it.protocol == protocol::IPV4);
    let forth = payloads.filter(|(_, it, _)| it.source == Code::of_region(1));
    let mut found: Vec<u8> = forth.map(|(_, it, _)| it.hop_limit).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A transparent region takes one from the hop limit for each node, a tunnel two in all. At h2
/// five nodes of three regions have forwarded a packet beside those of the transit's inside.
#[test]
fn a_tunnel_takes_two_from_the_hop_limit_whatever_is_in_it() {
    let longer = [
        ("r4 = {}", "r4 = {}\nq4 = {}"),
        (
            "r4-b42 = { nodes = [\"r4\", \"b42\"] }",
            "r4-q4 = { nodes = [\"r4\", \"q4\"] }\nq4-b42 = { nodes = [\"q4\", \"b42\"] }",
        ),
        ("nodes = [\"b41\", \"r4\", \"b42\"]", "nodes = [\"b41\", \"r4\", \"q4\", \"b42\"]"),
        ("duration = \"30 s\"", "duration = \"3 s\""),
        THROUGH_CT4,
    ];
    let transparent = ("transit = \"ipv4-tunnel\"", "transit = \"transparent\"");
    for (name, changes, expected) in [
        ("tunnel", &longer[4..], 64 - 6),
        ("longer", &longer[..], 64 - 6),
        ("transparent", &[transparent, longer[4]][..], 64 - 7),
        ("longer-transparent", &[&[transparent][..], &longer].concat(), 64 - 8),
    ] {
        let mut changes = changes.to_vec();
        if !changes.contains(&longer[3]) {
            changes.push(longer[3]);
        }
        let seen = captured(&with(&changes), [name, "wait"], &["h2"]);
        assert_eq!(hop_limits(&seen[0]), [expected], "{name}");
    }
}

/// What a node inside a tunnel sees are IP packets, in which packets of the region protocol are;
/// elsewhere those are seen as they are, with IP packets in them. In each region addresses begin
/// anew.
#[test]
fn a_capture_shows_headers_and_what_is_in_them() {
    let short = ("duration = \"30 s\"", "duration = \"2 s\"");
    let seen = captured(&with(&[THROUGH_CT4, short]), ["headers", "wait"], &["r4", "r2"]);
    let tunnelled: Vec<&[u8]> =
        seen[0].iter().filter(|it| it[0] == 0x45).map(|it| &it[20..]).collect();
    assert!(tunnelled.len() > 100 && seen[0].iter().any(|it| it[0] == 0x10));
    for inner in tunnelled {
        let (encoding, header, _) = Header::decode(inner).expect("it is of the region protocol");
        assert_eq!((encoding, header.protocol), (Encoding::Compact, protocol::IPV4));
    }
    let mut ends = Vec::new();
    for packet in &seen[1] {
        let (_, header, payload) = Header::decode(packet).expect("it is of the region protocol");
        if header.protocol != protocol::IPV4 {
            continue;
        }
        let inner = SlicedPacket::from_ip(payload).expect("it is an IP packet");
        let Some(etherparse::NetSlice::Ipv4(it)) = inner.net else { panic!("it is IPv4") };
        ends.push([it.header().source(), it.header().destination()]);
    }
    // Host 1 of ct1 sends to host 1 of ct2: they have one address.
    assert!(ends.len() > 100 && ends.iter().all(|it| *it == [[10, 0, 0, 1]; 2]));
}

const HETEROGENEOUS: &str = include_str!("../../../../scenarios/heterogeneous.toml");

/// Section VI.D.3: hosts with addresses of different kinds reach each other, if their own
/// regions accept that; the region between them looks at none of it.
#[test]
fn hosts_with_different_kinds_of_addresses_reach_each_other() {
    let ran = Ran::new(HETEROGENEOUS);
    let flows = ran.table("flows");
    let received = flows["received_bytes"].as_primitive::<UInt64Type>();
    assert!(received.values().iter().all(|it| *it > 4_000_000), "{received:?}");
    // Only a host between ct3's borders forwards by outer addresses.
    assert_eq!((count(&ran, "r3", "region_lookups"), count(&ran, "r3", "address_lookups")), (0, 0));
    assert!(count(&ran, "r3", "tunnel_lookups") > 10_000);
    let refusing =
        HETEROGENEOUS.replacen("accepts_other_addresses = true\n\n# What", "\n# What", 1);
    let ran = Ran::new(&refusing);
    let received = ran.table("flows")["received_bytes"].as_primitive::<UInt64Type>().clone();
    let reached: Vec<bool> = received.values().iter().map(|it| *it > 0).collect();
    assert_eq!(reached, [false, true, true, false]);
    assert!(count(&ran, "b6", "not_accepted") > 1000);
    // Whoever does not say where it is is told nothing.
    assert!(count(&ran, "four", "errors_received") > 0);
    assert_eq!(count(&ran, "hidden", "errors_received"), 0);
}

/// The bytes of each pair of kinds: 8 and both addresses in place of an IPv4 header of 20.
#[test]
fn a_capture_shows_addresses_of_all_kinds() {
    let seen = captured(HETEROGENEOUS, ["heterogeneous", ""], &["b4"]);
    let mut kinds = Vec::new();
    let mut full = std::collections::BTreeMap::new();
    for packet in &seen[0] {
        let (_, header, payload) = Header::decode(packet).expect("it is of the region protocol");
        if header.protocol != protocol::TYPED_ADDRESSES {
            continue;
        }
        let (addresses, transport) = TypedAddresses::decode(payload).expect("it is whole");
        let pair = [addresses.source.kind, addresses.destination.kind];
        assert_eq!(addresses.next, if pair[0] == AddressKind::Absent { 17 } else { 6 });
        assert_eq!(header.source == Code::UNSPECIFIED, pair[0] == AddressKind::Absent);
        assert_eq!(payload.len() - transport.len(), usize::from(typed_header(pair)));
        let longest = full.entry(pair.map(|it| it as u8)).or_insert(0);
        *longest = packet.len().max(*longest);
        if !kinds.contains(&pair) {
            kinds.push(pair);
        }
    }
    use AddressKind::{Absent, Ipv4, Ipv6, Mac, PublicKey};
    let expected = [
        [Ipv4, Ipv6],
        [Ipv6, Ipv4],
        [Mac, Ipv4],
        [Ipv4, Mac],
        [Ipv4, PublicKey],
        [PublicKey, Ipv4],
        [Absent, Ipv6],
    ];
    assert_eq!((kinds.len(), expected.iter().all(|it| kinds.contains(it))), (7, true));
    // Full segments fill 1,500 bytes whatever the addresses.
    for pair in [[Ipv4, Ipv6], [Mac, Ipv4], [Ipv4, PublicKey]] {
        assert_eq!(full[&pair.map(|it| it as u8)], 1500, "{pair:?}");
    }
}

#[track_caller]
fn assert_refused(changes: &[(&str, &str)], expected: &[&str]) {
    common::assert_contains(&common::refused(&with(changes), read), expected);
}

#[test]
fn regions_that_cannot_be_are_refused() {
    assert_refused(&[("code = 2,", "code = ¶1,")], &["regions `ct1` and `ct2` have the same code"]);
    assert_refused(&[("code = 2,", "code = ¶255,")], &["255 is not a valid code", "from 1 to 254"]);
    assert_refused(&[("code = 2,", "code = ¶0,")], &["0 is not a valid code"]);
    let nodes = "nodes = [\"h2\", \"r2\", \"b2\"] }";
    assert_refused(&[(nodes, "nodes = ¶[] }")], &["region `ct2` has no nodes"]);
    let twice = "nodes = [\"h2\", \"r2\", \"b2\", ¶\"r1\"] }";
    assert_refused(&[(nodes, twice)], &["node `r1` is in two regions"]);
    let unknown = "nodes = [\"h2\", \"r2\", ¶\"b9\"] }";
    assert_refused(&[(nodes, unknown)], &["there is no node `b9`"]);
    let missing = [(nodes, "nodes = [\"h2\", \"b2\"] }"), ("\nct1 = {", "\n¶ct1 = {")];
    assert_refused(&missing, &["node `r2` is in no region"]);
    let apart = [
        ("b2-r2 = { nodes = [\"b2\", \"r2\"] }\n", ""),
        (nodes, "nodes = ¶[\"h2\", \"r2\", \"b2\"] }"),
    ];
    assert_refused(&apart, &["no path inside region `ct2` leads to node `b2`"]);
    let alone = [
        ("b32-b2 = { nodes = [\"b32\", \"b2\"] }\n", ""),
        ("b42-b2 = { nodes = [\"b42\", \"b2\"], delay = \"10 ms\" }\n", ""),
        (nodes, "nodes = ¶[\"h2\", \"r2\", \"b2\"] }"),
    ];
    assert_refused(&alone, &["no link leads out of region `ct2`"]);
    let sub = |it: &str| format!("nodes = [\"h2\", \"r2\", \"b2\"], sub_regions = {{ {it} }} }}");
    let huge = sub("s = { code = ¶16777216, nodes = [\"h2\"] }");
    assert_refused(&[(nodes, &huge)], &["16777216 is not a valid code of a sub-region"]);
    let foreign = sub("s = { code = 1, nodes = [¶\"h1\"] }");
    assert_refused(&[(nodes, &foreign)], &["node `h1` is not in region `ct2`"]);
    let same = sub("s = { code = 1, nodes = [\"h2\"] }, t = { code = ¶1, nodes = [\"r2\"] }");
    assert_refused(&[(nodes, &same)], &["sub-regions `s` and `t` have the same code"]);
}

#[test]
fn agreements_that_cannot_be_are_refused() {
    let last = "ct4-ct2 = { regions = [\"ct4\", \"ct2\"] }\n";
    let more = |it: &str| format!("{last}{it}\n");
    let refused = |it: &str, expected: &[&str]| assert_refused(&[(last, &more(it))], expected);
    refused("x = { regions = [\"ct1\", ¶\"ct9\"] }", &["there is no region `ct9`"]);
    refused("x = { regions = [\"ct1\", ¶\"ct1\"] }", &["names the same region twice"]);
    refused("x = { regions = [\"ct1\", ¶\"ct2\"] }", &["no link joins regions `ct1` and `ct2`"]);
    refused("¶x = { regions = [\"ct3\", \"ct1\"] }", &["two agreements of `ct3` and `ct1`"]);
    let after = "x = { regions = [\"ct3\", \"ct1\"], from = \"12 s\", until = ¶\"11 s\" }";
    refused(after, &["ends before it begins"]);
    let start = VALID.find("[regions]").expect("it has regions");
    let end = VALID.find("[region_protocol]").expect("it has agreements");
    let none = format!("{}{}", &VALID[..start], &VALID[end..]).replacen("ct1-ct3", "¶ct1-ct3", 1);
    common::assert_contains(&common::refused(&none, read), &["there are none"]);
}

#[test]
fn link_state_between_regions_tells_all_of_whole_regions() {
    let routing = |more: &str| format!("[region_protocol]\nrouting = \"link-state\"\n{more}");
    let full = routing("lookup = ¶\"full\"");
    assert_refused(
        &[("[region_protocol]", &full)],
        &["requires two-level lookup", "lookup = \"two-level\""],
    );
    let peering = ("ct4-ct2 = { regions", "¶ct4-ct2 = { kind = \"peering\", regions");
    assert_refused(
        &[("[region_protocol]", &routing("")), peering],
        &["agreement `ct4-ct2` is not for transit", "routing = \"path-vector\""],
    );
}

#[test]
fn flows_between_regions_find_their_own_way() {
    let path = "start = \"1 s\"\npath = ¶[\"h1-r1\"]";
    assert_refused(&[("start = \"1 s\"", path)], &["`path` cannot be set between regions"]);
}
