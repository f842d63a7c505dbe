//! `[defaults]`: what holds for all things of a kind that do not say otherwise.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::Value;

use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::reading::error::{Mistake, suggestion};
use crate::reading::schema;
use crate::reading::setting_groups::{complete, moved};
use crate::reading::tree::{Entry, Node as Tree};
use crate::traffic::consumers::Consumer;
use crate::traffic::flows::Flow;
use crate::traffic::producers::Producer;

/// The defaults of all tables of a kind, which their own keys replace.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defaults {
    /// For nodes.
    #[serde(default, rename = "node")]
    _node: Part<Node>,
    /// For links.
    #[serde(default, rename = "link")]
    _link: Part<Link>,
    /// For producers.
    #[serde(default, rename = "producer")]
    _producer: Part<Producer>,
    /// For consumers.
    #[serde(default, rename = "consumer")]
    _consumer: Part<Consumer>,
    /// For flows over TCP and UDP.
    #[serde(default, rename = "flow")]
    _flow: Part<Flow>,
}

/// A part of a table. Its values are read where they are used: [`fill`].
#[derive(Clone, Debug)]
pub(crate) struct Part<T>(PhantomData<T>);

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T> Deserialize<'de> for Part<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self::default())
    }
}

impl<T: JsonSchema> JsonSchema for Part<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Defaults", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let name = T::schema_name();
        let whole = T::json_schema(generator);
        let properties = schema::all_properties(whole.as_value());
        json_schema!({
            "type": "object",
            "description": format!("Keys of a {}, none of them required.", name.to_lowercase()),
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

/// The tables of `[defaults]`, and those that they fill.
const FILLED: [(&str, &str); 5] = [
    ("node", "nodes"),
    ("link", "links"),
    ("producer", "producers"),
    ("consumer", "consumers"),
    ("flow", "flows"),
];

/// Adds to each node, link, producer, consumer and flow what it does not say itself.
pub(crate) fn fill(file: &mut Tree) -> Result<(), Mistake> {
    let Some(defaults) = file.get("defaults").cloned() else { return Ok(()) };
    let asking = nodes_that_ask_again(file, &defaults);
    for (kind, kinds) in FILLED {
        let Some(defaults) = defaults.get(kind).and_then(Tree::entries) else { continue };
        check(kind, defaults)?;
        let defaults = marked(defaults);
        let things = file.get_mut(kinds).and_then(Tree::entries_mut);
        for thing in things.into_iter().flatten() {
            let asks_again = kind == "node" && asking.contains(&thing.key);
            let left_out = |it: &&Entry| asks_again && it.key == "content_store";
            let defaults: Vec<Entry> =
                defaults.iter().filter(|it| !left_out(it)).cloned().collect();
            if let Some(entries) = thing.node.entries_mut() {
                complete(entries, &defaults);
            }
        }
    }
    Ok(())
}

/// The nodes whose consumers ask for the same names again: a content store there would answer
/// them in no time.
fn nodes_that_ask_again(file: &Tree, defaults: &Tree) -> Vec<String> {
    let of_all = defaults.get("consumer");
    let of_each = file.get("consumers").and_then(Tree::entries).into_iter().flatten();
    let node = |consumer: &Tree| {
        let value = |key| consumer.get(key).or_else(|| of_all?.get(key));
        let kind = value("workload").and_then(|it| it.get("kind").or(Some(it)))?.text()?;
        (kind == "catalogue").then(|| value("node")?.text().map(str::to_owned)).flatten()
    };
    of_each.filter_map(|it| node(&it.node)).collect()
}

/// The same entries, as those that come from here.
fn marked(defaults: &[Entry]) -> Vec<Entry> {
    defaults.iter().map(|it| Entry { is_default: true, ..it.clone() }).collect()
}

/// The keys that a kind of thing has, and what they are.
fn keys(kind: &str) -> impl Iterator<Item = (&'static str, &'static Value)> {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Defaults).to_value());
    let definition = SCHEMA["properties"][kind]["$ref"].as_str();
    let definition = definition.and_then(|it| it.rsplit('/').next()).unwrap_or_default();
    let known = SCHEMA["$defs"][definition]["properties"].as_object();
    known.into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// Checks that some kind of thing has each default.
fn check(kind: &str, defaults: &[Entry]) -> Result<(), Mistake> {
    let known: Vec<&str> = keys(kind).map(|it| it.0).collect();
    match defaults.iter().find(|it| !known.contains(&it.key.as_str())) {
        None => Ok(()),
        Some(Entry { key, span, .. }) => Err(moved(key, known.iter().copied())
            .unwrap_or_else(|| {
                Mistake::new(format!("unknown key `{key}`")).help(suggestion(key, &known))
            })
            .at(span.clone())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::reading::setting_groups::GROUPS;

    /// A group is a table that is there by default, each of whose keys has a default.
    #[test]
    fn the_groups_of_settings_are_those_that_flows_and_consumers_have() {
        let all = FILLED.iter().flat_map(|(kind, _)| keys(kind).map(move |it| (*kind, it)));
        let groups = all.filter(|(_, (_, value))| value["default"].is_object());
        let (kinds, keys): (BTreeSet<&str>, BTreeSet<&str>) =
            groups.map(|(kind, (key, _))| (kind, key)).unzip();
        assert_eq!(kinds, BTreeSet::from(["consumer", "flow"]));
        assert_eq!(keys, BTreeSet::from(GROUPS));
    }
}
