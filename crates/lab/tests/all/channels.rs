//! Links whose rate follows a radio or a trace: what their scenarios become, and what
//! is refused. `¶` marks the place that a message must name.

use crate::common;
use std::any::Any;
use std::fs;
use std::path::PathBuf;

use arrow_array::{Array, Float64Array};
use windtunnel_applications::{BulkSettings, Workload};
use windtunnel_engine::{Duration, Rate};
use windtunnel_lab::{Batch, Bounds, ScenarioError, Study, tables};
use windtunnel_links::radio::{Efficiency, LineOfSight, Obstructed, Point, RadioPlan};
use windtunnel_links::{AirPlan, RateTraces};
use windtunnel_world::{LinkPlan, Plan, PortId, Transport};

const MAP: &str = r#"title = "A street"
stations = [{ name = "g1", at = ["0 m", "-5 m"], height = "10 m" }]
buildings = [{ corner = ["-0.02 km", "10 m"], width = "15 m", depth = "10 m" }]
[user]
path = [["-50 m", "40 m"], ["50 m", "40 m"]]
height = "1.5 m"
"#;

const RADIO: &str = r#"duration = "2 s"
nodes = { server = {}, base = {}, phone = {} }
[defaults.link]
rate = "1 Gbps"
delay = "1 ms"
[links.core]
nodes = ["server", "base"]
[links.air]
nodes = ["base", "phone"]
[links.air.radio]
map = "street.toml"
speed = "36 km/h"
carrier = "28 GHz"
bandwidth = ["1 GHz", "100 MHz"]
transmit_power = ["30 dBm", "-3 dBm"]
[flows.f]
from = "server"
to = "phone"
controller = "cubic"
"#;

const TRACE: &str = r#"duration = "2 s"
nodes = { a = {}, b = {} }
[links.cell]
nodes = ["a", "b"]
delay = "1 ms"
trace = { file = "cell.trace", kind = "opportunities" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"#;

/// A folder of a test's own, with the files that its scenarios name.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.join(name), text).expect("a file can be written");
        self
    }

    fn file(&self) -> String {
        self.0.join("scenario.toml").to_str().expect("its name is text").to_owned()
    }

    fn read(&self, text: &str) -> Result<Study, ScenarioError> {
        windtunnel_lab::read(&self.file(), text, &[])
    }

    #[track_caller]
    fn plan(&self, text: &str) -> Plan {
        Plan::clone(&self.read(text).expect("the scenario is right").cases[0].plan)
    }

    #[track_caller]
    fn assert_refused(&self, marked: &str, expected: &[&str]) {
        common::assert_contains(&common::refused(marked, |text| self.read(text)), expected);
    }

    /// A map file with a mistake, at the place in it that is marked.
    #[track_caller]
    fn assert_map_refused(self, marked: &str, expected: &[&str]) -> Self {
        let (map, (line, column)) = common::unmarked(marked);
        let folder = self.with("street.toml", map);
        let place = format!("street.toml:{line}:{column}: ");
        let expected: Vec<&str> = [place.as_str()].iter().chain(expected).copied().collect();
        folder.assert_refused(&changed(RADIO, "\"street.toml\"", "¶\"street.toml\""), &expected);
        folder
    }

    /// A trace with a mistake.
    #[track_caller]
    fn assert_trace_refused(self, kind: &str, trace: &str, expected: &[&str]) -> Self {
        let folder = self.with("cell.trace", trace);
        let text = changed(TRACE, "\"cell.trace\"", "¶\"cell.trace\"");
        folder.assert_refused(&text.replace("opportunities", kind), expected);
        folder
    }
}

/// A text with one thing in another's place.
#[track_caller]
fn changed(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old} stands there once");
    text.replacen(old, new, 1)
}

/// The radio's scenario with more keys of the radio.
fn radio(more: &str) -> String {
    changed(RADIO, "[flows.f]", &format!("{more}\n[flows.f]"))
}

fn street(test: &str) -> Folder {
    Folder::new(test).with("street.toml", MAP)
}

fn radio_of(link: &LinkPlan) -> &RadioPlan {
    let channel = link.channel.as_deref().expect("it has a channel");
    (channel as &dyn Any).downcast_ref().expect("it is a radio")
}

/// The air interface of a link's first direction.
fn air_of(link: &LinkPlan) -> AirPlan {
    let layer = link.directions[0].physical_layer.as_deref().expect("attempts fail");
    *(layer as &dyn Any).downcast_ref().expect("it is an air interface")
}

fn mbps(rate: f64) -> Rate {
    Rate::from_bits_per_second((rate * 1e6) as u64).expect("it is above zero")
}

#[test]
fn a_radio_becomes_a_plan_with_what_is_not_stated_filled_in() {
    let plan = street("filled").plan(RADIO);
    let air = &plan.links[1];
    let radio = radio_of(air);
    assert_eq!(radio.carrier, 28e9);
    assert_eq!(radio.bandwidth, [1e9, 100e6]);
    assert_eq!(radio.transmit_power, [30.0, -3.0]);
    assert_eq!(radio.speed, 10.0);
    assert_eq!((radio.antenna_gain, radio.noise_figure, radio.overhead), (0.0, 7.0, 0.25));
    assert_eq!(radio.line_of_sight, LineOfSight::Map);
    assert_eq!(radio.obstructed, Obstructed::Scattering);
    assert!(radio.shadowing && radio.blockage.is_none());
    let shannon = Efficiency::Shannon { share: 0.6, maximum: 4.4, minimum_sinr: -10.0 };
    assert_eq!(radio.efficiency, shannon);
    assert_eq!(radio.period, Duration::from_millis(10));
    assert_eq!(radio.report.period, radio.period);
    assert_eq!(radio.report.delay, Duration::from_millis(10));
    assert_eq!(radio.handover.margin, 3.0);
    assert_eq!(radio.handover.after, Duration::from_millis(160));
    assert_eq!(radio.handover.interruption, Duration::from_millis(50));
    let harq = AirPlan {
        slot: Duration::from_micros(125),
        block_error: 0.1,
        round_trip: Duration::from_millis(1),
        attempts: 4,
        status: Some(Duration::from_millis(20)),
    };
    assert_eq!(air_of(air), harq);
    let core = &plan.links[0];
    assert!(core.channel.is_none() && core.directions[0].physical_layer.is_none());
}

#[test]
fn a_radio_becomes_a_plan_with_what_is_stated() {
    let stated = r#"
        antenna_gain = "30 dB"
        noise_figure = "5 dB"
        line_of_sight = "probability"
        shadowing = false
        blockage = { every = "5 s", lasts = "300 ms", loss = "20 dB", edge = "100 ms" }
        efficiency = { kind = "cqi-256qam", gap = "3 dB" }
        overhead = "20 %"
        period = "5 ms"
        harq = { error = "20 %", round_trip = "2 ms", attempts = 3 }
        rlc = { kind = "unacknowledged" }
        handover = { margin = "2 dB", after = "80 ms", interruption = "20 ms" }
        report = { period = "20 ms", delay = "7 ms" }"#;
    let plan = street("stated").plan(&radio(stated));
    let radio = radio_of(&plan.links[1]);
    assert_eq!((radio.antenna_gain, radio.noise_figure, radio.overhead), (30.0, 5.0, 0.2));
    assert_eq!(radio.line_of_sight, LineOfSight::Probability);
    assert_eq!(radio.efficiency, Efficiency::Cqi256 { gap: 3.0 });
    assert!(!radio.shadowing);
    let blockage = radio.blockage.expect("it is stated");
    assert_eq!((blockage.loss, blockage.edge), (20.0, Duration::from_millis(100)));
    assert_eq!(
        (blockage.every, blockage.lasts),
        (Duration::from_secs(5), Duration::from_millis(300))
    );
    assert_eq!(radio.period, Duration::from_millis(5));
    assert_eq!((radio.handover.margin, radio.handover.after), (2.0, Duration::from_millis(80)));
    assert_eq!(radio.report.period, Duration::from_millis(20));
    let air = air_of(&plan.links[1]);
    assert_eq!((air.block_error, air.attempts, air.status), (0.2, 3, None));
}

#[test]
fn a_map_is_read_with_its_lengths_in_metres() {
    let plan = street("map").plan(RADIO);
    let map = &radio_of(&plan.links[1]).map;
    assert_eq!(map.stations[0].name, "g1");
    assert_eq!((map.stations[0].at, map.stations[0].height), (Point { x: 0.0, y: -5.0 }, 10.0));
    let building = map.buildings[0];
    assert_eq!(building.corner, Point { x: -20.0, y: 10.0 });
    assert_eq!((building.width, building.depth), (15.0, 10.0));
    assert_eq!(map.path, [Point { x: -50.0, y: 40.0 }, Point { x: 50.0, y: 40.0 }]);
    assert_eq!(map.user_height, 1.5);
}

/// So that the bounds that follow from the plan hold whatever the channel does.
#[test]
fn a_radio_begins_with_the_most_that_it_ever_sends() {
    let plan = street("most").plan(RADIO);
    let rates = plan.links[1].directions.each_ref().map(|it| it.rate);
    assert_eq!(rates, [mbps(4400.0 * 0.75), mbps(440.0 * 0.75)]);
    let bounds = Bounds::of(&plan);
    // The core's 1 Gbps are narrower.
    assert!((bounds.goodput_bps / (1e9 * 1448.0 / 1500.0) - 1.0).abs() < 1e-9, "{bounds:?}");
    let alone = changed(RADIO, "from = \"server\"", "from = \"base\"");
    let most = Bounds::of(&street("most").plan(&alone)).goodput_bps;
    assert!((most / (3.3e9 * 1448.0 / 1500.0) - 1.0).abs() < 1e-9, "{most}");
}

#[test]
fn a_sender_hears_the_only_radio_on_the_way_of_its_data() {
    let folder = street("heard");
    let radio = |text: &str| folder.plan(text).flows[0].radio;
    let port = |it: Option<PortId>| it.map(|it| (it.link(), it.direction()));
    assert_eq!(port(radio(RADIO)), Some((1, 0)));
    let upwards = RADIO.replace("from = \"server\"", "from = \"phone\"");
    let upwards = upwards.replace("to = \"phone\"", "to = \"server\"");
    assert_eq!(port(radio(&upwards)), Some((1, 1)));
    assert_eq!(port(radio(&changed(RADIO, "to = \"phone\"", "to = \"base\""))), None);
    let second = RADIO.split_once("[links.air.radio]\n").expect("it has one").1;
    let keys = second.split_once("[flows").expect("flows follow").0;
    let two = changed(RADIO, "[links.air]", &format!("[links.core.radio]\n{keys}[links.air]"));
    assert_eq!(port(radio(&two)), None);
}

#[test]
fn a_controller_that_listens_to_its_radio_needs_one() {
    let folder = street("sinr");
    let with = "{ kind = \"d-tcp\", sinr = true }";
    assert!(folder.read(&changed(RADIO, "\"cubic\"", with)).is_ok());
    let wired = changed(RADIO, "to = \"phone\"", "to = \"base\"");
    let marked = "{ kind = \"d-tcp\", sinr = ¶true }";
    let said =
        ["`d-tcp` needs a radio's SINR, which this flow does not have", "or write sinr = false"];
    folder.assert_refused(&changed(&wired, "\"cubic\"", marked), &said);
    // The same where the flag stands under a name of the file's own.
    let named = changed(&wired, "\"cubic\"", "\"mine\"") + "[controllers]\nmine = " + marked;
    folder.assert_refused(&named, &said);
    let off = "{ kind = \"d-tcp\", sinr = false }";
    assert!(folder.read(&changed(&wired, "\"cubic\"", off)).is_ok());
    let consumer = format!(
        "[producers.p]\nnode = \"server\"\nprefix = \"/p\"\n\
         [consumers.c]\nnode = \"phone\"\nprefix = \"/p\"\ncontroller = {marked}\n"
    );
    let said = ["needs a radio's SINR, which an NDN consumer does not have", "in a flow over TCP"];
    folder.assert_refused(&format!("{RADIO}{consumer}"), &said);
}

#[test]
fn a_radio_beyond_its_limits_is_refused() {
    let folder = street("limits");
    for (old, new, said) in [
        ("\"28 GHz\"", "¶\"400 MHz\"", "from \"0.5 GHz\" to \"100 GHz\""),
        ("\"28 GHz\"", "¶\"28 dB\"", "`dB` is not a valid unit for a frequency"),
        (
            "[\"1 GHz\", \"100 MHz\"]",
            "¶[\"1 GHz\", \"0 Hz\"]",
            "`bandwidth` must be greater than zero",
        ),
        ("[\"1 GHz\", \"100 MHz\"]", "¶\"29 GHz\"", "`bandwidth` is above the carrier"),
        ("\"-3 dBm\"", "¶\"-101 dBm\"", "not between -100 and 100 dBm"),
        ("\"36 km/h\"", "¶\"-1 m/s\"", "is negative"),
        ("\"36 km/h\"", "¶\"5000 m/s\"", "is above 1000 m/s"),
        ("speed =", "¶sped =", "did you mean `speed`?"),
    ] {
        folder.assert_refused(&changed(RADIO, old, new), &[said]);
    }
    for (more, said) in [
        ("noise_figure = ¶\"-1 dB\"", "0 dB or more"),
        ("overhead = ¶\"100 %\"", "less than \"100 %\""),
        ("period = ¶\"0 s\"", "a longer period"),
        ("period = ¶\"100 ns\"", "more than ten million samples"),
        ("harq = { error = ¶\"100 %\" }", "at most \"99 %\""),
        ("harq = { attempts = ¶0 }", "1 to 100"),
        ("harq = { attempts = ¶101 }", "1 to 100"),
        (
            "rlc = { kind = \"unacknowledged\", ¶status = \"1 ms\" }",
            "it is a key of `acknowledged`",
        ),
        ("rlc = { kind = ¶\"transparent\" }", "unknown value `transparent`"),
        ("report = { period = ¶\"25 ms\" }", "a multiple of 10 ms"),
        ("report = { period = ¶\"0 s\" }", "a multiple of 10 ms"),
        ("handover = { margin = ¶\"-1 dB\" }", "0 dB or more"),
        ("efficiency = { kind = \"cqi\", ¶share = \"50 %\" }", "`share` does not apply to `cqi`"),
        (
            "efficiency = { kind = \"shannon\", ¶gap = \"1 dB\" }",
            "`gap` does not apply to `shannon`",
        ),
        ("efficiency = ¶{ kind = \"shannon\", maximum = \"0 bit/s/Hz\" }", "never sends anything"),
        ("blockage = { every = ¶\"1 us\", lasts = \"1 s\", loss = \"9 dB\" }", "1 ms or more"),
        (
            "blockage = { every = \"1 s\", lasts = ¶\"0 s\", loss = \"9 dB\" }",
            "`lasts` must be greater than zero",
        ),
        ("blockage = { every = \"1 s\", lasts = \"1 s\", loss = ¶\"-9 dB\" }", "0 dB or more"),
        ("blockage = ¶{ lasts = \"1 s\", loss = \"9 dB\" }", "`blockage` has no `every`"),
        (
            "line_of_sight = \"probability\"\nobstructed = ¶\"diffraction\"",
            "line_of_sight = \"map\"",
        ),
    ] {
        folder.assert_refused(&radio(more), &[said]);
    }
    let missing = changed(RADIO, "[links.air.radio]\nmap = \"street.toml\"", "¶[links.air.radio]");
    folder.assert_refused(&missing, &["`radio` has no `map`"]);
}

#[test]
fn a_link_says_in_one_way_how_fast_it_sends() {
    let folder = street("ways").with("cell.trace", "1\n");
    let own = |more: &str| changed(RADIO, "\"phone\"]\n", &format!("\"phone\"]\n{more}\n"));
    let beside = |text: &str| text.replace("[links.air.radio]", "[links.air.¶radio]");
    let at_once = ["`radio` cannot be set beside another of", "write one of them"];
    folder.assert_refused(&beside(&own("rate = \"1 Mbps\"")), &at_once);
    let trace = "{ file = \"cell.trace\", kind = \"opportunities\" }";
    folder.assert_refused(&beside(&own(&format!("trace = {trace}"))), &at_once);
    let with = |more: &str| changed(TRACE, "trace = {", &format!("{more}\n¶trace = {{"));
    folder.assert_refused(&with("rate = \"1 Mbps\""), &["`trace` cannot be set beside another of"]);
    let none = changed(TRACE, &format!("trace = {trace}\n"), "").replace("[links.", "¶[links.");
    folder.assert_refused(
        &none,
        &["`cell` has no `rate`", "`rate`, `radio`, `fixed_wireless`, `optical`"],
    );
    // Defaults for other kinds of links do not apply.
    assert!(folder.read(&format!("{TRACE}[defaults.link]\nrate = \"1 Mbps\"\nchanges = [{{ at = \"1 s\", state = \"up\" }}]\n")).is_ok());
}

/// What says how fast it sends, says so at all times; the rest can change.
#[test]
fn a_link_with_a_channel_can_fail_and_change_all_but_its_rate() {
    let folder = street("changes").with("cell.trace", "1\n");
    let changes = r#"changes = [
        { at = "1 s", state = "down" }, { at = "1.5 s", state = ["up", "down"] },
        { at = "0.5 s", delay = "60 ms" }, { at = "0.6 s", loss = "1 %" },
        { at = "0.7 s", queue = { limit = "5 packets" } },
    ]"#;
    let with = |of: &str, changes: &str| {
        of.replace("delay = \"1 ms\"\ntrace", &format!("delay = \"1 ms\"\n{changes}\ntrace"))
            .replace(
                "nodes = [\"base\", \"phone\"]",
                &format!("nodes = [\"base\", \"phone\"]\n{changes}"),
            )
    };
    for (of, link) in [(TRACE, 0), (RADIO, 1)] {
        let plan = folder.plan(&with(of, changes));
        assert_eq!(plan.changes.len(), 10);
        assert!(plan.changes.iter().all(|it| it.port.link() == link));
    }
    let rate = "changes = [{ at = \"1 s\", rate = ¶\"1 Mbps\" }]";
    let said = [
        "`rate` cannot change on a link with `trace`",
        "change `delay`, `state`, `loss` or `queue`",
    ];
    folder.assert_refused(&with(TRACE, rate), &said);
    folder.assert_refused(&with(RADIO, rate), &["`rate` cannot change on a link with `radio`"]);
}

const DRIVE: &str = "Time,Network,DL_kbps,UL_kbps,RTT
0,5G,41200,5100,38
0,5G,39800,5000,-
1,5G,52000,6100,41
3,LTE,8700,900,66
4,LTE,0,0,-
6,5G,47500,5600,40
";

/// The trace's scenario with a table.
fn table(keys: &str) -> String {
    let one = "{ file = \"cell.trace\", kind = \"opportunities\" }";
    let table = |keys: &str| format!("{{ file = \"drive.csv\", kind = \"rates\", {keys} }}");
    let both: Vec<String> = keys.split(" | ").map(table).collect();
    changed(TRACE, one, &format!("[{}]", both.join(", ")))
}

#[test]
fn each_direction_may_follow_its_columns_of_one_table() {
    let folder = Folder::new("columns-of-a-table").with("drive.csv", DRIVE);
    let keys = |rate: &str| {
        format!(
            "time = \"Time\", rate = \"{rate}\", rate_unit = \"kbps\", round_trip_time = \"RTT\""
        )
    };
    let text = table(&format!("{} | {}", keys("DL_kbps"), keys("UL_kbps")));
    let study = folder.read(&text).expect("the scenario is right");
    let plan = &study.cases[0].plan;
    let rates = plan.links[0].directions.each_ref().map(|it| it.rate);
    assert_eq!(rates, [mbps(52.0), mbps(6.1)]);
    let channel = plan.links[0].channel.as_deref().expect("it has a channel");
    let Some(RateTraces([Some(down), Some(up)])) = (channel as &dyn Any).downcast_ref() else {
        panic!("{channel:?}")
    };
    assert_eq!((down.rows.len(), up.rows.len(), down.repeat), (4, 4, Some(Duration::from_secs(6))));
    let delays: Vec<u64> = down.delays.iter().map(|it| it.1.as_nanos() / 1000).collect();
    assert_eq!(delays, [19_000, 20_500, 33_000]);
    assert_eq!(Bounds::of(plan).delay.as_nanos() / 1_000_000, 2, "the link's own is less");
    assert_eq!(study.notes(), ["drive.csv: 2 of 6 rows have no `RTT`: the value before holds"]);
}

#[test]
fn a_table_with_a_mistake_is_refused_at_its_place() {
    let folder = Folder::new("tables-refused").with("drive.csv", DRIVE);
    for (keys, said) in [
        ("time = ¶\"Tyme\", rate = \"DL_kbps\"", "no column `Tyme`"),
        ("time = ¶\"Tyme\", rate = \"DL_kbps\"", "did you mean `Time`?"),
        ("time = \"Time\", rate = ¶\"DL_kbs\"", "did you mean `DL_kbps`?"),
        ("time = ¶\"Time\"", "write both `time` and `rate`"),
        ("rate = ¶\"DL_kbps\"", "write both `time` and `rate`"),
        ("time_unit = ¶\"ms\"", "`time_unit` requires a table with a header row"),
        ("time = \"Time\", rate = \"UL_kbps\", rate_unit = ¶\"kb\"", "`kb` is not a valid unit"),
        ("time = \"Time\", rate = \"UL_kbps\", time_unit = ¶\"kbps\"", "a duration"),
        ("time = \"Time\", rate = \"UL_kbps\", round_trip_time = ¶\"rtt\"", "no column `rtt`"),
        (
            "time = \"Time\", rate = \"UL_kbps\", one_way_delay = \"RTT\", round_trip_time = ¶\"RTT\"",
            "`round_trip_time` and `one_way_delay` cannot both be set",
        ),
    ] {
        folder.assert_refused(&table(keys), &[said]);
    }
    let opportunities = changed(TRACE, "\"opportunities\"", "\"opportunities\", time = ¶\"Time\"");
    let folder = folder.with("cell.trace", "1\n");
    folder.assert_refused(&opportunities, &["`time` requires a table", "kind = \"rates\""]);
    let wrong = DRIVE.replace("8700", "fast");
    let folder = folder.with("drive.csv", wrong);
    let marked =
        table("time = \"Time\", rate = \"DL_kbps\"").replace("\"drive.csv\"", "¶\"drive.csv\"");
    folder.assert_refused(&marked, &["drive.csv:5:1: `DL_kbps` is \"fast\""]);
}

#[test]
fn a_map_with_a_mistake_is_refused_at_its_place_in_both_files() {
    let wrong = |old: &str, new: &str| changed(MAP, old, new);
    Folder::new("maps")
        .assert_map_refused(&wrong("title", "¶tilte"), &["did you mean `title`?"])
        .assert_map_refused(&wrong("height = \"1.5 m\"", "height = ¶\"1 m\""), &["1.5 m to 22.5 m"])
        .assert_map_refused(&wrong("\"10 m\" }]\nb", "¶\"90 m\" }]\nb"), &["from 2 m to 50 m"])
        .assert_map_refused(
            &wrong("\"-5 m\"", "¶\"-5 s\""),
            &["`s` is not a valid unit for a length"],
        )
        .assert_map_refused(
            &wrong("\"15 m\"", "¶\"0 m\""),
            &["both lengths of a building must be greater than zero"],
        )
        .assert_map_refused(
            &wrong("\"15 m\"", "¶\"-1 m\""),
            &["both lengths of a building must be greater than zero"],
        )
        .assert_map_refused(
            &wrong("[{ name = \"g1\", at = [\"0 m\", \"-5 m\"], height = \"10 m\" }]", "¶[]"),
            &["the map has no base station"],
        )
        .assert_map_refused(
            &wrong(
                "stations = [",
                "stations = [{ name = \"g1\", at = [\"9 m\", \"9 m\"], height = \"9 m\" }, ",
            )
            .replace("\"g1\", at = [\"0 m\"", "¶\"g1\", at = [\"0 m\""),
            &["two base stations named `g1`"],
        )
        .assert_map_refused(
            &wrong("[[\"-50 m\", \"40 m\"], [\"50 m\", \"40 m\"]]", "¶[]"),
            &["the path is empty"],
        )
        .assert_map_refused(
            &wrong("[\"50 m\", \"40 m\"]", "¶[\"-50 m\", \"40 m\"]"),
            &["two consecutive corners of the path"],
        )
        .assert_map_refused(&wrong("[user]", "[user¶"), &[]);
}

#[test]
fn a_trace_with_a_mistake_is_refused_at_its_place_in_both_files() {
    let opportunities: [(&str, &[&str]); 9] = [
        ("", &["cell.trace: the trace is empty"]),
        ("# nothing\n\n", &["the trace is empty"]),
        ("1\n2\nx\n", &["cell.trace:3:1: \"x\" is not a time"]),
        ("1\n-2\n", &["cell.trace:2:1: \"-2\" is not a time"]),
        ("1.5\n", &["a whole number of milliseconds"]),
        ("# made\n5\n 4\n", &["cell.trace:3:2: 4 ms follows 5 ms"]),
        ("0\n0\n", &["has no length"]),
        ("99999999999999999999\n", &["is not a time"]),
        ("18000000000\n", &["less than one bit per second"]),
    ];
    let mut folder = Folder::new("traces");
    for (trace, expected) in opportunities {
        folder = folder.assert_trace_refused("opportunities", trace, expected);
    }
    let rates: [(&str, &[&str]); 10] = [
        ("", &["cell.trace: the trace is empty"]),
        ("0 1\n", &["has no length", "repeat = false"]),
        ("1 5\n2 5\n", &["cell.trace:1:1: the trace begins at 1 s", "its first time must be 0"]),
        ("0 5\n2 5\n2 6\n", &["cell.trace:3:1: 2 s follows 2 s"]),
        ("0 5 5\n", &["\"0 5 5\" is not a time and rate"]),
        ("0\n", &["\"0\" is not a time and rate"]),
        ("0 fast\n", &["\"fast\" is not a rate in Mbit/s"]),
        ("0 -1\n", &["\"-1\" is not a rate"]),
        ("0 nan\n", &["\"nan\" is not a rate"]),
        ("0 0\n1 0\n", &["never sends anything"]),
    ];
    for (trace, expected) in rates {
        folder = folder.assert_trace_refused("rates", trace, expected);
    }
    let steps = "0 1\n0.0000001 2\n0.0000002 3\n";
    folder.assert_trace_refused("rates", steps, &["more than ten million times"]);
}

#[test]
fn a_file_that_cannot_be_read_is_refused_with_where_it_was_sought() {
    let folder = Folder::new("unread").with("binary", [0xff, 0xfe]);
    fs::create_dir_all(folder.0.join("inner")).expect("a folder can be made");
    let large = fs::File::create(folder.0.join("large")).expect("a file can be made");
    large.set_len(65 << 20).expect("it may have holes");
    for (name, said) in [
        ("none", "none: no such file"),
        ("inner", "inner: not a file"),
        ("", "not a file"),
        ("/dev/zero", "/dev/zero: not a file"),
        ("binary", "binary: line 1 is not text in UTF-8: byte 0xff"),
        ("large", "large: too large: more than 64 MiB"),
    ] {
        let text = changed(TRACE, "\"cell.trace\"", &format!("¶\"{name}\""));
        folder.assert_refused(&text, &[said, "searched for at"]);
    }
}

#[test]
fn a_trace_is_the_same_one_for_all_links_and_cases_that_name_it() {
    let folder = Folder::new("shared").with("cell.trace", "2\n3\n4\n");
    let compare = "[compare.seed]\none = { seed = 1 }\ntwo = { seed = 2 }\n";
    let study = folder.read(&format!("{TRACE}{compare}")).expect("it is right");
    let traces = study.cases.iter().flat_map(|it| &it.plan.links[0].directions);
    let traces: Vec<_> = traces.map(|it| it.opportunities.as_ref().expect("one")).collect();
    assert_eq!(traces.len(), 4);
    assert!(traces.iter().all(|it| std::sync::Arc::ptr_eq(it, traces[0])));
    assert_eq!(traces[0].repeat, Some(Duration::from_millis(4)));
    let files: Vec<(&str, &str)> =
        study.files.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert_eq!(files, [("cell.trace", "2\n3\n4\n")]);
}

#[test]
fn each_direction_may_have_its_own_trace() {
    let folder = Folder::new("each").with("cell.trace", "1\n").with("up", "0 5\n1 0\n3 0\n");
    let both = "[{ file = \"cell.trace\", kind = \"opportunities\", repeat = false }, \
                 { file = \"up\", kind = \"rates\" }]";
    let one = "{ file = \"cell.trace\", kind = \"opportunities\" }";
    let plan = folder.plan(&changed(TRACE, one, both));
    let [down, up] = &plan.links[0].directions;
    assert_eq!((down.rate, up.rate), (mbps(12.0), mbps(5.0)));
    assert_eq!(down.opportunities.as_ref().expect("it has some").repeat, None);
    assert!(up.opportunities.is_none());
    let channel = plan.links[0].channel.as_deref().expect("it has a channel");
    let Some(RateTraces([None, Some(trace)])) = (channel as &dyn Any).downcast_ref() else {
        panic!("{channel:?}")
    };
    assert_eq!(trace.repeat, Some(Duration::from_secs(3)));
}

#[test]
fn links_that_name_the_same_medium_share_it() {
    let shared = |name: &str| format!("[links.core]\nmedium = \"{name}\"");
    let media = |text: &str| {
        let plan =
            street("media").plan(&text.replace("[links.air]", "[links.air]\nmedium = \"x\""));
        plan.links.iter().map(|it| it.medium).collect::<Vec<_>>()
    };
    assert_eq!(media(RADIO), [None, Some(0)]);
    assert_eq!(media(&changed(RADIO, "[links.core]", &shared("x"))), [Some(0), Some(0)]);
    assert_eq!(media(&changed(RADIO, "[links.core]", &shared("y"))), [Some(0), Some(1)]);
}

#[test]
fn a_trace_of_opportunities_shares_no_medium() {
    let folder = Folder::new("medium").with("cell.trace", "1\n").with("rates", "0 5\n1 0\n3 0\n");
    let shared = changed(TRACE, "delay = \"1 ms\"", "delay = \"1 ms\"\nmedium = ¶\"air\"");
    let expected = ["cannot share the medium `air`", "use a trace of rates, or remove `medium`"];
    folder.assert_refused(&shared, &expected);
    let one = "{ file = \"cell.trace\", kind = \"opportunities\" }";
    let rates = changed(&shared, one, "{ file = \"rates\", kind = \"rates\" }").replace('¶', "");
    assert_eq!(folder.plan(&rates).links[0].medium, Some(0));
}

#[test]
fn a_case_may_have_another_map() {
    let folder = street("cases").with("other.toml", MAP.replace("\"-5 m\"", "\"-9 m\""));
    let compare = "[compare.map]\none = {}\ntwo = { \"links.air.radio.map\" = \"other.toml\" }\n";
    let study = folder.read(&format!("{RADIO}{compare}")).expect("it is right");
    let y = |case: usize| radio_of(&study.cases[case].plan.links[1]).map.stations[0].at.y;
    assert_eq!((y(0), y(1)), (-5.0, -9.0));
    let wrong =
        compare.replace("\"links.air.radio.map\" = \"other", "¶\"links.air.radio.map\" = \"no");
    folder.assert_refused(&format!("{RADIO}{wrong}"), &["no.toml: no such file", "case two"]);
}

#[test]
fn an_application_over_tcp_may_have_a_rate_of_its_own() {
    let folder = Folder::new("rate").with("cell.trace", "1\n");
    let with = |more: &str| format!("{TRACE}{more}\n");
    let plan = folder.plan(&with("workload = { kind = \"bulk\", rate = \"2 Mbps\" }"));
    let Transport::Tcp { workload: Workload::Bulk(BulkSettings { rate }), .. } =
        &plan.flows[0].transport
    else {
        panic!("it is bulk data over TCP")
    };
    assert_eq!(*rate, Some(mbps(2.0)));
    assert!(Bounds::of(&plan).goodput_bps <= 2e6);
    folder.assert_refused(
        &with("workload = { kind = \"file\", size = \"1 MB\", ¶rate = \"2 Mbps\" }"),
        &["`rate` does not apply to `file`", "it is a key of `bulk`"],
    );
}

#[test]
fn the_tables_of_channels_have_a_row_for_each_sample_and_each_thing_on_a_map() {
    let folder = street("tables");
    let study = folder.read(RADIO).expect("it is right");
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let tables = tables::all(&study, &outcome.runs);
    let table = |name: &str| &tables.iter().find(|it| it.0 == name).expect("it is there").1;
    // 400 intervals of 5 ms, two directions.
    assert_eq!(table("channel_series").num_rows(), 800);
    // A station, a building, two corners of the path.
    assert_eq!(table("maps").num_rows(), 4);
}

#[test]
fn no_run_over_a_channel_surpasses_its_bounds() {
    let folder = street("bounds").with("cell.trace", "1\n1\n2\n9\n9\n9\n20\n");
    let near = radio("antenna_gain = \"60 dB\"").replace("from = \"server\"", "from = \"base\"");
    for text in [near.as_str(), TRACE] {
        let study = folder.read(text).expect("it is right");
        let bounds = Bounds::of(&study.cases[0].plan);
        let (study, outcome) = Batch::start(study, 1).finish();
        let tables = tables::all(&study, &outcome.runs);
        let flows = &tables.iter().find(|it| it.0 == "flows").expect("it is there").1;
        let number = |name: &str| {
            let column = flows.column_by_name(name).expect("it has it");
            column.as_any().downcast_ref::<Float64Array>().expect("it holds numbers").value(0)
        };
        let (goodput, delay) = (number("goodput_bps"), number("delay_minimum_s"));
        assert!(goodput > 0.0 && goodput <= bounds.goodput_bps, "{goodput} and {bounds:?}");
        assert!(delay >= bounds.delay.as_seconds(), "{delay} and {bounds:?}");
    }
}

#[test]
fn without_channels_their_tables_are_there_and_empty() {
    let folder = Folder::new("wired");
    let wired = RADIO.split_once("[links.air.radio]").expect("it has one").0.to_owned()
        + "[flows.f]\nfrom = \"server\"\nto = \"phone\"\ncontroller = \"cubic\"\n";
    let study = folder.read(&wired).expect("it is right");
    let (study, outcome) = Batch::start(study, 1).finish();
    for (name, columns) in
        [("channel_series", 14), ("maps", 9), ("link_budgets", 9), ("antennas", 6)]
    {
        let tables = tables::all(&study, &outcome.runs);
        let table = &tables.iter().find(|it| it.0 == name).expect("it is there").1;
        assert_eq!((table.num_rows(), table.num_columns()), (0, columns));
    }
}
