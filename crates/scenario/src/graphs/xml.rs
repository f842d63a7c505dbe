//! XML: GraphML or SNDlib's, by the name of its root.

use roxmltree::{Document, Node};

use super::attributes::Attribute;
use super::reading::Reading;
use super::{Graph, HELP, graphml, sndlib, start_of_line};
use crate::error::Mistake;

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

/// The elements below that have a name, in whatever namespace.
pub(super) fn children<'a, 'd>(
    node: Node<'a, 'd>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(move |it| it.is_element() && it.tag_name().name() == name)
}

/// All the text in an element, without that of elements in it.
pub(super) fn text(node: Node<'_, '_>) -> String {
    let texts = node.children().filter(Node::is_text).filter_map(|it| it.text());
    texts.collect::<String>().trim().to_owned()
}

/// An element's text under a name.
pub(super) fn attribute(name: &str, node: Node<'_, '_>) -> Attribute {
    Attribute { name: name.to_owned(), value: text(node), span: start_tag(node) }
}

/// What is wrong with an element.
pub(super) fn mistake(node: Node<'_, '_>, message: String) -> Mistake {
    Mistake::new(message).at(start_tag(node))
}

/// Where an element begins.
pub(super) fn start_tag(node: Node<'_, '_>) -> std::ops::Range<usize> {
    let start = node.range().start;
    start..start + 1 + node.tag_name().name().len()
}

/// An attribute of an element's tag, which is required.
pub(super) fn required<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, Mistake> {
    node.attribute(name).ok_or_else(|| {
        let message = format!("`{}` has no `{name}`", node.tag_name().name());
        mistake(node, message).help(format!("write {name}=\"…\""))
    })
}
