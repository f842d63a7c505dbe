//! A network as a file describes it, whatever its format.

use windtunnel_engine::{Duration, Rate};

use crate::reading::units::Share;

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
