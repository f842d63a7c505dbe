//! Node-link JSON, as networkx writes it, with the demands of topohub.

use std::ops::Range;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::attributes::Attribute;
use super::format::{HELP, start_of_line};
use super::graph::Graph;
use super::reading::{Ends, Of, Reading};
use crate::reading::error::Mistake;

/// A table, whose values are parts of the file's text: their places are known.
type Table<'a> = IndexMap<String, &'a RawValue>;

/// Reads a file in node-link JSON.
pub(super) fn read(text: &str, mut reading: Reading<'_>) -> Result<Graph, Mistake> {
    let file = File { text };
    let start = text.find('{').unwrap_or_default();
    let graph: Table<'_> = file.parse(&text[start..])?;
    let is_directed = match graph.get("directed") {
        Some(it) => file.parse(it.get())?,
        None => false,
    };
    for node in file.list(&graph, &["nodes"])? {
        let table: Table<'_> = file.parse(node.get())?;
        let id = file.id(node, &table, "id")?;
        reading.node(&id, file.span(node), &file.attributes(&table, &["id"]))?;
    }
    for edge in file.list(&graph, &["edges", "links"])? {
        let table: Table<'_> = file.parse(edge.get())?;
        let [source, target] = ["source", "target"].map(|it| file.id(edge, &table, it));
        let ends = Ends { ids: [&source?, &target?], span: file.span(edge) };
        reading.edge(&ends, is_directed, &file.attributes(&table, &["source", "target"]))?;
    }
    const READ: [&str; 6] = ["directed", "multigraph", "graph", "nodes", "edges", "links"];
    graph.keys().filter(|it| !READ.contains(&&***it)).for_each(|it| {
        reading.not_used(Of::Graph, it);
    });
    if let Some(it) = graph.get("graph") {
        file.graph(it, &mut reading)?;
    }
    Ok(reading.graph())
}

/// A file and its text, of which all values are parts.
struct File<'a> {
    text: &'a str,
}

impl<'a> File<'a> {
    /// Reads a part of the file.
    fn parse<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, Mistake> {
        serde_json::from_str(part).map_err(|error| {
            let line = start_of_line(part, error.line());
            let at = self.place(part) + line + error.column().saturating_sub(1);
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Mistake::new(format!("not node-link JSON: {message}")).at(at..at + 1).help(HELP)
        })
    }

    /// What it says of the whole graph. Demands are numbers by source and destination.
    fn graph(&self, says: &'a RawValue, reading: &mut Reading<'_>) -> Result<(), Mistake> {
        let says: Table<'_> = self.parse(says.get())?;
        for (name, value) in says {
            if name != "demands" {
                reading.not_used(Of::Graph, &name);
                continue;
            }
            let demands: Table<'_> = self.parse(value.get())?;
            for (source, targets) in &demands {
                let targets: Table<'_> = self.parse(targets.get())?;
                for (target, demand) in &targets {
                    let ends = Ends { ids: [source, target], span: self.span(demand) };
                    reading.demand(&ends, &self.attribute("demands", demand))?;
                }
            }
        }
        Ok(())
    }

    /// The list under the first of these names.
    fn list(&self, graph: &Table<'a>, names: &[&str]) -> Result<Vec<&'a RawValue>, Mistake> {
        let list = names.iter().find_map(|it| graph.get(*it));
        let list =
            list.ok_or_else(|| Mistake::new(format!("it has no `{}`", names[0])).help(HELP))?;
        self.parse(list.get())
    }

    /// The identifier of a node under a name.
    fn id(&self, of: &RawValue, table: &Table<'a>, name: &str) -> Result<String, Mistake> {
        let id = table.get(name).map(|it| self.attribute(name, it).value);
        id.ok_or_else(|| {
            Mistake::new(format!("a node or an edge has no `{name}`"))
                .at(self.span(of))
                .help(format!("write \"{name}\": and a number or a text"))
        })
    }

    /// What a table says, except for some names.
    fn attributes(&self, table: &Table<'a>, without: &[&str]) -> Vec<Attribute> {
        let others = table.iter().filter(|it| !without.contains(&&**it.0));
        others.map(|(name, value)| self.attribute(name, value)).collect()
    }

    /// A value: what is in a text, or anything else as it is written.
    fn attribute(&self, name: &str, value: &RawValue) -> Attribute {
        let text = serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
        Attribute { name: name.to_owned(), value: text, span: self.span(value) }
    }

    fn span(&self, value: &RawValue) -> Range<usize> {
        let start = self.place(value.get());
        start..start + value.get().len()
    }

    /// Where a part of the text begins.
    fn place(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.text.as_ptr().addr()
    }
}
