//! Which ports pass on their packets.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_links::{Loss, RateTrace, RateTraces};
use windtunnel_queues::{CoDelSettings, CongestionAction, Discipline};

use super::*;
use crate::forwarding::tests::flow;
use crate::plan::{ChangePlan, LinkChange};
use crate::routing::tests::plan;
use crate::world::World;

/// Nodes that are joined so, and flows between them.
fn network(links: &[[usize; 2]], flows: &[[usize; 2]]) -> Plan {
    let millisecond = Duration::from_millis(1);
    let links: Vec<_> = links.iter().map(|it| (*it, [millisecond; 2], [true; 2])).collect();
    let mut plan = plan(links.len() + 1, &links);
    plan.flows.extend(flows.iter().map(|[from, to]| flow(*from, *to)));
    plan
}

/// Four nodes in a row, and a flow from the first to the last.
fn row() -> Plan {
    network(&[[0, 1], [1, 2], [2, 3]], &[[0, 3]])
}

/// The ports that pass on their packets, each as its link and direction.
fn passing(plan: &Plan) -> Vec<(usize, usize)> {
    let mut world = World::new(plan).expect("links join all nodes");
    let ports = world.only_part().network.contraction.passing.iter();
    ports.map(|it| (it.link(), it.direction())).collect()
}

const FORTH: [(usize, usize); 2] = [(1, 0), (0, 0)];

#[test]
fn on_a_path_alone_all_ports_but_the_last_pass_on_the_last_of_them_first() {
    assert_eq!(passing(&row()), [(1, 0), (1, 1), (0, 0), (2, 1)]);
}

#[test]
fn a_bottleneck_passes_on_what_goes_to_one_receiver_each() {
    let links = [[0, 1], [2, 0], [3, 0], [1, 4], [1, 5]];
    assert_eq!(passing(&network(&links, &[[2, 4], [3, 5]])), [(0, 0), (0, 1)]);
}

#[test]
fn nothing_is_passed_on_to_where_a_path_begins_or_another_leads() {
    for another in [[1, 3], [4, 3]] {
        let plan = network(&[[0, 1], [1, 2], [2, 3], [1, 4]], &[[0, 3], another]);
        assert!(!passing(&plan).contains(&(0, 0)), "{another:?}");
        assert!(passing(&plan).contains(&(1, 0)), "{another:?}");
    }
}

#[test]
fn a_port_behind_which_a_path_ends_or_leaves_passes_nothing_on() {
    for another in [[0, 2], [0, 4]] {
        let plan = network(&[[0, 1], [1, 2], [2, 3], [2, 4]], &[[0, 3], another]);
        let expected = if another[1] == 2 { vec![(0, 0)] } else { vec![(1, 0), (0, 0)] };
        let forth: Vec<_> = passing(&plan).into_iter().filter(|it| it.1 == 0).collect();
        assert_eq!(forth, expected, "{another:?}");
    }
}

/// Over the link in the middle of a row, or before or behind it, nothing is passed on.
fn assert_not_over_the_middle(change: impl FnOnce(&mut Plan)) {
    let mut plan = row();
    change(&mut plan);
    let passing = passing(&plan);
    assert!(!FORTH.iter().any(|it| passing.contains(it)), "{passing:?}");
}

#[test]
fn a_link_that_changes_or_does_more_than_to_send_at_one_rate_takes_no_part() {
    assert_not_over_the_middle(|it| {
        let change = LinkChange::Rate(it.links[0].directions[0].rate);
        it.changes.push(ChangePlan { time: Time::ZERO, port: PortId::new(1, 0), change });
    });
    assert_not_over_the_middle(|it| {
        it.links[1].directions[0].loss = Loss::Bernoulli(0.1);
    });
    assert_not_over_the_middle(|it| it.links[1].medium = Some(0));
    assert_not_over_the_middle(|it| {
        let rows = vec![(Duration::ZERO, Some(it.links[1].directions[0].rate))];
        let trace = RateTrace { rows, delays: Vec::new(), repeat: None };
        it.links[1].channel = Some(Arc::new(RateTraces([Some(Arc::new(trace)), None])));
    });
}

#[test]
fn a_queue_that_decides_when_packets_leave_takes_no_part() {
    let settings = CoDelSettings {
        action: CongestionAction::Drop,
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        maximum_packet: 1500,
        ce_threshold: None,
    };
    assert_not_over_the_middle(|it| {
        it.links[1].directions[0].discipline = Discipline::CoDel(settings);
    });
}

#[test]
fn where_other_than_flows_send_or_paths_change_nothing_is_passed_on() {
    let assert_nothing = |change: fn(&mut Plan)| {
        let mut plan = row();
        change(&mut plan);
        assert_eq!(passing(&plan), []);
    };
    assert_nothing(|it| it.routing.sharing = Sharing::Packets);
    assert_nothing(|it| it.attachments = vec![0, 3]);
    assert_nothing(|it| {
        let (time, port) = (Time::ZERO, PortId::new(1, 0));
        it.changes.push(ChangePlan { time, port, change: LinkChange::Down });
    });
}

#[test]
fn what_is_watched_hop_by_hop_is_passed_on_nowhere() {
    let plan = row();
    let mut world = World::new(&plan).expect("links join all nodes");
    world.watch(&plan, vec![(1, Box::new(|_| ()))]);
    assert!(world.only_part().network.contraction.passing.is_empty());
}
