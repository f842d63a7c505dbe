//! Links of light in scenario files: what they become, what their tables say, and what is
//! refused. `¶` marks the place that a message must name.

use crate::common;
use std::any::Any;
use std::fs;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use windtunnel_engine::Duration;
use windtunnel_lab::{ScenarioError, Study};
use windtunnel_links::optical::fog::FogModel;
use windtunnel_links::optical::{OpticalPlan, OpticalPower, Outage, TurbulencePlan};

const VALID: &str = r#"duration = "4 s"
nodes = { a = {}, b = {} }
[links.roof]
nodes = ["a", "b"]
delay = "10 us"
[links.roof.optical]
rate = "10 Mbps"
wavelength = "1550 nm"
distance = "150 m"
transmit_power = ["0 dBm", "-3 dBm"]
divergence = "0.3 mrad"
receiver_aperture = "20 mm"
sensitivity = "-20 dBm"
[recording]
channels = { interval = "100 ms" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"#;

const POWER: &str = r#"transmit_power = ["0 dBm", "-3 dBm"]
divergence = "0.3 mrad"
receiver_aperture = "20 mm"
sensitivity = "-20 dBm"
"#;

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("optical");
    fs::create_dir_all(&folder).expect("a folder can be made");
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
fn plan(text: &str) -> OpticalPlan {
    let study = read(text).expect("the scenario is right");
    let channel = study.cases[0].plan.links[0].channel.as_deref().expect("it has a channel");
    (channel as &dyn Any).downcast_ref::<OpticalPlan>().expect("it is optical").clone()
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

#[test]
fn an_optical_link_becomes_a_plan_with_what_is_not_stated_filled_in() {
    let optical = plan(VALID);
    assert!((optical.wavelength - 1550e-9).abs() < 1e-15);
    assert_eq!((optical.distance, optical.fog), (150.0, FogModel::Kim));
    assert_eq!((optical.outage, optical.period), (Outage::Lose, Duration::from_millis(1)));
    assert_eq!((optical.visibility.range(), optical.turbulence), ([50e3; 2], None));
    let OpticalPower::Parts(parts) = optical.power else { panic!("{:?}", optical.power) };
    assert_eq!((parts.transmit_power, parts.sensitivity), ([0.0, -3.0], [-20.0; 2]));
    assert!((parts.divergence - 0.3e-3).abs() < 1e-12, "{}", parts.divergence);
    assert_eq!((parts.transmitter_aperture, parts.receiver_aperture), (0.0, 0.02));
    assert_eq!(parts.optics_loss, 0.0);
}

#[test]
fn all_keys_of_an_optical_link_reach_its_plan() {
    let keys = r#"visibility = "0.2 km"
fog_model = "kruse"
outage = "wait"
period = "10 ms"
turbulence = { structure = 1e-14, coherence = "2 ms" }
transmitter_aperture = "25 mm"
optics_loss = "2 dB"
"#;
    let optical = plan(&more(keys));
    assert_eq!((optical.visibility.range(), optical.fog), ([200.0; 2], FogModel::Kruse));
    assert_eq!((optical.outage, optical.period), (Outage::Wait, Duration::from_millis(10)));
    let turbulence = TurbulencePlan { structure: 1e-14, coherence: Duration::from_millis(2) };
    assert_eq!(optical.turbulence, Some(turbulence));
    let OpticalPower::Parts(parts) = optical.power else { panic!("{:?}", optical.power) };
    assert_eq!((parts.transmitter_aperture, parts.optics_loss), (0.025, 2.0));
    let optical = plan(&with(POWER, "margin = [\"12 dB\", \"9 dB\"]\n"));
    assert_eq!(optical.power, OpticalPower::Margin([12.0, 9.0]));
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let wavelength = |it: &str| with("\"1550 nm\"", &format!("¶\"{it}\""));
    assert_refused(&wavelength("0 nm"), &["a wavelength of 0 nm", "\"400 nm\" to \"2400 nm\""]);
    assert_refused(&wavelength("1 m"), &["a wavelength of 1000000000 nm"]);
    assert_refused(&with("\"150 m\"", "¶\"0 m\""), &["`distance` must be greater than zero"]);
    assert_refused(&with("\"150 m\"", "¶\"-5 m\""), &["`distance` must be greater than zero"]);
    assert_refused(&more("visibility = ¶\"0 m\""), &["a visibility of \"0 m\"", "\"1 m\""]);
    assert_refused(&more("visibility = ¶\"1 Mbps\""), &["not a valid unit for a length"]);
    assert_refused(&more("visibility = { file = ¶\"no.txt\" }"), &["no.txt", "no such file"]);
    let turbulence = |it: &str| more(&format!("turbulence = {{ structure = ¶{it} }}"));
    assert_refused(&turbulence("-1e-14"), &["`structure` must not be negative", "1e-14"]);
    assert_refused(&turbulence("nan"), &["`structure` must be at most 1e-9, not NaN"]);
    assert_refused(&turbulence("1.0"), &["`structure` must be at most 1e-9, not 1e0"]);
    let coherence = "turbulence = { structure = 1e-14, coherence = ¶\"0 ms\" }";
    assert_refused(&more(coherence), &["`coherence` must be greater than zero"]);
    assert_refused(&more("period = ¶\"0 s\""), &["`period` must be greater than zero"]);
    assert_refused(&more("period = ¶\"1 ns\""), &["more than ten million samples"]);
    assert_refused(&with("\"0.3 mrad\"", "¶\"0°\""), &["a divergence of 0° is out of range"]);
    assert_refused(&with("\"20 mm\"", "¶\"0 mm\""), &["`receiver_aperture` must be greater"]);
    assert_refused(&more("optics_loss = ¶\"-1 dB\""), &["`optics_loss` must not be negative"]);
    assert_refused(&more("outage = ¶\"down\""), &["unknown value `down`", "`lose`, `wait`"]);
    assert_refused(&more("¶margin = \"3 dB\""), &["`margin`", "transmit_power"]);
    assert_refused(&with(POWER, "margin = ¶\"-1 dB\"\n"), &["`margin` must not be negative"]);
    let without_power = with(POWER, "").replace("[links.roof.optical]", "¶[links.roof.optical]");
    assert_refused(&without_power, &["transmit_power", "margin"]);
}

#[test]
fn a_trace_of_visibility_is_refused_where_it_says_nothing() {
    let cases = [
        ("", "the trace is empty"),
        ("1 2\n", "the trace begins at 1 s"),
        ("0 2\n0 3\n", "0 s follows 0 s"),
        ("0 0\n", "\"0\" is not a visibility in kilometres"),
        ("0 nan\n", "\"nan\" is not a visibility"),
        ("0 2 3\n", "is not a time and visibility"),
        ("now 3\n", "\"now\" is not a time in seconds"),
    ];
    for (number, (trace, expected)) in cases.into_iter().enumerate() {
        let name = format!("wrong-{number}.txt");
        fs::write(folder().join(&name), trace).expect("a file can be written");
        assert_refused(&more(&format!("visibility = {{ file = ¶\"{name}\" }}")), &[expected]);
    }
}

/// The fog of 50 m takes 51 dB from 1.5 s to 2.5 s, and all packets; before and after there
/// are 14 dB to spare.
const FOG: &str = "0 10\n1.5 10\n1.501 0.05\n2.5 0.05\n2.501 10\n";

fn fog(name: &str, outage: &str) -> String {
    fs::write(folder().join(name), FOG).expect("a file can be written");
    more(&format!("visibility = {{ file = \"{name}\" }}\noutage = \"{outage}\""))
}

#[test]
fn the_series_have_the_power_over_time_and_the_budget_its_sum() {
    let study = read(&fog("table.txt", "lose")).expect("the scenario is right");
    let table = common::table(study, "channel_series");
    let numbers = |table: &arrow_array::RecordBatch, name: &str| -> Vec<f64> {
        table[name].as_primitive::<Float64Type>().values().to_vec()
    };
    let (times, margins) = (numbers(&table, "time_s"), numbers(&table, "margin_db"));
    let received = numbers(&table, "received_dbm");
    for ((time, margin), received) in times.iter().zip(&margins).zip(&received) {
        let is_clear = *time <= 1.5 || *time > 2.5;
        assert_eq!(*margin > 0.0, is_clear, "{time}: {margin}");
        assert!((received + 20.0 - margin).abs() < 1e-9, "{time}: {received}");
    }
    let study = read(&fog("table.txt", "lose")).expect("the scenario is right");
    let budget = common::table(study, "link_budgets");
    let terms: Vec<&str> = budget["term"].as_string::<i32>().iter().flatten().collect();
    let sum = ["transmitted power", "optics", "divergence of the beam", "fog"];
    let lines = ["received power", "sensitivity", "margin"];
    assert_eq!(terms, [&sum[..], &lines[..], &sum[..], &lines[..]].concat());
    for (column, fog) in [("best", -0.066), ("worst", -50.97)] {
        let values = numbers(&budget, column);
        assert!((values[3] - fog).abs() < 0.01, "{values:?}");
        for direction in values.chunks(7) {
            assert!((direction[..4].iter().sum::<f64>() - direction[4]).abs() < 1e-9);
            assert!((direction[4] - direction[5] - direction[6]).abs() < 1e-9);
        }
    }
}

#[test]
fn fog_has_packets_lost_or_lets_them_wait() {
    let totals = |outage: &str| {
        let study = read(&fog(&format!("{outage}.txt"), outage)).expect("the scenario is right");
        let links = common::table(study, "links");
        let losses = links["losses"].as_primitive::<arrow_array::types::UInt64Type>().value(0);
        let used = links["utilisation"].as_primitive::<Float64Type>().value(0);
        (losses, used)
    };
    let (losses, used) = totals("lose");
    // A window is lost, and then what its sender tries.
    assert!(losses > 0 && used < 0.8, "{losses}, {used}");
    let (losses, used) = totals("wait");
    // Three of four seconds, at once again when the fog has gone.
    assert_eq!(losses, 0);
    assert!((used - 0.75).abs() < 0.01, "{used}");
}

#[test]
fn a_constant_link_is_as_fast_as_a_wire() {
    let goodput = |text: &str| {
        let flows = common::table(read(text).expect("the scenario is right"), "flows");
        flows["goodput_bps"].as_primitive::<Float64Type>().value(0)
    };
    let (start, rest) = VALID.split_once("[links.roof.optical]").expect("it is there");
    let rest = rest.split_once("[recording]").expect("it is there").1;
    let wire = format!("{start}rate = \"10 Mbps\"\n[recording]{rest}");
    assert_eq!(goodput(VALID), goodput(&wire));
}
