//! Loops of static routes: a node forwards by its own route, whatever the other nodes do.

use crate::plan::Sharing;
use crate::routing::{Topology, Tree};

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    OnPath,
    Done,
}

impl Tree {
    /// A loop that packets to the target can enter at a node: its nodes, the first one again at
    /// the end. They may take any of equal paths if they are shared.
    #[must_use]
    pub fn loop_from(
        &self,
        topology: &Topology,
        node: usize,
        sharing: Sharing,
    ) -> Option<Vec<usize>> {
        let next = |node: usize| -> Vec<usize> {
            let equal = self.equal(topology, node);
            let taken = equal.filter(|it| sharing != Sharing::None || self.next(node) == Some(*it));
            let taken = taken.filter(|_| node != self.target());
            taken.map(|it| topology.far(it)).collect()
        };
        let mut states = vec![State::Unseen; topology.nodes()];
        let mut path = vec![(node, next(node))];
        states[node] = State::OnPath;
        while let Some((last, rest)) = path.last_mut() {
            let Some(next_node) = rest.pop() else {
                states[*last] = State::Done;
                path.pop();
                continue;
            };
            match states[next_node] {
                State::Done => {}
                State::Unseen => {
                    states[next_node] = State::OnPath;
                    path.push((next_node, next(next_node)));
                }
                State::OnPath => {
                    let nodes = path.iter().map(|it| it.0).skip_while(|it| *it != next_node);
                    return Some(nodes.chain([next_node]).collect());
                }
            }
        }
        None
    }
}
