//! GraphML (<http://graphml.graphdrawing.org>).

use indexmap::IndexMap;
use roxmltree::Node;

use super::Graph;
use super::attributes::Attribute;
use super::reading::{Ends, Of, Reading};
use super::xml::{attribute, children, required, start_tag, text};
use crate::reading::error::Mistake;

/// Reads a file in GraphML.
pub(super) fn read(root: Node<'_, '_>, mut reading: Reading<'_>) -> Result<Graph, Mistake> {
    let keys = Keys(children(root, "key").filter_map(Key::of).collect());
    let named =
        |name| root.descendants().filter(move |it| it.is_element() && it.tag_name().name() == name);
    for node in named("node") {
        reading.node(required(node, "id")?, start_tag(node), &keys.of(node))?;
    }
    for edge in named("edge") {
        let ids = [required(edge, "source")?, required(edge, "target")?];
        let ends = Ends { ids, span: start_tag(edge) };
        reading.edge(&ends, is_directed(edge), &keys.of(edge))?;
    }
    for graph in named("graph") {
        keys.of(graph).iter().for_each(|it| reading.not_used(Of::Graph, &it.name));
    }
    for name in ["hyperedge", "port"] {
        named(name).take(1).for_each(|_| reading.not_used(Of::Graph, name));
    }
    Ok(reading.graph())
}

/// Whether an edge leads one way: as it says itself, or else as the graph around it says.
fn is_directed(edge: Node<'_, '_>) -> bool {
    match edge.attribute("directed") {
        Some(own) => own == "true",
        None => {
            let graph = edge.ancestors().find(|it| it.tag_name().name() == "graph");
            graph.and_then(|it| it.attribute("edgedefault")) == Some("directed")
        }
    }
}

/// What a file declares that its elements may say.
struct Keys<'a>(IndexMap<&'a str, Key<'a>>);

struct Key<'a> {
    name: &'a str,
    /// The kind of elements that it is for.
    of: &'a str,
    /// What holds of an element that does not say it.
    default: Option<Attribute>,
}

impl<'a> Key<'a> {
    /// The key of an element, under its identifier.
    fn of(key: Node<'a, '_>) -> Option<(&'a str, Self)> {
        let id = key.attribute("id")?;
        let name = key.attribute("attr.name").or_else(|| key.attribute("yfiles.type"));
        let name = name.unwrap_or(id);
        let default = children(key, "default").next().map(|it| attribute(name, it));
        Some((id, Self { name, of: key.attribute("for").unwrap_or("all"), default }))
    }
}

impl Keys<'_> {
    /// What an element says, and what holds of it by default.
    fn of(&self, node: Node<'_, '_>) -> Vec<Attribute> {
        let data = || children(node, "data").filter_map(|it| Some((it.attribute("key")?, it)));
        let own = data().map(|(id, it)| match label(it) {
            Some(label) => attribute("NodeLabel", label),
            None => attribute(self.0.get(id).map_or(id, |it| it.name), it),
        });
        let is_for = |it: &Key<'_>| it.of == "all" || it.of == node.tag_name().name();
        let missing =
            self.0.iter().filter(|(id, it)| is_for(it) && data().all(|own| own.0 != **id));
        own.chain(missing.filter_map(|it| it.1.default.clone())).collect()
    }
}

/// The label in what yEd says of how a node is drawn.
fn label<'a, 'd>(data: Node<'a, 'd>) -> Option<Node<'a, 'd>> {
    let is_label = |it: &Node<'_, '_>| it.tag_name().name() == "NodeLabel" && !text(*it).is_empty();
    data.descendants().find(is_label)
}
