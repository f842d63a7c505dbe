//! Topologies: tables that stand for the nodes and links of a whole network.

mod data_center;
mod drawing;
mod file;
mod geometry;
mod limits;
mod random;
mod regular;
mod sides;

use schemars::JsonSchema;
use serde::Deserialize;

use super::demands::Demands;
use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Both;
use crate::reading::reader;
use crate::reading::tree::{Entry, Node as Tree};
use crate::study::defaults::Part;
use data_center::{FatTree, LeafSpine, Tree as Branching};
use drawing::Drawing;
use file::GraphFile;
use random::{BarabasiAlbert, Waxman};
use regular::{Chain, Grid, Ring, Star};
use sides::{Dumbbell, ParkingLot};

/// A topology of some kind.
pub(crate) type Topology = Both<Common, Kind>;

/// The nodes and links of a whole network. Their names begin with its own, here `NAME`; each link
/// of a host has the name of the host.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Topology")]
pub(crate) struct Common {
    /// What all its nodes have.
    #[serde(default, rename = "node")]
    _node: Part<Node>,
    /// What all its links have, without their nodes.
    #[serde(default, rename = "link")]
    _link: Part<Link>,
}

/// What a network looks like.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TopologyKind", tag = "kind")]
pub(crate) enum Kind {
    /// `NAME-sender-1` and so on, at the router `NAME-left`, and as many `NAME-receiver-1` and so
    /// on, at `NAME-right`; the link between the routers is `NAME-bottleneck`.
    Dumbbell(Dumbbell),
    /// `NAME-host-1` and so on, at `NAME-switch`.
    Star(Star),
    /// `NAME-node-1` and so on, in a row; `NAME-link-1` joins the first two.
    Chain(Chain),
    /// `NAME-router-1` and so on, in a row, with `NAME-link-1` after the first. At each end of link
    /// number 1 are `NAME-sender-1` and `NAME-receiver-1`, and so on; `NAME-sender` and
    /// `NAME-receiver` are at the ends of the row.
    ParkingLot(ParkingLot),
    /// `NAME-router-1` is the root, and the routers' numbers go from level to level; the leaves
    /// are `NAME-host-1` and so on. Each link has the name of its lower end.
    Tree(Branching),
    /// Each leaf, `NAME-leaf-1` and so on, is joined to each spine, `NAME-spine-1` and so on, and
    /// has hosts, `NAME-host-1` and so on. Links such as `NAME-leaf-1-spine-1`.
    LeafSpine(LeafSpine),
    /// A fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat 2008): k³/4 hosts, k²/2
    /// edge and as many aggregation switches in k pods, and k²/4 core switches: `NAME-host-1`,
    /// `NAME-edge-1`, `NAME-aggregation-1`, `NAME-core-1` and so on, pod by pod. Links such as
    /// `NAME-edge-1-aggregation-1`.
    FatTree(FatTree),
    /// `NAME-node-1` and so on, in a circle; `NAME-link-1` joins the first two.
    Ring(Ring),
    /// `NAME-node-1-1` is in the first row and column. `NAME-row-1-1` leads from there to the next
    /// node of its row, `NAME-column-1-1` to that of its column.
    Grid(Grid),
    /// A random network on a square (Waxman 1988): two nodes at a distance of d are joined with the
    /// probability β·exp(−d/(α·L)), where L is the square's diagonal. Parts that are left apart
    /// are then joined where they are nearest. `NAME-node-1` and so on; links such as
    /// `NAME-link-1-2`.
    Waxman(Waxman),
    /// A random network that grows (Barabási and Albert 1999): each new node is joined to some
    /// that are there, with probabilities in proportion to the links that those have. It begins
    /// with as many nodes and one more, all joined. `NAME-node-1` and so on; links such as
    /// `NAME-link-2-1`.
    BarabasiAlbert(BarabasiAlbert),
    /// From a file in GraphML, GML, node-link JSON or SNDlib's XML, such as those of the Internet
    /// Topology Zoo and topohub; docs/topology-files.md lists what is read. Nodes have the names of
    /// the labels in the file, such as `NAME-New York`, or of the identifiers there if two labels
    /// are the same; links have the names of their ends, such as `NAME-New York-Chicago`, and
    /// parallel ones numbers, such as `NAME-New York-Chicago-2`.
    File(GraphFile),
}

/// What all topologies make.
#[derive(Default)]
pub(super) struct Made {
    pub(super) nodes: Vec<Entry>,
    pub(super) links: Vec<Entry>,
    /// Who sends how much to whom, in the files of topologies.
    pub(super) demands: Demands,
    /// What of each file is used, and what is not.
    pub(super) imports: Vec<String>,
}

/// Takes the topologies from the tree of a file, and gives what they make.
pub(super) fn take(file: &mut Tree, files: &mut Files<'_>) -> Result<Made, Mistake> {
    let defaults = file.get("defaults").and_then(|it| it.get("link")).cloned();
    let mut made = Made::default();
    let Some(topologies) = file.get_mut("topologies") else { return Ok(made) };
    let entries = topologies.entries_mut().map(std::mem::take);
    for entry in entries.unwrap_or_default() {
        let mut drawing = Drawing::new(&entry, defaults.clone())?;
        let read: Topology = reader::read(entry.node.clone()).map_err(|it| it.of(&entry.key))?;
        read.own.draw(&mut drawing, files)?;
        made.nodes.extend(drawing.nodes);
        made.links.extend(drawing.links);
        made.demands.insert(entry.key, drawing.demands);
        made.imports.extend(drawing.import);
    }
    Ok(made)
}

impl Kind {
    fn draw(&self, drawing: &mut Drawing, files: &mut Files<'_>) -> Result<(), Mistake> {
        match self {
            Self::Dumbbell(it) => it.draw(drawing),
            Self::Star(it) => it.draw(drawing),
            Self::Chain(it) => it.draw(drawing),
            Self::ParkingLot(it) => it.draw(drawing),
            Self::Tree(it) => it.draw(drawing),
            Self::LeafSpine(it) => it.draw(drawing),
            Self::FatTree(it) => it.draw(drawing),
            Self::Ring(it) => it.draw(drawing),
            Self::Grid(it) => it.draw(drawing),
            Self::Waxman(it) => it.draw(drawing),
            Self::BarabasiAlbert(it) => it.draw(drawing),
            Self::File(it) => it.draw(drawing, files),
        }
    }
}
