//! Flows over several paths, from the scenario file to their tables.

use crate::common;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};

/// Two paths between two nodes, and a flow over them with what a test adds.
fn scenario(keys: &str) -> String {
    format!(
        r#"
duration = "20 s"
nodes = {{ a = {{}}, upper = {{}}, lower = {{}}, b = {{}} }}

[defaults.link]
rate = "10 Mbps"
delay = "5 ms"

[links]
up = {{ nodes = ["a", "upper"] }}
over = {{ nodes = ["upper", "b"] }}
down = {{ nodes = ["a", "lower"], delay = "15 ms" }}
under = {{ nodes = ["lower", "b"] }}

[flows.f]
from = "a"
to = "b"
controller = "cubic"
{keys}
"#
    )
}

fn read(text: &str) -> Result<windtunnel_scenario::Study, windtunnel_scenario::ScenarioError> {
    windtunnel_lab::read("test.toml", text, &[])
}

#[track_caller]
fn assert_refused(keys: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(&scenario(keys), read), expected);
}

fn table(keys: &str, name: &str) -> RecordBatch {
    let study = read(&scenario(keys)).unwrap_or_else(|error| panic!("{error}"));
    common::table(study, name)
}

fn numbers(table: &RecordBatch, column: &str) -> Vec<f64> {
    table[column].as_primitive::<Float64Type>().values().to_vec()
}

fn counts(table: &RecordBatch, column: &str) -> Vec<u64> {
    table[column].as_primitive::<UInt64Type>().values().to_vec()
}

fn texts(table: &RecordBatch, column: &str) -> Vec<String> {
    table[column].as_string::<i32>().iter().flatten().map(str::to_owned).collect()
}

#[test]
fn without_paths_each_pair_of_interfaces_has_one_and_the_shortest_is_first() {
    let subflows = table("multipath = {}", "subflows");
    assert_eq!(texts(&subflows, "path"), ["up over", "down under"]);
    let flows = table("multipath = {}", "flows");
    assert_eq!(texts(&flows, "protocol"), ["mptcp"]);
    let most = 20e6 * 1420.0 / 1500.0;
    let goodput = numbers(&flows, "goodput_bps")[0];
    assert!(goodput > 0.95 * most && goodput < most, "{goodput}");
    assert!((numbers(&subflows, "data_share").iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn a_flow_on_one_path_has_no_subflows() {
    assert_eq!(table("", "subflows").num_rows(), 0);
    let flows = table("", "flows");
    assert!(flows["reinjected_bytes"].is_null(0) && flows["path_switches"].is_null(0));
}

/// The columns that say what limited a flow, and for how long.
const LIMITS: [&str; 8] = [
    "handshake_s",
    "idle_s",
    "application_limited_s",
    "cwnd_limited_s",
    "pacing_limited_s",
    "host_queue_limited_s",
    "receive_window_limited_s",
    "send_buffer_limited_s",
];

#[test]
fn each_moment_of_a_flow_has_one_limit() {
    for keys in ["", "pacing = true", "buffers.send = \"10 kB\"", "buffers.receive = \"10 kB\""] {
        let flows = table(&format!("multipath = {{}}\n{keys}"), "flows");
        let total: f64 = LIMITS.iter().map(|it| numbers(&flows, it)[0]).sum();
        assert!((total - 20.0).abs() < 1e-9, "{keys}: {total}");
    }
}

/// One subflow is limited as plain TCP is, except for the longer headers.
#[test]
fn one_subflow_is_limited_as_plain_tcp() {
    let path = "[[\"up\", \"over\"]]";
    for keys in ["", "pacing = true", "buffers.send = \"20 kB\"", "buffers.receive = \"20 kB\""] {
        let plain = table(keys, "flows");
        let one = table(&format!("multipath = {{ paths = {path} }}\n{keys}"), "flows");
        for it in LIMITS {
            let [plain, one] = [&plain, &one].map(|flows| numbers(flows, it)[0]);
            assert!((plain - one).abs() < 0.4, "{keys}, {it}: {plain} and {one}");
        }
    }
}

#[test]
fn a_receiver_that_asks_opens_the_subflows() {
    let keys = r#"workload = { kind = "request-response", response = "1 MB" }
multipath = { scheduler = "round-robin" }"#;
    let subflows = table(keys, "subflows");
    assert!(numbers(&subflows, "data_share").iter().all(|it| *it > 0.2));
    let transfers = table(keys, "transfers");
    assert!(transfers.num_rows() > 20);
    // No answer is sooner there than all paths together could bring it.
    assert!(numbers(&transfers, "slowdown").iter().all(|it| *it >= 1.0));
}

#[test]
fn files_that_arrive_each_have_a_connection_with_its_subflows() {
    let keys = r#"workload = { kind = "arrivals", sizes = "web-search", load = "90 %" }
multipath = {}"#;
    let flows = table(keys, "flows");
    let connections = counts(&flows, "connections")[0];
    assert!(connections > 3, "{connections}");
    assert!(counts(&flows, "transfers")[0] > 1);
    let subflows = table(keys, "subflows");
    assert!(counts(&subflows, "sent_bytes").iter().all(|it| *it > 0));
}

#[test]
fn a_path_that_goes_down_leaves_the_other() {
    let keys = r#"multipath = {}
[links.over]
changes = [{ at = "5 s", state = "down" }]"#;
    let text = scenario(keys).replace("over = { nodes = [\"upper\", \"b\"] }\n", "");
    let text = text.replace("[links.over]", "[links.over]\nnodes = [\"upper\", \"b\"]");
    let study = read(&text).unwrap_or_else(|error| panic!("{error}"));
    let flows = common::table(study, "flows");
    let goodput = numbers(&flows, "goodput_bps")[0] / (1e6 * 1420.0 / 1500.0);
    assert!(goodput > 11.5 && goodput < 12.6, "{goodput}");
    assert!(counts(&flows, "reinjected_bytes")[0] > 0);
}

#[test]
fn a_subflow_that_is_removed_leaves_its_data_to_the_other() {
    let keys = r#"multipath = { changes = [{ at = "5 s", subflow = 1, state = "removed" }] }"#;
    let flows = table(keys, "flows");
    let goodput = numbers(&flows, "goodput_bps")[0] / (1e6 * 1420.0 / 1500.0);
    assert!(goodput > 11.8 && goodput < 12.6, "{goodput}");
    assert!(counts(&flows, "reinjected_bytes")[0] > 0);
    let subflows = table(keys, "subflows");
    let established: Vec<bool> = subflows["is_established"].as_boolean().iter().flatten().collect();
    assert_eq!(established, [true, false]);
    let throughput = numbers(&subflows, "throughput_bps");
    assert!(throughput[1] < 0.27 * throughput[0], "{throughput:?}");
}

#[test]
fn all_controllers_and_schedulers_run() {
    for controller in windtunnel_controllers::DESCRIPTIONS {
        if ["reno-sce", "dctcp-sce"].contains(&controller.name) {
            continue;
        }
        let text =
            scenario("multipath = {}").replace("20 s", "2 s").replace("cubic", controller.name);
        let Ok(study) = read(&text) else { continue };
        let flows = common::table(study, "flows");
        assert!(numbers(&flows, "goodput_bps")[0] > 1e6, "{}", controller.name);
    }
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    assert_refused(
        "multipath = { scheduler = ¶\"lowest-rt\" }",
        &["there is no scheduler `lowest-rt`", "did you mean `lowest-rtt`?"],
    );
    assert_refused(
        "multipath = { paths = [[\"up\", ¶\"ower\"]] }",
        &["there is no link `ower`", "did you mean `over`?"],
    );
    assert_refused(
        "multipath = { paths = [[\"up\", ¶\"under\"]] }",
        &["link `under` is not at node `upper`"],
    );
    assert_refused(
        "multipath = { paths = [¶[\"up\"]] }",
        &["the path ends at node `upper`, not at `b`"],
    );
    assert_refused("multipath = { paths = ¶[] }", &["`paths` is empty"]);
    assert_refused(
        "multipath = { changes = [{ at = \"1 s\", subflow = ¶2, state = \"backup\" }] }",
        &["there is no subflow 2: the flow has 2", "begin with 0"],
    );
    assert_refused(
        "multipath = { changes = [{ at = \"2 s\", subflow = ¶0, state = \"removed\" }, \
         { at = \"1 s\", subflow = 1, state = \"removed\" }] }",
        &["this removes the last subflow"],
    );
    assert_refused(
        "multipath = { changes = [{ at = \"1 s\", subflow = 1, state = \"removed\" }, \
         { at = \"2 s\", subflow = ¶1, state = \"active\" }] }",
        &["subflow 1 was removed before"],
    );
    assert_refused(
        "multipath = { paths = ¶[[\"up\", \"over\"], [\"up\", \"over\"]] }",
        &["path 2 is named twice"],
    );
    assert_refused(
        "multipath = { disjoint = true, paths = ¶[[\"up\", \"over\"], [\"down\", \"under\"], \
         [\"up\", \"over\", \"under\", \"under\", \"over\", \"over\"]] }",
        &["paths 1 and 3 have link `up` in common"],
    );
    assert_refused(
        "path = [\"up\", \"over\"]\nmultipath = ¶{}",
        &["`path` and `multipath` cannot both be set"],
    );
    assert_refused(
        "split = { at = [\"upper\"] }\nmultipath = ¶{}",
        &["`split` and `multipath` cannot both be set"],
    );
}
