//! The scenario file, as users write it.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use windtunnel_engine::Duration;

use crate::network::constellations::Constellation;
use crate::network::layers::{self, LayerKind};
use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::network::routing::Routing;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::generators::{self, Topology};
use crate::reading::located::{Located, Named};
use crate::reading::reader;
use crate::reading::schema::explained;
use crate::reading::tree;
use crate::reading::units::Measured;
use crate::study::defaults::{self, Defaults};
use crate::study::recording::Recording;
use crate::traffic::bridges::Bridge;
use crate::traffic::consumers::Consumer;
use crate::traffic::controllers::Controller;
use crate::traffic::flows::Flow;
use crate::traffic::producers::Producer;
use crate::traffic::sessions::Sessions;
use crate::traffic::tunnels::Tunnel;

/// A scenario: a network, what runs on it, for how long, and what is compared.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// What the scenario is, in one line; default: none.
    pub(crate) title: Option<String>,
    /// How much time is simulated.
    pub(crate) duration: Located<Measured<Duration>>,
    /// Which time series are recorded, and how often.
    #[serde(default)]
    pub(crate) recording: Recording,
    /// The seed of all random streams.
    #[serde(default = "one")]
    pub(crate) seed: u64,
    /// How often each case is run, each time with other random streams.
    #[serde(default = "once")]
    pub(crate) runs: Located<u32>,
    /// What each run sets beside its case, by path: run 0 the values of the first table, run 1 those
    /// of the second, and after the last one from the first on; default: all runs have the same.
    /// Cases are compared by runs that have the same.
    #[serde(default)]
    #[schemars(with = "Vec<std::collections::BTreeMap<String, serde_json::Value>>")]
    pub(crate) each_run: Vec<Named<toml::Value>>,
    /// The most real time that one run may take; default: without a limit.
    pub(crate) real_time_limit: Option<Measured<Duration>>,
    /// The defaults of all nodes, links, producers, consumers and flows, which their own keys
    /// replace. A default applies where the kind has that key.
    #[serde(default, rename = "defaults")]
    pub(crate) _defaults: Defaults,
    /// Controllers with their parameters, by a name of the file's own that
    /// consumers and flows may use.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Controller>")]
    pub(crate) controllers: Named<Controller>,
    /// Whole networks, by name: each stands for nodes and links, which may be written too, to say
    /// more of them. `windtunnel check --expand` prints them.
    #[serde(default, rename = "topologies")]
    #[schemars(with = "std::collections::BTreeMap<String, Topology>")]
    pub(crate) _topologies: Named<Topology>,
    /// The nodes, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Node>")]
    pub(crate) nodes: Named<Node>,
    /// The links between them, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Link>")]
    pub(crate) links: Named<Link>,
    /// Satellites, which nodes with a place use, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Constellation>")]
    pub(crate) constellations: Named<Constellation>,
    /// With constellations: when the scenario starts, as a time such as
    /// `"2022-09-14T12:00:00Z"`; default: the time of the latest orbital elements, and
    /// midnight of 1 January 2000 where there are none.
    pub(crate) epoch: Option<Located<String>>,
    /// The producers, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Producer>")]
    pub(crate) producers: Named<Producer>,
    /// The consumers, by name: each is a flow.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Consumer>")]
    pub(crate) consumers: Named<Consumer>,
    /// The flows over TCP or UDP, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Flow>")]
    pub(crate) flows: Named<Flow>,
    /// Whose state is paged between the nodes that serve them, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Sessions>")]
    pub(crate) sessions: Named<Sessions>,
    /// Which nodes work together as the edges of a bridge, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Bridge>")]
    pub(crate) bridges: Named<Bridge>,
    /// Between which nodes IP packets travel inside others, by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Tunnel>")]
    pub(crate) tunnels: Named<Tunnel>,
    /// How Interests find producers, and IP packets their destination.
    #[serde(default)]
    pub(crate) routing: Routing,
    /// The sections of network layers, which those read.
    #[serde(skip)]
    pub(crate) sections: Option<tree::Node>,
    /// What is compared: for each axis its cases, and for each case the values
    /// it sets, by their path in this file. All combinations of cases are run; of those that
    /// set the same, one is simulated for all; of those that differ in later `changes` of
    /// links and in flows that start later, what is before is simulated once.
    #[serde(default)]
    #[schemars(with = "Compare")]
    pub(crate) compare: Named<Named<Named<toml::Value>>>,
}

/// By axis, case and path.
type Compare = std::collections::BTreeMap<
    String,
    std::collections::BTreeMap<String, std::collections::BTreeMap<String, serde_json::Value>>,
>;

fn one() -> u64 {
    1
}

fn once() -> Located<u32> {
    1.into()
}

/// Reads a scenario's text, and says what of files of networks is in it.
pub(crate) fn parse(
    text: &str,
    files: &mut Files<'_>,
    layers: &[Arc<dyn LayerKind>],
) -> Result<(Scenario, Vec<String>), Mistake> {
    let mut file = tree::parse(text)?;
    let imports = generators::expand(&mut file, files)?;
    defaults::fill(&mut file)?;
    Ok((read(file, layers)?, imports))
}

/// Reads a scenario but for the sections of layers, which are kept as they are.
fn read(mut file: tree::Node, layers: &[Arc<dyn LayerKind>]) -> Result<Scenario, Mistake> {
    let sections = Some(layers::take_sections(&mut file, layers));
    let read = reader::read_beside(file, &layers::keys(layers));
    let scenario = read.map_err(|it| explained(it, || schema(layers)))?;
    Ok(Scenario { sections, ..scenario })
}

/// What a comparison may complete: not read before the values of its cases are set.
const PARTS: [&str; 11] = [
    "defaults",
    "topologies",
    "nodes",
    "links",
    "constellations",
    "producers",
    "consumers",
    "flows",
    "sessions",
    "bridges",
    "tunnels",
];

/// Reads of a scenario what is the same in all cases that it compares. Its nodes, links and all
/// that is on them are left out.
pub(crate) fn outline(
    mut file: tree::Node,
    layers: &[Arc<dyn LayerKind>],
) -> Result<Scenario, Mistake> {
    for entry in file.entries_mut().into_iter().flatten() {
        if PARTS.contains(&entry.key.as_str()) {
            entry.node.value = tree::Value::Table(Vec::new());
        }
    }
    read(file, layers)
}

/// A scenario's text with plain nodes, links, producers, consumers and flows in place of what
/// stands for many.
pub(crate) fn expanded(text: &str, files: &mut Files<'_>) -> Result<String, Mistake> {
    let mut file = tree::parse(text)?;
    let is_compared = generators::are_compared(&file);
    let imports = generators::expand(&mut file, files)?;
    let left_out = |key: &str| key == "topologies" || is_compared && key == "compare";
    if let Some(entries) = file.entries_mut() {
        entries.retain(|it| !left_out(&it.key));
    }
    let said = is_compared.then(|| WITHOUT_COMPARISON.to_owned()).into_iter().chain(imports);
    let said = generators::comment(&said.collect::<Vec<_>>());
    Ok(format!("{said}{}", generators::write(&file)))
}

/// What is said of a text that does not compare what it was made from.
const WITHOUT_COMPARISON: &str = "Without the comparison, which sets what stands for many.";

/// The JSON Schema of scenario files with the sections of these layers, for editors and for the
/// documents.
#[must_use]
pub fn schema(layers: &[Arc<dyn LayerKind>]) -> serde_json::Value {
    let mut generator = SchemaGenerator::default();
    let of_layers: Vec<Schema> =
        layers.iter().map(|it| (it.sections().schema)(&mut generator)).collect();
    let mut schema = generator.into_root_schema_for::<Scenario>().to_value();
    schema["title"] = "Windtunnel scenario".into();
    let sections = of_layers.iter().filter_map(|it| it.get("properties")?.as_object());
    if let Some(all) = schema["properties"].as_object_mut() {
        all.extend(sections.flatten().map(|(key, it)| (key.clone(), it.clone())));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of controllers are read beforehand: all cases know the same ones.
    #[test]
    fn a_comparison_may_complete_the_things_of_every_section() {
        let schema = schema(&[]);
        let sections = schema["properties"].as_object().into_iter().flatten();
        let of_things = sections.filter(|it| it.1.get("additionalProperties").is_some());
        let names: Vec<&String> = of_things.map(|it| it.0).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names.iter().filter(|it| !["compare", "controllers"].contains(&it.as_str())) {
            let text = format!("duration = \"1 s\"\n{name}.thing = {{ not_yet = 1 }}\n");
            assert!(
                tree::parse(&text).and_then(|it| outline(it, &[])).is_ok(),
                "{name} is not among PARTS"
            );
        }
    }
}
