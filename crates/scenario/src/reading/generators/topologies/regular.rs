//! Networks in which all nodes are alike, and a star.

use schemars::JsonSchema;
use serde::Deserialize;

use super::drawing::Drawing;
use super::limits::{not_too_many, within};
use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::reading::error::Mistake;
use crate::reading::generators::entries::MOST;
use crate::reading::located::Located;
use crate::study::defaults::Part;

/// Hosts at one switch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Star {
    /// How many hosts: at least 1.
    hosts: Located<u32>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

/// Nodes in a row.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Chain {
    /// How many nodes: at least 2.
    nodes: Located<u32>,
}

/// Nodes in a circle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ring {
    /// How many nodes: at least 3.
    nodes: Located<u32>,
}

/// Nodes in rows and columns.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grid {
    /// How many rows: at least 1.
    rows: Located<u32>,
    /// How many columns: at least 1.
    columns: Located<u32>,
}

impl Star {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let hosts = within(&self.hosts, 1, MOST)?;
        let switch = drawing.node("switch");
        (1..=hosts).for_each(|it| drop(drawing.host(format!("host-{it}"), &switch)));
        Ok(())
    }
}

impl Chain {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let nodes = within(&self.nodes, 2, MOST)?;
        row(drawing, "node", nodes);
        Ok(())
    }
}

impl Ring {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let nodes = within(&self.nodes, 3, MOST)?;
        let row = row(drawing, "node", nodes);
        drawing.link(format!("link-{nodes}"), [&row[nodes - 1], &row[0]]);
        Ok(())
    }
}

impl Grid {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let rows = within(&self.rows, 1, MOST)?;
        let columns = within(&self.columns, 1, MOST)?;
        not_too_many(rows * columns, &self.rows)?;
        let all = || (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
        let nodes: Vec<String> =
            all().map(|(row, column)| drawing.node(format!("node-{row}-{column}"))).collect();
        for (place, (row, column)) in all().enumerate() {
            if column < columns {
                let ends = [nodes[place].as_str(), &nodes[place + 1]];
                drawing.link(format!("row-{row}-{column}"), ends);
            }
            if row < rows {
                let ends = [nodes[place].as_str(), &nodes[place + columns]];
                drawing.link(format!("column-{row}-{column}"), ends);
            }
        }
        Ok(())
    }
}

/// Draws nodes in a row, and gives their names.
pub(super) fn row(drawing: &mut Drawing, kind: &str, count: usize) -> Vec<String> {
    let nodes: Vec<String> = (1..=count).map(|it| drawing.node(format!("{kind}-{it}"))).collect();
    for (place, ends) in nodes.windows(2).enumerate() {
        drawing.link(format!("link-{}", place + 1), [&ends[0], &ends[1]]);
    }
    nodes
}
