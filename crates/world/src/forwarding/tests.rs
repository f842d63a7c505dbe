//! Paths by themselves: what packets find that enter them or are under way.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::udp;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::ip::IpVersion;

use super::*;
use crate::path::{keys, variant};
use crate::plan::{ChangePlan, FlowPlan, LinkChange, Transport};
use crate::routing::tests::{Joined, links, plan, set_up};

const NODES: usize = 6;

/// Datagrams.
pub(crate) fn flow(from: usize, to: usize) -> FlowPlan {
    let rate = Rate::from_bits_per_second(1_000_000).expect("more than nothing");
    let settings = udp::UdpSettings::of_rate(IpVersion::V4, rate, 100);
    FlowPlan {
        name: format!("{from} to {to}"),
        from,
        to,
        transport: Transport::Udp(settings),
        start: Time::ZERO,
        start_within: Duration::ZERO,
        stop: Time::NEVER,
        split: None,
        path: None,
        multipath: None,
        radio: None,
        lookup: None,
    }
}

/// A plan whose paths change, with flows from the first node to the last, in as many
/// variants.
fn changing(links: &[Joined], sharing: Sharing, flows: usize) -> Plan {
    let mut plan = plan(NODES, links);
    plan.routing.sharing = sharing;
    plan.flows.extend((0..flows).map(|_| flow(0, NODES - 1)));
    let (time, port) = (Time::ZERO, PortId(0));
    plan.changes.push(ChangePlan { time, port, change: LinkChange::Down });
    plan
}

/// A packet under way: where it is, and the place of its next hop.
type UnderWay = (usize, Route);

/// Takes a packet from where it is to the end; returns its ports, and where it was
/// between them. None if no path leads on.
fn follow(
    forwarding: &mut Forwarding,
    (mut node, mut route): UnderWay,
) -> Option<(Vec<PortId>, Vec<UnderWay>)> {
    let (mut ports, mut places) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let (hop, next) = match forwarding.hop(route) {
            Hop::Table(table) => (forwarding.look_up(Time::ZERO, table, node)?, route),
            hop => (hop, Route(route.0 + 1)),
        };
        match hop {
            Hop::Port(port) => {
                assert_eq!(forwarding.topology().near(port), node, "a port of its own node");
                node = forwarding.topology().far(port);
                ports.push(port);
                places.push((node, next));
            }
            Hop::Jump(other) => route = other,
            Hop::Here(_) => return Some((ports, places)),
            Hop::Function(..) | Hop::ToFunction(..) | Hop::Table(_) | Hop::Carried(_) => {
                unreachable!("there are none")
            }
        }
        if let Hop::Port(_) = hop {
            route = next;
        }
    }
    panic!("it goes in circles");
}

/// The same links, other ports up.
fn with_up(links: &[Joined], up: &[[bool; 2]]) -> Vec<Joined> {
    let up = up.iter().cycle();
    links.iter().zip(up).map(|(it, up)| (it.0, it.1, *up)).collect()
}

fn all_up(links: &[Joined]) -> Vec<Joined> {
    let chain = (1..NODES).map(|it| ([it - 1, it], [Duration::from_nanos(1); 2], [true; 2]));
    chain.chain(with_up(links, &[[true; 2]])).collect()
}

fn epochs() -> impl Strategy<Value = Vec<Vec<[bool; 2]>>> {
    let up = prop::bool::weighted(0.7);
    vec(vec([up, up], 20..21), 1..10)
}

fn sharing() -> impl Strategy<Value = Sharing> {
    prop::sample::select(vec![Sharing::None, Sharing::Flows, Sharing::Packets])
}

proptest! {
    /// As long as the flow's source reaches its destination. Packets that entered at any
    /// time before are still under way; one that has passed its last link is there.
    #[test]
    fn whatever_is_under_way_arrives_over_links_that_are_up(
        links in links(NODES),
        epochs in epochs(),
        sharing in sharing(),
    ) {
        let links = all_up(&links);
        let mut forwarding = Forwarding::new(&changing(&links, sharing, 4)).expect("a chain");
        let entries: Vec<UnderWay> = (0..4).map(|number| {
            let variant = variant(sharing, &flow(0, NODES - 1), number);
            let key = keys([0, NODES - 1], variant)[0];
            (0, forwarding.route(key).expect("it was found"))
        }).collect();
        let mut under_way = entries.clone();
        for up in &epochs {
            forwarding.update(|topology| set_up(topology, &with_up(&links, up)));
            let tree = forwarding.topology().tree(NODES - 1);
            let reaches = |node| tree.cost(node).is_some();
            for place in under_way.clone() {
                if !reaches(0) || !reaches(place.0) {
                    continue;
                }
                let (ports, places) = follow(&mut forwarding, place).expect("it is reached");
                let is_up = |it: &PortId| forwarding.topology().cost(*it).is_some();
                prop_assert!(ports.iter().all(is_up));
                if place.0 == 0 && entries.contains(&place) {
                    let cost = |it: &PortId| forwarding.topology().cost(*it);
                    prop_assert_eq!(ports.iter().filter_map(cost).reduce(u64::saturating_add), tree.cost(0));
                    under_way.extend(places);
                }
            }
        }
    }

    /// A path that is taken again uses its list again: after each was taken twice, as the
    /// first list begins where packets enter and cannot be used again.
    #[test]
    fn the_list_of_hops_does_not_grow_with_the_number_of_changes(
        links in links(NODES),
        epochs in epochs(),
        sharing in sharing(),
    ) {
        let links = all_up(&links);
        let mut forwarding = Forwarding::new(&changing(&links, sharing, 4)).expect("a chain");
        let mut length = 0;
        for turn in 0..20 {
            for up in &epochs {
                forwarding.update(|topology| set_up(topology, &with_up(&links, up)));
            }
            if turn == 2 {
                length = forwarding.hops.len();
            }
        }
        prop_assert_eq!(forwarding.hops.len(), length);
    }

    #[test]
    fn a_path_of_a_flows_own_never_changes(links in links(NODES), epochs in epochs()) {
        let links = all_up(&links);
        let mut plan = changing(&links, Sharing::None, 2);
        let chain: Vec<PortId> = (1..NODES).map(|it| PortId::new(it - 1, 0)).collect();
        plan.flows[0].path = Some(chain.clone());
        let mut forwarding = Forwarding::new(&plan).expect("a chain");
        let [there, back] = keys([0, NODES - 1], variant(Sharing::None, &plan.flows[0], 0));
        for up in &epochs {
            forwarding.update(|topology| set_up(topology, &with_up(&links, up)));
            let entry = forwarding.route(there).expect("it was laid");
            prop_assert_eq!(follow(&mut forwarding, (0, entry)).map(|it| it.0), Some(chain.clone()));
            let entry = forwarding.route(back).expect("it was laid");
            let reversed = chain.iter().rev().map(|it| it.reversed()).collect();
            let found = follow(&mut forwarding, (NODES - 1, entry)).map(|it| it.0);
            prop_assert_eq!(found, Some(reversed));
        }
    }
}
