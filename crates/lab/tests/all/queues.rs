//! The queues of scenario files: each kind with its keys, and with no others.

use crate::common::{changed, read};
use windtunnel_queues::DESCRIPTIONS;

const QUEUE: &str = "{ kind = \"codel\", limit = \"50 packets\" }";

/// The valid scenario with another queue.
fn with_queue(kind: &str, keys: &str) -> String {
    changed(QUEUE, &format!("{{ kind = \"{kind}\", limit = \"50 packets\", {keys} }}"))
}

/// Each kind with all its keys.
const ALL_KEYS: [(&str, &str); 15] = [
    ("drop-tail", ""),
    ("link-service", "threshold = \"20 kB\", interval = \"50 ms\", version = \"nfd-0.6\""),
    (
        "red",
        "action = \"mark\", minimum_threshold = \"5 kB\", maximum_threshold = \"20 kB\", \
         weight = 0.01, max_probability = \"2 %\", gentle = false, adaptive = true, \
         hard_drop = true",
    ),
    (
        "codel",
        "action = \"mark\", target = \"2 ms\", interval = \"40 ms\", ce_threshold = \"1 ms\"",
    ),
    (
        "fq-codel",
        "action = \"drop\", target = \"2 ms\", interval = \"40 ms\", ce_threshold = \"1 ms\", \
         flows = 64, quantum = \"300 B\"",
    ),
    (
        "pie",
        "action = \"mark\", target = \"10 ms\", update = \"10 ms\", alpha = \"0.2 Hz\", \
         beta = \"2 Hz\", burst = \"100 ms\"",
    ),
    (
        "dualpi2",
        "target = \"10 ms\", update = \"10 ms\", alpha = \"0.2 Hz\", beta = \"2 Hz\", \
         coupling = 1.64, classic_share = \"20 %\", ramp_start = \"1 ms\", ramp_end = \"2 ms\"",
    ),
    (
        "sce",
        "action = \"drop\", target = \"2 ms\", interval = \"40 ms\", ramp_start = \"0.2 ms\", \
         ramp_end = \"1 ms\"",
    ),
    ("ec-elastic", "target = \"2 ms\", interval = \"40 ms\""),
    ("pcon", "target = \"2 ms\", interval = \"40 ms\""),
    ("policer", ""),
    ("shaper", ""),
    ("strict-priority", "bands = [[\"EF\"], [\"AF41\", \"AF42\"]]"),
    ("drr", "flows = 64, quantum = \"300 B\""),
    (
        "cake",
        "tins = \"besteffort\", action = \"drop\", target = \"2 ms\", interval = \"40 ms\", \
         flows = 64, quantum = \"300 B\"",
    ),
];

/// The keys that a kind must have.
fn required(kind: &str) -> &'static str {
    match kind {
        "policer" | "shaper" => "rate = \"1 Mbps\", burst = \"20 kB\", ",
        "cake" => "rate = \"1 Mbps\", ",
        _ => "",
    }
}

#[test]
fn every_kind_is_read_with_all_its_keys_and_with_no_other_than_it_needs() {
    let names: Vec<&str> = ALL_KEYS.iter().map(|it| it.0).collect();
    assert!(DESCRIPTIONS.iter().all(|it| names.contains(&it.name)));
    assert_eq!(names.len(), DESCRIPTIONS.len());
    for (kind, keys) in ALL_KEYS {
        for keys in [keys, ""] {
            let keys = format!("{}{keys}", required(kind));
            let study = read(&with_queue(kind, &keys));
            assert!(study.is_ok(), "{kind} with {keys}: {:?}", study.err());
        }
    }
}

/// What is not written is what the schema, and with it the manual, says.
#[test]
fn the_defaults_of_the_schema_are_those_of_the_reader() {
    let schema = windtunnel_lab::schema();
    let kinds = schema["$defs"]["Queue"]["anyOf"].as_array().expect("it has kinds");
    let tables = kinds.iter().filter(|it| it.get("properties").is_some());
    let mut checked = 0;
    for table in tables {
        let properties = table["properties"].as_object().expect("they have keys");
        let kind = properties["kind"]["const"].as_str().expect("they have names");
        let required = required(kind);
        let plain = changed(QUEUE, &format!("{{ kind = \"{kind}\", {required} }}"));
        let plain = read(&plain).expect("no other key is required").cases.remove(0).plan;
        for (key, property) in properties {
            let Some(default) = property.get("default") else { continue };
            let keys = format!("{required} {key} = {default}");
            let written = changed(QUEUE, &format!("{{ kind = \"{kind}\", {keys} }}"));
            let written = read(&written).expect("it is valid").cases.remove(0).plan;
            assert_eq!(format!("{plain:?}"), format!("{written:?}"), "{kind}: {key}");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} defaults");
}

#[track_caller]
fn assert_refused(kind: &str, keys: &str, messages: &[&str]) {
    let error = read(&with_queue(kind, keys)).expect_err("it is refused").to_string();
    for message in messages {
        assert!(error.contains(message), "{message:?} is not in {error}");
    }
}

#[test]
fn a_key_of_another_kind_is_refused_and_the_own_ones_are_named() {
    assert_refused(
        "red",
        "target = \"5 ms\"",
        &["`target` does not apply to `red`", "`minimum_threshold`, "],
    );
    assert_refused(
        "codel",
        "quantum = \"300 B\"",
        &["`quantum` does not apply", "a key of `fq-codel`", "ce_threshold"],
    );
    assert_refused("dualpi2", "action = \"drop\"", &["`action` does not apply", "coupling"]);
    assert_refused(
        "drop-tail",
        "gentle = true",
        &["`gentle` does not apply", "a key of `red`", "keys of `drop-tail`: `limit`"],
    );
}

#[test]
fn values_that_mean_nothing_are_refused() {
    for kind in ["codel", "fq-codel", "sce", "pcon", "ec-elastic", "link-service"] {
        assert_refused(kind, "interval = \"0 s\"", &["`interval` must be greater than zero"]);
    }
    assert_refused("link-service", "version = \"0.6\"", &["`0.6`", "`nfd-0.6`"]);
    for kind in ["pie", "dualpi2"] {
        assert_refused(kind, "target = \"0 s\"", &["`target` must be greater than zero"]);
        assert_refused(kind, "update = \"1 us\"", &["`update` must be at least 10 us"]);
        assert_refused(kind, "alpha = \"0 Hz\"", &["`alpha` must be greater than zero"]);
        assert_refused(kind, "beta = 2", &["has no unit", "Hz"]);
    }
    for weight in ["0.0", "-1.0", "1.5", "nan"] {
        assert_refused("red", &format!("weight = {weight}"), &["greater than 0 and at most 1"]);
    }
    let thresholds = "must be at least the minimum threshold, in the same unit";
    assert_refused("red", "maximum_threshold = \"4 packets\"", &[thresholds]);
    assert_refused("red", "maximum_threshold = \"9 kB\"", &[thresholds]);
    assert_refused("fq-codel", "flows = 0", &["flows = 1024"]);
    for quantum in ["63 B", "2 MiB"] {
        assert_refused("fq-codel", &format!("quantum = \"{quantum}\""), &["64 B to 1 MiB"]);
    }
    for coupling in ["0.0", "nan", "inf"] {
        assert_refused(
            "dualpi2",
            &format!("coupling = {coupling}"),
            &["must be greater than zero"],
        );
    }
    assert_refused(
        "dualpi2",
        "step = \"1 ms\", ramp_end = \"2 ms\"",
        &["`step` and a ramp cannot both be set"],
    );
    assert_refused("sce", "ramp_start = \"3 ms\"", &["before its start at 3 ms", "2.5 ms"]);
}
