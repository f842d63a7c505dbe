//! Where a mistake comes from: from a text in which values were set, back to
//! the text before.

use std::ops::Range;

use toml_edit::{Document, Key, TableLike};

use crate::reading::error::Mistake;

/// What set a value.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A place in the text before.
    Inside(Range<usize>),
    /// Something else, such as the command line.
    Outside(String),
}

/// A mistake in the text `after`, as one in the text `before`: where the same
/// thing is there, or else what set it. `set` are the paths of what was set.
pub(crate) fn back(
    mistake: Mistake,
    after: &str,
    before: &str,
    set: &[(Vec<Key>, Origin)],
) -> Mistake {
    let Some(span) = mistake.span.clone() else { return mistake };
    let nowhere = Mistake { span: None, ..mistake.clone() };
    let (Ok(after), Ok(before)) = (Document::parse(after), Document::parse(before)) else {
        return nowhere;
    };
    let mut path = Vec::new();
    let Some(found) = find(after.as_table(), &span, &mut path) else { return nowhere };
    let of_path = |keys: &[Key]| keys.iter().map(Key::get).eq(path.iter().take(keys.len()));
    match set.iter().rev().find(|(keys, _)| of_path(keys)) {
        Some((_, Origin::Inside(place))) => mistake.at(place.clone()),
        Some((_, Origin::Outside(what))) => nowhere.named(what),
        None => match span_of(before.as_table(), &path, found.is_key) {
            Some(same) => {
                let start = same.start + (span.start - found.span.start);
                mistake.at(start..start + span.len())
            }
            None => nowhere,
        },
    }
}

/// A key or a value that holds a place.
struct Found {
    span: Range<usize>,
    is_key: bool,
}

/// Finds the innermost key or value that holds a place, and its path. Tables of
/// an array have their numbers in it.
fn find(table: &dyn TableLike, place: &Range<usize>, path: &mut Vec<String>) -> Option<Found> {
    let holds = |span: &Range<usize>| span.start <= place.start && place.end <= span.end;
    for (name, item) in table.iter() {
        path.push(name.to_owned());
        if let Some(span) = table.key(name).and_then(Key::span).filter(holds) {
            return Some(Found { span, is_key: true });
        }
        if let Some(found) = item.as_table_like().and_then(|it| find(it, place, path)) {
            return Some(found);
        }
        for (number, table) in item.as_array_of_tables().into_iter().flatten().enumerate() {
            path.push(number.to_string());
            if let Some(found) = find(table, place, path) {
                return Some(found);
            }
            path.pop();
        }
        if let Some(span) = item.span().filter(holds) {
            return Some(Found { span, is_key: false });
        }
        path.pop();
    }
    None
}

/// The place of what is at a path.
fn span_of(table: &dyn TableLike, path: &[String], is_key: bool) -> Option<Range<usize>> {
    let (name, rest) = path.split_first()?;
    let item = table.get(name)?;
    match rest.split_first() {
        None if is_key => table.key(name)?.span(),
        None => item.span(),
        Some((number, rest)) if item.is_array_of_tables() => {
            let table = item.as_array_of_tables()?.get(number.parse().ok()?)?;
            span_of(table, rest, is_key)
        }
        Some(_) => span_of(item.as_table_like()?, rest, is_key),
    }
}
