//! Files of networks: GraphML, GML, node-link JSON and SNDlib's XML.
//!
//! Each format gives the nodes, edges and demands of its file with what the file says of them
//! under which names ([`attributes`]); what those names mean is the same in all formats
//! ([`values`]), and so is what becomes of directed, parallel and looping edges ([`reading`]).
//!
//! **To add a format:** its file; names and units are in [`values`].

mod attributes;
mod entities;
mod format;
mod gml;
mod graph;
mod graphml;
mod json;
mod reading;
mod sndlib;
mod values;
mod xml;
mod xml_formats;

pub(crate) use graph::{Demand, EdgeValues, Found, Graph, GraphLink, GraphNode, LeftOut};
pub(crate) use values::in_fibre;

use crate::reading::error::Mistake;
use format::HELP;
use reading::Reading;

/// Reads a file, whose edges have their weight under a name: XML begins with `<`, JSON with `{`.
pub(crate) fn read(text: &str, weight: Option<&str>) -> Result<Graph, Mistake> {
    let reading = Reading::new(weight);
    let graph = match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
        Some('<') => xml_formats::read(text, reading),
        Some('{') => json::read(text, reading),
        _ => gml::read(text, reading),
    }?;
    if graph.nodes.is_empty() {
        return Err(Mistake::new("it has no nodes").help(HELP));
    }
    Ok(graph)
}
