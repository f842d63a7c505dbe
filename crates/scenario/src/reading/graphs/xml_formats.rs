//! XML: GraphML or SNDlib's, by the name of its root.

use roxmltree::Document;

use super::format::{HELP, start_of_line};
use super::graph::Graph;
use super::reading::Reading;
use super::xml::mistake;
use super::{graphml, sndlib};
use crate::reading::error::Mistake;

/// Reads a file in XML.
pub(super) fn read(text: &str, reading: Reading<'_>) -> Result<Graph, Mistake> {
    let document = Document::parse(text).map_err(|it| not_xml(text, &it))?;
    let root = document.root_element();
    match root.tag_name().name() {
        "graphml" => graphml::read(root, reading),
        "network" => sndlib::read(root, reading),
        other => Err(mistake(root, format!("`{other}` is not the root of a graph")).help(HELP)),
    }
}

fn not_xml(text: &str, error: &roxmltree::Error) -> Mistake {
    let place = error.pos();
    let start = start_of_line(text, place.row as usize);
    let before = text[start..].chars().take((place.col as usize).saturating_sub(1));
    let at = start + before.map(char::len_utf8).sum::<usize>();
    Mistake::new(format!("not valid XML: {error}")).at(at..at + 1).help(HELP)
}
