//! What messages suggest: names that may be meant, numbers that may be written, the command or the
//! language of a file, and what a setting does to both directions of a link.

use crate::common;
use crate::common::{VALID, changed, read, refused, set, with, with_changes};
use proptest::prelude::*;
use windtunnel_lab::{after_the_end, did_you_mean, suggestion};

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&refused(marked, read), expected);
}

#[test]
fn names_are_alike_in_capital_and_small_letters() {
    for (wrong, meant) in [("BBRv3", "bbr3"), ("CUBIC", "cubic"), ("NewReno", "new-reno")] {
        let expected = format!("did you mean `{meant}`?");
        let text = changed("\"cubic\"", &format!("¶\"{wrong}\""));
        assert_refused(&text, &["there is no controller", &expected]);
    }
    assert_refused(&changed("\"codel\"", "¶\"FQ_CoDel\""), &["did you mean `fq-codel`?"]);
    assert_refused(&changed("duration =", "¶Duration ="), &["did you mean `duration`?"]);
}

#[test]
fn names_that_are_as_near_are_all_suggested() {
    let two = "did you mean `bbr1` or `bbr3`?";
    assert_refused(&changed("\"cubic\"", "¶\"bbr2\""), &[two]);
    assert_refused(&changed("\"cubic\"", "¶\"bbr\""), &[two]);
    assert_refused(&changed("\"cubic\"", "¶\"BBRv2\""), &[two]);
}

/// Of names as far away, the one that begins alike.
#[test]
fn a_common_beginning_decides_between_names_that_are_as_far() {
    assert_eq!(
        did_you_mean("link1", &["pink1", "link2"]).as_deref(),
        Some("did you mean `link2`?")
    );
    assert_eq!(did_you_mean("something", &["cubic", "reno"]), None);
    assert_eq!(suggestion("something", &["cubic", "reno"]), "known here: `cubic`, `reno`");
    assert_eq!(
        did_you_mean("node-0", &["node-1", "node-2", "node-3", "node-4"]).as_deref(),
        Some("did you mean `node-1` or `node-2` or `node-3`?")
    );
}

proptest! {
    /// What is known is suggested where it is written in capital letters or with one letter more.
    #[test]
    fn a_name_with_one_mistake_is_suggested(name in "[a-z]{3,12}", others in prop::collection::vec("[a-z0-9-]{1,12}", 0..8), more in "[a-z]") {
        prop_assume!(!others.contains(&name));
        let known: Vec<&str> = others.iter().map(String::as_str).chain([name.as_str()]).collect();
        let question = did_you_mean(&name.to_uppercase(), &known);
        prop_assert_eq!(question, Some(format!("did you mean `{name}`?")));
        let longer = name.clone() + &more;
        prop_assert!(did_you_mean(&longer, &known).is_some());
    }
}

#[test]
fn a_number_that_is_too_large_is_not_called_broken() {
    let most = "is too large: the most is";
    assert_refused(&changed("seed = 7", "runs = ¶1000000000000"), &[most, "4294967295"]);
    assert_refused(&changed("seed = 7", "runs = ¶1e12"), &[most, "4294967295"]);
    assert_refused(&changed("seed = 7", "seed = ¶1e30"), &[most, "9223372036854775807"]);
    let flow = |count: &str| {
        with(&format!(
            "[flows.f]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"cubic\"\ncount = {count}\n"
        ))
    };
    assert_refused(&flow("¶1e12"), &[most, "4294967295"]);
    let hops = |hops: &str| changed("controller =", &format!("hop_limit = {hops}\ncontroller ="));
    assert_refused(&hops("¶1e12"), &[most, "255"]);
}

#[test]
fn a_whole_number_with_a_point_is_shown_without_one() {
    assert_refused(
        &changed("seed = 7", "seed = ¶1e3"),
        &["`1000.0` is not written as a whole number", "write 1000, without a point"],
    );
    assert_refused(&changed("seed = 7", "runs = ¶2.5"), &["`2.5` is not a whole number from 0 to"]);
    assert_refused(&changed("seed = 7", "runs = ¶-2"), &["`-2` is not a whole number from 0 to"]);
}

#[test]
fn a_number_of_packets_is_whole_and_not_too_large() {
    for (packets, expected) in [
        ("1e12 packets", "is more than 4294967295 packets"),
        ("1.5 packets", "is not a whole number of packets"),
    ] {
        assert_refused(&changed("\"50 packets\"", &format!("¶\"{packets}\"")), &[expected]);
    }
}

#[test]
fn another_language_is_recognised() {
    for text in ["¶title: two links\nlinks:\n  a: 1\n", "# it\n\n¶---\n- 1\n", "¶links:\n  a: 1\n"]
    {
        assert_refused(text, &["this is YAML, and the file must be TOML", "duration = \"10 s\""]);
    }
    assert_refused("¶{ \"title\": \"two links\" }", &["this is JSON, and the file must be TOML"]);
    // Not at the beginning, it is a mistake in TOML.
    let error = read(&with("links: 3\n")).expect_err("it is not TOML");
    assert!(!error.to_string().contains("YAML"), "{error}");
}

#[test]
fn a_study_is_recognised() {
    for key in ["¶scenario = \"first.toml\"\n", "¶[vary.delay]\nvalues = [1]\n"] {
        let key = key.replace("¶[", "[¶");
        assert_refused(&key, &["is a key of studies", "`windtunnel study FILE` runs a study"]);
    }
}

const TWO_WAYS: (&str, &str) = ("rate = \"10 Mbps\"", "rate = [\"10 Mbps\", \"2 Mbps\"]");

#[test]
fn one_direction_of_a_link_can_be_set() {
    let text = with_changes(VALID, &[TWO_WAYS]);
    for path in ["links.first.rate.1", "links.first.rate[1]", "links.\"first\".rate[ 1 ]"] {
        let study = set(&text, &[(path, "3 Mbps")]).unwrap_or_else(|error| panic!("{error}"));
        let rates = study.cases[0].plan.links[0].directions.each_ref().map(|it| it.rate);
        assert_eq!(rates.map(|it| it.bits_per_second()), [10_000_000, 3_000_000], "{path}");
        assert_eq!(study.notes(), [""; 0]);
    }
    for path in ["links.first.rate[", "links.first.rate[x]", "links.first.rate]", "[0]"] {
        let error = set(&text, &[(path, "3 Mbps")]).expect_err(path);
        assert!(error.to_string().contains("is not a valid path"), "{error}");
    }
    let error = set(&text, &[("links.first.rate[2]", "3 Mbps")]).expect_err("there are two");
    assert!(error.to_string().contains("has no element `2`"), "{error}");
}

#[test]
fn one_value_in_place_of_two_directions_is_noted() {
    let text = with_changes(VALID, &[TWO_WAYS]);
    let notes = |settings: &[(&str, &str)]| -> Vec<String> {
        let study = set(&text, settings).unwrap_or_else(|error| panic!("{error}"));
        study.notes().into_iter().map(str::to_owned).collect()
    };
    assert_eq!(
        notes(&[("links.first.rate", "3 Mbps")]),
        ["links.first.rate=\"3 Mbps\" is for both directions, where the file has \
          [\"10 Mbps\", \"2 Mbps\"]; links.first.rate.0 and links.first.rate.1 are for one"]
    );
    assert_eq!(notes(&[("links.first.rate", "[\"3 Mbps\", \"1 Mbps\"]")]), [""; 0]);
    assert_eq!(notes(&[("links.first.delay", "3 ms")]), [""; 0]);
}

#[test]
fn what_would_happen_after_the_end_is_said() {
    let late = |more: &str| after_the_end(&read(&with(more)).unwrap_or_else(|it| panic!("{it}")));
    let change = |at: &str| {
        let changes = format!("[{{ at = \"{at}\", state = \"down\" }}]");
        after_the_end(&set(VALID, &[("links.first.changes", &changes)]).expect("it is valid"))
    };
    assert_eq!(change("1 s"), [""; 0]);
    let expected = "link `first` changes at 30 s, and the run ends at 2 s: it does not happen";
    assert_eq!(change("30 s"), [expected]);
    let flow = "[flows.f]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"cubic\"\n";
    let start = late(&format!("{flow}start = \"3 s\"\n"));
    assert_eq!(start, ["flow `f` starts at 3 s, and the run ends at 2 s: it sends nothing"]);
    let subflow = late(&format!(
        "[links.third]\nnodes = [\"a\", \"c\"]\nrate = \"1 Mbps\"\ndelay = \"9 ms\"\n{flow}\
         multipath = {{ changes = [{{ at = \"4 s\", subflow = 1, state = \"backup\" }}] }}\n"
    ));
    let expected =
        "subflow 1 of flow `f` changes at 4 s, and the run ends at 2 s: it does not happen";
    assert_eq!(subflow, [expected]);
}
