//! Values that are set at paths of a scenario.

use toml_edit::{DocumentMut, InlineTable, Item, Key, Table, TableLike, Value};

use crate::reading::error::{Mistake, suggestion};
use crate::reading::setting_groups::GROUPS;

/// A scenario's text, so that values can be set in it.
pub(crate) fn parse(text: &str) -> Result<DocumentMut, Mistake> {
    let parsed = text.parse::<DocumentMut>();
    parsed.map_err(|error| Mistake::not_toml(text, error.message(), error.span()))
}

/// A value from outside: TOML if it is any, else text.
pub(crate) fn value(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| text.into())
}

/// Sets the value at a dotted path, and gives its keys. The table that it goes
/// into must exist, or be one that may be left out; in an array a key is a place, from 0 on,
/// where something is already, written as `rate.0` or `rate[0]`.
pub(crate) fn set(
    document: &mut DocumentMut,
    path: &str,
    value: Value,
) -> Result<Vec<Key>, Mistake> {
    let keys = keys(path)?;
    let Some((last, tables)) = keys.split_last() else {
        return Err(Mistake::new("the path is empty"));
    };
    let mut item = document.as_item_mut();
    let mut so_far = String::new();
    for key in tables {
        let name = key.get();
        item = inside(item, &so_far, name).map_err(|it| it.named(&format!("`{path}`")))?;
        so_far = if so_far.is_empty() { name.to_owned() } else { format!("{so_far}.{name}") };
    }
    put(item, &so_far, last.get(), value).map_err(|it| it.named(&format!("`{path}`")))?;
    Ok(keys)
}

/// The keys of a path.
fn keys(path: &str) -> Result<Vec<Key>, Mistake> {
    let parsed = Key::parse(path).ok();
    parsed.or_else(|| Key::parse(&dotted(path)?).ok()).ok_or_else(|| {
        Mistake::new(format!("`{path}` is not a valid path"))
            .help("write keys with dots between them, such as links.access.rate")
    })
}

/// A path with `.0` in place of `[0]`.
fn dotted(path: &str) -> Option<String> {
    let mut parts = path.split('[');
    let mut dotted = parts.next()?.to_owned();
    for part in parts {
        let (place, rest) = part.split_once(']')?;
        let place: usize = place.trim().parse().ok()?;
        dotted.push_str(&format!(".{place}{rest}"));
    }
    Some(dotted)
}

/// What is said of a value for both directions of a link in place of one for each.
pub(crate) fn note_of_both(document: &DocumentMut, path: &str, value: &Value) -> Option<String> {
    let keys = keys(path).ok()?;
    let (first, last) = (keys.first()?.get(), keys.last()?.get());
    let is_of_links = matches!(first, "links" | "constellations" | "topologies")
        || (first == "defaults" && keys.get(1)?.get() == "link");
    let before = keys.iter().try_fold(document.as_item(), |item, key| at(item, key.get()))?;
    let two = before.as_array().filter(|it| it.len() == 2)?;
    (is_of_links && last != "nodes" && !value.is_array()).then(|| {
        let two = two.to_string();
        format!(
            "{path}={} is for both directions, where the file has {}; {path}.0 and {path}.1 are \
             for one",
            value.to_string().trim(),
            two.trim()
        )
    })
}

/// What a table has under a name, or an array at a place.
fn at<'a>(item: &'a Item, name: &str) -> Option<&'a Item> {
    item.get(name).or_else(|| item.get(name.parse::<usize>().ok()?))
}

/// What a table has under a name, or an array at a place.
fn inside<'a>(item: &'a mut Item, within: &str, name: &str) -> Result<&'a mut Item, Mistake> {
    if is_array(item) {
        return at_place(item, within, name);
    }
    let table = item.as_table_like_mut().ok_or_else(|| no_table(within))?;
    add_if_missing(table, within, name)?;
    Ok(table.get_mut(name).expect("it is there now"))
}

/// Puts a value into a table, or to a place of an array.
fn put(item: &mut Item, within: &str, name: &str, value: Value) -> Result<(), Mistake> {
    if is_array(item) {
        *at_place(item, within, name)? = Item::Value(value);
        return Ok(());
    }
    let table = item.as_table_like_mut().ok_or_else(|| no_table(within))?;
    table.insert(name, Item::Value(value));
    Ok(())
}

fn is_array(item: &Item) -> bool {
    item.is_array() || item.is_array_of_tables()
}

fn at_place<'a>(item: &'a mut Item, within: &str, name: &str) -> Result<&'a mut Item, Mistake> {
    let found = name.parse::<usize>().ok().and_then(|place| item.get_mut(place));
    found.ok_or_else(|| {
        Mistake::new(format!("array `{within}` has no element `{name}`"))
            .help("write the number of an element; the first is 0")
    })
}

fn no_table(path: &str) -> Mistake {
    Mistake::new(format!("`{path}` is a value, not a table"))
}

/// Whether a table groups settings of a flow or a consumer, which lie below a section.
fn is_group(within: &str, name: &str) -> bool {
    within.contains('.') && GROUPS.contains(&name)
}

/// Adds a table that may be left out.
fn add_if_missing(table: &mut dyn TableLike, within: &str, name: &str) -> Result<(), Mistake> {
    if table.contains_key(name) {
        return Ok(());
    }
    let may_be_new = is_group(within, name)
        || matches!(
            (within, name),
            ("", "defaults" | "routing" | "recording" | "compare")
                | ("recording", "flows" | "links" | "channels")
                | ("defaults", "node" | "link" | "consumer" | "producer" | "flow")
        );
    if may_be_new {
        // An inline table fits into any other.
        let new = if is_group(within, name) {
            Item::Value(InlineTable::new().into())
        } else {
            Item::Table(Table::new())
        };
        table.insert(name, new);
        return Ok(());
    }
    let known: Vec<&str> = table.iter().map(|(key, _)| key).collect();
    let within = if within.is_empty() { "the file" } else { within };
    Err(Mistake::new(format!("there is no `{name}` in {within}")).help(suggestion(name, &known)))
}
