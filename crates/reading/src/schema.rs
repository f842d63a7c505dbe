//! The JSON Schema of scenario files, and what errors look up in it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::error::{Mistake, list};
use crate::located::Both;

/// The keys that say which kind a table is of.
const TAGS: [&str; 2] = [crate::reader::KIND, crate::reader::PROTOCOL];

/// The kinds that a schema allows.
fn kinds(schema: &Value) -> &[Value] {
    let kinds = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    kinds.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The name of a kind, if it has one.
fn kind_of(kind: &Value) -> Option<&Value> {
    TAGS.iter().find_map(|tag| kind["properties"].get(tag)?.get("const"))
}

/// Of an enum of kinds: the first one is the default, and the names of those that need
/// no other keys, if there are any, may be written alone.
pub fn short_forms(schema: &mut Schema) {
    let Some(Value::Array(mut kinds)) = schema.remove("oneOf") else { return };
    let is_tag = |key: &Value| TAGS.iter().any(|tag| key == tag);
    let needs_no_key =
        |it: &&Value| it["required"].as_array().is_none_or(|keys| keys.iter().all(is_tag));
    let names: Vec<Value> =
        kinds.iter().filter(needs_no_key).filter_map(kind_of).cloned().collect();
    without_tag(&mut kinds);
    if !names.is_empty() {
        kinds.insert(0, json!({ "enum": names }));
    }
    schema.insert("anyOf".into(), kinds.into());
}

/// What a table requires may be under `[defaults]` instead: only the descriptions of its
/// keys say that they are required.
pub fn filled(schema: &mut Schema) {
    let required = schema.remove("required");
    let required = required.iter().filter_map(Value::as_array).flatten();
    for key in required.filter_map(Value::as_str).filter(|key| !TAGS.contains(key)) {
        let property = schema.get_mut("properties").and_then(|it| it.get_mut(key));
        let Some(property) = property else { continue };
        let description = property["description"].as_str().unwrap_or_default();
        property["description"] =
            format!("{}; required.", description.trim_end_matches('.')).into();
    }
}

/// The first of some kinds need not be named.
pub fn without_tag(kinds: &mut [Value]) {
    if let Some(Value::Array(required)) = kinds.first_mut().and_then(|it| it.get_mut("required")) {
        required.retain(|key| !TAGS.iter().any(|tag| key == tag));
    }
}

impl<A: JsonSchema, B: JsonSchema> JsonSchema for Both<A, B> {
    fn schema_name() -> Cow<'static, str> {
        A::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let common = A::json_schema(generator).to_value();
        let own = B::json_schema(generator).to_value();
        if kinds(&own).is_empty() {
            let description = common["description"].clone();
            let mut all = both(&common, &own);
            all.insert("description".into(), description);
            return all;
        }
        let merged = kinds(&own).iter();
        let merged: Vec<Schema> =
            merged.map(|it| both(&common, resolved(it, generator.definitions()))).collect();
        for kind in kinds(&own) {
            if let Some(name) = kind["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
                generator.definitions_mut().remove(name);
            }
        }
        schemars::json_schema!({ "description": common["description"], "anyOf": merged })
    }
}

/// A kind of table with the keys that all kinds have.
fn both(common: &Value, kind: &Value) -> Schema {
    let mut kind = kind.clone();
    let own = kind["properties"].as_object().cloned().unwrap_or_default();
    let (tags, own): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|(key, _)| TAGS.contains(&key.as_str()));
    let shared = common["properties"].as_object().cloned().unwrap_or_default();
    let properties: Map<String, Value> = tags.into_iter().chain(shared).chain(own).collect();
    let required = [common, &kind].map(|it| it["required"].as_array().cloned());
    let required: Vec<Value> = required.into_iter().flatten().flatten().collect();
    kind["properties"] = properties.into();
    kind["required"] = required.into();
    let mut kind = Schema::try_from(kind).unwrap_or_default();
    filled(&mut kind);
    kind
}

/// What a schema refers to, or itself.
fn resolved<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next());
    name.and_then(|it| definitions.get(it)).unwrap_or(schema)
}

/// The keys of all kinds that a schema allows.
#[must_use]
pub fn all_properties(schema: &Value) -> Map<String, Value> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let own = own.map(|(key, value)| (key.clone(), value.clone()));
    let mut all: Map<String, Value> = own.collect();
    for kind in kinds(schema) {
        for (key, value) in all_properties(kind) {
            // What kinds have differently may be any of theirs.
            match all.get_mut(&key) {
                None => drop(all.insert(key, value)),
                Some(other) if *other == value => {}
                Some(other) => *other = either(other.take(), value),
            }
        }
    }
    all
}

fn either(one: Value, other: Value) -> Value {
    match (&one["const"], &other["const"]) {
        (Value::String(_), Value::String(_)) => {
            json!({ "enum": [one["const"], other["const"]], "description": "Which kind." })
        }
        _ => json!({ "anyOf": [one, other], "description": one["description"] }),
    }
}

/// A mistake with what the schema, which is only made where it matters, knows of it: the kind that a key
/// belongs to, or an example of what is missing.
#[must_use]
pub fn explained(mistake: Mistake, schema: impl FnOnce() -> Value) -> Mistake {
    let lacks_help = mistake.missing.is_some() && mistake.help.is_none();
    if mistake.unknown.is_none() && !lacks_help {
        return mistake;
    }
    let schema = schema();
    let definitions = || schema["$defs"].as_object().into_iter().flatten().map(|it| it.1);
    if let Some(unknown) = &mistake.unknown {
        let all = definitions().map(kinds);
        let all = all.filter(|it| unknown.kinds.iter().all(|kind| named(it, kind).is_some()));
        let has_it = |kinds: &[Value], kind: &str| {
            named(kinds, kind).is_some_and(|it| it["properties"].get(&unknown.key).is_some())
        };
        let owners = all.flat_map(|all| unknown.kinds.iter().filter(move |it| has_it(all, it)));
        let owners: Vec<&str> = owners.copied().collect();
        if !owners.is_empty() {
            let message = format!("`{}` does not apply to `{}`", unknown.key, unknown.kind);
            let help = format!(
                "it is a key of {}; keys of `{}`: {}",
                list(&owners),
                unknown.kind,
                list(&unknown.keys)
            );
            return Mistake { message, ..mistake }.help(help);
        }
    }
    let Some(key) = mistake.missing.filter(|_| mistake.help.is_none()) else { return mistake };
    let tables = std::iter::once(&schema).chain(definitions());
    let example = tables.flat_map(all_properties).find(|it| it.0 == key);
    let example = example.and_then(|it| Some(it.1.get("examples")?.get(0)?.to_string()));
    match example {
        Some(example) => mistake.help(format!("write {key} = {example}")),
        None => mistake,
    }
}

/// The kind of that name; a kind that has no name has a key that is called so.
fn named<'a>(kinds: &'a [Value], name: &str) -> Option<&'a Value> {
    kinds.iter().find(|it| match kind_of(it) {
        Some(kind) => kind == name,
        None => it["properties"].get(name).is_some(),
    })
}
