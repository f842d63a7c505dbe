//! Constellations in scenario files: what they become, where packets go, and what is refused.
//! `¶` marks the place that a message must name.

use crate::common;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use windtunnel_engine::{Control, Duration, Time};
use windtunnel_lab::{ScenarioError, Study};
use windtunnel_world::{Chunk, FlowCounters, Plan, RouteSample, World};

/// Starlink's first shell as another program has it, for stored round trips.
const SHELL: &str = r#"duration = "200 s"
recording = { flows = false, links = false }
[nodes]
london = { place = ["51.5074°", "-0.1278°"] }
new-york = { place = ["40.7128°", "-74.0060°"] }
[constellations.s]
planes = 72
satellites_per_plane = 22
altitude = "550 km"
inclination = "53°"
phase = "alternate"
propagation = "kepler"
inter_satellite_links = { rate = "1 Gbps", partner = 0 }
[constellations.s.ground_links]
rate = "10 Mbps"
minimum_elevation = "25°"
[flows.f]
from = "london"
to = "new-york"
protocol = "udp"
rate = "1 Mbps"
payload = "1000 B"
"#;

fn read(text: &str) -> Result<Study, ScenarioError> {
    windtunnel_lab::read("scenario.toml", text, &[])
}

fn plan(text: &str) -> Plan {
    Plan::clone(&read(text).unwrap_or_else(|it| panic!("{it}")).cases[0].plan)
}

fn notes(text: &str) -> Vec<String> {
    read(text).unwrap_or_else(|it| panic!("{it}")).cases[0].notes.clone()
}

#[track_caller]
fn assert_refused(marked: &str, expected: &[&str]) {
    common::assert_contains(&common::refused(marked, read), expected);
}

/// The paths of all flows, every 100 ms.
fn routes(plan: &Plan) -> Vec<RouteSample> {
    let mut world = World::new(plan).expect("there are paths");
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeping = Arc::clone(&kept);
    let keep = move |chunk: Chunk<'_>| {
        if let Chunk::Routes(rows) = chunk {
            keeping.lock().expect("nobody panicked").extend(rows.iter().cloned());
        }
    };
    world.record(plan, 1000, Box::new(keep));
    let _ = world.run(&Control::default(), None);
    std::mem::take(&mut *kept.lock().expect("nobody panicked"))
}

fn round_trip(route: &RouteSample) -> f64 {
    let both = route.propagation_s.zip(route.return_propagation_s).expect("there is a path");
    (both.0 + both.1) * 1e3
}

/// London and New York over 200 s, from another program: circular orbits, shortest paths by
/// distance every 100 ms.
#[test]
fn round_trips_and_changes_of_path_are_those_of_another_program() {
    let routes = routes(&plan(SHELL));
    assert_eq!(routes.len(), 2000);
    let at = |seconds: f64| &routes[(seconds * 10.0).round() as usize - 1];
    for (seconds, milliseconds) in [(100.0, 44.4941), (151.5, 42.7947), (35.6, 46.0255)] {
        assert!((round_trip(at(seconds)) - milliseconds).abs() < 1e-3, "{seconds}");
    }
    let all = routes.iter().map(round_trip);
    let (least, most) = all.fold((f64::MAX, 0.0_f64), |(a, b), it| (a.min(it), b.max(it)));
    assert!((least - 42.7947).abs() < 1e-3 && (most - 46.0255).abs() < 1e-3);
    let changes = routes.windows(2).filter(|it| it[0].nodes != it[1].nodes);
    let changes: Vec<f64> = changes.map(|it| (it[1].time_s * 10.0).round() / 10.0).collect();
    assert_eq!(changes, [13.7, 35.6, 110.3, 188.5, 195.7]);
}

/// Straight through the Earth would be 5.6 % shorter than the great circle.
#[test]
fn without_nodes_there_is_nobody_who_uses_satellites() {
    let text = SHELL.replace("[constellations.s]", "[constellations.¶s]");
    let nodes = "london = { place = [\"51.5074°\", \"-0.1278°\"] }\nnew-york = { place = [\"40.7128°\", \"-74.0060°\"] }\n";
    assert!(text.contains(nodes));
    assert_refused(&text.replace(nodes, "rome = {}\n"), &["no node with a place uses `s`"]);
}

#[test]
fn no_packet_is_faster_than_light() {
    let plan = plan(SHELL);
    let sky = plan.sky.as_ref().expect("there is one");
    let ends = [0, 1].map(|it| sky.stations[it].1.place(0.0));
    let floor = ends[0].great_circle(&ends[1]) / windtunnel_orbits::LIGHT_SPEED;
    assert!(routes(&plan).iter().all(|it| it.propagation_s.is_some_and(|it| it > floor)));
    let mut world = World::new(&plan).expect("there is a path");
    let _ = world.run(&Control::default(), None);
    let FlowCounters::Udp(_, sink) = world.flows().next().expect("one").counters else {
        panic!("it goes over UDP")
    };
    assert!(sink.delay_minimum.expect("they arrive").as_seconds() > floor);
}

/// What is sent, received, and gone on the way by some cause.
fn account(world: &World) -> (u64, u64, u64) {
    let mut sums = (0, 0, 0);
    for flow in world.flows() {
        let FlowCounters::Udp(sent, sink) = flow.counters else { panic!("all go over UDP") };
        sums.0 += sent;
        sums.1 += sink.datagrams + sink.duplicates;
    }
    let dropped: u64 = world.ports(world.now()).map(|it| it.0.dropped()).sum();
    sums.2 = dropped + world.unroutable() + world.hop_limit_drops();
    sums
}

fn with_handover(handover: &str) -> String {
    let minimum = "minimum_elevation = \"25°\"";
    assert!(SHELL.contains(minimum));
    SHELL.replace(minimum, &format!("{minimum}\n{handover}")).replace("200 s", "60 s")
}

#[test]
fn a_handover_without_a_gap_loses_nothing_and_one_with_a_gap_what_is_sent_in_it() {
    let lost = |handover: &str| {
        let plan = plan(&with_handover(handover));
        let mut world = World::new(&plan).expect("there is a path");
        let _ = world.run(&Control::default(), None);
        let (sent, received, gone) = account(&world);
        assert_eq!(sent, received + gone + world.packets_in_transit());
        let sky = plan.sky.as_ref().expect("there is one");
        (gone, sky.contacts.iter().filter(|it| it.from > Time::ZERO).count() as u64)
    };
    for handover in ["highest", "hold-highest", "hold-longest", "any"] {
        let (gone, contacts) = lost(&format!("handover = \"{handover}\""));
        assert_eq!(gone, 0, "{handover}");
        assert!(handover.starts_with("hold") || contacts > 0, "{handover} hands over");
    }
    // 125 packets a second, or 25 in 200 ms, at most handovers of either end.
    let (gone, handovers) = lost("handover = \"highest\"\ngap = \"200 ms\"");
    assert!(handovers > 1 && gone > 12 * handovers && gone <= 40 * handovers, "{gone} {handovers}");
    let (gone, _) = lost("handover = \"highest\"\noverlap = \"1 s\"");
    assert_eq!(gone, 0, "nothing waits that long");
}

/// A small constellation with long links, over which routes are late and satellites are lost.
fn small(handover: &str, interval_ms: u64, spread_ms: u64, rate_kbps: u64) -> String {
    format!(
        r#"duration = "90 s"
recording = {{ flows = false, links = false, routes = false }}
routing = {{ interval = "{interval_ms} ms", spread = "{spread_ms} ms" }}
[nodes]
oslo = {{ place = "Oslo" }}
cairo = {{ place = "Cairo" }}
ship = {{ journey = [
  {{ at = "0 s", place = ["-40°", "0°"] }}, {{ at = "60 s", place = ["-39°", "5°"] }},
] }}
[constellations.c]
planes = 10
satellites_per_plane = 15
altitude = "1200 km"
inclination = "80°"
pattern = "star"
inter_satellite_links = {{ rate = "1 Mbps", maximum_latitude = "70°" }}
[constellations.c.ground_links]
rate = ["400 kbps", "300 kbps"]
minimum_elevation = "10°"
queue = {{ kind = "drop-tail", limit = "20 packets" }}
{handover}
[defaults.flow]
protocol = "udp"
payload = "500 B"
rate = "{rate_kbps} kbps"
stop = "60 s"
[flows]
north = {{ from = "cairo", to = "oslo" }}
south = {{ from = "oslo", to = "ship" }}
back = {{ from = "ship", to = "cairo" }}
"#
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// At any time, and in the end nothing is left: no packet goes in circles or is in two
    /// places, whatever becomes of the links under it.
    #[test]
    fn every_datagram_arrives_or_is_counted_where_it_is_dropped(
        handover in prop::sample::select(vec!["any", "highest", "hold-highest", "hold-longest"]),
        loss in prop::sample::select(vec!["", "gap = \"300 ms\"", "overlap = \"50 ms\""]),
        slot in prop::sample::select(vec!["", "slot = \"12 s\"", "slot = \"6 s\"\nslot_offset = \"3 s\""]),
        interval in prop::sample::select(vec![100, 200, 500, 1000_u64]),
        spread in prop::sample::select(vec![0, 0, 300, 5000_u64]),
        rate in 50..500_u64,
    ) {
        let handover = format!("handover = \"{handover}\"\n{loss}\n{slot}");
        let plan = plan(&small(&handover, interval, spread, rate));
        let mut world = World::new(&plan).expect("paths may come later");
        for step in 1..=60 {
            world.advance(Time::ZERO + Duration::from_millis(997 * step));
            let (sent, received, gone) = account(&world);
            prop_assert_eq!(sent, received + gone + world.packets_in_transit());
        }
        let _ = world.run(&Control::default(), None);
        let (sent, received, gone) = account(&world);
        prop_assert_eq!(world.packets_in_transit(), 0);
        prop_assert_eq!(sent, received + gone);
        prop_assert!(received > sent / 10, "{} of {}", received, sent);
    }
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let plan = plan(&small("handover = \"highest\"", 100, 300, 400));
    let result = |threads: usize| {
        let mut world = World::on_threads(&plan, threads).expect("there is a path");
        let (_, events) = world.run(&Control::default(), None);
        (events, account(&world), world.packet_hops())
    };
    assert_eq!(result(1), result(4));
}

#[test]
fn names_are_fetched_across_handovers() {
    let text = SHELL.split_once("[flows.f]").expect("it has a flow").0.to_owned()
        + "[producers.p]\nnode = \"new-york\"\nprefix = \"/p\"\n\
           [consumers.c]\nnode = \"london\"\nprefix = \"/p\"\n\
           controller = { kind = \"fixed\", window = 20 }\n";
    let plan = plan(&text);
    let changes = plan.sky.as_ref().expect("there is one").contacts.len();
    assert!(changes > 4, "{changes}");
    let mut world = World::new(&plan).expect("there is a path");
    let mut received = Vec::new();
    for second in 1..=200 {
        world.advance(Time::ZERO + Duration::from_secs(second));
        received.push(world.consumers().next().expect("one").counters().data);
    }
    // 20 packets in a round trip of 50 ms.
    let each = received.windows(2).map(|it| it[1] - it[0]);
    assert!(each.clone().all(|it| it > 200), "{:?}", each.collect::<Vec<_>>());
}

#[test]
fn satellites_are_nodes_with_names_and_four_links() {
    let plan = plan(SHELL);
    assert_eq!(plan.nodes.len(), 2 + 72 * 22);
    assert_eq!(plan.nodes[2 + 3 * 22 + 14].name, "s-3-14");
    assert_eq!(plan.interfaces(2 + 3 * 22 + 14).count(), 4);
    let shells = SHELL.split_once("planes = 72").expect("it has planes");
    let (_, rest) = shells.1.split_once("inter_satellite").expect("it has links");
    let text = format!("{}preset = \"starlink-gen1\"\ninter_satellite{rest}", shells.0)
        .replace(", partner = 0", "")
        .replace("200 s", "1 s");
    let plan = self::plan(&text);
    assert_eq!(plan.nodes.len(), 2 + 4408);
    assert_eq!(plan.nodes[2 + 2 * 1584 + 20].name, "s-2-1-0");
}

#[test]
fn what_cannot_be_is_refused_where_it_is_written() {
    let latitude = SHELL.replace("place = [\"40.7128°\"", "place = ¶[\"91°\"");
    assert_refused(&latitude, &["a latitude of 91°", "\"-90°\" to \"90°\""]);
    let city = SHELL.replace("place = [\"51.5074°\", \"-0.1278°\"]", "place = ¶\"Londn\"");
    assert_refused(&city, &["`Londn` is not among", "London", "coordinates"]);
    let mask = SHELL.replace("minimum_elevation = \"25°\"", "minimum_elevation = ¶\"90°\"");
    assert_refused(&mask, &["a minimum elevation of 90°", "is out of range"]);
    let never = SHELL
        .replace("[constellations.s]", "[constellations.¶s]")
        .replace("[\"51.5074°\", \"-0.1278°\"]", "[\"89°\", \"0°\"]");
    assert_refused(&never, &["no satellite of `s` ever rises to 25° above `london`"]);
    let preset = SHELL.replace(
        "planes = 72\nsatellites_per_plane = 22\naltitude = \"550 km\"\n\
         inclination = \"53°\"\nphase = \"alternate\"\npropagation = \"kepler\"\n",
        "preset = ¶\"starlink\"\n",
    );
    assert_refused(&preset, &["there is no preset `starlink`", "starlink-s1"]);
    let few = SHELL
        .replace("[constellations.s]", "[constellations.¶s]")
        .replace("satellites_per_plane = 22", "satellites_per_plane = 6");
    assert_refused(&few, &["along plane", "pass through the Earth", "km more than"]);
    let epoch = SHELL.replace("duration", "epoch = ¶\"soon\"\nduration");
    assert_refused(&epoch, &["\"soon\" is not a time", "2022-09-14T12:00:00Z"]);
    let slot = SHELL.replace("minimum_elevation", "slot = ¶\"150 ms\"\nminimum_elevation");
    assert_refused(&slot, &["not a multiple of the interval"]);
    let both =
        SHELL.replace("minimum_elevation", "gap = ¶\"1 s\"\noverlap = \"1 s\"\nminimum_elevation");
    assert_refused(&both, &["`gap` and `overlap` cannot both be set"]);
}

#[test]
fn what_may_be_meant_is_told() {
    assert!(notes(SHELL).iter().any(|it| it.contains("come within 0.0 km of each other")));
    let apart = SHELL.replace("phase = \"alternate\"", "phase = 65").replace(", partner = 0", "");
    assert_eq!(notes(&apart), [""; 0]);
    let wide = SHELL
        .replace("planes = 72\nsatellites_per_plane = 22", "planes = 6\nsatellites_per_plane = 40")
        .replace(", partner = 0", "");
    let told = notes(&wide);
    let through = told.iter().any(|it| {
        it.contains("between planes")
            && it.contains("pass through the Earth")
            && it.contains("km more")
    });
    assert!(through, "{told:?}");
}

/// What changes when which satellite is used by whom.
const OF_CONTACTS: [&str; 8] = [
    "\"constellations.s.inclination\" = \"70°\"",
    "\"nodes.london.place\" = [\"48.8566°\", \"2.3522°\"]",
    "\"constellations.s.ground_links.minimum_elevation\" = \"35°\"",
    "\"constellations.s.ground_links.handover\" = \"hold-longest\"",
    "\"routing.interval\" = \"500 ms\"",
    "\"duration\" = \"30 s\"",
    "\"epoch\" = \"2022-09-14T12:00:00Z\"",
    "\"constellations.s.ground_links.rate\" = \"20 Mbps\"",
];

#[test]
fn each_case_of_a_study_has_the_contacts_that_it_has_alone() {
    let text = SHELL.replace("\"200 s\"", "\"20 s\"");
    let cases = OF_CONTACTS.iter().enumerate().map(|(at, it)| format!("case-{at} = {{ {it} }}\n"));
    let of_cases = format!("{text}[compare.what]\nbase = {{}}\n{}", cases.collect::<String>());
    let study = read(&of_cases).unwrap_or_else(|it| panic!("{it}"));
    let alone = OF_CONTACTS.iter().map(|it| format!("{text}[compare.what]\nonly = {{ {it} }}\n"));
    let alone: Vec<Plan> = std::iter::once(text.clone()).chain(alone).map(|it| plan(&it)).collect();
    for (case, alone) in study.cases.iter().zip(&alone) {
        assert_eq!(format!("{:?}", case.plan.sky), format!("{:?}", alone.sky), "{:?}", case.names);
    }
    // All but the rate change them.
    let skies = alone.iter().map(|it| format!("{:?}", it.sky));
    assert_eq!(skies.collect::<std::collections::BTreeSet<_>>().len(), OF_CONTACTS.len());
}
