//! Whatever is done to a scenario's text, it is read or refused, and runs to its
//! end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{VALID, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use windtunnel_engine::Stop;
use windtunnel_lab::{Batch, Study};

/// A change of a text, at places that depend on its length.
#[derive(Clone, Debug)]
enum Mutation {
    Remove(Index, Index),
    Repeat(Index, Index),
    Insert(Index, String),
    Swap(Index, Index),
    /// Another number for the one that comes next.
    Number(Index, String),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<Index>;
    let number = prop::sample::select(vec![
        "0",
        "-1",
        "1e300",
        "0.000001",
        "999999999999999999999",
        "3",
        "nan",
        "1_000",
        "65536",
    ]);
    let pieces = prop::sample::select(vec![
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        "=",
        ".",
        "\n",
        "#",
        "ä",
        "\u{0}",
        "compare",
        "defaults",
        "routing",
        "nodes.x = {}\n",
        "\"\"\"",
        ",",
        "workload = { kind = \"file\", size = \"1 MB\" }\n",
        "kind = \"red\", ",
        "protocol = \"udp\"\n",
        "\"fq-codel\"",
    ]);
    prop_oneof![
        1 => (index(), index()).prop_map(|(from, length)| Mutation::Remove(from, length)),
        1 => (index(), index()).prop_map(|(from, length)| Mutation::Repeat(from, length)),
        1 => (index(), pieces).prop_map(|(place, text)| Mutation::Insert(place, text.to_owned())),
        1 => (index(), "\\PC{1,8}").prop_map(|(place, text)| Mutation::Insert(place, text)),
        1 => (index(), index()).prop_map(|(first, second)| Mutation::Swap(first, second)),
        3 => (index(), number).prop_map(|(place, text)| Mutation::Number(place, text.to_owned())),
    ]
}

fn apply(text: &str, mutation: &Mutation) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let count = characters.len();
    if count == 0 {
        return String::new();
    }
    let range = |from: &Index, length: &Index| {
        let from = from.index(count);
        from..(from + length.index(20) + 1).min(count)
    };
    match mutation {
        Mutation::Remove(from, length) => drop(characters.drain(range(from, length))),
        Mutation::Repeat(from, length) => {
            let range = range(from, length);
            let again = characters[range.clone()].to_vec();
            characters.splice(range.end..range.end, again);
        }
        Mutation::Insert(place, text) => {
            let place = place.index(count);
            characters.splice(place..place, text.chars());
        }
        Mutation::Swap(first, second) => characters.swap(first.index(count), second.index(count)),
        Mutation::Number(place, text) => {
            let digit = |it: &char| it.is_ascii_digit();
            let start = place.index(count);
            if let Some(start) = characters[start..].iter().position(digit).map(|it| it + start) {
                let length = characters[start..].iter().take_while(|it| digit(it)).count();
                characters.splice(start..start + length, text.chars());
            }
        }
    }
    characters.into_iter().collect()
}

fn mutated(text: &str, mutations: &[Mutation]) -> String {
    mutations.iter().fold(text.to_owned(), |text, it| apply(&text, it))
}

/// The valid scenario with a comparison, and with most of what a file may say.
const RICH: &str = r#"
duration = "200 ms"
recording.interval = "20 ms"
seed = 1
runs = 1
real_time_limit = "100 ms"
nodes = { a = {}, b = { content_store = { capacity = "20 packets", policy = "fifo" } }, c = {} }
[defaults]
node = { strategy = "pcon", interest_marks = "ignore" }
link = { delay = "1 ms", overhead = "8 B", queue = { kind = "link-service", threshold = "2 kB" } }
consumer = { controller = { kind = "cubic", beta = 0.8 }, window.initial = "4 segments" }
[links]
first = { nodes = ["a", "b"], rate = ["10 Mbps", "1 Mbps"], loss = { probability = "1 %" } }
second = { nodes = ["b", "c"], rate = "5 Mbps", queue = { kind = "codel", action = "mark" } }
third = { nodes = ["a", "c"], rate = "5 Mbps", queue = { kind = "pcon", target = "1 ms" } }
[producers.p]
node = "c"
prefix = "/p"
payload = "500 B"
freshness = "1 s"
response_delay = "1 ms"
[consumers]
v = { node = "a", prefix = "/p/1", workload = { kind = "file", size = "100 kB" }, start = "10 ms" }
w = { node = "a", prefix = "/p/2", workload = { kind = "catalogue", objects = 50, exponent = 1.1 } }
[routing]
paths = "all"
routes = [{ node = "b", prefix = "/p/2", link = "second" }]
[compare.loss]
none = { "links.first.loss" = { probability = "0 %" } }
some = { "links.first.loss.probability" = "2 %" }
"#;

/// Every kind of queue, workload, loss and protocol, in short and in long.
const KINDS: &str = r#"
duration = "200 ms"
recording.interval = "20 ms"
nodes = { a = {}, b = {}, c = {} }
[defaults]
link = { delay = "1 ms", rate = "5 Mbps", queue = "fq-codel", changes = [{ at = "9 ms", state = "up" }] }
flow = { from = "a", to = "c", controller = "cubic", recovery = "sack", payload = "500 B" }
[links]
first = { nodes = ["a", "b"], queue = ["pie", { kind = "red", limit = "50 kB" }], loss = ["1 %", "0 %"] }
second = { nodes = ["b", "c"], queue = { kind = "dualpi2", coupling = 1.5 }, loss = { kind = "continuous-gilbert-elliott", in_good_state = "0 %", in_bad_state = "20 %", good_state_lasts = "40 ms", bad_state_lasts = "4 ms" } }
third = { nodes = ["b", "c"], queue = "sce", loss = { kind = "gilbert-elliott", in_good_state = "0 %", in_bad_state = "20 %", to_bad_state = "1 %", to_good_state = "10 %" } }
[flows]
bulk = { workload = "bulk" }
paced = { workload = { kind = "bulk", rate = "1 Mbps" }, split = { at = ["b"] } }
file = { workload = { kind = "file", size = "50 kB" } }
ask = { socket = { write_size = "60 B", nagle = "classic" }, workload = { kind = "request-response", response = "5 kB", workers = 3, periods = "exponential", think = "9 ms" } }
turns = { workload = { kind = "on-off", on = "20 ms", off = "10 ms" } }
files = { workload = { kind = "arrivals", sizes = [["1 kB", "0 %"], ["9 kB", "100 %"]], load = "20 %" } }
call = { protocol = "udp", rate = "100 kbps" }
words = { protocol = "udp", rate = "100 kbps", workload = { kind = "on-off", on = "9 ms", off = "9 ms" } }
[bridges.dci]
from = "a"
to = "b"
buffer = "30 kB"
duplicates = { kind = "suppress", round_trip = "5 ms" }
order = { kind = "in-order", patience = "5 ms" }
"#;

const MAP: &str = r#"
stations = [
  { name = "g1", at = ["0 m", "0 m"], height = "10 m" },
  { name = "g2", at = ["100 m", "-20 m"], height = "8 m" },
]
buildings = [{ corner = ["-19 m", "18 m"], width = "3 m", depth = "4 m" }]
user = { path = [["-50 m", "40 m"], ["50 m", "40 m"], ["50 m", "90 m"]], height = "1.5 m" }
"#;

const RATES: &str = "# seconds, Mbit/s\n0 5\n0.01 0\n0.03 7.5\n0.05 1\n";

/// A radio and two traces, with the files beside them, where `folder` is.
fn channels(folder: &Path, map: &str, trace: &str, rates: &str) -> String {
    std::fs::create_dir_all(folder).expect("a folder can be made");
    for (name, text) in [("map", map), ("trace", trace), ("rates", rates)] {
        std::fs::write(folder.join(name), text).expect("a file can be written");
    }
    let folder = folder.display();
    format!(
        r#"
duration = "200 ms"
recording.interval = "20 ms"
nodes = {{ a = {{}}, b = {{}}, c = {{}} }}
[defaults.link]
delay = "1 ms"
[links.cell]
nodes = ["a", "b"]
trace = [
  {{ file = "{folder}/trace", kind = "opportunities" }},
  {{ file = "{folder}/rates", kind = "rates", repeat = false }},
]
[links.air]
nodes = ["b", "c"]
[links.air.radio]
map = "{folder}/map"
speed = "30 km/h"
carrier = "3.5 GHz"
bandwidth = ["20 MHz", "10 MHz"]
transmit_power = ["43 dBm", "23 dBm"]
blockage = {{ every = "50 ms", lasts = "20 ms", loss = "20 dB", edge = "5 ms" }}
efficiency = {{ kind = "cqi", gap = "5 dB" }}
harq = {{ error = "20 %", round_trip = "2 ms", attempts = 2 }}
rlc = {{ kind = "acknowledged", status = "5 ms" }}
handover = {{ margin = "1 dB", after = "20 ms", interruption = "10 ms" }}
report = {{ period = "20 ms", delay = "1 ms" }}
[flows]
down = {{ from = "a", to = "c", controller = {{ kind = "d-tcp", sinr = true }} }}
up = {{ from = "c", to = "a", controller = "bbr1", workload = {{ kind = "bulk", rate = "3 Mbps" }} }}
"#
    )
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn assert_ends_in_time<T>(what: &str, limit: Duration, act: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = act();
    assert!(started.elapsed() < limit, "{:?} for {what}", started.elapsed());
    done
}

/// Reads a text, and runs its first case if it can be run.
fn read_and_run(text: &str) {
    let study = assert_ends_in_time(text, Duration::from_secs(60), || read(text));
    match study {
        Err(error) => assert!(!error.message.is_empty() && error.to_string().len() < 8_000),
        Ok(study) => run(study, text),
    }
}

fn run(mut study: Study, text: &str) {
    study.cases.truncate(1);
    study.runs = 1;
    study.real_time_limit = Some(Duration::from_millis(50));
    let (_, outcome) =
        assert_ends_in_time(text, Duration::from_secs(60), || Batch::start(study, 1).finish());
    assert!(outcome.faults.is_empty(), "{:?} for {text}", outcome.faults);
    assert!(outcome.runs.iter().all(|it| it.stop != Stop::Cancelled));
}

#[test]
fn the_rich_scenario_is_valid() {
    let study = read(RICH).expect("it is valid");
    let (_, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.runs.iter().all(|it| it.packet_hops > 100));
}

#[test]
fn the_scenario_of_all_kinds_is_valid() {
    let study = read(KINDS).expect("it is valid");
    let (_, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.runs.iter().all(|it| it.packet_hops > 100));
}

#[test]
fn the_scenario_of_channels_is_valid() {
    let text = channels(&folder("valid-channels"), MAP, "1\n1\n3\n", RATES);
    let (_, outcome) = Batch::start(read(&text).expect("it is valid"), 1).finish();
    assert!(outcome.runs.iter().all(|it| it.packet_hops > 100));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_changed_text_about_channels_is_read_or_refused_and_never_hangs(
        file in 0..4,
        mutations in vec(mutation(), 1..4),
    ) {
        let changed = |number, text: &str| {
            if number == file { mutated(text, &mutations) } else { text.to_owned() }
        };
        let [map, trace, rates] =
            [(0, MAP), (1, "1\n1\n3\n"), (2, RATES)].map(|(number, it)| changed(number, it));
        read_and_run(&changed(3, &channels(&folder("channels"), &map, &trace, &rates)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_text_is_read_or_refused_and_never_hangs(
        text in prop::sample::select(vec![VALID, RICH, KINDS]),
        mutations in vec(mutation(), 1..4),
    ) {
        read_and_run(&mutated(text, &mutations));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|\n){0,200}") {
        let _ = read(&text);
    }

    /// Lines in another order, some twice, some missing.
    #[test]
    fn shuffled_lines_are_read_or_refused(places in vec(any::<Index>(), 1..40)) {
        let lines: Vec<&str> = RICH.lines().chain(KINDS.lines()).collect();
        let text: Vec<&str> = places.iter().map(|it| *it.get(&lines)).collect();
        read_and_run(&text.join("\n"));
    }
}
