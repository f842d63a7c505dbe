//! GraphML (<http://graphml.graphdrawing.org>).

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::{Data, Graph, Reading};
use crate::error::Mistake;

/// Reads a file in GraphML.
pub(super) fn read(text: &str) -> Result<Graph, Mistake> {
    let document = Document::parse(text).map_err(|it| {
        Mistake::new(format!("no GraphML: {it}")).help("name a file in GraphML or GML")
    })?;
    let named =
        |name| document.descendants().filter(move |it| it.has_tag_name(named_so(*it, name)));
    let keys: HashMap<&str, &str> = named("key")
        .filter_map(|it| Some((it.attribute("id")?, it.attribute("attr.name")?)))
        .collect();
    let mut reading = Reading {
        is_directed: named("graph").any(|it| it.attribute("edgedefault") == Some("directed")),
        ..Reading::default()
    };
    for node in named("node") {
        reading.node(attribute(node, "id")?, &data(node, &keys))?;
    }
    for edge in named("edge") {
        let ends = [attribute(edge, "source")?, attribute(edge, "target")?];
        reading.edge(ends, &data(edge, &keys))?;
    }
    Ok(reading.graph())
}

/// The name of an element in the namespace that it is in.
fn named_so<'a>(node: Node<'a, '_>, name: &'a str) -> roxmltree::ExpandedName<'a, 'a> {
    node.tag_name().namespace().map_or_else(|| name.into(), |it| (it, name).into())
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, Mistake> {
    node.attribute(name).ok_or_else(|| {
        let message = format!("`{}` has no `{name}`", node.tag_name().name());
        let place = node.range();
        Mistake::new(message).at(place.start..place.start + 1).help(format!("write {name}=\"…\""))
    })
}

fn data(node: Node<'_, '_>, keys: &HashMap<&str, &str>) -> Data {
    let data = node.children().filter(|it| it.tag_name().name() == "data");
    let data = data.filter_map(|it| Some((*keys.get(it.attribute("key")?)?, it.text()?.trim())));
    data.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}
