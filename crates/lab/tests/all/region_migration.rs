//! Links between regions that begin to speak the region protocol one by one: what crosses under
//! which header, and that nothing is lost. `¶` marks the place that a message must name.

use crate::common;
use crate::common::{Ran, with_changes};

/// Three regions in a row.
const SCENARIO: &str = r#"
duration = "12 s"
[nodes]
h1 = {}
b1 = {}
b3 = {}
b4 = {}
b2 = {}
h2 = {}
[defaults.link]
rate = "100 Mbps"
delay = "2 ms"
[links]
here = { nodes = ["h1", "b1"] }
west = { nodes = ["b1", "b3"] }
through = { nodes = ["b3", "b4"] }
east = { nodes = ["b4", "b2"] }
there = { nodes = ["b2", "h2"] }
[regions]
ct1 = { code = 1, nodes = ["h1", "b1"] }
ct2 = { code = 2, nodes = ["h2", "b2"] }
ct3 = { code = 3, nodes = ["b3", "b4"] }
[region_protocol]
migration = { west = "4 s", east = "8 s" }
[flows.across]
from = "h1"
to = "h2"
protocol = "udp"
rate = "800 kbps"
payload = "1000 B"
start = "1 s"
stop = "11 s"
[flows.near]
from = "h1"
to = "b4"
protocol = "udp"
rate = "800 kbps"
payload = "1000 B"
start = "1 s"
stop = "11 s"
"#;

const MIGRATION: &str = "migration = { west = \"4 s\", east = \"8 s\" }";

#[track_caller]
fn ran(changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(SCENARIO, changes))
}

/// A count of the router of a node.
fn count(ran: &Ran, node: &str, column: &str) -> u64 {
    let row = ran.texts("routers", "node").iter().position(|it| it == node).expect("a node");
    ran.counts("routers", column)[row]
}

/// The flow to the neighbouring region is under the header from 4 s on, the flow through it from 8 s
/// on: of 100 datagrams a second, those of 3 and of 7 seconds are plain. Both go on without a loss,
/// and in order.
#[test]
fn each_region_is_reached_by_its_code_once_the_links_to_it_have_migrated() {
    let ran = ran(&[]);
    let [plain, under] = ["sent_as_ip", "sent"].map(|it| count(&ran, "h1", it));
    assert_eq!(plain + under, 2000);
    assert!(plain.abs_diff(1000) < 50, "{plain} are plain");
    assert_eq!(ran.sum("routers", "delivered"), under);
    assert_eq!(ran.counts("flows", "datagrams"), [1000, 1000]);
    let received = ran.counts("flows", "received_bytes");
    assert_eq!(received, [1_000_000, 1_000_000]);
    assert_eq!(ran.sum("flows", "reordered"), 0);
}

/// A network of which no link has migrated forwards nothing by codes; one that has at the beginning
/// is that without a migration.
#[test]
fn before_the_migration_all_is_plain_and_after_it_nothing() {
    let never = ran(&[(MIGRATION, "migration = { west = \"60 s\", east = \"60 s\" }")]);
    assert_eq!([never.sum("routers", "sent"), never.sum("routers", "region_lookups")], [0, 0]);
    assert_eq!(never.sum("routers", "sent_as_ip"), 2000);
    let at_once = ran(&[(MIGRATION, "migration = { west = \"0 s\", east = \"0 s\" }")]);
    let without = ran(&[(MIGRATION, "")]);
    for table in ["flows", "links", "routers", "route_changes"] {
        assert_eq!(at_once.table(table), without.table(table), "{table}");
    }
}

/// A connection goes on over the change: its segments have room for the header from the beginning.
#[test]
fn a_connection_survives_the_migration() {
    let udp = "protocol = \"udp\"\nrate = \"800 kbps\"\npayload = \"1000 B\"\nstart = \"1 s\"\nstop = \"11 s\"\n[flows.near]";
    let tcp = "controller = { kind = \"fixed\", window = 20 }\nstart = \"1 s\"\nstop = \"11 s\"\n[flows.near]";
    let ran = ran(&[(udp, tcp)]);
    assert_eq!(ran.sum("flows", "retransmissions"), 0);
    assert!(count(&ran, "h1", "sent_as_ip") > 1000 && count(&ran, "h1", "sent") > 1000);
    assert_eq!(ran.sum("routers", "too_large"), 0);
}

/// NDN goes beside the header over a link until that has migrated, and inside it from then on.
#[test]
fn ndn_moves_into_the_header_with_its_link() {
    let inside = format!("ndn = \"inside\"\n{MIGRATION}");
    let ndn = "[producers.video]\nnode = \"h2\"\nprefix = \"/video\"\n[consumers.viewer]\nnode = \"h1\"\nprefix = \"/video\"\ncontroller = { kind = \"fixed\", window = 10 }\nstart = \"1 s\"\n[flows.across]";
    let ran = ran(&[(MIGRATION, &inside), ("[flows.across]", ndn)]);
    assert!(count(&ran, "b1", "sent") > count(&ran, "b2", "sent"));
    assert!(count(&ran, "b2", "sent") > 100);
    let lost = ["timeouts", "retransmissions"].map(|it| ran.counts("flows", it)[0]);
    assert_eq!(lost, [0, 0]);
}

#[test]
fn links_that_cannot_migrate_are_refused() {
    let refused = |migration: &str, expected: &[&str]| {
        let text = with_changes(SCENARIO, &[(MIGRATION, migration)]);
        let read = |text: &str| windtunnel_lab::read("migration.toml", text, &[]);
        common::assert_contains(&common::refused(&text, read), expected);
    };
    let message = ["joins two regions", "a link between two regions"];
    refused("migration = { ¶through = \"4 s\" }", &message);
    refused("migration = { ¶north = \"4 s\" }", &message);
    refused("migration = { west = ¶\"soon\" }", &["soon"]);
}
