//! Fixed radio links in scenario files: what they become, what gets across them, and what is
//! refused. `¶` marks the place that a message must name.

mod common;

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_lab::{ScenarioError, Study};

/// The table I of an experiment at 60 GHz: EIRP and gains over 1 km.
const VALID: &str = r#"duration = "500 ms"
nodes = { a = {}, b = {} }
[links.roof]
nodes = ["a", "b"]
delay = "3.3 us"
[links.roof.fixed_wireless]
carrier = "60.48 GHz"
distance = "1 km"
eirp = "56 dBm"
antenna = { kind = "gaussian", gain = "40 dBi", beam_width = "2°" }
[recording]
channels = { interval = "10 ms" }
[flows.f]
from = "a"
to = "b"
protocol = "udp"
rate = "8 Gbps"
payload = "1472 B"
"#;

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fixed-wireless");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn read(text: &str) -> Result<Study, ScenarioError> {
    let file = folder().join("scenario.toml");
    windtunnel_lab::read(file.to_str().expect("its name is text"), text, &[])
}

/// The scenario with other lines in the place of one that is there.
fn with(line: &str, other: &str) -> String {
    assert_eq!(VALID.matches(line).count(), 1, "{line} is there once");
    VALID.replace(line, other)
}

/// The scenario with more keys of the link.
fn more(keys: &str) -> String {
    with("[recording]", &format!("{keys}\n[recording]"))
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

#[track_caller]
fn table(text: &str, name: &str) -> RecordBatch {
    common::table(read(text).expect("the scenario is right"), name)
}

fn numbers(table: &RecordBatch, column: &str) -> Vec<f64> {
    table[column].as_primitive::<Float64Type>().values().to_vec()
}

/// A term of the first direction's budget, at the best time and at the worst.
fn term(budget: &RecordBatch, name: &str) -> [f64; 2] {
    let terms = budget["term"].as_string::<i32>();
    let row = terms.iter().position(|it| it == Some(name)).expect("the budget has the term");
    ["best", "worst"].map(|it| numbers(budget, it)[row])
}

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} of {expected}");
}

/// The published rows: free space, oxygen and vapour, what is received at three powers.
#[test]
fn the_budget_at_sixty_gigahertz_over_a_kilometre_is_the_published_one() {
    let carriers =
        [("58.32 GHz", 127.76, 12.87, 0.15, -44.8), ("60.48 GHz", 128.08, 14.96, 0.16, -47.2)];
    for (carrier, free_space, oxygen, vapour, received) in carriers {
        for (eirp, less) in [("56 dBm", 0.0), ("50 dBm", 6.0), ("40 dBm", 16.0)] {
            let text = with("60.48 GHz", carrier).replace("56 dBm", eirp);
            let budget = table(&text, "link_budgets");
            assert_near(term(&budget, "free space")[0], -free_space, 0.01);
            assert_near(term(&budget, "oxygen")[0], -oxygen, 0.01);
            assert_near(term(&budget, "water vapour")[0], -vapour, 0.01);
            assert_near(term(&budget, "received power")[0], received - less, 0.1);
            assert_near(term(&budget, "SNR")[0], received - less + 81.54 - 10.0, 0.1);
        }
    }
}

/// The payload's bits a second, and the losses on the link.
fn goodput(text: &str) -> (f64, u64) {
    let flows = numbers(&table(text, "flows"), "goodput_bps")[0];
    let losses = table(text, "links")["losses"].as_primitive::<UInt64Type>().value(0);
    (flows, losses)
}

/// IP packets of 1500 bytes: whole ones in 190 µs of each 400, 64 at the most.
#[test]
fn time_division_carries_what_fits_in_half_of_terragraphs_frames() {
    let expected = [
        (6, 690.0),
        (7, 870.0),
        (8, 1020.0),
        (9, 1110.0),
        (10, 1380.0),
        (11, 1740.0),
        (12, 1920.0),
    ];
    for (mcs, ip) in expected {
        let adaptation = format!("adaptation = {{ kind = \"fixed\", mcs = {mcs} }}");
        let (goodput, losses) = goodput(&more(&adaptation));
        assert_near(goodput / 1e6 / (ip * 1472.0 / 1500.0), 1.0, 0.01);
        assert_eq!(losses, 0);
    }
}

#[test]
fn exchanges_carry_what_preambles_gaps_and_acknowledgements_leave() {
    let expected = [
        (6, 1, 520.0, 168.0),
        (12, 1, 680.0, 182.0),
        (6, 64, 1435.0, 1316.0),
        (9, 64, 2291.0, 2002.0),
        (12, 64, 4077.0, 3243.0),
    ];
    for (mcs, aggregation, scheduled, contention) in expected {
        for (kind, expected) in [("scheduled", scheduled), ("contention", contention)] {
            let keys = format!(
                "adaptation = {{ kind = \"fixed\", mcs = {mcs} }}\n\
                 medium_access = {{ kind = \"{kind}\", aggregation = {aggregation} }}"
            );
            let (goodput, losses) = goodput(&more(&keys));
            assert_near(goodput / 1e6 / expected, 1.0, 0.01);
            assert_eq!(losses, 0);
        }
    }
}
