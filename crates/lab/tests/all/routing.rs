//! Paths by the weights of links, and by routes that the file gives.

use crate::common::{Ran, assert_contains, read, refused, unmarked, with_changes};
use windtunnel_lab::advice;

/// Three links of weight 1 and 5 ms beside one of weight 10 and 5 ms.
const WEIGHTS: &str = r#"
duration = "2 s"
nodes = { s = {}, u = {}, v = {}, t = {} }
defaults.link.rate = "10 Mbps"
[links]
st = { nodes = ["s", "t"], delay = "5 ms", weight = 10 }
su = { nodes = ["s", "u"], delay = "5 ms", weight = 1 }
uv = { nodes = ["u", "v"], delay = "5 ms", weight = 1 }
vt = { nodes = ["v", "t"], delay = "5 ms", weight = 1 }
[flows.f]
from = "s"
to = "t"
controller = "cubic"
"#;

const NDN: &str = r#"[flows.f]
from = "s"
to = "t"
controller = "cubic"
"#;

/// How many packets each direction of a link delivers: from its first node, and back.
fn delivered(ran: &Ran, link: &str) -> Vec<u64> {
    let links = ran.texts("links", "link");
    let counts = ran.counts("links", "delivered");
    let of_link = links.iter().zip(counts).filter(|it| it.0 == link);
    of_link.map(|it| it.1).collect()
}

fn least_rtt(ran: &Ran) -> f64 {
    ran.numbers("flows", "delay_minimum_s")[0]
}

/// Beside the propagation, data and acknowledgement take 1.2 ms for each link to be sent.
#[track_caller]
fn assert_ms(seconds: f64, expected: f64) {
    assert!((expected..expected + 5.0).contains(&(seconds * 1e3)), "{seconds} s, {expected} ms");
}

fn of(changes: &[(&str, &str)]) -> Ran {
    Ran::new(&with_changes(WEIGHTS, changes))
}

fn with(more: &str) -> String {
    format!("{WEIGHTS}{more}")
}

#[test]
fn packets_take_the_path_of_the_least_weight() {
    let ran = Ran::new(WEIGHTS);
    assert_ms(least_rtt(&ran), 30.0);
    assert_eq!(delivered(&ran, "st"), [0, 0]);
    // Three links of 3.5 are longer than one of 10, and of 3.333 shorter.
    for (weight, expected) in [("3.5", 10.0), ("3.333", 30.0)] {
        let text = WEIGHTS.replace("weight = 1 ", &format!("weight = {weight} "));
        assert_ms(least_rtt(&Ran::new(&text)), expected);
    }
}

#[test]
fn a_link_without_a_weight_has_1() {
    let text = WEIGHTS.replace(", weight = 1 }", " }");
    assert_ms(least_rtt(&Ran::new(&text)), 30.0);
    let ran = Ran::new(&text.replace("weight = 10", "weight = 2.999"));
    assert_ms(least_rtt(&ran), 10.0);
}

/// As in OSPF, a weight is that of an output interface.
#[test]
fn each_direction_has_its_own_weight() {
    let ran = of(&[("weight = 10", "weight = [10, 1]")]);
    assert_ms(least_rtt(&ran), 20.0);
    let counts = delivered(&ran, "st");
    assert_eq!((counts[0], counts[1] > 0), (0, true), "{counts:?}");
}

#[test]
fn without_weights_and_by_another_metric_paths_are_as_before() {
    let plain = WEIGHTS.replace(", weight = 10", "").replace(", weight = 1", "");
    for text in [plain, with("[routing]\nmetric = \"delay\""), with("[routing]\nmetric = \"hops\"")]
    {
        assert_ms(least_rtt(&Ran::new(&text)), 10.0);
    }
}

#[test]
fn interests_take_the_path_of_the_least_weight() {
    let ndn = "[producers.p]\nnode = \"t\"\nprefix = \"/p\"\n\
               [consumers.c]\nnode = \"s\"\nprefix = \"/p\"\ncontroller = \"cubic\"\n";
    let ran = of(&[(NDN, ndn)]);
    assert_eq!(delivered(&ran, "st"), [0, 0]);
    assert!(delivered(&ran, "uv").iter().all(|it| *it > 0));
}

#[test]
fn flows_share_paths_of_equal_weight() {
    let many = format!("{NDN}count = 16\n");
    let sharing = [(NDN, many.as_str()), ("weight = 10", "weight = 3")];
    let ran =
        Ran::new(&format!("{}[routing]\nsharing = \"flows\"\n", with_changes(WEIGHTS, &sharing)));
    for link in ["st", "uv"] {
        assert!(delivered(&ran, link)[0] > 100, "{link}");
    }
}

/// The weights stay when a link fails; what is left of the network is searched anew.
#[test]
fn paths_go_round_a_link_that_fails() {
    let ran = of(&[(
        "uv = { nodes = [\"u\", \"v\"], delay = \"5 ms\", weight = 1 }",
        "uv = { nodes = [\"u\", \"v\"], delay = \"5 ms\", weight = 1, \
         changes = [{ at = \"1 s\", state = \"down\" }] }",
    )]);
    assert!(delivered(&ran, "st").iter().all(|it| *it > 100));
}

/// With weights, links of a constellation count 1 each, however long they are: the path is one of
/// the fewest links.
#[test]
fn links_of_satellites_have_the_weight_1() {
    let text = r#"
duration = "1 s"
nodes = { near = { place = "London" }, far = { place = "New York" } }
constellations.k = { preset = "kuiper-k1", inter_satellite_links = { rate = "1 Gbps" }, ground_links = { rate = "10 Mbps" } }
links.cable = { nodes = ["near", "far"], rate = "10 Mbps", delay = "300 ms", weight = 100 }
flows.f = { from = "near", to = "far", controller = "cubic" }
routing = {}
"#;
    let links = |text: &str| {
        let ran = Ran::new(text);
        assert_eq!(delivered(&ran, "cable"), [0, 0]);
        ran.counts("route_series", "links")
    };
    let by_weight = links(text);
    let cable = text.lines().find(|it| it.starts_with("links.cable")).expect("there is one");
    let by_hops = text.replace(cable, "").replace("routing = {}", "routing.metric = \"hops\"");
    let by_hops = Ran::new(&by_hops).counts("route_series", "links");
    assert!(!by_hops.is_empty() && by_weight.iter().zip(&by_hops).all(|it| it.0 == it.1));
    let ran = Ran::new(&text.replace("weight = 100", "weight = 1"));
    assert!(delivered(&ran, "cable")[0] > 0);
}

#[test]
fn a_static_route_goes_before_the_shortest_path() {
    let route = "[[routing.routes]]\nnode = \"s\"\ndestination = \"t\"\nlink = \"st\"\n";
    let ran = Ran::new(&with(route));
    // Only there: what comes back has a path of its own.
    assert_ms(least_rtt(&ran), 20.0);
    assert!(delivered(&ran, "st")[0] > 0);
    assert_eq!(delivered(&ran, "su")[0], 0);
    let back = "[[routing.routes]]\nnode = \"t\"\ndestination = \"s\"\nlink = \"st\"\n";
    assert_ms(least_rtt(&Ran::new(&with(&format!("{route}{back}")))), 10.0);
}

/// Each node forwards by its own routes: beyond the node of a static route packets take the
/// shortest path from there.
#[test]
fn other_nodes_forward_by_the_shortest_paths_from_there() {
    let text = WEIGHTS.replace("weight = 10", "weight = 1");
    let route = "[[routing.routes]]\nnode = \"s\"\ndestination = \"t\"\nlink = \"su\"\n\
                 [[routing.routes]]\nnode = \"u\"\ndestination = \"t\"\nlink = \"uv\"\n";
    for sharing in ["", "[routing]\nsharing = \"flows\"\n", "[routing]\nsharing = \"packets\"\n"] {
        let ran = Ran::new(&format!("{text}{sharing}{route}"));
        assert_ms(least_rtt(&ran), 20.0);
        assert!(delivered(&ran, "vt")[0] > 0, "{sharing}");
        assert_eq!(delivered(&ran, "st")[0], 0, "{sharing}");
    }
}

/// As in a router whose static route names an interface that is up.
#[test]
fn a_static_route_stays_when_the_topology_changes() {
    let down = (
        "delay = \"5 ms\", weight = 10 }",
        "delay = \"5 ms\", weight = 10, changes = [{ at = \"1 s\", state = \"down\" }] }",
    );
    let route = "[[routing.routes]]\nnode = \"s\"\ndestination = \"t\"\nlink = \"st\"\n";
    let ran = Ran::new(&format!("{}{route}", with_changes(WEIGHTS, &[down])));
    assert_eq!(delivered(&ran, "su")[0], 0);
    assert!(delivered(&ran, "st")[0] > 0);
}

/// Node u leads back to s when its link to v is down, and s has a static route to u: packets go
/// round until their hop limit, and none arrives.
#[test]
fn a_loop_that_a_failure_makes_ends_at_the_hop_limit() {
    let down = (
        "uv = { nodes = [\"u\", \"v\"], delay = \"5 ms\", weight = 1 }",
        "uv = { nodes = [\"u\", \"v\"], delay = \"5 ms\", weight = 1, \
         changes = [{ at = \"1 s\", state = \"down\" }] }",
    );
    let udp = ("controller = \"cubic\"", "protocol = \"udp\"\nrate = \"100 kbps\"");
    let route = "[[routing.routes]]\nnode = \"s\"\ndestination = \"t\"\nlink = \"su\"\n";
    let ran = Ran::new(&format!("{}{route}", with_changes(WEIGHTS, &[down, udp])));
    let [out, back] = <[u64; 2]>::try_from(delivered(&ran, "su")).expect("two directions");
    assert_eq!(delivered(&ran, "st")[0], 0);
    // 64 hops of each packet, every other one back to s.
    assert!(back > 200 && out > back, "{out} {back}");
}

#[test]
fn routes_that_form_a_loop_are_refused() {
    let route = |node: &str, mark: &str, link: &str| {
        format!(
            "[[routing.routes]]\nnode = \"{node}\"\ndestination = \"t\"\nlink = {mark}\"{link}\"\n"
        )
    };
    for text in [
        with(&(route("s", "¶", "su") + &route("u", "", "su"))),
        // The loop of a static route and computed ones.
        with(&route("v", "¶", "uv")),
        with(&(route("v", "¶", "uv") + &route("u", "", "su") + &route("s", "", "su"))),
        // Of equal paths from u one leads to s and one to v.
        with(&("[routing]\nsharing = \"flows\"\n".to_owned() + &route("s", "¶", "su")))
            .replace("weight = 10", "weight = 1"),
    ] {
        let error = refused(&text, read);
        assert_contains(&error, &["routes to `t` form a loop: `", "` → `", "help: name another"]);
    }
    let text = with(&(route("s", "¶", "su") + &route("u", "", "su")));
    assert_contains(&refused(&text, read), &["`s` → `u` → `s`", "a route to `t` at `u`"]);
}

#[test]
fn wrong_routes_and_weights_are_refused_with_what_is_right() {
    let route = |target: &str| {
        with(&format!("[[routing.routes]]\nnode = \"s\"\nlink = \"st\"\n{target}\n"))
    };
    for (text, expected) in [
        (route("destination = ¶\"tt\""), vec!["there is no node `tt`", "did you mean `t`?"]),
        (route("destination = ¶\"s\""), vec!["a route from node `s` to itself"]),
        (
            route(&format!(
                "destination = \"t\"\n{}",
                "[[routing.routes]]\nnode = \"s\"\nlink = \"su\"\ndestination = ¶\"t\""
            )),
            vec!["node `s` has two routes to `t`"],
        ),
        (
            route("prefix = ¶\"/vido\""),
            vec!["no consumer requests names under `/vido`", "write `destination`"],
        ),
        (route("¶cost = 3\ndestination = \"t\""), vec!["`cost`"]),
        (
            WEIGHTS.replace("weight = 10", "weight = ¶0"),
            vec!["0 is not a valid weight", "such as 10 or 2.5"],
        ),
        (WEIGHTS.replace("weight = 10", "weight = ¶-1.5"), vec!["-1.5 is not a valid weight"]),
        (WEIGHTS.replace("weight = 10", "weight = ¶\"10\""), vec!["a weight such as 10 or 2.5"]),
        (
            WEIGHTS.replace(", weight = 10", "").replace(", weight = 1", "")
                + "[routing]\nmetric = ¶\"weight\"\n",
            vec!["no link has a weight", "metric = \"hops\""],
        ),
    ] {
        assert_contains(&refused(&text, read), &expected);
    }
    let served = "[producers.p]\nnode = \"t\"\nprefix = \"/video\"\n";
    let text = route("prefix = ¶\"/vido\"") + served;
    assert_contains(&refused(&text, read), &["did you mean `/video`?"]);
    let (longer, _) = unmarked(&(route("prefix = ¶\"/video/2\"") + served));
    assert!(read(&longer).is_ok(), "names below a served prefix may be asked for");
}

/// Packets of real hosts may go there, so that it is no error.
#[test]
fn a_route_to_where_no_packets_of_the_scenario_go_is_advised_against() {
    let text = with("[[routing.routes]]\nnode = \"s\"\ndestination = \"v\"\nlink = \"su\"\n");
    let told = advice(&read(&text).expect("it is valid"));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`v`") && told[0].contains("route"), "{told:?}");
}
