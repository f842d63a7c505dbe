//! Flows from a file: what a scenario would write itself.

use windtunnel_scenario::{ScenarioError, Study};

use super::{plans, read, read_with};

const STAR: &str = "duration = \"1 s\"\n[topologies.t]\nkind = \"star\"\nhosts = 3\n\
                    link = { rate = \"10 Mbps\", delay = \"1 ms\" }\n";

/// A scenario with the flows of a list, whose table has these keys as well.
fn listed(text: &str, keys: &str, more: &str) -> Result<Study, ScenarioError> {
    let flows = format!(
        "{STAR}[flows.f]\nfrom = \"t-host-*\"\nto = \"t-host-*\"\ncontroller = \"cubic\"\n\
         pattern = {{ kind = \"listed\", file = \"flows.csv\"{keys} }}\n{more}"
    );
    read_with(&flows, &[("flows.csv", text)])
}

/// The flows that the lists below have.
fn written() -> Study {
    let flow = |name, ends: [u32; 2], start: &str, size: &str| {
        let [from, to] = ends;
        format!(
            "[flows.{name}]\nfrom = \"t-host-{from}\"\nto = \"t-host-{to}\"\n\
             controller = \"cubic\"\nstart = \"{start}\"\n\
             workload = {{ kind = \"file\", size = \"{size}\" }}\n"
        )
    };
    let flows = [
        flow("f-1", [1, 3], "0 s", "5000 B"),
        flow("f-2", [3, 2], "1500 us", "1 B"),
        flow("f-3", [1, 3], "100 ms", "10 MB"),
    ];
    read(&format!("{STAR}{}", flows.concat()))
}

#[test]
fn a_list_is_what_a_file_would_write() {
    let by_name = "from,to,start,size\nt-host-1,t-host-3,0,5000\nt-host-3,t-host-2,0.0015,1\n\
                   t-host-1,t-host-3,0.1,10000000\n";
    let hpcc = "3\n0 2 3 100 5000 0\n2 1 3 100 1 0.0015\n# the last\n0 2 3 100 10000000 0.1\n";
    let columns = ", columns = [\"from\", \"to\", \"priority\", \"port\", \"size\", \"start\"]";
    for (text, keys) in [(by_name, ""), (hpcc, columns)] {
        let made = listed(text, keys, "").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plans(&made), plans(&written()));
    }
}

#[test]
fn a_list_is_refused_where_it_is_wrong() {
    for (text, says) in [
        ("", "the list has no flows"),
        ("from to start size", "the list has no flows"),
        ("from to start", "there is no column `size`"),
        ("from to to start size", "there are two columns `to`"),
        ("from to start size\n0 1 0", "flows.csv:2:1: 3 words, and 4 columns"),
        ("from to start size\n0 3 0 1", "\"3\" is not a node that `to` matches"),
        ("from to start size\n0 t 0 1", "\"t\" is not a node that `to` matches"),
        ("from to start size\n1 1 0 1", "both ends of the flow are node `t-host-2`"),
        ("from to start size\n0 1 -1 1", "\"-1\" is not a time in seconds"),
        ("from to start size\n0 1 0 1.5", "\"1.5\" is not a number of bytes"),
        ("from to start size\n0 1 0 0", "\"0\" is not a number of bytes"),
        ("2\nfrom to start size\n0 1 0 1", "\"2\" is not the number of flows"),
    ] {
        let error = listed(text, "", "").expect_err(text);
        assert!(error.message.contains(says), "{text}: {error}");
    }
    let valid = "from to start size\n0 1 0 1";
    for more in ["start = \"1 s\"\n", "workload = { kind = \"file\", size = \"1 B\" }\n"] {
        let error = listed(valid, "", more).expect_err(more);
        assert!(error.message.contains("beside a file of flows"), "{error}");
    }
    let error = listed(valid, ", columns = [\"from\"]", "").expect_err("columns");
    assert!(error.message.contains("there is no column `to`"), "{error}");
}

proptest::proptest! {
    #[test]
    fn no_text_is_read_without_an_end(text in "(from|to|start|size|[0-9]|[ ,.#\n-]|\\PC){0,40}") {
        let _ = listed(&text, "", "");
    }
}
