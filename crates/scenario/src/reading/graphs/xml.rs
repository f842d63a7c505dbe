//! Elements of XML.

use roxmltree::Node;

use super::attributes::Attribute;
use crate::reading::error::Mistake;

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
