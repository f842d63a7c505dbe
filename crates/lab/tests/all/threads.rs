//! Scenarios of every kind on several threads, and island by island: all tables are those of one
//! thread.

use proptest::prelude::*;
use windtunnel_engine::Control;
use windtunnel_world::World;

use crate::common::{Ran, read, with_changes};

/// All tables of a scenario's first case are the same on any number of threads.
#[track_caller]
fn assert_same(text: &str) {
    let study = || {
        let mut study = read(text).unwrap_or_else(|it| panic!("{it}"));
        study.cases.truncate(1);
        study
    };
    let one = Ran::on_threads(study(), 1);
    for threads in [2, 3, 4] {
        for ((name, one), (_, many)) in one.0.iter().zip(&Ran::on_threads(study(), threads).0) {
            for (column, field) in one.schema().fields().iter().enumerate() {
                let are_same = one.column(column) == many.column(column);
                let of = field.name();
                assert!(are_same, "{threads} threads, {name}.{of}: {one:?}\n{many:?}\n{text}");
            }
        }
    }
}

/// Nodes a, b and so on in a row, or a ring, with links of these delays in ms.
fn row(delays: &[u64], is_ring: bool) -> String {
    let count = delays.len() + usize::from(!is_ring);
    let node = |it: usize| char::from(b'a' + (it % count) as u8);
    let nodes: String = (0..count).map(|it| format!("{} = {{}}\n", node(it))).collect();
    let link = |(place, delay): (usize, &u64)| {
        let [one, other] = [place, place + 1].map(node);
        format!("{one}{other} = {{ nodes = [\"{one}\", \"{other}\"], delay = \"{delay} ms\" }}\n")
    };
    let links: String = delays.iter().enumerate().map(link).collect();
    format!("[nodes]\n{nodes}[links]\n{links}[defaults.link]\nrate = \"10 Mbps\"\n")
}

fn delays(links: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(1..20_u64, links)
}

fn policies() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\"on-demand\"",
        "\"remote\"",
        "\"separate\"",
        "{ kind = \"separate\", node = \"h\" }",
        "\"idle-neighbour\"",
        "{ kind = \"prefetch\", pages = 20, ahead = \"500 ms\" }",
        "{ kind = \"proactive\", pages = \"entries\" }",
        "{ kind = \"replicated\", copies = 2 }",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Sessions move along a part of a row beside flows over all of it, and another kind at other
    /// nodes.
    #[test]
    fn sessions_that_move_are_the_same_on_any_number_of_threads(
        delays in delays(9),
        policy in policies(),
        stage in 200..1500_u64,
        failing in 0..3000_u64,
        seed in 0..1000_u64,
    ) {
        let trails = [("near", "[\"b\", \"d\", \"c\"]"), ("far", "[\"h\", \"g\"]")];
        let sessions = trails.map(|(name, trail)| format!(
            "[sessions.{name}]\ntrail = {trail}\nstage = \"{stage} ms\"\npages = 100\n\
             access_interval = \"10 ms\"\npolicy = {policy}\n\
             failures = [{{ node = \"c\", at = \"{failing} ms\" }}]\n\
             tcp = {{ controller = \"cubic\" }}\n"
        ));
        let flow = "[flows]\nacross = { from = \"a\", to = \"j\", controller = \"cubic\" }\n\
                    back = { from = \"i\", to = \"d\", controller = \"bbr3\" }\n";
        let beginning = format!("duration = \"3 s\"\nseed = {seed}\n");
        assert_same(&[beginning, row(&delays, false), flow.to_owned(), sessions.concat()].concat());
    }

    /// Regions in a ring, whose names are asked of roots; a link between two regions fails.
    #[test]
    fn names_that_are_looked_up_are_the_same_on_any_number_of_threads(
        delays in delays(9),
        protocol in prop::sample::select(vec![
            "controller = \"cubic\"",
            "protocol = \"udp\"\nrate = \"1 Mbps\"",
        ]),
        transit in prop::sample::select(vec!["transparent", "ipv4-tunnel", "ipv6-tunnel"]),
        fails in 0..2500_u64,
        seed in 0..1000_u64,
    ) {
        let regions = [("one", "abc"), ("two", "def"), ("three", "ghi")];
        let regions = regions.iter().zip(1..).map(|((name, nodes), code)| {
            let listed: Vec<String> = nodes.chars().map(|it| format!("\"{it}\"")).collect();
            let (listed, host) = (listed.join(", "), &nodes[1..2]);
            let last = &nodes[2..];
            format!(
                "[regions.{name}]\ncode = {code}\nnodes = [{listed}]\nroot = \"{host}\"\n\
                 transit = \"{transit}\"\nnames = {{ \"www.{name}.com\" = \"{last}\" }}\n"
            )
        });
        let flows = [("a", "f", "two"), ("f", "i", "three"), ("b", "c", "one"), ("h", "c", "one")];
        let flows = flows.iter().zip(0..).map(|((from, to, region), number)| format!(
            "[flows.flow-{number}]\nfrom = \"{from}\"\nto = \"{to}\"\n{protocol}\n\
             start = \"{} ms\"\npeer_name = \"www.{region}.com.{region}\"\n", 300 * number + 100
        ));
        let failing = format!(
            "changes = [{{ at = \"{fails} ms\", state = \"down\" }}, \
             {{ at = \"{} ms\", state = \"up\" }}]", fails + 400
        );
        let network = row(&delays, true).replacen(
            "[\"c\", \"d\"]", &format!("[\"c\", \"d\"], {failing}"), 1,
        );
        let beginning = format!("duration = \"3 s\"\nseed = {seed}\n");
        let parts = [beginning, network].into_iter().chain(regions).chain(flows);
        assert_same(&parts.collect::<String>());
    }

    /// Stations are handed over from satellite to satellite, and flows, names and sessions with
    /// them: paths, delays and links change at every interval.
    #[test]
    fn satellite_handovers_are_the_same_on_any_number_of_threads(
        handover in prop::sample::select(vec!["highest", "hold-highest", "hold-longest"]),
        loss in prop::sample::select(vec!["", "gap = \"130 ms\"", "overlap = \"50 ms\""]),
        interval in prop::sample::select(vec![100, 200, 500_u64]),
        spread in prop::sample::select(vec![0, 0, 300_u64]),
        altitude in 500..1300_u64,
        seed in 0..1000_u64,
    ) {
        assert_same(&format!(
            r#"duration = "20 s"
seed = {seed}
routing = {{ interval = "{interval} ms", spread = "{spread} ms" }}
[nodes]
oslo = {{ place = "Oslo" }}
cairo = {{ place = "Cairo" }}
ship = {{ journey = [
  {{ at = "0 s", place = ["-40°", "0°"] }}, {{ at = "60 s", place = ["-39°", "5°"] }},
] }}
[constellations.c]
planes = 10
satellites_per_plane = 15
altitude = "{altitude} km"
inclination = "80°"
pattern = "star"
inter_satellite_links = {{ rate = "10 Mbps", maximum_latitude = "70°" }}
[constellations.c.ground_links]
rate = ["4 Mbps", "3 Mbps"]
minimum_elevation = "10°"
queue = {{ kind = "drop-tail", limit = "20 packets" }}
handover = "{handover}"
{loss}
[flows]
north = {{ from = "cairo", to = "oslo", controller = "cubic" }}
south = {{ from = "oslo", to = "ship", protocol = "udp", payload = "500 B", rate = "1 Mbps" }}
back = {{ from = "ship", to = "cairo", controller = "bbr3" }}
[producers.p]
node = "oslo"
prefix = "/p"
[consumers.c]
node = "cairo"
prefix = "/p"
controller = {{ kind = "fixed", window = 20 }}
[sessions.users]
access_interval = "50 ms"
users = ["oslo", "cairo"]
tcp = {{ controller = "cubic" }}
"#
        ));
    }
}

/// SCION's hosts, routers and control services, with packets that have paths and messages in them.
#[test]
fn autonomous_systems_are_the_same_on_any_number_of_threads() {
    let paths = include_str!("../../../../scenarios/paths.toml");
    assert_same(&with_changes(paths, &[("duration = \"30 s\"", "duration = \"13 s\"")]));
}

/// A row so long that it is cut into islands: sessions and the lookup of a name happen on those of
/// their nodes, also on one thread.
#[test]
fn sessions_and_names_are_the_same_island_by_island() {
    let node = |it: u32| format!("\"line-node-{it}\"");
    let nodes = |it: std::ops::Range<u32>| it.map(node).collect::<Vec<_>>().join(", ");
    let regions = format!(
        "[regions.near]\ncode = 1\nnodes = [{}]\nroot = {}\n\
         [regions.far]\ncode = 2\nnodes = [{}]\nroot = {}\nnames = {{ \"www.far.com\" = {} }}\n",
        nodes(1..71),
        node(68),
        nodes(71..141),
        node(75),
        node(73),
    );
    let text = format!(
        r#"duration = "3 s"
recording = {{ flows = false, links = false }}
[topologies.line]
kind = "chain"
nodes = 140
link = {{ rate = "100 Mbps", delay = "40 ms" }}
{regions}
[flows.named]
from = "line-node-69"
to = "line-node-73"
peer_name = "www.far.com.far"
controller = "cubic"
[flows.plain]
from = "line-node-100"
to = "line-node-97"
controller = "cubic"
[sessions.s]
trail = ["line-node-90", "line-node-92", "line-node-91"]
stage = "900 ms"
access_interval = "10 ms"
tcp = {{ controller = "cubic" }}
"#
    );
    let study = read(&text).unwrap_or_else(|it| panic!("{it}"));
    let plan = &study.cases[0].plan;
    let result = |world: Result<World, _>| {
        let mut world: World = world.expect("there are paths");
        let (_, events) = world.run(&Control::default(), None);
        let (flows, names): (Vec<_>, Vec<_>) =
            (world.flows().collect(), world.name_lookups().collect());
        let sessions: Vec<_> = world.sessions().collect();
        assert!(sessions[0].counters.page_transfers > 0 && names[0].settled.is_some());
        format!("{events} {flows:?} {names:?} {sessions:?}")
    };
    let whole = result(World::new(plan));
    for threads in [1, 3] {
        assert!(result(World::on_threads(plan, threads)) == whole, "{threads} threads");
    }
}
