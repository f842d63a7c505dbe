//! The XML of SNDlib (Orlowski, Pióro, Tomaszewski and Wessäly 2010).

use roxmltree::Node;

use super::Graph;
use super::attributes::Attribute;
use super::reading::{Ends, Of, Reading};
use super::xml::{attribute, children, mistake, required, start_tag, text};
use crate::reading::error::Mistake;

/// Reads a network.
pub(super) fn read(root: Node<'_, '_>, mut reading: Reading<'_>) -> Result<Graph, Mistake> {
    let structure = within(root, &["networkStructure"]);
    for nodes in structure.iter().flat_map(|it| children(*it, "nodes")) {
        let is_on_earth = nodes.attribute("coordinatesType") != Some("pixel");
        for node in children(nodes, "node") {
            let says = node_says(node, is_on_earth);
            reading.node(required(node, "id")?, start_tag(node), &says)?;
        }
    }
    for link in within(root, &["networkStructure", "links", "link"]) {
        let [source, target] = [value(link, "source")?, value(link, "target")?];
        let ends = Ends { ids: [&source, &target], span: start_tag(link) };
        reading.edge(&ends, false, &link_says(link))?;
    }
    for demand in within(root, &["demands", "demand"]) {
        let [source, target] = [value(demand, "source")?, value(demand, "target")?];
        let ends = Ends { ids: [&source, &target], span: start_tag(demand) };
        reading.demand(&ends, &attribute("demandValue", element(demand, "demandValue")?))?;
        not_used(&mut reading, demand, &["source", "target", "demandValue"]);
    }
    not_used(&mut reading, root, &["networkStructure", "demands"]);
    Ok(reading.graph())
}

/// The elements along a path of names.
fn within<'a, 'd>(root: Node<'a, 'd>, path: &[&'static str]) -> Vec<Node<'a, 'd>> {
    path.iter()
        .fold(vec![root], |all, name| all.into_iter().flat_map(|it| children(it, name)).collect())
}

fn node_says(node: Node<'_, '_>, is_on_earth: bool) -> Vec<Attribute> {
    let coordinates = within(node, &["coordinates"]).into_iter();
    let names = if is_on_earth { ["longitude", "latitude"] } else { ["pixel x", "pixel y"] };
    let of = |it: Node<'_, '_>| {
        let pairs = names.into_iter().zip(["x", "y"]);
        let found = pairs.map(|(name, axis)| {
            children(it, axis).map(|it| attribute(name, it)).collect::<Vec<_>>()
        });
        found.flatten().collect::<Vec<_>>()
    };
    coordinates.flat_map(of).collect()
}

/// What it says of a link: the capacity that is installed, or else that of the least module which
/// can be.
fn link_says(link: Node<'_, '_>) -> Vec<Attribute> {
    let capacities = |path: &[&'static str]| {
        let found = within(link, path).into_iter().map(|it| attribute("capacity", it));
        let above_zero = found.filter(|it| it.value.parse::<f64>().is_ok_and(|it| it > 0.0));
        above_zero.collect::<Vec<_>>()
    };
    let number = |it: &Attribute| it.value.parse::<f64>().unwrap_or(f64::INFINITY);
    let installed = capacities(&["preInstalledModule", "capacity"]).into_iter().next();
    let modules = capacities(&["additionalModules", "addModule", "capacity"]).into_iter();
    let least = || modules.min_by(|one, other| number(one).total_cmp(&number(other)));
    let capacity = installed.or_else(least);
    let others =
        link.children().filter(Node::is_element).map(|it| attribute(it.tag_name().name(), it));
    const READ: [&str; 4] = ["source", "target", "preInstalledModule", "additionalModules"];
    capacity.into_iter().chain(others.filter(|it| !READ.contains(&&*it.name))).collect()
}

fn not_used(reading: &mut Reading<'_>, node: Node<'_, '_>, used: &[&str]) {
    let names = node.children().filter(Node::is_element).map(|it| it.tag_name().name());
    names.filter(|it| !used.contains(it)).for_each(|it| reading.not_used(Of::Graph, it));
}

fn element<'a, 'd>(node: Node<'a, 'd>, name: &'static str) -> Result<Node<'a, 'd>, Mistake> {
    children(node, name).next().ok_or_else(|| {
        let message = format!("`{}` has no `{name}`", node.tag_name().name());
        mistake(node, message).help(format!("write <{name}>…</{name}>"))
    })
}

fn value(node: Node<'_, '_>, name: &'static str) -> Result<String, Mistake> {
    element(node, name).map(text)
}
