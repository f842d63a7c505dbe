//! Nodes in groups that are joined one after another (Tarjan 1975).

/// Groups of nodes: each alone at first.
#[derive(Clone, Debug)]
pub struct Groups {
    /// For each node, another one of its group; itself at the group's root.
    parent: Vec<usize>,
}

impl Groups {
    /// So many nodes, each alone.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { parent: (0..nodes).collect() }
    }

    /// The root of a node's group, to which the path becomes shorter.
    pub fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Whether two nodes are in one group.
    pub fn are_joined(&mut self, [one, other]: [usize; 2]) -> bool {
        self.root(one) == self.root(other)
    }

    /// Joins the groups of two nodes, under the lesser root. Returns whether they were two.
    pub fn join(&mut self, [one, other]: [usize; 2]) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one.max(other)] = one.min(other);
        one != other
    }
}
