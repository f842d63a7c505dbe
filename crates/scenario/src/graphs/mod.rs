//! Files of networks: GraphML and GML.

mod gml;
mod graphml;

use std::collections::HashMap;

use windtunnel_engine::Rate;

use crate::error::Mistake;
use crate::units::Quantity;

/// A network, as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<GraphEdge>,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphNode {
    pub(crate) id: String,
    /// The same as `id` where the file has none.
    pub(crate) label: String,
    /// Latitude and longitude, in degrees.
    pub(crate) place: Option<[f64; 2]>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphEdge {
    /// The nodes that it joins, by their numbers.
    pub(crate) ends: [usize; 2],
    pub(crate) rate: Option<Rate>,
}

/// Reads a file: GraphML begins with `<`.
pub(crate) fn read(text: &str) -> Result<Graph, Mistake> {
    let text = text.trim_start_matches('\u{feff}');
    let graph =
        if text.trim_start().starts_with('<') { graphml::read(text) } else { gml::read(text) }?;
    if graph.nodes.is_empty() {
        return Err(Mistake::new("it has no nodes").help("name a file in GraphML or GML"));
    }
    Ok(graph)
}

/// What a file says of a node or an edge, by its names there.
type Data = HashMap<String, String>;

/// A graph as far as it is read.
#[derive(Default)]
struct Reading {
    nodes: Vec<GraphNode>,
    numbers: HashMap<String, usize>,
    edges: Vec<GraphEdge>,
    is_directed: bool,
}

impl Reading {
    fn node(&mut self, id: &str, data: &Data) -> Result<(), Mistake> {
        if self.numbers.insert(id.to_owned(), self.nodes.len()).is_some() {
            return Err(Mistake::new(format!("it has two nodes `{id}`"))
                .help("give them different identifiers"));
        }
        let number = |key| data.get(key).and_then(|it| it.parse::<f64>().ok());
        let place = number("Latitude").zip(number("Longitude")).map(<[f64; 2]>::from);
        let place = place.filter(|it| it[0].abs() <= 90.0 && it[1].abs() <= 360.0);
        let label = data.get("label").map(|it| it.trim()).filter(|it| !it.is_empty());
        let label = label.unwrap_or(id).to_owned();
        self.nodes.push(GraphNode { id: id.to_owned(), label, place });
        Ok(())
    }

    fn edge(&mut self, [from, to]: [&str; 2], data: &Data) -> Result<(), Mistake> {
        let number = |id: &str| {
            self.numbers.get(id).copied().ok_or_else(|| {
                Mistake::new(format!("an edge joins `{id}`, which is not one of its nodes"))
                    .help("add the node, or remove the edge")
            })
        };
        let ends = [number(from)?, number(to)?];
        let rate = data.get("LinkSpeedRaw").and_then(|it| it.parse().ok());
        let rate = rate.and_then(|it| Rate::from_base(it, "bps").ok());
        let is_back = |it: &GraphEdge| it.ends == [ends[1], ends[0]];
        // Both directions of a link.
        let is_there = self.is_directed && self.edges.iter().any(is_back);
        if ends[0] != ends[1] && !is_there {
            self.edges.push(GraphEdge { ends, rate });
        }
        Ok(())
    }

    fn graph(self) -> Graph {
        Graph { nodes: self.nodes, edges: self.edges }
    }
}
