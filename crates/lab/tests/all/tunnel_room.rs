//! The connections of tunnels and faces leave room for the headers around their segments.

use windtunnel_networks::layer::LayerMaker;
use windtunnel_packets::ip::IpVersion;
use windtunnel_world::{Plan, TunnelCarrier, headers};

const NETWORK: &str = r#"
duration = "1 s"
nodes = { a = {}, b = {}, c = {} }
defaults.link = { rate = "1 Mbps", delay = "1 ms" }
links.first = { nodes = ["a", "b"] }
links.second = { nodes = ["b", "c"] }
tunnels.t = { nodes = ["a", "c"], kind = "tcp", tcp = { controller = "cubic" } }
flows.f = { from = "a", to = "c", controller = "cubic" }
"#;

const SYSTEMS: &str = r#"
[autonomous_systems]
one = { isd_as = "1-1", nodes = ["a"], parents = ["two"] }
two = { isd_as = "1-2", nodes = ["b"], core = true }
three = { isd_as = "1-3", nodes = ["c"], parents = ["two"] }
"#;

const REGIONS: &str = r#"
[regions]
one = { code = 1, nodes = ["a"] }
two = { code = 2, nodes = ["b"] }
three = { code = 3, nodes = ["c"] }
[agreements]
west = { regions = ["one", "two"], kind = "transit" }
east = { regions = ["two", "three"], kind = "transit" }
"#;

fn plan(text: &str) -> Plan {
    let study = windtunnel_lab::read("memory", text, &[]).expect("it is right");
    Plan::clone(&study.cases[0].plan)
}

/// The packet that a full segment of the tunnel fills between the domains of its ends.
fn full_packet(plan: &Plan) -> u32 {
    let TunnelCarrier::Tcp(tunnel) = &plan.tunnels[0].carrier else { panic!("it is over TCP") };
    let carrier: Option<&dyn LayerMaker> = plan.domains.as_ref().map(|it| &*it.carrier);
    let around = carrier.map_or(0, |it| it.overhead(plan.tunnels[0].ends, IpVersion::V4));
    assert_eq!(around > 0, plan.domains.is_some());
    u32::from(tunnel.settings.maximum_segment) + headers(&tunnel.settings) + u32::from(around)
}

#[test]
fn a_full_segment_of_a_tunnel_fills_a_packet_of_1500_bytes_whatever_carries_it() {
    for domains in ["", REGIONS, SYSTEMS] {
        assert_eq!(full_packet(&plan(&format!("{NETWORK}{domains}"))), 1500, "{domains}");
    }
}
