//! What readers of all formats say of a file, and of places in it.

/// What a file is that is none of the four formats.
pub(super) const HELP: &str = "name a file in GraphML, GML, node-link JSON or SNDlib's XML";

/// Where a line begins, counted from 1.
pub(super) fn start_of_line(text: &str, line: usize) -> usize {
    let ends = text.match_indices('\n').map(|it| it.0 + 1);
    std::iter::once(0).chain(ends).nth(line.saturating_sub(1)).unwrap_or(text.len())
}
