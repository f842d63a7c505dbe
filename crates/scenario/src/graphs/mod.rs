//! Files of networks: GraphML, GML, node-link JSON and SNDlib's XML.
//!
//! Each format gives the nodes, edges and demands of its file with what the file says of them
//! under which names ([`attributes`]); what those names mean is the same in all formats
//! ([`values`]), and so is what becomes of directed, parallel and looping edges ([`reading`]).
//!
//! **To add a format:** its file; names and units are in [`values`].

mod attributes;
mod entities;
mod gml;
mod graphml;
mod json;
mod reading;
mod sndlib;
mod values;
mod xml;

use reading::Reading;
use windtunnel_engine::{Duration, Rate};

pub(crate) use values::in_fibre;

use crate::error::Mistake;
use crate::units::Share;

/// A network, as a file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) links: Vec<GraphLink>,
    pub(crate) demands: Vec<Demand>,
    pub(crate) left_out: LeftOut,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphNode {
    pub(crate) id: String,
    /// The same as `id` where the file has none.
    pub(crate) label: String,
    /// Latitude from -90 to 90 and longitude from -180 to 180, in degrees.
    pub(crate) place: Option<Found<[f64; 2]>>,
}

/// A link: an undirected edge, or one or two directed ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphLink {
    /// The nodes that it joins, by their numbers.
    pub(crate) ends: [usize; 2],
    /// What the file says of the direction from the first node to the second, and of the one back.
    pub(crate) directions: [EdgeValues; 2],
}

/// What a file says of one direction of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EdgeValues {
    pub(crate) rate: Option<Found<Rate>>,
    pub(crate) delay: Option<Found<Duration>>,
    pub(crate) loss: Option<Found<Share>>,
    pub(crate) weight: Option<Found<f64>>,
}

/// A value, and the names under which a file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found<T> {
    pub(crate) value: T,
    pub(crate) under: String,
}

/// How much one node sends to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Demand {
    /// The two nodes, by their numbers.
    pub(crate) ends: [usize; 2],
    /// In bit/s.
    pub(crate) rate: f64,
}

/// What of a file becomes no part of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LeftOut {
    /// The names under which it says something that is not used: of the graph, of nodes and of
    /// edges.
    pub(crate) names: [Vec<String>; 3],
    /// How many edges and demands lead from a node to itself.
    pub(crate) loops: usize,
    /// How many directed edges have none back: their values hold in both directions.
    pub(crate) one_way: usize,
    /// How many links join two nodes that another link before them joins.
    pub(crate) parallel: usize,
}

/// What a file is that is none of the four formats.
const HELP: &str = "name a file in GraphML, GML, node-link JSON or SNDlib's XML";

/// Reads a file, whose edges have their weight under a name: XML begins with `<`, JSON with `{`.
pub(crate) fn read(text: &str, weight: Option<&str>) -> Result<Graph, Mistake> {
    let reading = Reading::new(weight);
    let graph = match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
        Some('<') => xml::read(text, reading),
        Some('{') => json::read(text, reading),
        _ => gml::read(text, reading),
    }?;
    if graph.nodes.is_empty() {
        return Err(Mistake::new("it has no nodes").help(HELP));
    }
    Ok(graph)
}

/// Where a line begins, counted from 1.
fn start_of_line(text: &str, line: usize) -> usize {
    let ends = text.match_indices('\n').map(|it| it.0 + 1);
    std::iter::once(0).chain(ends).nth(line.saturating_sub(1)).unwrap_or(text.len())
}
