//! Nodes that have places, and which of them are joined.

use windtunnel_world::Groups;

/// How far two points of a plane are apart.
pub(super) fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

/// Links that join all parts of a network with that of the first node: the shortest ones (as Prim
/// 1957 finds them, with all that is joined already at no cost).
pub(super) fn join_parts(places: &[[f64; 2]], links: &[[usize; 2]]) -> Vec<[usize; 2]> {
    let parts = parts(places.len(), links);
    let mut is_joined = vec![false; places.len()];
    // For each part, the least distance to what is joined, and between which nodes.
    let mut nearest: Vec<(f64, [usize; 2])> = vec![(f64::INFINITY, [0, 0]); places.len()];
    let mut added = Vec::new();
    let mut next = Some(parts[0]);
    while let Some(part) = next {
        is_joined[part] = true;
        for one in (0..places.len()).filter(|it| parts[*it] == part) {
            for other in (0..places.len()).filter(|it| !is_joined[parts[*it]]) {
                let far = distance(places[one], places[other]);
                if far < nearest[parts[other]].0 {
                    nearest[parts[other]] = (far, [one.min(other), one.max(other)]);
                }
            }
        }
        let left = (0..places.len()).filter(|it| parts[*it] == *it && !is_joined[*it]);
        next = left.min_by(|one, other| nearest[*one].0.total_cmp(&nearest[*other].0));
        added.extend(next.map(|it| nearest[it].1));
    }
    added
}

/// The part of the network that each node is in, named by its first node.
fn parts(nodes: usize, links: &[[usize; 2]]) -> Vec<usize> {
    let mut parts = Groups::new(nodes);
    for link in links {
        parts.join(*link);
    }
    (0..nodes).map(|it| parts.root(it)).collect()
}
