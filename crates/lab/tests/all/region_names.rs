//! Names that are asked for inside the network: how long that takes, what is kept, what becomes of
//! a flow whose name is not found, and what is refused. `¶` marks the place that a message must name.

use crate::common;
use crate::common::{Ran, with_changes};

/// Each link has 10 Mbps and no overhead of its own.
const SCENARIO: &str = r#"
duration = "20 s"
[nodes]
h2 = {}
g2 = {}
r2 = {}
r1 = {}
h1 = {}
[defaults.link]
rate = "10 Mbps"
overhead = "0 B"
[links]
inside = { nodes = ["h2", "r2"], delay = "2 ms" }
beside = { nodes = ["g2", "r2"], delay = "3 ms" }
between = { nodes = ["r2", "r1"], delay = "30 ms" }
there = { nodes = ["r1", "h1"], delay = "5 ms" }
[regions.ct1]
code = 1
nodes = ["r1", "h1"]
root = "r1"
names = { "www.xyz.com" = "h1" }
[regions.ct2]
code = 2
nodes = ["h2", "g2", "r2"]
root = "r2"
names = { "www.abc.com" = "g2" }
[region_protocol]
time_to_live = "10 s"
[defaults.flow]
from = "h2"
to = "h1"
controller = "cubic"
workload = { kind = "file", size = "100 kB" }
"#;

/// The name of h1 in other regions.
const NAMED: &str = "[flows.first]\nstart = \"1 s\"\npeer_name = \"www.xyz.com.ct1\"\n";

/// What became of the scenario with more in it, and changes.
#[track_caller]
fn ran(more: &str, changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(&format!("{SCENARIO}{more}"), changes))
}

/// How long each lookup took, in seconds.
fn lookups(ran: &Ran) -> Vec<f64> {
    ran.numbers("name_lookups", "lookup_s")
}

/// The bytes of the four messages in their IP packets: queries of 33 bytes, between roots with
/// EDNS, which has 11; answers with an address and a code, of 65. Between regions there is a header
/// of 16 bytes.
const BYTES: [u32; 4] = [33 + 28, 33 + 11 + 28 + 16, 65 + 11 + 28 + 16, 65 + 28];
/// Over the link to the root and over that between the regions, both ways.
const DELAYS_S: f64 = 2.0 * (0.002 + 0.030);

fn time_on_links() -> f64 {
    DELAYS_S + f64::from(BYTES.iter().sum::<u32>()) * 8.0 / 10e6
}

/// The resolver asks its root, that asks the other region's, and both answer: as packets, each of
/// which takes the delay of its links, and the time that its bits need there. The flow begins then.
#[test]
fn a_flow_begins_when_the_answer_has_crossed_the_network() {
    let ran = ran(NAMED, &[]);
    let took = lookups(&ran)[0];
    assert!((took - time_on_links()).abs() < 1e-9, "{took} is not {}", time_on_links());
    assert_eq!(ran.texts("name_lookups", "outcome"), ["found"]);
    assert_eq!(ran.texts("name_lookups", "root"), ["r2"]);
    let began = ran.numbers("transfers", "start_s")[0];
    assert!((began - 1.0 - took).abs() < 1e-9, "it began at {began}");
    assert_eq!(ran.counts("flows", "received_bytes"), [100_000]);
}

/// A datagram's delay is its own: the source's clock begins with the answer too.
#[test]
fn datagrams_are_sent_at_their_rate_from_the_answer_on() {
    let udp = "workload = { kind = \"file\", size = \"100 kB\" }";
    let rate = "protocol = \"udp\"\nrate = \"1 Mbps\"\npayload = \"1000 B\"";
    let ran = ran(NAMED, &[(udp, rate)]);
    let expected = (20.0 - 1.0 - time_on_links()) * 1e6 / 8000.0;
    let sent = ran.counts("flows", "datagrams")[0];
    assert!((sent as f64 - expected).abs() <= 1.0, "{sent} of {expected}");
}

/// The root of the own region keeps an answer for its time to live, 10 s.
#[test]
fn an_answer_is_kept_for_its_time_to_live() {
    let later = |name: &str, start: u32| {
        format!("[flows.{name}]\nstart = \"{start} s\"\npeer_name = \"www.xyz.com.ct1\"\n")
    };
    let ran = ran(&[NAMED, &later("second", 2), &later("third", 12)].concat(), &[]);
    let took = lookups(&ran);
    assert!((took[0] - took[2]).abs() < 1e-9 && took[2] > DELAYS_S, "{took:?}");
    assert!(took[1] > 0.004 && took[1] < 0.0042, "only to the own root: {took:?}");
}

/// Section VI.C: inside a region a name needs no suffix, and is asked of the own root alone. A host
/// that is the root itself asks nobody.
#[test]
fn a_name_of_the_own_region_is_asked_of_its_root_alone() {
    let own = "[flows.own]\nto = \"g2\"\npeer_name = \"www.abc.com\"\n";
    let of_root = "[flows.of-root]\nfrom = \"r2\"\nto = \"g2\"\npeer_name = \"WWW.abc.com.ct2\"\n";
    let ran = ran(&[own, of_root].concat(), &[]);
    let took = lookups(&ran);
    assert!(took[0] > 0.004 && took[0] < 0.0042, "{took:?}");
    assert_eq!(took[1], 0.0);
    assert_eq!(ran.texts("name_lookups", "outcome"), ["found", "found"]);
}

/// Where the receiver of the data opens the connection, it is the one that asks.
#[test]
fn who_opens_the_connection_asks() {
    let asked = "from = \"h2\"\nto = \"h1\"\ncontroller = \"cubic\"\nworkload = { kind = \"file\", size = \"100 kB\" }";
    let requests = "from = \"h1\"\nto = \"h2\"\nworkload = { kind = \"request-response\", response = \"10 kB\" }\ncontroller = \"cubic\"";
    let ran = ran(NAMED, &[(asked, requests)]);
    assert_eq!(ran.texts("name_lookups", "node"), ["h2"]);
    assert!(ran.counts("flows", "transfers")[0] > 0);
}

/// What the roots of the paper's figure 7 say, and those that do not answer: the flow sends
/// nothing.
#[test]
fn a_flow_whose_name_is_not_found_sends_nothing() {
    let name = |it: &'static str| ("www.xyz.com.ct1", it);
    let without_root = ("root = \"r1\"\nnames = { \"www.xyz.com\" = \"h1\" }\n", "");
    let no_data = ("time_to_live = \"10 s\"", "absent = \"no-data\"");
    let down = "delay = \"2 ms\", changes = [{ at = \"0.5 s\", state = \"down\" }]";
    let cut = |link: &'static str| (link, down);
    let cases: [(&[(&str, &str)], _, _, f64); 6] = [
        (&[name("www.abc.com.ct1")], "no-name", 1, DELAYS_S),
        (&[name("www.xyz.com")], "no-name", 1, 0.004),
        (&[name("www.xyz.com"), no_data], "no-data", 1, 0.004),
        (&[without_root], "refused", 1, 0.004),
        (&[cut("delay = \"30 ms\"")], "server-failure", 1, 2.004),
        (&[cut("delay = \"2 ms\"")], "no-answer", 2, 10.0),
    ];
    for (changes, outcome, queries, after) in cases {
        let ran = ran(NAMED, changes);
        assert_eq!(ran.texts("name_lookups", "outcome"), [outcome]);
        assert_eq!(ran.counts("name_lookups", "queries"), [queries], "{outcome}");
        let took = lookups(&ran)[0];
        assert!(took >= after && took < after + 0.001, "{outcome} after {took}");
        assert_eq!([ran.sum("flows", "connections"), ran.sum("flows", "segments")], [0, 0]);
    }
}

/// A query that is lost is asked again after five seconds.
#[test]
fn a_lost_query_is_asked_again() {
    let delay = "delay = \"2 ms\"";
    let down = "delay = \"2 ms\", changes = [{ at = \"0.5 s\", loss = \"100 %\" }, { at = \"3 s\", loss = \"0 %\" }]";
    let ran = ran(NAMED, &[(delay, down)]);
    assert_eq!(ran.counts("name_lookups", "queries"), [2]);
    let took = lookups(&ran)[0];
    assert!(took > 5.0 && took < 5.1, "{took}");
}

/// Roots that nobody asks send nothing and change nothing.
#[test]
fn roots_without_questions_change_nothing() {
    let flow = "[flows.first]\nstart = \"1 s\"\n";
    let without = [
        ("root = \"r1\"\nnames = { \"www.xyz.com\" = \"h1\" }\n", ""),
        ("root = \"r2\"\nnames = { \"www.abc.com\" = \"g2\" }\n", ""),
    ];
    let [with, without] = [ran(flow, &[]), ran(flow, &without)];
    for table in ["runs", "flows", "links", "nodes", "routers", "route_changes", "transfers"] {
        assert_eq!(with.table(table), without.table(table), "{table}");
    }
}

#[track_caller]
fn assert_refused(changes: &[(&str, &str)], expected: &[&str]) {
    let text = with_changes(&format!("{SCENARIO}{NAMED}"), changes);
    let read = |text: &str| windtunnel_lab::read("names.toml", text, &[]);
    common::assert_contains(&common::refused(&text, read), expected);
}

#[test]
fn names_that_cannot_be_are_refused() {
    let name = "\"www.xyz.com.ct1\"";
    let refused = |it: &str, expected: &[&str]| assert_refused(&[(name, it)], expected);
    refused("¶\"www..com\"", &["`www..com` cannot be asked for", "not a valid domain name"]);
    refused("¶\"www.abc.com\"", &["`www.abc.com` is a name of node `g2`", "the other end"]);
    let root = "root = \"r2\"";
    assert_refused(&[(root, "root = ¶\"r1\"")], &["node `r1` is in another region"]);
    assert_refused(&[(root, "root = ¶\"r9\"")], &["there is no node `r9`"]);
    let names = ("\"www.abc.com\" = \"g2\"", "¶\"www.abc.com\" = \"g2\"");
    assert_refused(&[("root = \"r2\"\n", ""), names], &["region `ct2` has names and no root"]);
    let no_names = [
        ("root = \"r2\"\nnames = { \"www.abc.com\" = \"g2\" }\n", ""),
        (name, "¶\"www.xyz.com.ct1\""),
    ];
    assert_refused(&no_names, &["region `ct2` of node `h2` has no root to ask", "root = \"NODE\""]);
    let foreign = ("\"www.abc.com\" = \"g2\"", "\"www.abc.com\" = ¶\"h1\"");
    assert_refused(&[foreign], &["node `h1` is in another region"]);
    let reserved = ("\"www.abc.com\" = \"g2\"", "¶\"www.ct1\" = \"g2\"");
    assert_refused(&[reserved], &["cannot be registered", "the name of a region"]);
    let mac = (root, "addresses = \"mac\"\nroot = ¶\"r2\"");
    assert_refused(&[mac], &["has no IP address", "addresses = \"ipv4\""]);
    let time = "time_to_live = \"10 s\"";
    assert_refused(&[(time, "time_to_live = ¶\"200 h\"")], &["at most 7 days"]);
    let pairs = |it: &str| format!("name_agreements = [{it}]");
    let twice = pairs("[\"ct1\", ¶\"ct1\"]");
    assert_refused(&[(time, &twice)], &["`ct1` exchanges names with itself"]);
    let unknown = pairs("[\"ct1\", ¶\"ct9\"]");
    assert_refused(&[(time, &unknown)], &["there is no region `ct9`"]);
    let regions = SCENARIO.find("[regions.ct1]").expect("it has regions");
    let flows = SCENARIO.find("[defaults.flow]").expect("it has flows");
    let marked = NAMED.replace(name, "¶\"www.xyz.com.ct1\"");
    let text = format!("{}{}{marked}", &SCENARIO[..regions], &SCENARIO[flows..]);
    let read = |text: &str| windtunnel_lab::read("names.toml", text, &[]);
    common::assert_contains(&common::refused(&text, read), &["there are no regions"]);
}
