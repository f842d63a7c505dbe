//! Autonomous systems in scenario files: which paths flows take, what the tables and a capture
//! say, and what is refused. `¶` marks the place that a message must name.

use crate::common;
use std::path::PathBuf;

use crate::common::{Ran, with_changes};
use arrow_array::cast::AsArray;
use etherparse::SlicedPacket;
use windtunnel_lab::{Batch, ScenarioError, Study};
use windtunnel_packets::scion::{
    IsdAs, PathHeader, ScionHeader, Scmp, ScmpError, UNDERLAY_PORT, protocol,
};

const VALID: &str = include_str!("../../../../scenarios/paths.toml");

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("paths.toml", text, &[])
}

/// The scenario with things in others' places.
fn with(changes: &[(&str, &str)]) -> String {
    with_changes(VALID, changes)
}

const SHORT: (&str, &str) = ("duration = \"30 s\"", "duration = \"12 s\"");
const UDP: (&str, &str) = ("controller = \"cubic\"", "protocol = \"udp\"\nrate = \"20 Mbps\"");

/// One case of a scenario.
#[track_caller]
fn ran(text: &str, case: usize) -> Ran {
    let mut study = read(text).unwrap_or_else(|it| panic!("{it}"));
    study.cases = vec![study.cases.swap_remove(case)];
    Ran::of(study)
}

/// The first policy takes the shortest path, goes round the failure, and comes back ten seconds
/// after it was reported.
#[test]
fn a_flow_goes_round_a_failure_and_comes_back() {
    let ran = ran(VALID, 0);
    let short = "ar-c1 c1-d1 d1-fr";
    let taken = ran.texts("path_changes", "path_links");
    assert_eq!(taken.len(), 3, "{taken:?}");
    assert_eq!((taken[0].as_str(), taken[2].as_str()), (short, short));
    assert!(!taken[1].contains("c1-d1"), "{taken:?}");
    let times = ran.numbers("path_changes", "time_s");
    assert!((1.0..1.2).contains(&times[0]) && (20.0..20.2).contains(&times[2]), "{times:?}");
    let forced = ran.table("path_changes")["is_forced"].as_boolean().clone();
    assert_eq!(forced.iter().flatten().collect::<Vec<_>>(), [false, true, false]);
}

const CORE_PEERS: &str = r#"
duration = "5 s"
nodes = { leaf = {}, core = {}, remote-core = {} }
defaults.link.rate = "50 Mbps"
[links]
up = { nodes = ["leaf", "core"], delay = "10 ms" }
between = { nodes = ["core", "remote-core"], delay = "20 ms" }
peering = { nodes = ["leaf", "remote-core"], delay = "5 ms" }
[autonomous_systems]
leaf = { isd_as = "1-64501", nodes = ["leaf"], parents = ["core"], peers = ["remote"] }
core = { isd_as = "1-64511", nodes = ["core"], core = true }
remote = { isd_as = "2-64521", nodes = ["remote-core"], core = true }
[flows.f]
from = "leaf"
to = "remote-core"
controller = "cubic"
"#;

/// The link may be named by either of its ends, and be used from either; with beacons from the
/// start on, or those that a run sends.
#[test]
fn a_peering_link_may_lead_to_a_core_system() {
    let named_there = CORE_PEERS
        .replace(", peers = [\"remote\"]", "")
        .replace("[\"remote-core\"], core", "[\"remote-core\"], peers = [\"leaf\"], core");
    let back = CORE_PEERS
        .replace("from = \"leaf\"", "from = \"remote-core\"")
        .replace("to = \"remote-core\"", "to = \"leaf\"");
    let later = format!(
        "{CORE_PEERS}start = \"1 s\"\n[beaconing]\nknown_at_start = false\ninterval = \"200 ms\"\n"
    );
    for text in [CORE_PEERS, &named_there, &back, &later] {
        let ran = ran(text, 0);
        assert_eq!(ran.texts("paths", "path_links"), ["peering"], "{text}");
        let rtt = 1e3 * ran.numbers("flows", "delay_minimum_s")[0];
        assert!((10.0..11.0).contains(&rtt), "{rtt} ms");
    }
}

/// Where there is no other path than over the core, that is taken.
#[test]
fn a_peering_link_is_not_for_those_above_it() {
    let above = CORE_PEERS.replace("from = \"leaf\"", "from = \"core\"");
    assert_eq!(ran(&above, 0).texts("paths", "path_links"), ["between"]);
}

/// A host that sends all the time has another path within the round trip to the failure: 7 ms to
/// c1 and back.
#[test]
fn a_host_that_sends_has_another_path_within_a_round_trip() {
    let ran = ran(&with(&[UDP, SHORT]).replace("two-subflows = {", "# two-subflows = {"), 0);
    let times = ran.numbers("path_changes", "time_s");
    assert_eq!(times.len(), 2, "{times:?}");
    assert!((10.0..10.014).contains(&times[1]), "{times:?}");
    let lost = ran.sum("as_routers", "interface_down");
    // 20 Mbps of datagrams of about 1,500 bytes, for 12 ms.
    assert!((15..=30).contains(&lost), "{lost}");
}

/// The paths of subflows differ, and together carry more than the fastest of them.
#[test]
fn subflows_take_paths_of_their_own() {
    let ran =
        ran(&with(&[("at = \"10 s\"", "at = \"29 s\""), ("at = \"15 s\"", "at = \"29.5 s\"")]), 3);
    let subflows = ran.counts("paths", "subflow");
    let links = ran.texts("paths", "path_links");
    let bytes = ran.counts("paths", "path_bytes");
    let most = |subflow: u64| {
        let rows = (0..links.len()).filter(|it| subflows[*it] == subflow);
        rows.max_by_key(|it| bytes[*it]).map(|it| links[it].clone()).expect("it sent something")
    };
    assert_ne!(most(0), most(1));
    assert!(ran.numbers("flows", "goodput_bps")[0] > 1.1e8);
}

/// What was learned on a path can be forgotten when another is taken: the first window after the
/// change is the initial one, and slow start leads to what the new path carries.
#[test]
fn congestion_state_is_kept_or_begins_anew_on_another_path() {
    let least_after_change = |more: &str| {
        let controller = "controller = \"cubic\"";
        let changed = format!("{controller}\n{more}");
        let record = ("[flows.download]", "[recording]\ninterval = \"1 ms\"\n\n[flows.download]");
        let ran = ran(&with(&[record, (controller, &changed), SHORT]), 0);
        let change = ran.numbers("path_changes", "time_s")[1];
        let times = ran.numbers("flow_series", "time_s");
        let windows = ran.numbers("flow_series", "cwnd_segments");
        let after =
            times.iter().zip(&windows).filter(|(it, _)| (0.0..0.05).contains(&(*it - change)));
        after.map(|(_, window)| *window).fold(f64::INFINITY, f64::min)
    };
    let kept = least_after_change("");
    let anew = least_after_change("window.after_path_change = \"restart\"");
    assert!(kept > 50.0 && anew == 10.0, "{kept} and {anew} segments");
}

/// No packet is unaccounted for once all that was under way has ended: the flow stops early.
#[test]
fn every_packet_arrives_or_is_dropped_for_a_reason() {
    let stop = ("start = \"1 s\"", "start = \"1 s\"\nstop = \"9 s\"");
    let beacons = ("[flows.download]", "[beaconing]\ninterval = \"1000 s\"\n\n[flows.download]");
    for case in 0..3 {
        let ran = ran(&with(&[stop, beacons]), case);
        let reasons = [
            "invalid_mac",
            "expired",
            "invalid_path",
            "interface_down",
            "inside_down",
            "too_large",
            "hop_limit_exceeded",
        ];
        let dropped: u64 = reasons.iter().map(|it| ran.sum("as_routers", it)).sum();
        let drops = |it: &str| ran.counts("links", it).iter().sum::<u64>();
        let lost = drops("overlimit_drops") + drops("discipline_drops") + drops("losses");
        let began = ran.sum("as_routers", "sent");
        let ended = ran.sum("as_routers", "received") + dropped + lost;
        // Of probes that go on until the end some may be on their way.
        assert!(began >= ended && began - ended <= 100, "{began} began, {ended} ended");
        assert!(case == 2 || began == ended, "{began} began, {ended} ended");
        assert!(began > 10_000);
    }
}

/// The same file gives the same bytes.
#[test]
fn the_same_seed_gives_the_same_tables() {
    let text = with(&[SHORT]);
    for case in [2, 3] {
        let [one, other] = [ran(&text, case), ran(&text, case)];
        for ((name, one), (_, other)) in one.0.iter().zip(&other.0) {
            assert_eq!(one, other, "{name}");
        }
    }
}

/// What each interface sees of a run of a text, at these nodes.
fn captured(text: &str, name: &str, nodes: &[&str]) -> Vec<Vec<Vec<u8>>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("paths-{name}"));
    let mut study = read(text).unwrap_or_else(|it| panic!("{it}"));
    study.cases.truncate(1);
    study.axes.clear();
    study.cases[0].names.clear();
    let names = common::all_packets_at(nodes);
    let batch = Batch::into_folder(study, folder.clone(), names, 1).expect("there are those nodes");
    assert!(batch.finish().1.unwritten.is_none());
    let file = |node: &&str| folder.join("captures/run-0").join(format!("{node}.pcapng"));
    nodes.iter().map(|it| common::packets(&file(it))).collect()
}

/// The SCION packet in a packet of the underlay.
fn scion(packet: &[u8]) -> Option<(ScionHeader, Vec<u8>)> {
    scion_and_class(packet).map(|it| (it.0, it.1))
}

/// The same, and the codepoint in the underlay's header.
fn scion_and_class(packet: &[u8]) -> Option<(ScionHeader, Vec<u8>, u8)> {
    let sliced = SlicedPacket::from_ip(packet).expect("it is an IP packet");
    let class = sliced.net.as_ref()?.ipv4_ref()?.header().dcp().value();
    let Some(etherparse::TransportSlice::Udp(udp)) = sliced.transport else { return None };
    if udp.destination_port() != UNDERLAY_PORT {
        return None;
    }
    let (header, payload) = ScionHeader::decode(udp.payload()).expect("it is a SCION packet");
    Some((header, payload.to_vec(), class))
}

/// Captures hold true bytes: headers that decode, checksums that are right under SCION's
/// pseudo-header, full packets of 1,500 bytes at most, and what a border router says about a
/// link that is down.
#[test]
fn a_capture_shows_headers_to_the_byte() {
    let quick = ("at = \"10 s\"", "at = \"2 s\"");
    let beacons = ("[flows.download]", "[beaconing]\ninterval = \"1 s\"\n\n[flows.download]");
    let text = with(&[("duration = \"30 s\"", "duration = \"2.5 s\""), quick, beacons]);
    let seen = captured(&text, "headers", &["a", "c1"]);
    let mut longest = 0;
    let mut upper = [0, 0];
    let mut down = 0;
    for bytes in &seen[0] {
        longest = longest.max(bytes.len());
        let Some((header, payload)) = scion(bytes) else { continue };
        match header.next {
            protocol::TCP | protocol::UDP => {
                upper[usize::from(header.next == protocol::TCP)] += 1;
                assert_eq!(header.checksum(&payload), 0);
            }
            protocol::SCMP => {
                let message = Scmp::decode(&payload, &header).expect("it is a message");
                let Scmp::Error { error, .. } = message else { continue };
                let ScmpError::ExternalInterfaceDown { origin, .. } = error else { continue };
                assert_eq!(origin, "1-64511".parse::<IsdAs>().expect("it is one"));
                down += 1;
            }
            other => panic!("{other} is carried by nobody"),
        }
    }
    assert!(upper[1] > 1000 && down > 0, "{upper:?} {down}");
    assert!(longest <= 1500, "{longest}");
    assert!(longest > 1440, "segments fill what the longest path leaves: {longest}");
    let one_hop = seen[1].iter().filter_map(|it| scion(it));
    assert!(one_hop.filter(|it| matches!(it.0.path, PathHeader::OneHop(_))).count() > 0);
}

/// Both headers have the class of the flow's packets; what routers and control services say has
/// the default one.
#[test]
fn a_capture_shows_the_class_of_the_packet_inside() {
    let class = ("controller = \"cubic\"", "controller = \"cubic\"\ndscp = \"EF\"");
    let beacons = ("[flows.download]", "[beaconing]\ninterval = \"1 s\"\n\n[flows.download]");
    let text = with(&[("duration = \"30 s\"", "duration = \"2 s\""), class, beacons]);
    let mut seen = [0, 0];
    for bytes in &captured(&text, "classes", &["c1"])[0] {
        let Some((header, _, underlay)) = scion_and_class(bytes) else { continue };
        let is_of_the_flow = header.next == protocol::TCP;
        let expected = if is_of_the_flow { 46 } else { 0 };
        assert_eq!((header.dscp, underlay), (expected, expected));
        seen[usize::from(is_of_the_flow)] += 1;
    }
    assert!(seen[0] > 5 && seen[1] > 1000, "{seen:?}");
}

/// On the path between systems a queue lets a call's packets go first: each waits for one segment
/// at most in every queue, 1.5 kB at 50 Mbps, and without a class behind all the download's.
#[test]
fn queues_between_systems_tell_classes_apart() {
    let call = "[flows.call]\nfrom = \"a\"\nto = \"f\"\nprotocol = \"udp\"\nrate = \"1 Mbps\"\n\
                payload = \"200 B\"\nstart = \"1 s\"\n\n[flows.download]";
    let delay = |class: &str| {
        let call = call.replace("start", &format!("{class}start"));
        let queue = ("kind = \"codel\", limit = \"1000 packets\"", "kind = \"strict-priority\"");
        let quick = ("at = \"10 s\"", "at = \"4 s\"");
        let text = with(&[("[flows.download]", &call), queue, quick, ("\"30 s\"", "\"4 s\"")]);
        ran(&text, 0).numbers("flows", "delay_s")[0]
    };
    // 1 + 5 + 5 + 5 + 1 ms of links.
    let (first, default) = (delay("dscp = \"EF\"\n"), delay(""));
    assert!((0.017..0.018).contains(&first), "{first}");
    assert!(default > 0.02, "{default}");
}

/// Inside an autonomous system a flow uses IP alone.
#[test]
fn a_flow_inside_uses_ip() {
    let inside = ("to = \"f\"", "to = \"ar\"");
    let text = with(&[inside, SHORT]);
    let (without_policies, _) = text.split_once("# How the sender").expect("it compares policies");
    let ran = ran(without_policies, 0);
    // A link of 100 Mbps.
    assert!(ran.numbers("flows", "goodput_bps")[0] > 5e7);
    assert_eq!(ran.sum("as_routers", "carried"), 0);
    assert_eq!(ran.table("paths").num_rows(), 0);
}

/// The second scenario: forty networks, all of which find paths.
#[test]
fn forty_networks_find_paths() {
    let text = include_str!("../../../../scenarios/paths-geant.toml");
    let ran = ran(&text.replace("duration = \"20 s\"", "duration = \"3 s\""), 0);
    assert_eq!(ran.table("autonomous_systems").num_rows(), 40);
    assert!(ran.numbers("flows", "goodput_bps").iter().all(|it| *it > 1e6));
}

#[track_caller]
fn assert_refused(changes: &[(&str, &str)], expected: &[&str]) {
    common::assert_contains(&common::refused(&with(changes), read), expected);
}

#[test]
fn numbers_and_nodes_that_cannot_be_are_refused() {
    assert_refused(
        &[("isd_as = \"1-64502\"", "isd_as = ¶\"1-64501\"")],
        &[
            "autonomous systems `alpha` and `beta` have the same number, 1-64501",
            "give each its own",
        ],
    );
    for wrong in ["64502", "0-64502", "1-0", "1-x", "70000-1"] {
        assert_refused(
            &[("isd_as = \"1-64502\"", &format!("isd_as = ¶\"{wrong}\""))],
            &["is not the number of an autonomous system", "1-ff00:0:110"],
        );
    }
    assert_refused(
        &[("nodes = [\"b\"]", "nodes = [¶\"a\"]")],
        &["node `a` is in two autonomous systems"],
    );
    assert_refused(&[("nodes = [\"b\"]", "nodes = ¶[]")], &["`beta` has no nodes"]);
    assert_refused(
        &[("nodes = [\"ar\", \"a\"]", "nodes = [\"ar\"]"), ("\nalpha = {", "\n¶alpha = {")],
        &["node `a` is in no autonomous system", "add it to the nodes of one of"],
    );
    assert_refused(
        &[
            ("nodes = [\"ar\", \"a\"]", "nodes = ¶[\"ar\", \"a\", \"f\"]"),
            ("nodes = [\"fr\", \"f\"], parents", "nodes = [\"fr\"], parents"),
        ],
        &["no path inside autonomous system `alpha` leads to node `f`"],
    );
}

#[test]
fn relations_that_cannot_be_are_refused() {
    let beta = "nodes = [\"b\"], parents = [\"core-2\"]";
    let to = |new: &'static str| (beta, new);
    assert_refused(
        &[to("nodes = [\"b\"], parents = [¶\"alpha\", \"core-2\"]")],
        &["`alpha` is named in two different relations"],
    );
    assert_refused(
        &[to("nodes = [\"b\"], parents = [¶\"beta\"]")],
        &["autonomous system `beta` cannot be its own neighbour"],
    );
    assert_refused(
        &[to("nodes = [\"b\"], parents = [¶\"core-9\"]")],
        &["there is no autonomous system `core-9`"],
    );
    assert_refused(
        &[to("nodes = [\"b\"], parents = [¶\"core-4\"]")],
        &["`core-4` is a parent of `beta`, which is in another isolation domain"],
    );
    assert_refused(
        &[to("nodes = [\"b\"], parents = [\"core-2\", ¶\"core-1\"]")],
        &["no link joins autonomous systems `core-1` and `beta`"],
    );
    assert_refused(
        &[to("nodes = [\"b\"]"), ("\nbeta = {", "\n¶beta = {")],
        &["autonomous system `beta` has no parents"],
    );
    assert_refused(
        &[
            ("\nc1-c2 = {", "\nb-c1 = { nodes = [\"b\", \"c1\"] }\nc1-c2 = {"),
            ("\ncore-1 = {", "\n¶core-1 = {"),
        ],
        &["link `b-c1` joins", "which are neither parent and child nor peers"],
    );
    assert_refused(
        &[(
            "nodes = [\"c1\"], core = true",
            "nodes = [\"c1\"], core = true, parents = [¶\"core-2\"]",
        )],
        &["autonomous system `core-1` is in the core and has parents"],
    );
    assert_refused(
        &[
            ("nodes = [\"d1\"], core = true", "nodes = [\"d1\"], parents = [\"core-4\"]"),
            ("nodes = [\"d2\"], core = true", "nodes = [\"d2\"], parents = [¶\"core-3\"]"),
        ],
        &["named in two different relations"],
    );
}

#[test]
fn a_loop_of_parents_is_refused() {
    assert_refused(
        &[
            (
                "ar-b = { nodes",
                "ar-x = { nodes = [\"ar\", \"x\"] }\nx-b = { nodes = [\"x\", \"b\"] }\nar-b = { nodes",
            ),
            ("\nb = {}", "\nb = {}\nx = {}"),
            (
                "beta = { isd_as = \"1-64502\", nodes = [\"b\"], parents = [\"core-2\"] }",
                "beta = { isd_as = \"1-64502\", nodes = [\"b\"], parents = [\"xi\"] }\nxi = { isd_as = \"1-64503\", nodes = [\"x\"], parents = [\"alpha\"] }",
            ),
            ("parents = [\"core-1\", \"beta\"]", "parents = [¶\"beta\"]"),
        ],
        &["parents form a loop: `alpha` → `beta` → `xi` → `alpha`"],
    );
}

#[test]
fn systems_without_paths_are_refused() {
    assert_refused(
        &[
            ("nodes = [\"c1\"], core = true", "nodes = [\"c1\"]"),
            ("nodes = [\"c2\"], core = true", "nodes = [\"c2\"]"),
            ("\nalpha = {", "\n¶alpha = {"),
        ],
        &["isolation domain 1 has no autonomous system in its core", "write core = true"],
    );
    // A core system of its own without a link.
    assert_refused(
        &[
            ("\nb = {}", "\nb = {}\nalone = {}"),
            (
                "\nbeta = {",
                "\nlonely = { isd_as = \"1-7\", nodes = ¶[\"alone\"], core = true }\nbeta = {",
            ),
        ],
        &["no link leads out of autonomous system `lonely`"],
    );
    // Beacons of at most two systems do not come down to alpha and phi.
    assert_refused(
        &[
            ("[flows.download]", "[beaconing]\nmost_hops = 2\n\n[flows.¶download]"),
            ("nodes = [\"c1\", \"d1\"]", "nodes = [\"c1\", \"c2\"]"),
        ],
        &["flow `download` has no path from autonomous system `alpha` to `phi`", "`most_hops`"],
    );
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let beaconing =
        |it: &str| with(&[("[flows.download]", &format!("[beaconing]\n{it}\n\n[flows.download]"))]);
    for (line, expected) in [
        ("lifetime = ¶\"5 min\"", "`lifetime` must be from 337.5 s to 24 h"),
        ("lifetime = ¶\"25 h\"", "`lifetime` must be from 337.5 s to 24 h"),
        ("best_set = ¶0", "`best_set` must be from 1 to 100"),
        ("most_paths = ¶0", "`most_paths` must be from 1 to 255"),
        ("most_hops = ¶1", "`most_hops` must be from 2 to 20"),
        ("interval = ¶\"0 s\"", "`interval` must be greater than zero"),
    ] {
        common::assert_contains(&common::refused(&beaconing(line), read), &[expected]);
    }
    for (line, expected) in [
        ("multipath = { subflows = ¶9 }", "1 to 8 subflows"),
        (
            "multipath = { paths = ¶[[\"a-ar\"]] }",
            "`paths` cannot be set between autonomous systems, where hosts choose them",
        ),
        ("path = ¶[\"a-ar\"]", "`path` cannot be set between regions or autonomous systems"),
    ] {
        let text = format!("start = \"1 s\"\n{line}");
        assert_refused(&[("start = \"1 s\"", &text)], &[expected]);
    }
    let nodes = r#"["a", "ar", "b", "c1", "c2", "d1", "d2", "e", "f", "fr"]"#;
    let region = format!("[regions.one]\ncode = 1\nnodes = {nodes}\n\n[flows.download]");
    assert_refused(
        &[("[flows.download]", &region), ("[autonomous_systems]", "[¶autonomous_systems]")],
        &["only one network layer can carry packets between domains"],
    );
}
