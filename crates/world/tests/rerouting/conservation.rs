//! However links change, every packet is accounted for.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::udp;
use windtunnel_engine::{Control, Duration};
use windtunnel_packets::ip::IpVersion;
use windtunnel_world::{
    ChangePlan, FlowCounters, LinkChange, Plan, PortCounters, PortId, Sharing, Transport, World,
};

use crate::at;
use crate::common::{direction, ip_flow, join, nodes, rate};

const NODES: usize = 6;
const MOST_LINKS: usize = 12;

fn link_change() -> impl Strategy<Value = LinkChange> {
    prop_oneof![
        3 => Just(LinkChange::Down),
        3 => Just(LinkChange::Up),
        1 => Just(LinkChange::Stall),
        1 => Just(LinkChange::Cut),
        1 => Just(LinkChange::Withdraw),
        1 => Just(LinkChange::Announce),
        2 => (0..30_u64).prop_map(|it| LinkChange::Delay(Duration::from_millis(it))),
        1 => (1..20_u64).prop_map(|it| LinkChange::Rate(rate(it * 1_000_000))),
    ]
}

/// A chain of all nodes, and links across it.
fn plan(chords: &[(usize, usize, u64)], ends: &[(usize, usize)]) -> Plan {
    let names: Vec<String> = (0..NODES).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let chain = (1..NODES).map(|it| (it - 1, it, 3));
    for (first, second, delay_ms) in chain.chain(chords.iter().copied()) {
        if first != second {
            join(&mut plan, first, second, &direction(10, delay_ms));
        }
    }
    for (number, (from, to)) in ends.iter().enumerate().filter(|(_, it)| it.0 != it.1) {
        let rate = rate(800_000);
        let settings = udp::UdpSettings::of_rate(IpVersion::V4, rate, 500);
        let flow = ip_flow(&format!("f{number}"), *from, *to, Transport::Udp(settings));
        plan.flows.push(flow);
    }
    plan.flows.iter_mut().for_each(|it| it.stop = at(2000));
    plan
}

fn sums(world: &World) -> (u64, u64) {
    let counters = world.flows().map(|it| match it.counters {
        FlowCounters::Udp(sent, sink) => (sent, sink.datagrams + sink.duplicates),
        FlowCounters::Tcp(_) | FlowCounters::Stack(_) => panic!("all go over UDP"),
    });
    counters.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
}

proptest! {
    /// At any time, and in the end nothing is left: no packet goes in circles.
    #[test]
    fn every_datagram_arrives_or_is_counted_where_it_is_dropped(
        chords in vec((0..NODES, 0..NODES, 0..20_u64), 0..MOST_LINKS),
        ends in vec((0..NODES, 0..NODES), 1..5),
        changes in vec((0..2000_u64, 0..2 * MOST_LINKS, link_change()), 0..40),
        convergence in prop::option::of(0..200_u64),
        sharing in prop::sample::select(vec![Sharing::None, Sharing::Flows, Sharing::Packets]),
    ) {
        let mut plan = plan(&chords, &ends);
        plan.routing.convergence = convergence.map(Duration::from_millis);
        plan.routing.sharing = sharing;
        let ports = 2 * plan.links.len();
        plan.changes = changes
            .into_iter()
            .map(|(ms, port, change)| {
                ChangePlan { time: at(ms), port: PortId((port % ports) as u32), change }
            })
            .collect();
        let restored = (0..ports as u32).flat_map(|port| {
            let changes = [LinkChange::Up, LinkChange::Rate(rate(1_000_000))];
            changes.map(|change| ChangePlan { time: at(2500), port: PortId(port), change })
        });
        plan.changes.extend(restored);
        plan.duration = Duration::from_secs(60);
        let mut world = World::new(&plan).expect("a chain joins all");
        for step in 0..=30 {
            world.advance(at(100 * step));
            let (sent, received) = sums(&world);
            let dropped: u64 = world.ports(world.now()).map(|it| it.0.dropped()).sum();
            prop_assert_eq!(
                sent,
                received + dropped + world.packets_in_transit() + world.unroutable()
                    + world.hop_limit_drops()
            );
        }
        let _ = world.run(&Control::default(), None);
        prop_assert_eq!(world.packets_in_transit(), 0);
        let offered: u64 = world.ports(plan.end()).map(|it| it.0.offered).sum();
        let gone = |it: &PortCounters| it.delivered + it.dropped();
        prop_assert_eq!(offered, world.ports(plan.end()).map(|it| gone(it.0)).sum::<u64>());
    }
}
