//! Wrong generators: one message with the place, and what would be right.

use super::read_with;

const FLOW: &str = "controller = \"cubic\"\n";

/// The message and the help of a wrong file, and the text at the place.
fn refused(text: &str) -> (String, String) {
    let error = read_with(text, &[("g.gml", "graph [ node [ id 1 ] ]")]).expect_err(text);
    let place = error.place.as_ref().unwrap_or_else(|| panic!("no place: {error}"));
    let at = text.lines().nth(place.line - 1).expect("the line is there").chars();
    let at: String = at.skip(place.column - 1).take(place.length).collect();
    (at, format!("{}; {}", error.message, error.help.unwrap_or_default()))
}

/// A topology with these keys is refused at a place, with a message that says this.
#[track_caller]
fn assert_topology(keys: &str, place: &str, says: &str) {
    let text = format!(
        "duration = \"1 s\"\n[topologies.n]\n{keys}\n[defaults]\n\
         link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n[flows.f]\nfrom = \"n-host-1\"\n\
         to = \"n-host-2\"\n{FLOW}"
    );
    assert_refused(&text, place, says);
}

/// The same of a flow among three nodes.
#[track_caller]
fn assert_flow(keys: &str, place: &str, says: &str) {
    let text = format!(
        "duration = \"1 s\"\nnodes = {{ a = {{}}, b1 = {{}}, b2 = {{}} }}\n[defaults]\n\
         link = {{ rate = \"10 Mbps\", delay = \"1 ms\" }}\n[links]\n\
         x = {{ nodes = [\"a\", \"b1\"] }}\ny = {{ nodes = [\"b1\", \"b2\"] }}\n\
         [flows.f]\n{FLOW}{keys}\n"
    );
    assert_refused(&text, place, says);
}

#[track_caller]
fn assert_refused(text: &str, place: &str, says: &str) {
    let (at, message) = refused(text);
    assert!(at == place && message.contains(says), "{at}\n{message}\n{text}");
}

#[test]
fn topologies_are_refused_where_they_are_wrong() {
    assert_topology("kind = \"fat-tre\"", "\"fat-tre\"", "did you mean `fat-tree`");
    assert_topology("kind = \"fat-tree\"", "[topologies.n]", "`n` has no `ports`");
    assert_topology("kind = \"fat-tree\"\nports = 7", "7", "write an even number");
    assert_topology("kind = \"fat-tree\"\nports = 66", "66", "from 2 to 64");
    assert_topology("kind = \"fat-tree\"\nport = 4", "port", "did you mean `ports`");
    assert_topology("kind = \"star\"\nhosts = 0", "0", "from 1 to 100000");
    assert_topology("kind = \"star\"\nhosts = -1", "-1", "a whole number from 0");
    assert_topology("kind = \"star\"\nhosts = 2\nlink = 3", "3", "`link` is not a table");
    assert_topology(
        "kind = \"star\"\nhosts = 2\nlink = { dealy = \"1 ms\" }",
        "dealy",
        "did you mean `delay`",
    );
    assert_topology("kind = \"star\"\nhosts = 2\nhost = { plaec = 1 }", "plaec", "`place`");
    assert_topology(
        "kind = \"star\"\nhosts = 2\naccess = { nodes = [\"a\", \"b\"] }",
        "nodes",
        "follows from the topology",
    );
    assert_topology("kind = \"chain\"\nnodes = 1", "1", "from 2 to");
    assert_topology("kind = \"ring\"\nnodes = 2", "2", "from 3 to");
    assert_topology("kind = \"ring\"\nnodes = 5\naccess = {}", "access", "unknown key `access`");
    assert_topology("kind = \"grid\"\nrows = 900\ncolumns = 900", "900", "100000 nodes");
    assert_topology("kind = \"tree\"\ndepth = 40\nbranches = 3", "40", "100000 nodes");
    assert_topology("kind = \"parking-lot\"\nhops = 0", "0", "from 1 to");
    assert_topology(
        "kind = \"leaf-spine\"\nleaves = 90000\nspines = 90000\nhosts_per_leaf = 1",
        "90000",
        "100000 nodes",
    );
    assert_topology("kind = \"waxman\"\nnodes = 9999", "9999", "from 2 to 5000");
    assert_topology("kind = \"waxman\"\nnodes = 9\nalpha = 0.0", "0.0", "greater than 0");
    assert_topology("kind = \"waxman\"\nnodes = 9\nbeta = 1.5", "1.5", "at most 1");
    assert_topology("kind = \"barabasi-albert\"\nnodes = 2", "2", "from 3 to");
    assert_topology("kind = \"barabasi-albert\"\nnodes = 9\nlinks_per_node = 0", "0", "from 1");
}

#[test]
fn round_trips_are_refused_where_they_are_wrong() {
    let dumbbell = |keys: &str| format!("kind = \"dumbbell\"\npairs = 2\n{keys}");
    assert_topology(&dumbbell("round_trips = []"), "[]", "`round_trips` is empty");
    assert_topology(
        &dumbbell("round_trips = [\"1 ms\"]"),
        "\"1 ms\"",
        "the bottleneck alone, 2 ms",
    );
    assert_topology(&dumbbell("round_trips = [\"1 mbit\"]"), "\"1 mbit\"", "not a valid unit");
    let both = "round_trips = [\"9 ms\"]\naccess = { delay = \"1 ms\" }";
    assert_topology(&dumbbell(both), "delay", "`round_trips` cannot both be set");
}

#[test]
fn files_of_networks_are_refused_with_their_place() {
    assert_topology("kind = \"file\"\nfile = \"x.gml\"", "\"x.gml\"", "x.gml: no such file");
    assert_topology("kind = \"file\"", "[topologies.n]", "`n` has no `file`");
    let ignore = |value: &str| format!("kind = \"file\"\nfile = \"g.gml\"\nignore = {value}");
    assert_topology(&ignore("[\"rates\"]"), "\"rates\"", "did you mean `rate`");
    assert_topology(&ignore("\"rate\""), "\"rate\"", "an array");
}

#[test]
fn groups_are_refused_where_they_are_wrong() {
    let ends = "from = \"a\"\nto = \"b1\"\n";
    assert_flow(&format!("{ends}count = 0"), "0", "write a number from 1 to 100000");
    assert_flow(&format!("{ends}count = 1000000"), "1000000", "write a number from 1 to 100000");
    assert_flow(&format!("{ends}count = \"3\""), "\"3\"", "a whole number from 0");
    assert_flow(&format!("{ends}stagger = \"1 s\""), "f", "`stagger` of `f` requires `count`");
    assert_flow(
        &format!("{ends}in_turn = {{ ip = [\"v4\"] }}"),
        "f",
        "`in_turn` of `f` requires `count`",
    );
    assert_flow(&format!("{ends}count = 2\nin_turn = 3"), "3", "`in_turn` must be a table");
    assert_flow(&format!("{ends}count = 2\nin_turn = {{ ip = \"v4\" }}"), "ip", "an array");
    assert_flow(&format!("{ends}count = 2\nin_turn = {{ ip = [] }}"), "ip", "an array");
    assert_flow(
        &format!("{ends}count = 2\nin_turn = {{ controller = [\"bbr\"] }}"),
        "controller",
        "is in the table and in its `in_turn`",
    );
    assert_flow(&format!("{ends}count = 2\nin_turn = {{ pi = [\"v4\"] }}"), "pi", "unknown key");
    assert_flow(&format!("{ends}count = 2\nstagger = \"1 m\""), "\"1 m\"", "not a valid unit");
    assert_flow(&format!("{ends}count = 9\nstagger = \"4000 h\""), "f", "out of range");
    assert_flow(&format!("{ends}cuont = 9"), "cuont", "did you mean `count`");
}

#[test]
fn patterns_are_refused_where_they_are_wrong() {
    let all = "from = \"b*\"\nto = \"*\"\n";
    assert_flow(&format!("{all}pattern = \"al-to-one\""), "\"al-to-one\"", "`all-to-one`");
    assert_flow(&format!("{all}pattern = \"all-to-one\""), "\"*\"", "`to` matches 3 nodes");
    assert_flow(&format!("{all}pattern = \"permutation\""), "\"*\"", "as many senders");
    assert_flow(&format!("{all}pattern = \"random-pairs\""), "\"random-pairs\"", "`pairs`");
    assert_flow(
        &format!("{all}pattern = {{ kind = \"random-pairs\", pairs = 0 }}"),
        "0",
        "1 to 100000",
    );
    assert_flow(
        "from = \"c*\"\nto = \"a\"\npattern = \"matrix\"",
        "\"c*\"",
        "there is no node `c*`",
    );
    assert_flow("from = \"a\"\npattern = \"matrix\"", "f", "`f` has no `to`");
    assert_flow("from = 3\nto = \"a\"\npattern = \"matrix\"", "3", "`from` must be text");
    for pattern in ["\"matrix\"", "\"permutation\"", "{ kind = \"random-pairs\", pairs = 1 }"] {
        let text = format!("from = \"a\"\nto = \"a\"\npattern = {pattern}");
        assert_flow(&text, "\"a\"", "no two different nodes");
    }
}

#[test]
fn a_wildcard_without_a_pattern_is_explained() {
    assert_flow("from = \"b*\"\nto = \"a\"", "\"b*\"", "write a `pattern`");
}

#[test]
fn two_tables_make_one_name_once() {
    let text = format!(
        "duration = \"1 s\"\n[topologies.n]\nkind = \"star\"\nhosts = 2\n[nodes]\n\
         n-host = {{ count = 1 }}\n[flows.f]\nfrom = \"n-host-1\"\nto = \"n-host-2\"\n{FLOW}"
    );
    assert_refused(&text, "n", "`n-host-1` is defined here and by another table");
}

#[test]
fn no_default_stands_for_many() {
    let text = format!(
        "duration = \"1 s\"\n[topologies.n]\nkind = \"star\"\nhosts = 2\n\
         [defaults]\nflow = {{ count = 2 }}\nlink = {{ rate = \"1 Mbps\", delay = \"1 ms\" }}\n\
         [flows.f]\nfrom = \"n-host-1\"\nto = \"n-host-2\"\n{FLOW}"
    );
    assert_refused(&text, "count", "`count` cannot be set under `defaults`");
}

#[test]
fn without_any_nodes_a_file_is_refused() {
    let text = format!("duration = \"1 s\"\n[flows.f]\nfrom = \"a\"\nto = \"b\"\n{FLOW}");
    let error = read_with(&text, &[]).expect_err("it has no nodes").to_string();
    assert!(error.contains("the scenario has no nodes"), "{error}");
}
