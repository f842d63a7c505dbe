//! Networks that are drawn at random.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Streams};

use super::drawing::Drawing;
use super::geometry::{distance, join_parts};
use super::limits::within;
use crate::reading::error::Mistake;
use crate::reading::generators::draws::below;
use crate::reading::generators::entries::MOST;
use crate::reading::generators::patterns::one;
use crate::reading::located::Located;

/// The most nodes of a network in which all pairs are looked at.
const MOST_ON_A_SQUARE: usize = 5000;

/// Nodes on a square, joined the likelier the nearer they are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waxman {
    /// How many nodes: 2 to 5000.
    nodes: Located<u32>,
    /// How far links lead, α: more than 0 and at most 1. The greater, the longer they are.
    #[serde(default = "alpha")]
    alpha: Located<f64>,
    /// How many links there are, β: more than 0 and at most 1.
    #[serde(default = "beta")]
    beta: Located<f64>,
    /// The seed of what is drawn: the network is the same in all runs.
    #[serde(default = "one")]
    seed: u64,
}

/// A network that grows, and whose nodes are joined the likelier the more links they have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BarabasiAlbert {
    /// How many nodes: more than `links_per_node`.
    nodes: Located<u32>,
    /// To how many nodes each new one is joined: 1 to 100.
    #[serde(default = "two")]
    links_per_node: Located<u32>,
    /// The seed of what is drawn: the network is the same in all runs.
    #[serde(default = "one")]
    seed: u64,
}

fn alpha() -> Located<f64> {
    0.15.into()
}

fn beta() -> Located<f64> {
    0.4.into()
}

fn two() -> Located<u32> {
    2.into()
}

impl Waxman {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let nodes = within(&self.nodes, 2, MOST_ON_A_SQUARE)?;
        let [alpha, beta] = [share(&self.alpha)?, share(&self.beta)?];
        let mut random = Streams::new(self.seed, 0).stream("topology");
        let places: Vec<[f64; 2]> = (0..nodes).map(|_| [random.unit(), random.unit()]).collect();
        let mut links = Vec::new();
        for one in 0..nodes {
            for other in one + 1..nodes {
                let far = distance(places[one], places[other]) / std::f64::consts::SQRT_2;
                if random.happens(beta * (-far / alpha).exp()) {
                    links.push([one, other]);
                }
            }
        }
        links.extend(join_parts(&places, &links));
        draw(drawing, nodes, &links);
        Ok(())
    }
}

impl BarabasiAlbert {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let each = within(&self.links_per_node, 1, 100)?;
        let nodes = within(&self.nodes, each + 1, MOST)?;
        let mut random = Streams::new(self.seed, 0).stream("topology");
        let first = (0..=each).flat_map(|one| (one + 1..=each).map(move |other| [one, other]));
        let mut links: Vec<[usize; 2]> = first.collect();
        for new in each + 1..nodes {
            let neighbours = attached(&links, each, &mut random);
            links.extend(neighbours.into_iter().map(|it| [new, it]));
        }
        draw(drawing, nodes, &links);
        Ok(())
    }
}

/// Different nodes, drawn in proportion to their links: an end of a link drawn at random.
fn attached(links: &[[usize; 2]], count: usize, random: &mut Random) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let end = below(2 * links.len(), random);
        let node = links[end / 2][end % 2];
        if !chosen.contains(&node) {
            chosen.push(node);
        }
    }
    chosen
}

fn draw(drawing: &mut Drawing, nodes: usize, links: &[[usize; 2]]) {
    let nodes: Vec<String> = (1..=nodes).map(|it| drawing.node(format!("node-{it}"))).collect();
    for [one, other] in links {
        let name = format!("link-{}-{}", one + 1, other + 1);
        drawing.link(name, [&nodes[*one], &nodes[*other]]);
    }
}

/// A parameter of Waxman's.
fn share(parameter: &Located<f64>) -> Result<f64, Mistake> {
    parameter.checked(
        |it| *it > 0.0 && *it <= 1.0,
        || format!("{} is out of range: it must be greater than 0 and at most 1", parameter.value),
        "write a number such as 0.4",
    )?;
    Ok(parameter.value)
}
