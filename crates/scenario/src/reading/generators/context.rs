//! What the things of a group depend on besides its own table.

use super::demands::Demands;
use super::parts::Joined;
use crate::reading::tree::Node as Tree;

/// What the tables of a section are read with.
pub(super) struct GroupContext<'a> {
    pub(super) section: &'static str,
    pub(super) file: &'a Tree,
    /// The names of all nodes.
    pub(super) nodes: Vec<&'a str>,
    /// When its things start by default, if the file says so.
    pub(super) start: Option<&'a Tree>,
    pub(super) demands: &'a Demands,
}

impl<'a> GroupContext<'a> {
    pub(super) fn of(file: &'a Tree, section: &'static str, demands: &'a Demands) -> Self {
        let nodes = file.get("nodes").and_then(Tree::entries).unwrap_or_default();
        let nodes = nodes.iter().map(|it| it.key.as_str()).collect();
        let kind = section.trim_end_matches('s');
        let start = file.get("defaults").and_then(|it| it.get(kind)?.get("start"));
        Self { section, file, nodes, start, demands }
    }

    /// The parts of the network.
    pub(super) fn joined(&self) -> Joined<'a> {
        Joined::of(self.file, &self.nodes)
    }
}
