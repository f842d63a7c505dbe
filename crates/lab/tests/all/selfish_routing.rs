//! Hosts that choose their paths for themselves, packet by packet: where they end, and at what
//! cost.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use windtunnel_lab::{Batch, tables};

const PIGOU: &str = include_str!("../../../../scenarios/pigou.toml");
const BRAESS: &str = include_str!("../../../../scenarios/braess.toml");
const EQUAL: &str = include_str!("../../../../scenarios/equal-paths.toml");

/// How long each runs, in seconds, and how many hosts it has.
const DURATION: f64 = 90.0;
const HOSTS: f64 = 40.0;

/// The tables of a scenario with these settings.
struct Ran(Vec<(&'static str, RecordBatch)>);

impl Ran {
    #[track_caller]
    fn new(text: &str, settings: &[(&str, &str)]) -> Self {
        let owned = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(owned).collect();
        let study = windtunnel_lab::read("scenario.toml", text, &settings);
        let study = study.unwrap_or_else(|it| panic!("{it}"));
        let (study, outcome) = Batch::start(study, 2).finish();
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        Self(tables::all(&study, &outcome.runs))
    }

    fn table(&self, name: &str) -> &RecordBatch {
        &self.0.iter().find(|it| it.0 == name).expect("the table is there").1
    }

    fn numbers(&self, table: &str, column: &str) -> Vec<f64> {
        self.table(table)[column].as_primitive::<Float64Type>().values().to_vec()
    }

    fn texts(&self, table: &str, column: &str) -> Vec<&str> {
        self.table(table)[column].as_string::<i32>().iter().map(Option::unwrap_or_default).collect()
    }

    /// The mean delay of all flows in the last third of the run, in milliseconds.
    fn delay(&self) -> f64 {
        let (times, delays) =
            (&self.table("flow_series")["time_s"], &self.table("flow_series")["delay_s"]);
        let times = times.as_primitive::<Float64Type>().values();
        let late = delays.as_primitive::<Float64Type>().iter().zip(times);
        let late: Vec<f64> =
            late.filter(|it| *it.1 > DURATION / 1.5).filter_map(|it| it.0).collect();
        1e3 * late.iter().sum::<f64>() / late.len() as f64
    }

    /// The shares of flows on the path over that link, in the middle of each second of the last
    /// third of the run.
    fn shares(&self, link: &str) -> Vec<f64> {
        let times = self.numbers("path_changes", "time_s");
        let (flows, paths) =
            (self.texts("path_changes", "flow"), self.texts("path_changes", "path_links"));
        let share = |second: u32| {
            let now = f64::from(second) + 0.5;
            let before = times.iter().zip(&flows).zip(&paths).filter(|it| *it.0.0 < now);
            let on: BTreeMap<&str, &str> = before.map(|it| (*it.0.1, *it.1)).collect();
            on.values().filter(|it| it.split(' ').any(|it| it == link)).count() as f64 / HOSTS
        };
        (DURATION as u32 * 2 / 3..DURATION as u32).map(share).collect()
    }
}

#[track_caller]
fn close(found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() <= error, "{found} is not {expected}");
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Pigou 1920: on the link whose delay grows with its load hosts move until it has no advantage
/// any more, 100 ms as the other. Half on each would be 75 ms.
#[test]
fn in_pigous_network_selfish_hosts_pay_four_thirds() {
    let measured = r#"{ kind = "lowest-rtt", probability = "10 %", hysteresis = "1 %" }"#;
    let [selfish, turns] = [measured, r#""round-robin""#]
        .map(|policy| Ran::new(PIGOU, &[("compare", "{}"), ("defaults.flow.path_policy", policy)]));
    close(selfish.delay(), 100.0, 1.0);
    close(turns.delay(), 75.0, 0.5);
    assert!(
        selfish.shares("by-load").iter().all(|it| *it >= 0.925),
        "{:?}",
        selfish.shares("by-load")
    );
    close(selfish.delay() / turns.delay(), 4.0 / 3.0, 0.03);
}

/// Braess 1968: 3/2 without the link from one node in the middle to the other, 2 with it. The hosts
/// stop moving when they gain less than the hysteresis.
#[test]
fn in_braess_network_a_link_of_no_delay_makes_it_worse_for_all() {
    let changes = r#"[{ at = "1 ms", state = "down" }, { at = "10 s", state = "up" }]"#;
    let link = format!(r#"{{ nodes = ["upper", "lower"], changes = {changes} }}"#);
    let link = ("links.upper-lower", link.as_str());
    let without = Ran::new(BRAESS, &[("compare", "{}")]);
    let with = Ran::new(BRAESS, &[("compare", "{}"), link]);
    close(without.delay(), 150.0, 1.0);
    close(with.delay(), 200.0, 3.0);
    assert!(with.shares("upper-lower").iter().all(|it| *it >= 0.925));
}

/// All see the loads of the last round, and a share γ of those on the worse path moves: shares go
/// up and down between (1-γ)/(2-γ) and 1/(2-γ). A hysteresis above γ ends that.
#[test]
fn on_equal_paths_shares_cycle_unless_few_move_and_for_much_only() {
    let amplitude = |settings: &[(&str, &str)]| {
        let all = [&[("compare", "{}")], settings].concat();
        let shares = Ran::new(EQUAL, &all).shares("one");
        let half = mean(shares.iter().map(|it| (it - 0.5).abs()));
        let turns = shares.windows(2).filter(|it| (it[0] > 0.5) != (it[1] > 0.5)).count();
        (half, turns, shares)
    };
    let moving = "defaults.flow.path_policy.probability";
    let (half, turns, shares) = amplitude(&[]);
    assert_eq!((half, turns), (0.5, shares.len() - 1), "{shares:?}");
    let (half, turns, shares) = amplitude(&[(moving, r#""50 %""#)]);
    // Four standard errors of what 40 hosts draw in 30 rounds.
    close(half, 1.0 / 1.5 - 0.5, 4.0 * (0.25 * 26.7_f64).sqrt() / 40.0 / 30_f64.sqrt());
    assert!(turns > 20, "{shares:?}");
    let hysteresis = ("defaults.flow.path_policy.hysteresis", r#""20 %""#);
    let (_, _, shares) = amplitude(&[(moving, r#""10 %""#), hysteresis]);
    assert!(shares.windows(2).all(|it| it[0] == it[1]), "{shares:?}");
    close(shares[0], 0.5, 0.1);
}

/// `¶` marks the place that a message names.
#[test]
fn mistakes_are_told_with_their_place() {
    let flow = "[flows]\n";
    for (text, old, new, message) in [
        (PIGOU, "window = \"200 ms\"", "window = ¶\"0 s\"", "`window` must be greater than zero"),
        (
            PIGOU,
            "window = \"200 ms\"",
            "window = \"1 s\", power = ¶9",
            "`power` must be from 1 to 8, not 9",
        ),
        (
            PIGOU,
            "load_delay = {",
            "mixing = \"1 ms\"\nload_delay = ¶{",
            "`load_delay` cannot be set beside `duplication`, `reordering` or `mixing`",
        ),
        (
            PIGOU,
            flow,
            "path_policy = ¶\"lowest-rttt\"\n[flows]\n",
            "there is no path policy `lowest-rttt`",
        ),
    ] {
        assert_eq!(text.matches(old).count(), 1, "{old} stands there once");
        let marked = text.replacen(old, new, 1);
        let (before, after) = marked.split_once('¶').expect("there is a mark");
        let (line, text) = (before.matches('\n').count() + 1, format!("{before}{after}"));
        let settings = [("compare".to_owned(), "{}".to_owned())];
        let error = windtunnel_lab::read("scenario.toml", &text, &settings).expect_err(message);
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(error.place.as_ref().map(|it| it.line), Some(line), "{error}");
    }
}

const PLAIN: &str = r#"
duration = "1 s"
nodes = { a = {}, b = {} }
links.l = { nodes = ["a", "b"], rate = "1 Mbps", delay = "1 ms" }
flows.f = { from = "a", to = "b", protocol = "udp", rate = "1 kbps", path_policy = "widest" }
"#;

#[test]
fn a_path_policy_needs_autonomous_systems() {
    let error = windtunnel_lab::read("scenario.toml", PLAIN, &[]).expect_err("it is wrong");
    assert!(error.to_string().contains("`path_policy` requires autonomous systems"));
    let one = "autonomous_systems.x = { isd_as = \"1-1\", core = true, nodes = [\"a\", \"b\"] }";
    let error = windtunnel_lab::read("scenario.toml", &format!("{PLAIN}{one}"), &[]);
    let error = error.expect_err("it is wrong").to_string();
    assert!(error.contains("both ends of the flow are in the same autonomous system"), "{error}");
}
