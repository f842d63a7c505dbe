//! Fixed radio links in scenario files: what they become, what gets across them, and what is
//! refused. `¶` marks the place that a message must name.

use crate::common;
use std::any::Any;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_lab::{ScenarioError, Study};
use windtunnel_links::fixed_wireless::{
    Adaptation, AntennaPattern, Codebook, FixedWirelessPlan, Mcs, MediumAccess, RainExtent,
};

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

#[track_caller]
fn plan(text: &str) -> FixedWirelessPlan {
    let study = read(text).expect("the scenario is right");
    let channel = study.cases[0].plan.links[0].channel.as_deref().expect("it has a channel");
    (channel as &dyn Any).downcast_ref::<FixedWirelessPlan>().expect("it is fixed").clone()
}

#[test]
fn a_fixed_radio_becomes_a_plan_with_what_is_not_stated_filled_in() {
    let link = plan(VALID);
    assert_eq!((link.carrier, link.distance, link.eirp), (60.48e9, 1000.0, [56.0; 2]));
    let antenna = link.ends[1].antenna;
    assert_eq!((antenna.gain, antenna.pattern), (40.0, AntennaPattern::Gaussian { width: 2.0 }));
    assert_eq!((link.ends[0].pointing_error, link.ends[0].beam), (0.0, None));
    assert_eq!((link.air.temperature, link.air.vapour), (288.15, 7.5));
    assert_eq!((link.rain.rate.range(), link.fog.range()), ([0.0; 2], [0.0; 2]));
    assert_eq!((link.reflection, link.noise_figure), (None, 10.0));
    assert_eq!((link.adaptation, link.access), (Adaptation::BySnr, MediumAccess::TimeDivision));
}

#[test]
fn all_keys_of_a_fixed_radio_reach_its_plan() {
    let keys = r#"pointing_error = ["1°", "-60 deg"]
beams = { codebook = "rows", scan = "3°", scan_loss = "1 dB", index = [30, 5] }
temperature = "-10 °C"
vapour = "2 g/m³"
rain = "12.5 mm/h"
rain_extent = "effective"
polarisation = "vertical"
fog = "0.05 g/m3"
reflection = { heights = ["7.5 m", "16 m"], coefficient = "90 %", roughness = "5 mm" }
noise_figure = "7 dB"
thresholds = "planner"
lowest_mcs = 3
highest_mcs = 9
adaptation = { kind = "fixed", mcs = 8 }
medium_access = { kind = "contention", aggregation = 16 }
retransmissions = 3
"#;
    let link = plan(&more(keys));
    assert_eq!(link.ends.map(|it| it.pointing_error), [1.0, -60.0]);
    assert_eq!(link.ends.map(|it| it.index()), [Some(30), Some(5)]);
    let beam = link.ends[0].beam.expect("it has beams");
    assert_eq!((beam.codebook, beam.scan, beam.scan_loss), (Codebook::Rows, 3.0, 1.0));
    assert_near(link.air.temperature, 263.15, 1e-9);
    assert_eq!((link.air.vapour, link.fog.range()), (2.0, [0.05; 2]));
    assert_eq!((link.rain.rate.range(), link.rain.extent), ([12.5; 2], RainExtent::Effective));
    let reflection = link.reflection.expect("there is water");
    assert_eq!((reflection.heights, reflection.coefficient), ([7.5, 16.0], 0.9));
    assert_eq!((reflection.roughness, link.noise_figure), (0.005, 7.0));
    let scheme = Mcs::of(8).expect("a scheme");
    assert_eq!((link.adaptation, link.ladder.needed(scheme)), (Adaptation::Fixed(scheme), 9.0));
    assert_eq!(link.ladder.best_at(100.0).index, 9);
    let antenna = r#"antenna = { kind = "f699", gain = "40 dBi", diameter = "200 mm" }"#;
    let line = r#"antenna = { kind = "gaussian", gain = "40 dBi", beam_width = "2°" }"#;
    let AntennaPattern::F699 { diameter } = plan(&with(line, antenna)).ends[0].antenna.pattern
    else {
        panic!("it is a dish");
    };
    assert_near(diameter, 40.35, 0.01);
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    let gain = |it: &str| with("\"40 dBi\"", &format!("¶\"{it}\""));
    assert_refused(
        &gain("45 dBi"),
        &["an antenna with a beam of 2° has a gain of at most 40.1 dBi, not 45 dBi"],
    );
    assert_refused(&gain("40 dB"), &["`dB` is not a valid unit for a gain", "dBi"]);
    let width = |it: &str| with("\"2°\"", &format!("¶\"{it}\""));
    assert_refused(&width("0°"), &["a beam width of 0° is out of range", "beam_width"]);
    let dish = |keys: &str| {
        let line = r#"kind = "gaussian", gain = "40 dBi", beam_width = "2°""#;
        with(line, &format!("kind = \"f1245\", {keys}"))
    };
    let small = "gain = ¶\"40 dBi\", diameter = \"100 mm\"";
    assert_refused(&dish(small), &["a dish of 0.1 m at 60.48 GHz has a gain of at most 36.0 dBi"]);
    let none = "gain = \"40 dBi\", diameter = ¶\"0 m\"";
    assert_refused(&dish(none), &["`diameter` must be greater than zero"]);
    let carrier = |it: &str| with("\"60.48 GHz\"", &format!("¶\"{it}\""));
    assert_refused(&carrier("0 Hz"), &["for a carrier at 0 GHz", "\"1 GHz\" to \"200 GHz\""]);
    assert_refused(&carrier("-1 GHz"), &["is negative"]);
    let distance = |it: &str| with("\"1 km\"", &format!("¶\"{it}\""));
    assert_refused(&distance("0 m"), &["`distance` must be greater than zero", "1 km"]);
    assert_refused(&distance("500 km"), &["a distance of 500 km is out of range", "100 km"]);
    assert_refused(&more("rain = ¶\"-1 mm/h\""), &["\"-1 mm/h\" is negative", "12.5 mm/h"]);
    assert_refused(&more("rain = ¶\"9000 mm/h\""), &["a rain rate of \"9000 mm/h\"", "2000"]);
    assert_refused(&more("rain = ¶\"1 m\""), &["`m` is not a valid unit for a rain rate"]);
    assert_refused(&more("rain = { file = ¶\"no.rain\" }"), &["no.rain", "no such file"]);
    assert_refused(&more("fog = ¶\"50 g/m³\""), &["a liquid water content of \"50 g/m³\""]);
    assert_refused(&more("temperature = ¶\"300 °C\""), &["not between -60 and 60 °C"]);
    assert_refused(&more("vapour = ¶\"100.5 g/m³\""), &["above 100 g/m³"]);
    let adaptation = |it: &str| more(&format!("adaptation = {{ kind = \"fixed\", mcs = ¶{it} }}"));
    assert_refused(&adaptation("13"), &["there is no MCS 13", "write 1 to 12"]);
    assert_refused(&adaptation("0"), &["there is no MCS 0"]);
    let least = |it: &str| {
        more(&format!(
            "adaptation = {{ kind = \"error\", power_control = {{ minimum_eirp = ¶{it} }} }}"
        ))
    };
    let above = ["`minimum_eirp`, 57 dBm, is above `eirp`, 56 dBm", "\"56 dBm\" or less"];
    assert_refused(&least("\"57 dBm\""), &above);
    assert_refused(&least("\"20 dB\""), &["`dB` is not a valid unit"]);
    assert_refused(&more("highest_mcs = ¶1"), &["`highest_mcs` 1 is below `lowest_mcs` 2"]);
    assert_refused(&more("lowest_mcs = 5\nhighest_mcs = ¶5"), &["does not use MCS 5", "MCS 6"]);
    let error = |it: &str| more(&format!("pointing_error = [\"0°\", ¶\"{it}\"]"));
    assert_refused(&error("200°"), &["a pointing error of 200° is out of range", "\"180°\""]);
    assert_refused(&error("1 km"), &["`km` is not a valid unit for an angle"]);
    let beams = |it: &str| more(&format!("beams = {{ {it} }}"));
    assert_refused(&beams("scan = \"3°\", index = ¶61"), &["no beam 61", "write 0 to 60"]);
    assert_refused(&beams("scan = ¶\"0°\""), &["a scan of 0° is out of range"]);
    let access = "medium_access = { kind = \"scheduled\", aggregation = ¶65 }";
    assert_refused(
        &more(access),
        &["`aggregation` must be from 1 to 64 packets, not 65", "write 1 to 64"],
    );
    let medium = with("delay = \"3.3 us\"", "delay = \"3.3 us\"\nmedium = ¶\"air\"");
    assert_refused(&medium, &["time division cannot share the medium `air`", "scheduled"]);
    let reflection = "reflection = { heights = [\"7.5 m\", ¶\"0 m\"] }";
    assert_refused(&more(reflection), &["`heights` must be greater than zero"]);
    assert_refused(&more("noise_figure = ¶\"-1 dB\""), &["`noise_figure` must not be negative"]);
    assert_refused(&more("period = ¶\"0 s\""), &["`period` must be greater than zero"]);
}

/// Each has half of what one alone has.
#[test]
fn both_directions_have_the_same_share_of_exchanges() {
    let keys = "adaptation = { kind = \"fixed\", mcs = 9 }\nmedium_access = \"scheduled\"";
    let back = "[flows.back]\nfrom = \"b\"\nto = \"a\"\nprotocol = \"udp\"\nrate = \"8 Gbps\"\n\
                payload = \"1472 B\"\n";
    let flows = table(&(more(keys) + back), "flows");
    for goodput in numbers(&flows, "goodput_bps") {
        assert_near(goodput / 1e6 / (2291.0 / 2.0), 1.0, 0.01);
    }
}

/// The schemes of both directions and what is received of the first, by the time in ms.
fn course(text: &str) -> Vec<(u64, [u64; 2], f64)> {
    let series = table(text, "channel_series");
    let scheme = series["mcs"].as_primitive::<UInt64Type>().values();
    let (times, received) = (numbers(&series, "time_s"), numbers(&series, "received_dbm"));
    let row = |it: usize| {
        let time = (times[2 * it] * 1e3).round() as u64;
        (time, [scheme[2 * it], scheme[2 * it + 1]], received[2 * it])
    };
    (0..times.len() / 2).map(row).collect()
}

/// Terragraph's: 200 ms after the last packet, and 0.32 s for each step after the next one. What goes
/// one way alone leaves the other way idle.
#[test]
fn a_direction_without_traffic_uses_mcs_nine_at_most() {
    let text = more("adaptation = \"error\"")
        .replace("500 ms", "2 s")
        .replace("8 Gbps\"", "1 Gbps\"\nstart = \"500 ms\"\nstop = \"1.7 s\"");
    for (time, [there, back], _) in course(&text) {
        let expected = match time {
            0..=190 | 1480..=1890 => 12,
            210..=810 | 1910.. => 9,
            840..=1130 => 10,
            1160..=1450 => 11,
            _ => continue,
        };
        assert_eq!(there, expected, "at {time} ms");
        assert_eq!(back, if time <= 190 { 12 } else { 9 }, "at {time} ms");
    }
}

/// In 80 ms comes what takes 460 ms to send.
#[test]
fn a_direction_with_packets_that_wait_is_not_idle() {
    let queue = "highest_mcs = 10\nadaptation = \"error\"";
    let text = more(queue)
        .replace("3.3 us\"", "3.3 us\"\nqueue = { limit = \"100 MB\" }")
        .replace("8 Gbps\"", "8 Gbps\"\nstop = \"80 ms\"");
    let mut at = course(&text).into_iter().filter(|it| (300..=460).contains(&it.0));
    assert!(at.all(|(_, [there, back], _)| (there, back) == (10, 9)));
}

/// 1 dB in each 0.32 s.
#[test]
fn the_power_is_lowered_while_all_packets_get_across() {
    let keys = "adaptation = { kind = \"error\", power_control = { minimum_eirp = \"20 dBm\" } }";
    let course = course(&more(keys).replace("500 ms", "1 s"));
    let received = |at: u64| course.iter().find(|it| it.0 == at).expect("it is recorded").2;
    let steps = [300, 400, 620, 700, 950, 1000].map(|it| received(it) - received(10));
    assert_eq!(steps.map(f64::round), [0.0, -1.0, -1.0, -2.0, -2.0, -3.0]);
}

/// What a link is offered is delivered, dropped, or still in it; TCP fills it in both directions
/// and in a shower.
#[test]
fn no_packet_is_made_or_forgotten_whatever_the_access_and_the_weather() {
    std::fs::write(folder().join("shower.rain"), "0 0\n0.1 0\n0.25 60\n0.4 0\n").expect("a file");
    for adaptation in ["snr", "error", "minstrel"] {
        for access in ["time-division", "scheduled", "contention"] {
            let keys = format!(
                "adaptation = \"{adaptation}\"\nmedium_access = \"{access}\"\n\
                 rain = {{ file = \"shower.rain\" }}"
            );
            let text = more(&keys).replace("8 Gbps", "100 Mbps")
                + "[flows.there]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n\
                   [flows.back]\nfrom = \"b\"\nto = \"a\"\ncontroller = \"cubic\"\n";
            let links = table(&text, "links");
            let count =
                |name: &str, row: usize| links[name].as_primitive::<UInt64Type>().value(row);
            for row in 0..2 {
                let gone = ["delivered", "overlimit_drops", "losses", "in_transit"];
                let sum: u64 = gone.iter().map(|it| count(it, row)).sum();
                assert_eq!(count("offered", row), sum, "{adaptation}, {access}");
                assert!(count("delivered", row) > 100, "{adaptation}, {access}");
            }
            let used = numbers(&links, "utilisation");
            assert!(used.iter().all(|it| (0.0..=1.0).contains(it)), "{used:?}");
        }
    }
}

/// In rain of 60 mm/h, 19.9 dB, the SNR falls from 24.3 to 4.4 dB, and the scheme with it.
#[test]
fn the_scheme_follows_a_shower_down_and_up_again() {
    std::fs::write(folder().join("one.rain"), "0 0\n0.1 0\n0.25 60\n0.4 0\n").expect("a file");
    let series = table(&more("rain = { file = \"one.rain\" }"), "channel_series");
    let schemes: Vec<u64> = series["mcs"].as_primitive::<UInt64Type>().values().to_vec();
    let snr = numbers(&series, "sinr_db");
    let least = snr.iter().copied().fold(99.0, f64::min);
    assert!((4.0..6.0).contains(&least), "{least}");
    let at = |ms: usize| schemes[2 * (ms / 10 - 1)];
    assert_eq!((at(50), at(250), at(450)), (12, 2, 12));
    for (snr, scheme) in snr.iter().zip(&schemes) {
        let needed = Mcs::of(*scheme as u8).expect("a scheme").needed(Default::default());
        assert!(*snr >= needed - 0.5 || *scheme == 2, "{snr}: {scheme}");
    }
}

/// 10 ms of the queue's packets behind a rate for TCP: 98 % of what whole packets in half of
/// the frames leave.
#[test]
fn tcp_has_what_time_division_leaves_it() {
    let text = more("adaptation = { kind = \"fixed\", mcs = 9 }").replace("500 ms", "2 s");
    let (start, _) = text.split_once("[flows.f]").expect("it has a flow");
    let queue = start.replace(
        "delay = \"3.3 us\"",
        "delay = \"3.3 us\"\nqueue = { kind = \"drop-tail\", limit = \"1 MB\" }",
    );
    let tcp = format!("{queue}[flows.f]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n");
    let flows = table(&tcp, "flows");
    assert_near(numbers(&flows, "goodput_bps")[0] / 1072e6, 1.0, 0.02);
}

/// Of the datagrams that were sent until the last one received, each was received or is lost; and
/// what is lost in intervals is lost in all.
#[test]
fn datagrams_are_received_or_found_lost() {
    let text = more("adaptation = { kind = \"fixed\", mcs = 9 }").replace("8 Gbps", "2 Gbps");
    let [flows, series] = ["flows", "flow_series"].map(|it| table(&text, it));
    let count = |name: &str| flows[name].as_primitive::<UInt64Type>().value(0);
    let received = count("received_bytes") / 1472;
    let (sent, lost) = (count("datagrams"), count("lost"));
    assert!(lost > sent / 4, "{lost} of {sent}");
    // What is after the last one received waits or has just been dropped: no more than the queue
    // and what is sent while it drains.
    let after = sent - received - lost;
    assert!(after < 400, "{after}");
    assert_near(numbers(&series, "lost").iter().sum(), lost as f64, 0.0);
    assert!(numbers(&series, "lost_share").iter().all(|it| (0.0..1.0).contains(it)));
}
