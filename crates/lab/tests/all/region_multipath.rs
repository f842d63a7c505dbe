//! Multipath TCP across regions: each subflow leaves by the link of its own address and goes to
//! another one; what lies between is the routers' choice.

use crate::common;
use crate::common::{Ran, refused, with_changes};

/// A phone with two links in region 1, a server with two in region 2, and between the regions two
/// links, of which one is nearer to all.
const SCENARIO: &str = r#"
duration = "20 s"
[nodes]
phone = {}
mast = {}
home = {}
left = {}
right = {}
server = {}
[defaults.link]
rate = "20 Mbps"
delay = "5 ms"
overhead = "38 B"
queue = { kind = "drop-tail", limit = "100 packets" }
[links]
radio = { nodes = ["phone", "mast"] }
fibre = { nodes = ["phone", "home"] }
indoors = { nodes = ["mast", "home"], delay = "1 ms", rate = "1 Gbps" }
near = { nodes = ["mast", "left"], rate = "1 Gbps" }
across = { nodes = ["left", "right"], delay = "1 ms", rate = "1 Gbps" }
first = { nodes = ["left", "server"] }
second = { nodes = ["right", "server"] }
[regions]
west = { code = 1, nodes = ["phone", "mast", "home"] }
east = { code = 2, nodes = ["left", "right", "server"] }
[flows.both]
from = "phone"
to = "server"
timestamps = false
start = "1 s"
controller = "cubic"
multipath = { paths = [["radio", "first"], ["fibre", "second"]] }
"#;

fn ran(changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(SCENARIO, changes))
}

/// The goodput of each subflow, in bits per second.
fn goodputs(ran: &Ran) -> Vec<f64> {
    let shares = ran.numbers("subflows", "data_share");
    shares.into_iter().map(|it| it * ran.goodput()).collect()
}

/// The bytes of the region protocol leave a subflow 1444 − 20 bytes of data in 1,538 on the wire
/// (those of DSS beside those of the header), and both fill their links.
const SHARE: f64 = (1460.0 - 16.0 - 28.0) / 1538.0;

#[test]
fn each_subflow_fills_the_links_that_it_names() {
    let ran = ran(&[]);
    let goodputs = goodputs(&ran);
    for goodput in &goodputs {
        let share = goodput / (20e6 * SHARE);
        assert!((0.93..=1.0).contains(&share), "{goodputs:?}: {share}");
    }
}

/// Without names, a path for each two links: four, over the same four links.
#[test]
fn the_default_is_a_path_for_each_two_links() {
    let named = "multipath = { paths = [[\"radio\", \"first\"], [\"fibre\", \"second\"]] }";
    let ran = ran(&[(named, "multipath = {}")]);
    assert_eq!(goodputs(&ran).len(), 4);
    let share = ran.goodput() / (40e6 * SHARE);
    assert!((0.9..=1.0).contains(&share), "{share}");
}

/// A link of the sender that fails takes its subflow with it, and only that.
#[test]
fn a_failed_link_stops_its_own_subflow() {
    let cut = "fibre = { nodes = [\"phone\", \"home\"]";
    let cut_later = format!("{cut}, changes = [{{ at = \"5 s\", state = \"down\" }}]");
    let ran = ran(&[(cut, &cut_later)]);
    let goodputs = goodputs(&ran);
    assert!(goodputs[0] > 0.9 * 20e6 * SHARE, "{goodputs:?}");
    assert!(goodputs[1] < 0.3 * 20e6 * SHARE, "{goodputs:?}");
    assert!(ran.sum("routers", "unreachable") > 0);
}

/// So does one of the receiver: the node at its other end knows no way to that address.
#[test]
fn a_failed_link_of_the_receiver_is_told() {
    let cut = "second = { nodes = [\"right\", \"server\"]";
    let cut_later = format!("{cut}, changes = [{{ at = \"5 s\", state = \"down\" }}]");
    let ran = ran(&[(cut, &cut_later)]);
    let goodputs = goodputs(&ran);
    assert!(goodputs[0] > 0.9 * 20e6 * SHARE, "{goodputs:?}");
    assert!(goodputs[1] < 0.3 * 20e6 * SHARE, "{goodputs:?}");
    assert!(ran.sum("routers", "errors_received") > 0);
}

/// A link that carries less than 1,500 bytes takes smaller segments of its own subflow, and the
/// other goes on with full ones; all arrives, once.
#[test]
fn a_subflow_sends_what_its_path_carries() {
    let link = "second = { nodes = [\"right\", \"server\"]";
    let smaller = format!("{link}, mtu = \"1300 B\"");
    let long = ran(&[(link, &smaller)]);
    let goodputs = goodputs(&long);
    let expected = 20e6 * (1300.0 - 56.0 - 28.0) / (1300.0 + 38.0);
    let shares = [goodputs[0] / (20e6 * SHARE), goodputs[1] / expected];
    assert!(shares.iter().all(|it| (0.93..=1.0).contains(it)), "{shares:?}");
    let file = "workload = { kind = \"file\", size = \"5 MB\" }\nstart = \"1 s\"";
    let whole = ran(&[(link, &smaller), ("start = \"1 s\"", file)]);
    assert_eq!(whole.sum("flows", "received_bytes"), 5_000_000);
    assert!(whole.sum("routers", "too_large") > 0);
}

#[test]
fn paths_that_cannot_be_are_refused() {
    let named = "[[\"radio\", \"first\"], [\"fibre\", \"second\"]]";
    for (paths, message) in [
        ("[[¶\"near\", \"first\"]]", "link `near` is not at node `phone`"),
        ("[[\"radio\", ¶\"near\"]]", "link `near` is not at node `server`"),
        ("[¶[\"radio\", \"near\", \"first\"]]", "is named by its first link and its last"),
        ("[¶[]]", "is named by its first link and its last"),
        ("[[\"radio\", ¶\"frist\"]]", "there is no link `frist`"),
    ] {
        let text = with_changes(SCENARIO, &[(named, paths)]);
        common::assert_contains(&refused(&text, common::read), &[message]);
    }
}
