//! The parts of a network that links join, and pairs of nodes in them.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use windtunnel_engine::Random;
use windtunnel_world::Groups;

use super::draws::below;
use crate::reading::tree::{Node as Tree, Value};

/// Which nodes links join.
pub(super) struct Joined<'a> {
    numbers: HashMap<&'a str, usize>,
    groups: Groups,
}

impl<'a> Joined<'a> {
    /// Which of these nodes the links of a file join. All are joined where they may use satellites.
    pub(super) fn of(file: &Tree, nodes: &[&'a str]) -> Self {
        let numbers = nodes.iter().copied().zip(0..).collect();
        let mut joined = Self { numbers, groups: Groups::new(nodes.len()) };
        let of = |section: &str| file.get(section).and_then(Tree::entries).unwrap_or_default();
        let links = of("links").iter().filter_map(|it| match &it.node.get("nodes")?.value {
            Value::Array(ends) => Some([ends.first()?.text()?, ends.get(1)?.text()?]),
            _ => None,
        });
        links.for_each(|ends| joined.join(ends));
        if !of("constellations").is_empty() {
            nodes.windows(2).for_each(|it| joined.join([it[0], it[1]]));
        }
        joined
    }

    fn join(&mut self, ends: [&str; 2]) {
        if let [Some(one), Some(other)] = ends.map(|it| self.numbers.get(it).copied()) {
            self.groups.join([one, other]);
        }
    }

    /// The part that a node is in.
    fn part(&mut self, node: &str) -> usize {
        self.groups.root(self.numbers[node])
    }
}

/// The parts of a network in which there are pairs of two different nodes.
pub(super) struct Parts<'a>(Vec<Part<'a>>);

impl<'a> Parts<'a> {
    /// Those with such pairs of nodes that may send and that may receive, if there are any.
    pub(super) fn of(sides: [&[&'a str]; 2], mut joined: Joined<'_>) -> Option<Self> {
        let mut parts: IndexMap<usize, Part<'a>> = IndexMap::new();
        for (side, nodes) in sides.into_iter().enumerate() {
            for node in nodes {
                parts.entry(joined.part(node)).or_default().sides[side].push(node);
            }
        }
        let parts: Vec<Part<'_>> = parts.into_values().filter_map(Part::counted).collect();
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Two different nodes of one part, all pairs as likely.
    pub(super) fn drawn(&self, random: &mut Random) -> [&'a str; 2] {
        let part = self.part(random);
        loop {
            let [from, to] = part.sides.each_ref().map(|it| it[below(it.len(), random)]);
            if from != to {
                return [from, to];
            }
        }
    }

    /// A part, as likely as it has pairs. There is no draw where there is one part.
    fn part(&self, random: &mut Random) -> &Part<'a> {
        let (last, others) = self.0.split_last().expect("there is a part");
        if others.is_empty() {
            return last;
        }
        let mut place = below(self.0.iter().map(|it| it.pairs).sum(), random);
        let is_in = |it: &&Part<'_>| match place.checked_sub(it.pairs) {
            Some(left) => {
                place = left;
                false
            }
            None => true,
        };
        others.iter().find(is_in).unwrap_or(last)
    }
}

/// The nodes of both sides that are in one part of a network.
#[derive(Default)]
struct Part<'a> {
    sides: [Vec<&'a str>; 2],
    /// How many pairs of two different nodes there are.
    pairs: usize,
}

impl Part<'_> {
    /// The part, if there are two different nodes in it.
    fn counted(self) -> Option<Self> {
        let [from, to] = &self.sides;
        let senders: HashSet<&str> = from.iter().copied().collect();
        let same = to.iter().filter(|it| senders.contains(**it)).count();
        let pairs = from.len() * to.len() - same;
        (pairs > 0).then_some(Self { pairs, ..self })
    }
}
