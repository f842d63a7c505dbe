//! A graph as far as it is read.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use indexmap::IndexSet;

use super::attributes::Attribute;
use super::{Demand, Graph, GraphLink, GraphNode, LeftOut, values};
use crate::reading::error::Mistake;

/// What a name in a file is of.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Graph,
    Nodes,
    Edges,
}

/// A graph as far as it is read. Edges and demands come after all nodes.
#[derive(Default)]
pub(super) struct Reading<'a> {
    graph: Graph,
    numbers: HashMap<String, usize>,
    /// For two nodes, the links that a directed edge from the one to the other has made and that
    /// none has made two-way yet.
    one_way: HashMap<[usize; 2], VecDeque<usize>>,
    /// The name under which edges have their weight.
    weight: Option<&'a str>,
    not_used: [IndexSet<String>; 3],
}

/// Two nodes of a file, by their identifiers, and where the file names them.
pub(super) struct Ends<'a> {
    pub(super) ids: [&'a str; 2],
    pub(super) span: Range<usize>,
}

impl<'a> Reading<'a> {
    /// Nothing yet, of a file whose edges have their weight under that name.
    pub(super) fn new(weight: Option<&'a str>) -> Self {
        Self { weight, ..Self::default() }
    }

    /// Adds a node.
    pub(super) fn node(
        &mut self,
        id: &str,
        span: Range<usize>,
        says: &[Attribute],
    ) -> Result<(), Mistake> {
        if self.numbers.insert(id.to_owned(), self.graph.nodes.len()).is_some() {
            return Err(Mistake::new(format!("it has two nodes `{id}`"))
                .at(span)
                .help("give them different identifiers"));
        }
        self.note(Of::Nodes, says, values::is_of_node);
        let (label, place) = (values::label(id, says), values::place(says)?);
        self.graph.nodes.push(GraphNode { id: id.to_owned(), label, place });
        Ok(())
    }

    /// Adds an edge.
    pub(super) fn edge(
        &mut self,
        ends: &Ends<'_>,
        is_directed: bool,
        says: &[Attribute],
    ) -> Result<(), Mistake> {
        let weight = self.weight;
        self.note(Of::Edges, says, |it| values::is_of_edge(it, weight));
        let ends = self.ends("an edge joins", ends)?;
        let says = values::edge(says, weight)?;
        if ends[0] == ends[1] {
            self.graph.left_out.loops += 1;
            return Ok(());
        }
        if is_directed {
            let back = self.one_way.get_mut(&[ends[1], ends[0]]);
            if let Some(link) = back.and_then(VecDeque::pop_front) {
                self.graph.links[link].directions[1] = says;
                return Ok(());
            }
            self.one_way.entry(ends).or_default().push_back(self.graph.links.len());
        }
        self.graph.links.push(GraphLink { ends, directions: [says.clone(), says] });
        Ok(())
    }

    /// Adds a demand.
    pub(super) fn demand(&mut self, ends: &Ends<'_>, value: &Attribute) -> Result<(), Mistake> {
        let ends = self.ends("a demand names", ends)?;
        let rate = values::demand(value)?;
        if ends[0] == ends[1] {
            self.graph.left_out.loops += 1;
        } else if rate > 0.0 {
            self.graph.demands.push(Demand { ends, rate });
        }
        Ok(())
    }

    /// Notes a name that is not used.
    pub(super) fn not_used(&mut self, of: Of, name: &str) {
        self.not_used[of as usize].insert(name.to_owned());
    }

    fn note(&mut self, of: Of, says: &[Attribute], is_used: impl Fn(&str) -> bool) {
        for attribute in says.iter().filter(|it| !is_used(&it.name)) {
            self.not_used(of, &attribute.name);
        }
    }

    fn ends(&self, what: &str, ends: &Ends<'_>) -> Result<[usize; 2], Mistake> {
        let number = |id: &str| {
            self.numbers.get(id).copied().ok_or_else(|| {
                Mistake::new(format!("{what} `{id}`, which is not one of its nodes"))
                    .at(ends.span.clone())
                    .help("add the node, or remove what names it")
            })
        };
        Ok([number(ends.ids[0])?, number(ends.ids[1])?])
    }

    pub(super) fn graph(self) -> Graph {
        let pair = |it: &GraphLink| [it.ends[0].min(it.ends[1]), it.ends[0].max(it.ends[1])];
        let joined: HashSet<[usize; 2]> = self.graph.links.iter().map(pair).collect();
        let left_out = LeftOut {
            names: self.not_used.map(|it| it.into_iter().collect()),
            loops: self.graph.left_out.loops,
            one_way: self.one_way.values().map(VecDeque::len).sum(),
            parallel: self.graph.links.len() - joined.len(),
        };
        Graph { left_out, ..self.graph }
    }
}
