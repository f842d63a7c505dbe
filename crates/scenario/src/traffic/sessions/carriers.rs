//! Between which nodes the messages of sessions travel.

use std::collections::{BTreeMap, BTreeSet};

use windtunnel_applications::sessions::PagingPolicy;
use windtunnel_world::{SessionUserPlan, SessionsPlan};

use crate::network::stages::Network;

/// From where to where messages travel, without repetition: between the nodes of each user, and
/// between these and the others that the policy keeps pages at.
pub(super) fn pairs(sessions: &SessionsPlan) -> Vec<[usize; 2]> {
    let mut pairs = BTreeSet::new();
    for user in &sessions.users {
        let nodes: BTreeSet<usize> = user.stages.iter().map(|it| it.node).collect();
        let others = others(sessions, user);
        for &node in &nodes {
            pairs.extend(nodes.iter().map(|it| [node, *it]));
            pairs.extend(others.iter().flat_map(|it| [[node, *it], [*it, node]]));
        }
    }
    pairs.into_iter().filter(|[from, to]| from != to).collect()
}

/// The nodes that may hold a user's pages and do not serve the user.
fn others(sessions: &SessionsPlan, user: &SessionUserPlan) -> BTreeSet<usize> {
    match sessions.settings.policy {
        PagingPolicy::Separate(site) => site.iter().map(|it| it.0 as usize).collect(),
        _ => {
            let of = |node| sessions.neighbours.get(node).into_iter().flatten();
            user.stages.iter().flat_map(|it| of(&it.node)).copied().collect()
        }
    }
}

/// By node, those that a link joins with it, if the policy has use for them; no nodes on the
/// ground, which use satellites.
pub(super) fn neighbours(policy: &PagingPolicy, network: &Network) -> BTreeMap<usize, Vec<usize>> {
    let mut neighbours: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    if !matches!(policy, PagingPolicy::IdleNeighbour) {
        return BTreeMap::new();
    }
    let stations: BTreeSet<usize> =
        network.sky.iter().flat_map(|it| &it.stations).map(|(node, _)| *node).collect();
    for [one, other] in network.links.iter().map(|it| it.nodes) {
        if !stations.contains(&one) && !stations.contains(&other) {
            neighbours.entry(one).or_default().insert(other);
            neighbours.entry(other).or_default().insert(one);
        }
    }
    neighbours.into_iter().map(|(node, of)| (node, of.into_iter().collect())).collect()
}
