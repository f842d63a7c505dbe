//! Networks from files.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_orbits::MEAN_RADIUS;

use super::drawing::Drawing;
use super::not_too_many;
use crate::error::Mistake;
use crate::files::Files;
use crate::generators::text;
use crate::graphs::{Graph, GraphEdge};
use crate::located::Located;
use crate::tree::Entry;
use crate::units::written;

/// The speed of light in fibre, in km/s: a refractive index of 1.468 (ITU-T G.652).
const LIGHT_IN_FIBRE: f64 = 299_792.458 / 1.468;

/// Nodes and links from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphFile {
    /// The file, in GraphML or GML. Where its nodes have `Latitude` and `Longitude`, links have the
    /// delay of light in fibre along the great circle, if `link` has no `delay`; edges with
    /// `LinkSpeedRaw` have that rate in bit/s, if `link` has no rate. An edge from a node to itself
    /// is left out.
    file: Located<String>,
}

impl GraphFile {
    pub(super) fn draw(&self, drawing: &mut Drawing, files: &mut Files<'_>) -> Result<(), Mistake> {
        let graph = files.graph(&self.file)?;
        let size = Located { value: 0, span: self.file.span.clone() };
        not_too_many(graph.nodes.len().max(graph.edges.len()), &size)?;
        let labels = labels(&graph);
        let nodes: Vec<String> = labels.iter().map(|it| drawing.node(it)).collect();
        let mut named: HashMap<String, usize> = HashMap::new();
        for edge in &graph.edges {
            let [from, to] = edge.ends;
            let mut name = format!("{}-{}", labels[from], labels[to]);
            let number = named.entry(name.clone()).and_modify(|it| *it += 1).or_insert(1);
            if *number > 1 {
                name = format!("{name}-{number}");
            }
            let keys = keys(&graph, edge, drawing);
            drawing.link_with(name, [&nodes[from], &nodes[to]], &keys);
        }
        Ok(())
    }
}

/// The names of the nodes: their labels where no two are the same.
fn labels(graph: &Graph) -> Vec<&str> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    let all = || graph.nodes.iter();
    all().for_each(|it| *count.entry(&it.label).or_default() += 1);
    // An identifier may be what is a label elsewhere.
    let is_clear =
        |it: &str| count[it] == 1 && all().all(|other| other.label == it || other.id != it);
    all().map(|it| if is_clear(&it.label) { &*it.label } else { &*it.id }).collect()
}

/// What the file says of a link.
fn keys(graph: &Graph, edge: &GraphEdge, drawing: &Drawing) -> Vec<Entry> {
    let places = edge.ends.map(|it| graph.nodes[it].place);
    let delay = match places {
        [Some(from), Some(to)] => Duration::from_seconds(great_circle(from, to) / LIGHT_IN_FIBRE),
        _ => None,
    };
    let delay = delay.map(|it| text("delay", written(&it), &drawing.span));
    let rate = edge.rate.map(|it| text("rate", written(&it), &drawing.span));
    let is_rate = |it: &Entry| it.key == "rate" && drawing.has_pace();
    delay.into_iter().chain(rate).filter(|it| !is_rate(it)).collect()
}

/// The distance of two places along the Earth, in km (haversine).
fn great_circle(from: [f64; 2], to: [f64; 2]) -> f64 {
    let [from, to] = [from, to].map(|it| it.map(f64::to_radians));
    let half = |place: usize| ((to[place] - from[place]) / 2.0).sin().powi(2);
    let chord = half(0) + from[0].cos() * to[0].cos() * half(1);
    2.0 * MEAN_RADIUS * chord.sqrt().min(1.0).asin()
}
