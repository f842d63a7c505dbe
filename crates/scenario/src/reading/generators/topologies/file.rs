//! Networks from files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_links::LinkKeys;
use windtunnel_orbits::MEAN_RADIUS;

use super::drawing::Drawing;
use super::limits::not_too_many;
use crate::reading::error::{Mistake, list};
use crate::reading::files::Files;
use crate::reading::generators::demands::Demand;
use crate::reading::generators::entries::entry;
use crate::reading::graphs::{
    self, EdgeValues, Found, Graph, GraphLink, GraphNode, LeftOut, in_fibre,
};
use crate::reading::located::Located;
use crate::reading::tree::{Entry, Node as Tree, Value};
use crate::reading::units::{Quantity, written};

/// Nodes and links from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphFile {
    /// The file, in GraphML, GML, node-link JSON or SNDlib's XML. What it says of a link or a node
    /// holds whatever `link` and `node` say, which hold where it says nothing. An edge from a node
    /// to itself is left out; of a directed graph, an edge and one back are the two directions of
    /// one link.
    file: Located<String>,
    /// What is not taken from the file, so that `link` or `node` says it for all. Default: what
    /// the file says is taken.
    #[serde(default)]
    ignore: Vec<Taken>,
    /// The name under which edges of the file have their weight for routing, such as `cost` or
    /// `metric`. Default: the file says no weights.
    weight: Option<Located<String>>,
}

/// What is taken from the file of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TakenFromFile")]
enum Taken {
    /// The rates of links.
    Rate,
    /// The delays of links, or their lengths, or those that follow from the places of nodes.
    Delay,
    /// The loss of links.
    Loss,
    /// The places of nodes.
    Place,
}

impl GraphFile {
    pub(super) fn draw(&self, drawing: &mut Drawing, files: &mut Files<'_>) -> Result<(), Mistake> {
        let weight = self.weight.as_ref().map(|it| it.value.as_str());
        let read = |text: &str| graphs::read(text, weight).map(Arc::new);
        let graph = files.read_once(&self.file, weight.map(str::to_owned), read)?;
        self.check_weight(&graph)?;
        let size = Located { value: 0, span: self.file.span.clone() };
        not_too_many(graph.nodes.len().max(graph.links.len()), &size)?;
        let labels = labels(&graph);
        let source = Source { graph: &graph, ignore: self.ignored(drawing) };
        let nodes = source.draw_nodes(&labels, drawing);
        source.draw_links(&labels, &nodes, drawing);
        drawing.demands = graph.demands.iter().map(|it| Demand::between(&nodes, it)).collect();
        drawing.import = Some(format!("{}: {}", self.file.value, told(&graph, drawing)));
        Ok(())
    }

    /// Refuses a name of weights that no edge has.
    fn check_weight(&self, graph: &Graph) -> Result<(), Mistake> {
        let Some(name) = &self.weight else { return Ok(()) };
        let mut directions = graph.links.iter().flat_map(|it| &it.directions);
        if directions.any(|it| it.weight.is_some()) {
            return Ok(());
        }
        let message = format!("no edge of {} has a `{}`", self.file.value, name.value);
        let others: Vec<&str> = graph.left_out.names[2].iter().map(String::as_str).collect();
        let mistake = name.mistake(message);
        Err(if others.is_empty() {
            mistake
        } else {
            mistake.help(format!("it has {}", list(&others)))
        })
    }

    /// What is not taken from the file: also what would be beside a key of the topology that says
    /// the same in another way.
    fn ignored(&self, drawing: &Drawing) -> Vec<Taken> {
        let by =
            [Taken::Rate, Taken::Place].into_iter().filter(|it| it.replaced(drawing).is_some());
        self.ignore.iter().copied().chain(by).collect()
    }
}

impl Taken {
    /// The key of all links or nodes beside which this has no place.
    fn replaced(self, drawing: &Drawing) -> Option<&'static str> {
        match self {
            Self::Rate => drawing.own("link", LinkKeys::ALL).filter(|it| *it != "rate"),
            Self::Place => drawing.own("node", &["journey"]),
            Self::Delay | Self::Loss => None,
        }
    }
}

/// The names of the nodes: their labels where no two are the same.
fn labels(graph: &Graph) -> Vec<&str> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    let all = || graph.nodes.iter();
    all().for_each(|it| *count.entry(&it.label).or_default() += 1);
    let identifiers: HashMap<&str, &str> = all().map(|it| (&*it.id, &*it.label)).collect();
    // An identifier may be what is a label elsewhere.
    let is_clear =
        |it: &str| count[it] == 1 && identifiers.get(it).is_none_or(|other| *other == it);
    all().map(|it| if is_clear(&it.label) { &*it.label } else { &*it.id }).collect()
}

/// The names of links, no two the same.
#[derive(Default)]
struct LinkNames {
    taken: HashSet<String>,
    /// How many links join the same two nodes.
    count: HashMap<String, usize>,
}

impl LinkNames {
    /// A name, with a number where others have it.
    fn unique(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let count = self.count.entry(name.clone()).or_insert(1);
        loop {
            *count += 1;
            let numbered = format!("{name}-{count}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// What the file says, and what of it is not taken.
struct Source<'a> {
    graph: &'a Graph,
    ignore: Vec<Taken>,
}

impl Source<'_> {
    fn takes(&self, it: Taken) -> bool {
        !self.ignore.contains(&it)
    }

    /// Draws the nodes, and gives their names.
    fn draw_nodes(&self, labels: &[&str], drawing: &mut Drawing) -> Vec<String> {
        let nodes = self.graph.nodes.iter().zip(labels);
        nodes
            .map(|(node, label)| drawing.node_with(label, &self.node_keys(node, drawing)))
            .collect()
    }

    /// Draws the links between nodes with these names.
    fn draw_links(&self, labels: &[&str], nodes: &[String], drawing: &mut Drawing) {
        let mut names = LinkNames::default();
        for link in &self.graph.links {
            let [from, to] = link.ends;
            let name = names.unique(format!("{}-{}", labels[from], labels[to]));
            let keys = self.link_keys(link, drawing);
            drawing.link_with(name, [&nodes[from], &nodes[to]], &keys);
        }
    }

    /// What the file says of a node.
    fn node_keys(&self, node: &GraphNode, drawing: &Drawing) -> Vec<Entry> {
        let place = node.place.as_ref().filter(|_| self.takes(Taken::Place));
        let place = place.map(|it| {
            let angles = it.value.map(|it| text(format!("{it}°"), drawing));
            found("place", Value::Array(angles.into()), &it.under, drawing)
        });
        place.into_iter().collect()
    }

    /// What the file says of a link.
    fn link_keys(&self, link: &GraphLink, drawing: &Drawing) -> Vec<Entry> {
        let both = |key, of: &dyn Fn(&EdgeValues) -> Option<Found<Value>>| {
            both_directions(key, link.directions.each_ref().map(of), drawing)
        };
        let by_places = self.delay_by_places(link);
        let delay = |it: &EdgeValues| in_words(it.delay.as_ref()).or_else(|| by_places.clone());
        [
            (Taken::Rate, both("rate", &|it| in_words(it.rate.as_ref()))),
            (Taken::Delay, both("delay", &delay)),
            (Taken::Loss, both("loss", &|it| in_words(it.loss.as_ref()))),
        ]
        .into_iter()
        .filter(|it| self.takes(it.0))
        .map(|it| it.1)
        .chain([both("weight", &|it| in_numbers(it.weight.as_ref()))])
        .flatten()
        .collect()
    }

    /// The delay of light in a fibre along the great circle between the places of two nodes.
    fn delay_by_places(&self, link: &GraphLink) -> Option<Found<Value>> {
        let [from, to] = link.ends.map(|it| self.graph.nodes[it].place.as_ref());
        let (from, to) = from.zip(to)?;
        let delay = in_fibre(great_circle(from.value, to.value))?;
        Some(Found { value: Value::Text(written(&delay)), under: from.under.clone() })
    }
}

fn in_words<T: Quantity>(found: Option<&Found<T>>) -> Option<Found<Value>> {
    found.map(|it| Found { value: Value::Text(written(&it.value)), under: it.under.clone() })
}

fn in_numbers(found: Option<&Found<f64>>) -> Option<Found<Value>> {
    found.map(|it| {
        let is_whole = it.value.fract() == 0.0;
        let value = if is_whole { Value::Integer(it.value as i64) } else { Value::Float(it.value) };
        Found { value, under: it.under.clone() }
    })
}

/// A key of a link with its values in the two directions: one of which the file says nothing has
/// that of all links, or else that of the other direction; of loss none.
fn both_directions(
    key: &str,
    found_there_and_back: [Option<Found<Value>>; 2],
    drawing: &Drawing,
) -> Option<Entry> {
    let mut names: Vec<&str> = found_there_and_back.iter().flatten().map(|it| &*it.under).collect();
    names.dedup();
    let under = names.join(", ");
    if under.is_empty() {
        return None;
    }
    let given = |side: usize| match drawing.of_links(key).map(|it| &it.value) {
        Some(Value::Array(sides)) => sides.get(side).or(sides.first()).cloned(),
        None if key == "loss" => Some(text("0 %", drawing)),
        _ => drawing.of_links(key).cloned(),
    };
    let [there, back] = &found_there_and_back;
    let value = match (there, back) {
        (Some(there), Some(back)) if there.value != back.value => {
            Value::Array(vec![node(&there.value, drawing), node(&back.value, drawing)])
        }
        (Some(there), None) => one_way(node(&there.value, drawing), given(1), false),
        (None, Some(back)) => one_way(node(&back.value, drawing), given(0), true),
        (there, _) => there.as_ref()?.value.clone(),
    };
    Some(found(key, value, &under, drawing))
}

/// A value of one direction beside that of the other, if that is given.
fn one_way(own: Tree, given: Option<Tree>, is_back: bool) -> Value {
    match given {
        None => own.value,
        Some(given) if is_back => Value::Array(vec![given, own]),
        Some(given) => Value::Array(vec![own, given]),
    }
}

fn text(text: impl Into<String>, drawing: &Drawing) -> Tree {
    node(&Value::Text(text.into()), drawing)
}

fn node(value: &Value, drawing: &Drawing) -> Tree {
    Tree { span: drawing.span.clone(), value: value.clone() }
}

fn found(key: &str, value: Value, under: &str, drawing: &Drawing) -> Entry {
    Entry { found_under: Some(under.to_owned()), ..entry(key, value, &drawing.span) }
}

/// The distance of two places along the Earth, in km (haversine).
fn great_circle(from: [f64; 2], to: [f64; 2]) -> f64 {
    let [from, to] = [from, to].map(|it| it.map(f64::to_radians));
    let half = |place: usize| ((to[place] - from[place]) / 2.0).sin().powi(2);
    let chord = half(0) + from[0].cos() * to[0].cos() * half(1);
    2.0 * MEAN_RADIUS * chord.sqrt().min(1.0).asin()
}

/// What of a file is used, and what is not.
fn told(graph: &Graph, drawing: &Drawing) -> String {
    let LeftOut { names, loops, one_way, parallel } = &graph.left_out;
    let mut parts = vec![count(graph.nodes.len(), "node"), count(graph.links.len(), "link")];
    let counts = [
        (graph.demands.len(), "demand", ""),
        (*parallel, "link", " parallel to another"),
        (*one_way, "edge", " without one back, whose values hold in both directions"),
        (*loops, "edge or demand", " from a node to itself left out"),
    ];
    let counts = counts.into_iter().filter(|it| it.0 > 0);
    parts.extend(counts.map(|(number, what, of)| format!("{}{of}", count(number, what))));
    let mut directions = graph.links.iter().flat_map(|it| &it.directions);
    let has_rates = directions.any(|it| it.rate.is_some());
    let has_places = graph.nodes.iter().any(|it| it.place.is_some());
    let replaced = [(Taken::Rate, "rates", has_rates), (Taken::Place, "places", has_places)];
    let replaced = replaced.into_iter().filter(|it| it.2);
    let replaced = replaced.filter_map(|(it, what, _)| Some((it.replaced(drawing)?, what)));
    parts.extend(replaced.map(|(key, what)| format!("its {what} are not used beside `{key}`")));
    let not_used = names.iter().zip(["of the graph", "of nodes", "of edges"]);
    let not_used = not_used.filter(|it| !it.0.is_empty()).map(|(names, of)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("{of} {}", list(&names))
    });
    let not_used: Vec<String> = not_used.collect();
    let parts = parts.join(", ");
    if not_used.is_empty() { parts } else { format!("{parts}; not used: {}", not_used.join(", ")) }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
