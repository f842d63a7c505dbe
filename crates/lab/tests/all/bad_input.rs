//! Mistakes in scenario files: one clear message, with the place, and what would
//! be right. `¶` marks the place that the message must name.

use crate::common;
use crate::common::{FILE, VALID, changed, read, set, with};
use windtunnel_lab::ScenarioError;

#[track_caller]
fn refused(marked: &str) -> ScenarioError {
    common::refused(marked, read)
}

/// What the user sees has all of this in it, and the file's name.
#[track_caller]
fn assert_says(error: &ScenarioError, expected: &[&str]) {
    assert!(error.to_string().starts_with(FILE), "{error}");
    common::assert_contains(error, expected);
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    assert_says(&refused(marked), expected);
}

#[test]
fn the_scenario_that_all_mistakes_are_made_in_is_valid() {
    assert!(read(VALID).is_ok());
}

#[test]
fn a_wrong_unit_is_named_with_the_right_ones() {
    assert_refused(
        &changed("\"10 Mbps\"", "¶\"10 MB\""),
        &[
            "`MB` is not a valid unit for a rate",
            "\"100 Mbps\"",
            "units: bps, kbps, Mbps, Gbps, Tbps",
        ],
    );
    assert_refused(
        &changed("\"1 ms\"", "¶\"1 msec\""),
        &["`msec` is not a valid unit for a duration"],
    );
}

#[test]
fn a_number_without_its_unit_is_refused() {
    assert_refused(&changed("\"10 Mbps\"", "¶10"), &["\"10\" has no unit", "\"100 Mbps\""]);
    assert_refused(&changed("\"1 ms\"", "¶0.5"), &["\"0.5\" has no unit", "\"10 ms\""]);
    assert_refused(&changed("\"50 packets\"", "¶\"50\""), &["has no unit", "\"100 packets\""]);
}

#[test]
fn a_rate_of_zero_and_a_negative_delay_are_refused() {
    assert_refused(&changed("\"10 Mbps\"", "¶\"0 Mbps\""), &["never sends anything"]);
    assert_refused(&changed("\"1 ms\"", "¶\"-1 ms\""), &["\"-1 ms\" is negative"]);
}

#[test]
fn what_is_longer_than_the_clock_is_refused() {
    assert_refused(&changed("\"1 ms\"", "¶\"6000 h\""), &["213 days"]);
    // The longest delays that there are add up without harm.
    let longest = changed("\"1 ms\"", "\"4999 h\"").replace("\"2 ms\"", "\"4999 h\"");
    assert!(read(&longest.replace("hops", "delay")).is_ok());
}

#[test]
fn an_unknown_key_gets_the_nearest_known_one() {
    assert_refused(&changed("duration =", "¶duratoin ="), &["unknown key", "mean `duration`?"]);
    assert_refused(&changed("delay = \"1 ms\"", "¶dealy = \"1 ms\""), &["mean `delay`?"]);
    assert_refused(
        &changed("title =", "¶colour ="),
        &["unknown key `colour`", "known here: `title`"],
    );
}

#[test]
fn an_unknown_word_gets_the_nearest_known_one() {
    assert_refused(
        &changed("\"codel\"", "¶\"codle\""),
        &["unknown value", "did you mean `codel`?"],
    );
    assert_refused(&changed("\"hops\"", "¶\"hop\""), &["did you mean `hops`?"]);
}

#[test]
fn a_missing_key_is_named_where_it_is_missing() {
    let timeless = read(&changed("duration = \"2 s\"\n", "")).expect_err("it has no duration");
    assert_says(&timeless, &["missing key `duration`"]);
    assert_refused(
        &changed(
            "first = { nodes = [\"a\", \"b\"], rate = \"10 Mbps\",",
            "first = ¶{ nodes = [\"a\", \"b\"],",
        ),
        &[
            "`first` has no `rate`",
            "write one of `rate`, `radio`, `fixed_wireless`, `optical`, `trace`",
        ],
    );
    assert_refused(
        &changed("[consumers.viewer]\nnode = \"a\"\n", "¶[consumers.viewer]\n"),
        &["`viewer` has no `node`"],
    );
}

#[test]
fn a_missing_node_gets_the_nearest_known_one() {
    assert_refused(
        &changed("[\"a\", \"b\"]", "[\"a\", ¶\"bb\"]"),
        &["there is no node `bb`", "did you mean `b`?", "`a`, `b`, `c`"],
    );
    assert_refused(&changed("node = \"c\"", "node = ¶\"see\""), &["there is no node `see`"]);
    assert_refused(&changed("node = \"a\"", "node = ¶\"aa\""), &["did you mean `a`?"]);
}

#[test]
fn two_nodes_of_one_name_are_refused() {
    assert_refused(&changed("c = {} }", "¶a = {} }"), &["duplicate key"]);
    assert_refused(&with("[consumers.¶viewer]\n"), &["duplicate"]);
}

#[test]
fn a_link_joins_two_different_nodes() {
    assert_refused(
        &changed("[\"a\", \"b\"]", "¶[\"a\", \"a\"]"),
        &["both ends are node `a`", "two different nodes"],
    );
    assert_refused(&changed("[\"a\", \"b\"]", "¶[\"a\", \"b\", \"c\"]"), &["two nodes, not 3"]);
    assert_refused(&changed("[\"a\", \"b\"]", "¶[\"a\"]"), &["two nodes, not 1", "[\"a\", \"b\"]"]);
}

#[test]
fn a_consumer_without_a_path_is_named_with_what_to_do() {
    let apart = changed("[\"b\", \"c\"]", "[\"a\", \"b\"]").replace("[consumers.", "[consumers.¶");
    assert_refused(&apart, &["consumer `viewer` on node `a` has no path", "connect `a`"]);
    let unserved = changed("\"/video\"\n[consumers.", "\"/audio\"\n[consumers.¶");
    assert_refused(&unserved, &["no producer serves it", "`/audio`"]);
}

#[test]
fn an_unknown_controller_or_parameter_gets_the_nearest_known_one() {
    assert_refused(
        &changed("\"cubic\"", "¶\"cubik\""),
        &["there is no controller `cubik`", "did you mean `cubic`?", "`ec-elastic`"],
    );
    assert_refused(
        &changed("\"cubic\"", "{ kind = \"cubic\", ¶bet = 0.7 }"),
        &["`cubic` has no parameter `bet`", "did you mean `beta`?"],
    );
}

#[test]
fn a_parameter_beyond_its_limits_or_of_another_kind_is_refused() {
    for wrong in ["7", "\"much\"", "true", "nan"] {
        let text = changed("\"cubic\"", &format!("{{ kind = \"cubic\", beta = ¶{wrong} }}"));
        assert_refused(&text, &["this is not a valid value of `beta`", "from 0.01 to 0.99"]);
    }
    assert_refused(
        &changed("\"cubic\"", "{ kind = \"cubic\", beta = ¶[1] }"),
        &["a number, a word, true or false"],
    );
    assert_refused(&changed("\"cubic\"", "¶{ beta = 0.7 }"), &["no `kind`", "kind = \"cubic\""]);
}

#[test]
fn a_value_of_another_type_is_refused_in_plain_words() {
    assert_refused(&changed("seed = 7", "seed = ¶\"seven\""), &["is not a whole number"]);
    assert_refused(&changed("seed = 7", "seed = ¶-7"), &["`-7` is not a whole number"]);
    assert_refused(&changed("seed = 7", "seed = ¶7.5"), &["is not a whole number"]);
    assert_refused(
        &changed("{ probability = \"1 %\" }", "¶0.01"),
        &["`0.01` is not a probability such as \"1 %\", or a table"],
    );
    assert_refused(&changed("[\"a\", \"b\"]", "¶\"a\""), &["is not an array"]);
}

#[test]
fn a_key_of_another_kind_of_queue_or_workload_is_refused() {
    assert_refused(
        &changed("limit = \"50 packets\"", "¶threshold = \"1 kB\""),
        &["`threshold` does not apply to `codel`", "it is a key of `link-service`"],
    );
    let workload =
        |text: &str| with("").replace("\"cubic\"", &format!("\"cubic\"\nworkload = {text}"));
    assert_refused(
        &workload("{ kind = \"stream\", ¶size = \"1 MB\" }"),
        &["it is a key of `file`"],
    );
    assert_refused(&workload("{ kind = \"file\", ¶objects = 5 }"), &["it is a key of `catalogue`"]);
    assert_refused(
        &workload("¶{ kind = \"file\" }"),
        &["`workload` has no `size`", "size = \"64 KiB\""],
    );
    assert_refused(&workload("¶{ kind = \"catalogue\" }"), &["`workload` has no `objects`"]);
    assert_refused(&workload("¶\"catalogue\""), &["`workload` has no `objects`"]);
    assert_refused(
        &workload("{ kind = \"catalogue\", objects = ¶0 }"),
        &["`objects` must be greater than zero"],
    );
    for exponent in ["-1.0", "nan"] {
        let text = format!("{{ kind = \"catalogue\", objects = 9, exponent = ¶{exponent} }}");
        assert_refused(&workload(&text), &["`exponent` must not be negative"]);
    }
}

#[test]
fn an_incomplete_or_impossible_loss_is_refused() {
    let incomplete = "¶{ kind = \"gilbert-elliott\", in_good_state = \"1 %\" }";
    assert_refused(
        &changed("{ probability = \"1 %\" }", incomplete),
        &["`loss` has no `in_bad_state`"],
    );
    assert_refused(&changed("\"1 %\"", "¶\"101 %\""), &["not between 0 % and 100 %"]);
    assert_refused(
        &changed("probability = \"1 %\"", "probability = \"1 %\", ¶to_bad_state = \"2 %\""),
        &["does not apply to `independent`", "it is a key of `gilbert-elliott`"],
    );
    let never = "{ kind = \"continuous-gilbert-elliott\", in_good_state = \"0 %\", \
                 in_bad_state = \"1 %\", good_state_lasts = \"1 s\", bad_state_lasts = ¶\"0 ms\" }";
    assert_refused(
        &changed("{ probability = \"1 %\" }", never),
        &["`bad_state_lasts` must be greater than zero"],
    );
}

#[test]
fn what_would_stand_still_for_ever_is_refused() {
    assert_refused(
        &changed("\"2 s\"", "¶\"0 s\""),
        &["`duration` must be greater than zero", "\"30 s\""],
    );
    for key in ["timeout.initial", "timeout.maximum"] {
        let text = changed("\"cubic\"", &format!("\"cubic\"\n{key} = ¶\"0 s\""));
        assert_refused(&text, &["must be greater than zero"]);
    }
    let local = changed("node = \"a\"", "node = \"c\"").replace("[consumers.", "[consumers.¶");
    assert_refused(&local, &["on the same node as a producer without delay", "response_delay"]);
    let catalogue =
        changed("\"cubic\"", "\"cubic\"\nworkload = { kind = \"catalogue\", objects = 9 }")
            .replace("[consumers.", "[consumers.¶");
    assert_refused(
        &catalogue.replace("a = {}", "a = { content_store = { capacity = \"5 packets\" } }"),
        &["as a content store without delay", "\"0 packets\""],
    );
    // A default is for other nodes.
    let by_default = catalogue.replace('¶', "").replace(
        "[defaults.link]",
        "[defaults.node]\ncontent_store = { capacity = \"5 packets\" }\n[defaults.link]",
    );
    let cached: Vec<_> =
        read(&by_default).unwrap().cases[0].plan.nodes.iter().map(|it| it.cached).collect();
    assert_eq!(cached, [0, 5, 5]);
    let slow = "a = { content_store = { capacity = \"5 packets\" }, processing_time = \"1 us\" }";
    assert!(read(&catalogue.replace('¶', "").replace("a = {}", slow)).is_ok());
    let delayed = local.replace('¶', "").replace(
        "node = \"c\"\nprefix = \"/video\"\n[c",
        "node = \"c\"\nresponse_delay = \"1 ms\"\nprefix = \"/video\"\n[c",
    );
    assert!(read(&delayed).is_ok());
}

#[test]
fn what_would_fill_the_memory_is_refused() {
    assert_refused(&changed("seed = 7", "runs = ¶4000000000"), &["more than 1000000 runs"]);
    assert_refused(
        &changed("seed = 7", "runs = ¶0"),
        &["`runs` must be greater than zero", "1 or more"],
    );
    let axis = |number: usize| {
        let cases: String = (0..10).map(|it| format!("c{it} = {{ seed = {it} }}\n")).collect();
        format!("[compare.{}axis{number}]\n{cases}", if number == 0 { "¶" } else { "" })
    };
    let axes: String = (0..30).map(axis).collect();
    assert_refused(&with(&axes), &["more than 10000 cases"]);
}

#[test]
fn a_packet_that_would_not_fit_is_refused() {
    let producer = |line: &str| changed("node = \"c\"", &format!("node = \"c\"\n{line}"));
    for payload in ["0 B", "8193 B", "1 GB"] {
        assert_refused(&producer(&format!("payload = ¶\"{payload}\"")), &["1 B to 8192 B"]);
    }
    let long = format!("¶\"/{}\"", "x".repeat(9000));
    let text = changed("\"/video\"\n[consumers", &format!("{long}\n[consumers"));
    assert_refused(&text, &["a name of 9004 bytes", "at most 250"]);
    let largest = producer("payload = \"8192 B\"\nsignature = \"rsa2048\"");
    assert!(read(&largest.replace("/video", &format!("/{}", "x".repeat(240)))).is_ok());
}

#[test]
fn more_links_and_applications_than_a_node_can_number_are_refused() {
    let consumers: String = (0..65_534).map(|it| format!("c{it} = {{}}\n")).collect();
    let defaults = "[defaults.consumer]\nnode = \"a\"\nprefix = \"/video\"\ncontroller = \"aimd\"";
    let text = changed("a = {},", "¶a = {},")
        .replace("[consumers.viewer]", &format!("[consumers]\n{consumers}[consumers.viewer]"))
        .replace("[routing]", &format!("{defaults}\n[routing]"));
    assert_refused(
        &text,
        &["node `a` has too many links and applications: 65536", "at most 65535"],
    );
}

#[test]
fn a_name_that_is_none_is_refused_with_the_reason() {
    for (wrong, reason) in [("video", "begins with `/`"), ("/a%zz", "`%`"), ("", "begins with `/`")]
    {
        let text = changed("\"/video\"\n[consumers", &format!("¶\"{wrong}\"\n[consumers"));
        assert_refused(&text, &["is not a valid name", reason, "\"/video/news\""]);
    }
}

#[test]
fn a_route_over_a_missing_or_distant_link_is_refused() {
    let route = |link: &str| {
        with(&format!(
            "[[routing.routes]]\nnode = \"a\"\nprefix = \"/video\"\nlink = ¶\"{link}\"\n"
        ))
    };
    assert_refused(&route("frist"), &["there is no link `frist`", "did you mean `first`?"]);
    assert_refused(&route("second"), &["link `second` is not at node `a`", "it joins `b` and `c`"]);
}

#[test]
fn a_comparison_of_a_path_that_is_not_there_is_refused_at_the_path() {
    let case = |path: &str, value: &str| {
        with(&format!("[compare.what]\none = {{ ¶\"{path}\" = {value} }}\n"))
    };
    let missing = refused(&case("links.frist.rate", "\"1 Mbps\""));
    assert_says(
        &missing,
        &["there is no `frist` in links", "did you mean `first`?", "(in the case one)"],
    );
    assert_refused(&case("links.first.rat", "\"1 Mbps\""), &["unknown key `rat`", "mean `rate`?"]);
    assert_refused(&case("links.first.rate", "\"1 Mb\""), &["`Mb` is not a valid unit for a rate"]);
    assert_refused(&case("title.length", "1"), &["`title` is a value, not a table"]);
    assert_refused(&case("not a path", "1"), &["is not a valid path", "links.access.rate"]);
}

#[test]
fn a_comparison_without_cases_is_refused() {
    assert_refused(&with("[compare.¶what]\n"), &["`compare.what` has no cases"]);
}

/// A mistake behind a value that a case sets, elsewhere in the file, stays at its
/// own place.
#[test]
fn a_case_moves_no_mistake_to_another_line() {
    let compare = "[compare.what]\none = { \"defaults.consumer.start\" = \"1 s\" }\n";
    let text = changed("\"cubic\"", "¶\"cubik\"") + compare;
    assert_refused(&text, &["there is no controller `cubik`"]);
}

#[test]
fn a_wrong_setting_is_named_as_it_was_given() {
    for (path, value, expected) in [
        ("links.frist.rate", "1 Mbps", "did you mean `first`?"),
        ("links.first.rate", "1 Mb", "`Mb` is not a valid unit for a rate"),
        ("links.first.rat", "1 Mbps", "did you mean `rate`?"),
        ("seed", "many", "is not a whole number"),
        ("links", "5", "is not a table"),
        ("duration.seconds", "5", "`duration` is a value, not a table"),
        ("links.first.nodes.2", "x", "array `links.first.nodes` has no element `2`"),
        ("links.first.nodes.x.y", "x", "array `links.first.nodes` has no element `x`"),
        ("duration", "0 s", "must be greater than zero"),
        ("", "1", "is not a valid path"),
        ("a..b", "1", "is not a valid path"),
    ] {
        let error = set(VALID, &[(path, value)]).expect_err("the setting is wrong");
        assert_says(&error, &[&format!("{path}={value}"), expected]);
    }
}

#[test]
fn an_empty_file_is_told_what_it_lacks() {
    for empty in ["", "\n", "# nothing\n"] {
        assert_says(&read(empty).expect_err("nothing is in it"), &["missing key `duration`"]);
    }
    let without = &VALID[..VALID.find("[consumers").expect("it has consumers")];
    let error = read(&format!("{without}[consumers]\n")).expect_err("no consumer requests");
    assert_says(
        &error,
        &["the scenario has no flows and no consumers", "[flows.f1]", "[consumers.c1]"],
    );
}

#[test]
fn text_that_is_no_toml_is_refused_at_the_place() {
    assert_refused("duration = ¶\n", &[]);
    assert_refused(&changed("seed = 7", "seed = ¶= 7"), &[]);
    assert_refused(&changed("title = \"Two links\"", "title = \"Two links¶"), &[]);
    assert_refused(&with("[links¶\n"), &[]);
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_are_no_mistake() {
    assert!(read(&VALID.replace('\n', "\r\n")).is_ok());
    assert!(read(&format!("\u{feff}{VALID}")).is_ok());
    let windows = changed("\"cubic\"", "¶\"cubik\"").replace('\n', "\r\n");
    assert_refused(&windows, &["there is no controller `cubik`"]);
}

#[test]
fn a_file_of_17_megabytes_is_not_read() {
    let error = read(&"#".repeat(17 << 20)).expect_err("it is too large");
    assert_says(&error, &["too large for a scenario", "16 MiB"]);
    assert!(error.to_string().len() < 300);
}

#[test]
fn deep_nesting_is_refused() {
    let many = 100_000;
    for text in [
        format!("x = {}{}", "[".repeat(many), "]".repeat(many)),
        format!("x = {}1{}", "{a=".repeat(many), "}".repeat(many)),
        format!("{}a = 1", "a.".repeat(many)),
        format!("[{}a]", "a.".repeat(many)),
    ] {
        assert!(read(&text).is_err());
    }
    let path = format!("{}a", "a.".repeat(many));
    assert!(set(VALID, &[(&path, "1")]).is_err());
}

/// However long the line or the word is, and whatever is in it.
#[test]
fn a_message_stays_readable() {
    let long = "x".repeat(1 << 20);
    let many: String = (0..5_000).map(|it| format!("n{it} = {{}}, ")).collect();
    for text in [
        format!("title = \"{long}\"\ncolour = 1\n{VALID}"),
        format!("{long} = 1\n"),
        format!("colour = \"{long}\" "),
        changed("\"cubic\"", &format!("\"{long}\"")),
        changed("c = {} }", &format!("{many} c = {{}} }}")).replace("\"b\"]", "\"nowhere\"]"),
        changed("title = \"Two links\"", "\u{1b}[31m\u{7} = \"\u{202e}\""),
    ] {
        let shown = read(&text).expect_err("the text is wrong").to_string();
        assert!(shown.chars().count() < 2_000, "{} characters", shown.chars().count());
        assert!(!shown.contains(|it: char| it.is_control() && it != '\n'), "{shown:?}");
    }
}

/// The mark under the line stands below what it means, in a long line too.
#[test]
fn the_mark_stands_under_its_place() {
    let padding = " ".repeat(500);
    for text in [
        changed("\"10 Mbps\"", "\"10 MB\""),
        changed("\"10 Mbps\"", &format!("{padding}\"10 MB\"{padding}")),
        changed("\"10 Mbps\"", "\t\"10 MB\""),
        changed("\"10 Mbps\"", "\"10 MB\"").replace("first =", "\"größer\" ="),
    ] {
        let shown = read(&text).expect_err("MB is no rate").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        let start = lines[3].find('^').expect("a mark");
        let marked: String = lines[2].chars().skip(start).take(7).collect();
        assert_eq!(marked, "\"10 MB\"", "{shown}");
        assert_eq!(lines[3].matches('^').count(), 7);
    }
}

/// The valid scenario with a flow; `more` are keys of the flow.
fn with_flow(more: &str) -> String {
    format!("{VALID}\n[flows.f]\n{more}\n")
}

const FLOW: &str = "from = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";

fn flow(more: &str) -> String {
    with_flow(&format!("{FLOW}{more}"))
}

#[test]
fn a_flow_needs_two_nodes_and_a_controller() {
    let wrong = |marked: &str, expected: &[&str]| {
        assert_refused(&format!("{VALID}\n{marked}\n"), expected);
    };
    wrong("¶[flows.f]\nto = \"b\"\ncontroller = \"cubic\"", &["`f` has no `from`"]);
    wrong("¶[flows.f]\nfrom = \"a\"\ncontroller = \"cubic\"", &["`f` has no `to`"]);
    wrong("¶[flows.f]\nfrom = \"a\"\nto = \"b\"", &["`f` has no `controller`"]);
    let ends = |ends: &str| format!("[flows.f]\ncontroller = \"cubic\"\n{ends}");
    wrong(&ends("from = \"a\"\nto = ¶\"a\""), &["are at the same node"]);
    wrong(&ends("from = \"a\"\nto = ¶\"bb\""), &["there is no node `bb`"]);
    assert_refused(&flow("¶stat = \"1 s\""), &["unknown key `stat`", "did you mean `start`"]);
}

#[test]
fn keys_of_another_protocol_are_refused() {
    let payload = flow("¶payload = \"100 B\"");
    assert_refused(&payload, &["`payload` does not apply to `tcp`", "it is a key of `udp`"]);
    let rate = flow("¶rate = \"1 Mbps\"");
    assert_refused(&rate, &["`rate` does not apply to `tcp`", "it is a key of `udp`"]);
    let udp =
        |more: &str| with_flow(&format!("from = \"a\"\nto = \"b\"\nprotocol = \"udp\"\n{more}"));
    let rate = "rate = \"1 Mbps\"\n";
    let ecn = format!("{rate}¶ecn = \"off\"");
    assert_refused(&udp(&ecn), &["`ecn` does not apply to `udp`", "it is a key of `tcp`"]);
    let file = format!("{rate}workload = {{ kind = ¶\"file\", size = \"1 MB\" }}");
    assert_refused(&udp(&file), &["unknown value `file`", "on-off"]);
    let empty = format!("{rate}payload = ¶\"0 B\"");
    assert_refused(&udp(&empty), &["`payload` must be between 1 B and 65000 B"]);
}

#[test]
fn a_workload_has_its_own_keys_and_needs_some() {
    let workload = |text: &str| flow(&format!("workload = {text}"));
    assert_refused(&workload("¶{ kind = \"file\" }"), &["`workload` has no `size`", "\"64 KiB\""]);
    assert_refused(
        &workload("{ kind = \"bulk\", ¶size = \"1 MB\" }"),
        &["`size` does not apply to `bulk`", "it is a key of `file`"],
    );
    assert_refused(
        &workload("{ kind = \"on-off\", on = ¶\"0 s\", off = \"1 s\" }"),
        &["`on` must be greater than zero"],
    );
    let arrivals = |text: &str| workload(&format!("{{ kind = \"arrivals\", {text} }}"));
    assert_refused(
        &arrivals("sizes = \"1 kB\", rate = \"5 per second\", load = ¶\"5 %\""),
        &["`rate` and `load` cannot both be set"],
    );
    assert_refused(
        &arrivals("sizes = \"1 kB\", rate = ¶\"5 Mbps\""),
        &["`Mbps` is not a valid unit for a rate of events", "\"100 per second\""],
    );
    assert_refused(
        &arrivals("load = \"5 %\", sizes = ¶\"web-serch\""),
        &["there is no distribution `web-serch`", "web-search"],
    );
    assert_refused(
        &arrivals("load = \"5 %\", sizes = ¶[[\"1 kB\", \"0 %\"], [\"2 kB\", \"90 %\"]]"),
        &["must end at 100 %"],
    );
    assert_refused(
        &arrivals("load = \"5 %\", sizes = ¶[[\"2 kB\", \"0 %\"], [\"1 kB\", \"100 %\"]]"),
        &["must not fall"],
    );
    assert_refused(&arrivals("load = \"5 %\", sizes = { file = ¶\"none.txt\" }"), &["none.txt"]);
    assert_refused(
        &arrivals("load = \"5 %\", sizes = { file = \"none.txt\", unit = ¶\"0 B\" }"),
        &["`unit` must be between 1 B"],
    );
}

#[test]
fn a_controller_that_lacks_what_it_needs_is_refused() {
    let flow = |controller: &str, more: &str| {
        with_flow(&format!("from = \"a\"\nto = \"b\"\ncontroller = ¶\"{controller}\"\n{more}"))
    };
    assert_refused(
        &flow("dctcp", "ecn = \"off\""),
        &["controller `dctcp` needs an echo that counts congestion marks", "ecn = \"dctcp\""],
    );
    assert_refused(
        &flow("ledbat", "timestamps = false"),
        &["controller `ledbat` needs timestamps"],
    );
    assert_refused(&flow("reno-sce", ""), &["routers that send the milder mark", "kind = \"sce\""]);
}

#[test]
fn a_link_changes_one_thing_at_a_time() {
    let changes = |text: &str| {
        let limit = "limit = \"50 packets\" }";
        changed(limit, &format!("{limit}\nchanges = [{text}]"))
    };
    let both = "{ at = ¶\"1 s\", rate = \"1 Mbps\", state = \"down\" }";
    let one = "a change must set one of `rate`, `delay`, `state`, `loss`, `lateness` and `queue`";
    assert_refused(&changes(both), &[one]);
    assert_refused(&changes("{ at = ¶\"1 s\" }"), &[one]);
    let late = |it| changes(&format!("{{ at = \"1 s\", lateness = ¶\"{it}\" }}"));
    assert_refused(&late("60 ms"), &["`lateness` cannot change on a link without `reordering`"]);
    assert_refused(&late("0 s"), &["`lateness` must be greater than zero"]);
}

#[test]
fn queues_that_limit_a_rate_or_have_bands_say_what_they_need() {
    let queue = |keys: &str| changed("kind = \"codel\"", keys);
    let small = "kind = \"policer\", rate = \"1 Mbps\", burst = ¶\"1 kB\"";
    assert_refused(
        &queue(small),
        &["a `burst` of 1000 B is out of range", "at least a full packet"],
    );
    let none = "kind = \"strict-priority\", bands = ¶[]";
    assert_refused(&queue(none), &["must name 1 to 15 bands"]);
    let twice = "kind = \"strict-priority\", bands = ¶[[\"EF\"], [\"EF\", \"CS1\"]]";
    assert_refused(&queue(twice), &["a class can be in one band only"]);
    let shared = "kind = \"shaper\", rate = \"1 Mbps\", burst = \"10 kB\"";
    let limit = "limit = \"50 packets\" }";
    let medium = queue(shared).replacen(limit, &format!("{limit}\nmedium = ¶\"air\""), 1);
    assert_refused(&medium, &["a queue that shapes cannot be before a shared medium"]);
}

#[test]
fn losses_of_a_flow_name_one_and_nothing_else() {
    let loss = |keys: &str| {
        let limit = "limit = \"50 packets\" }";
        let loss = format!("loss = {{ kind = \"listed\", packets = [3], {keys} }}");
        changed(limit, &format!("{limit}\n{loss}"))
    };
    assert_refused(&loss("flow = ¶\"nobody\""), &["there is no flow `nobody`"]);
    let both = "flow = ¶\"nobody\", of = \"selected\"";
    assert_refused(&loss(both), &["`flow` and `of` cannot both be set"]);
}

#[test]
fn proxies_are_on_the_path_of_a_flow_in_their_order() {
    let split = |value: &str| {
        let keys = "from = \"a\"\nto = \"c\"\ncontroller = \"cubic\"";
        with_flow(&format!("{keys}\nsplit = {value}"))
    };
    assert!(read(&split("{ at = [\"b\"], buffer = \"1 MB\" }")).is_ok());
    let not_next = ["proxy `a` is not the next one on the path", "a, b, c"];
    assert_refused(&split("{ at = [¶\"a\"] }"), &not_next);
    assert_refused(&split("{ at = [\"b\", ¶\"b\"] }"), &["proxy `b` is not the next one"]);
    assert_refused(&split("{ at = [\"b\", ¶\"c\"] }"), &["proxy `c` is not the next one"]);
    assert_refused(&split("{ at = [¶\"bb\"] }"), &["there is no node `bb`"]);
    assert_refused(&split("{ at = ¶[] }"), &["`split` is empty"]);
    assert_refused(
        &split("{ at = [\"b\"], buffer = ¶\"0 B\" }"),
        &["`buffer` must be between 1 B"],
    );
    let asking = "workload = { kind = \"request-response\", response = \"1 kB\" }";
    assert_refused(
        &split(&format!("¶{{ at = [\"b\"] }}\n{asking}")),
        &["a connection that the receiver opens"],
    );
}

#[test]
fn writes_and_workers_are_at_least_one() {
    assert!(read(&flow("socket = { write_size = \"1 B\", nagle = \"minshall\" }")).is_ok());
    for key in ["socket.write_size", "window.ssthresh", "buffers.receive", "buffers.send"] {
        let empty = flow(&format!("{key} = ¶\"0 B\""));
        assert_refused(&empty, &["\"0 B\" must be between 1 B and 1 GiB", "\"64 KiB\""]);
    }
    let nagle = flow("socket.nagle = ¶\"on\"");
    assert_refused(&nagle, &["`on`", "`off`", "`classic`", "`minshall`"]);
    let workers = |number: &str| {
        flow(&format!(
            "workload = {{ kind = \"request-response\", response = \"1 kB\", workers = {number} }}"
        ))
    };
    assert!(read(&workers("65535")).is_ok());
    assert_refused(&workers("¶0"), &["`workers` must be greater than zero", "workers = 10"]);
    assert_refused(&workers("¶65536"), &["65536"]);
}

#[test]
fn a_kind_without_required_keys_may_be_written_as_its_name() {
    let queue = |text: &str| changed("{ kind = \"codel\", limit = \"50 packets\" }", text);
    for text in ["\"fq-codel\"", "[\"red\", { kind = \"pie\", target = \"20 ms\" }]"] {
        assert!(read(&queue(text)).is_ok(), "{text}");
    }
    assert_refused(&queue("¶\"fq-codle\""), &["unknown value", "did you mean `fq-codel`?"]);
    assert_refused(&queue("¶5"), &["`5` is not text or a table"]);
    let loss = |text: &str| changed("{ probability = \"1 %\" }", text);
    for text in ["\"2 %\"", "[\"2 %\", \"0 %\"]", "[\"2 %\", { probability = \"1 %\" }]"] {
        assert!(read(&loss(text)).is_ok(), "{text}");
    }
    assert_refused(&loss("¶\"2\""), &["has no unit", "\"1 %\""]);
    assert!(read(&flow("workload = \"bulk\"")).is_ok());
    assert_refused(&flow("workload = ¶\"file\""), &["`workload` has no `size`"]);
}

#[test]
fn a_default_applies_to_the_kinds_that_have_it() {
    let udp = "[flows.u]\nfrom = \"a\"\nto = \"b\"\nprotocol = \"udp\"\nrate = \"1 Mbps\"\n";
    let defaults = "[defaults.flow]\nrecovery = \"sack\"\npayload = \"100 B\"\n";
    assert!(read(&format!("{}{udp}{defaults}", flow(""))).is_ok());
    let wrong = format!("{udp}[defaults.flow]\n¶payloads = \"100 B\"\n");
    assert_refused(&with(&wrong), &["unknown key `payloads`", "did you mean `payload`?"]);
}

#[test]
fn an_mtu_and_a_pit_token_have_sizes_that_ndn_allows() {
    let link = |key: &str| changed("\"10 Mbps\"", &format!("\"10 Mbps\", {key}"));
    for (key, expected) in [
        ("mtu = ¶\"126 B\"", "an MTU of 126 B"),
        ("mtu = ¶\"70 kB\"", "write \"127 B\" to \"65535 B\""),
        ("pit_token = ¶\"33 B\"", "a PIT token of 33 B"),
        ("pit_token = ¶\"0 B\"", "write \"1 B\" to \"32 B\""),
    ] {
        assert_refused(&link(key), &[expected]);
    }
    let plan = read(&link("mtu = \"127 B\", pit_token = \"32 B\"")).expect("a valid scenario");
    let service = plan.cases[0].plan.links[0].link_service;
    assert_eq!((service.mtu, service.pit_token), (Some(127), 32));
}

/// A flow over a link with this key.
fn flow_over(key: &str, flow: &str) -> String {
    format!(
        "duration = \"1 s\"\nnodes = {{ a = {{}}, b = {{}} }}\n[links.l]\nnodes = [\"a\", \"b\"]\n\
         rate = \"1 Mbps\"\ndelay = \"1 ms\"\n{key}\n[flows.f]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    )
}

#[test]
fn a_pit_token_for_no_ndn_packet_is_refused() {
    let text = flow_over("pit_token = ¶\"4 B\"", "controller = \"cubic\"");
    assert_refused(&text, &["`pit_token` requires NDN packets", "no consumers"]);
}

#[test]
fn an_mtu_is_not_less_than_the_packets_of_flows() {
    let udp = "protocol = \"udp\"\nrate = \"1 Mbps\"\n";
    for (flow, largest, help) in [
        ("controller = \"cubic\"", 1500, "`maximum_segment` of the flow to 1000 bytes less"),
        (udp, 1428, "`payload` of the flow to 928 bytes less"),
    ] {
        let text = flow_over("mtu = ¶\"500 B\"", flow);
        let message = format!("less than the packets of flow `f`, of {largest} bytes");
        assert_refused(&text, &[&message, help]);
        read(&flow_over(&format!("mtu = \"{largest} B\""), flow)).expect("they fit");
    }
}
