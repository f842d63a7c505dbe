//! Who sends to whom, where one table stands for many flows.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Streams;

use super::context::GroupContext;
use super::demands::FromFile;
use super::draws::shuffle;
use super::entries::MOST;
use super::listed::Listed;
use super::names::nodes_like;
use super::parts::Parts;
use super::pattern_flow::PatternFlow;
use crate::reading::error::{Mistake, list};
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::schema::short_forms;
use crate::reading::tree::Entry;

/// Which of the nodes `from` send to which of the nodes `to`; in both texts `*` stands for any
/// characters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "FlowPattern", tag = "kind", transform = short_forms)]
pub(crate) enum Pattern {
    /// The first sends to the first, the second to the second and so on; where one side has fewer
    /// nodes, it is the turn of its first node again.
    OneToOne(OneToOne),
    /// All others send to one node.
    AllToOne(AllToOne),
    /// Each sends to another one, drawn at random, to which no one else sends: a permutation in
    /// which nobody sends to itself. `from` and `to` are as many nodes.
    Permutation(Permutation),
    /// Each sends to each other one.
    Matrix(Matrix),
    /// Each flow has two nodes drawn at random among those that links join, independent of all
    /// other flows.
    RandomPairs(RandomPairs),
    /// The flows that a file lists, each with its nodes, its start and the size of its file.
    Listed(Listed),
    /// A flow over UDP for each demand in the file of a topology, at the rate of the demand.
    Demands(FromFile),
}

/// The first sends to the first, and so on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneToOne {}

/// All others send to one node.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllToOne {}

/// Each sends to another one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Permutation {
    /// The seed of what is drawn: it is the same in all runs.
    #[serde(default = "one")]
    seed: u64,
}

/// Each sends to each other one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Matrix {}

/// Two nodes drawn at random.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomPairs {
    /// How many pairs are drawn.
    pairs: Located<u32>,
    /// The seed of what is drawn: it is the same in all runs.
    #[serde(default = "one")]
    seed: u64,
}

pub(super) fn one() -> u64 {
    1
}

impl Pattern {
    /// The flows that a table stands for; `entries` are its other keys.
    pub(super) fn flows(
        &self,
        group: &Entry,
        entries: &[Entry],
        context: &GroupContext<'_>,
        files: &mut Files<'_>,
    ) -> Result<Vec<PatternFlow>, Mistake> {
        let from = nodes_like(group, entries, "from", &context.nodes)?;
        let to = nodes_like(group, entries, "to", &context.nodes)?;
        let sides = Sides { group, entries, from, to };
        match self {
            Self::OneToOne(_) => Ok(sides.one_to_one()),
            Self::AllToOne(_) => sides.all_to_one(),
            Self::Permutation(it) => sides.permutation(it.seed),
            Self::Matrix(_) => sides.matrix(),
            Self::RandomPairs(it) => sides.random_pairs(it, context),
            Self::Listed(it) => it.flows(group, [&sides.from, &sides.to], files),
            Self::Demands(it) => sides.demands(it, context),
        }
    }
}

/// The nodes that may send, and those that may receive.
struct Sides<'a> {
    group: &'a Entry,
    entries: &'a [Entry],
    from: Vec<&'a str>,
    to: Vec<&'a str>,
}

impl Sides<'_> {
    fn one_to_one(&self) -> Vec<PatternFlow> {
        let Self { from, to, .. } = self;
        let all = 0..from.len().max(to.len());
        all.map(|it| pair(from[it % from.len()], to[it % to.len()])).collect()
    }

    fn all_to_one(&self) -> Result<Vec<PatternFlow>, Mistake> {
        let [to] = self.to[..] else {
            return Err(self
                .wrong("to", format!("`to` matches {} nodes", self.to.len()))
                .help("all-to-one requires a single receiver: write its name"));
        };
        let others = self.from.iter().filter(|it| **it != to);
        self.some(others.map(|it| pair(it, to)).collect())
    }

    fn permutation(&self, seed: u64) -> Result<Vec<PatternFlow>, Mistake> {
        let [from, to] = [self.from.len(), self.to.len()];
        if from != to {
            return Err(self
                .wrong("to", format!("`from` matches {from} nodes, and `to` {to}"))
                .help("a permutation requires as many senders as receivers"));
        }
        if from == 1 && self.from == self.to {
            return self.some(Vec::new());
        }
        let mut random = Streams::new(seed, 0).stream("pattern");
        let mut to = self.to.clone();
        // Of all permutations about one in e sends nothing to itself, and these are as likely.
        loop {
            shuffle(&mut to, &mut random);
            if self.from.iter().zip(&to).all(|(from, to)| from != to) {
                return Ok(self.from.iter().zip(to).map(|(from, to)| pair(from, to)).collect());
            }
        }
    }

    fn matrix(&self) -> Result<Vec<PatternFlow>, Mistake> {
        let Self { from, to, .. } = self;
        if from.len().saturating_mul(to.len()) > 2 * MOST {
            let message = format!("a matrix of {} by {} nodes is too large", from.len(), to.len());
            return Err(self.wrong("from", message).help(format!("at most {MOST} flows")));
        }
        let all = from.iter().flat_map(|from| to.iter().map(move |to| (from, to)));
        self.some(all.filter(|(from, to)| from != to).map(|(from, to)| pair(from, to)).collect())
    }

    fn random_pairs(
        &self,
        of: &RandomPairs,
        context: &GroupContext<'_>,
    ) -> Result<Vec<PatternFlow>, Mistake> {
        of.pairs.checked(
            |it| (1..=MOST).contains(&(*it as usize)),
            || format!("{} pairs", of.pairs.value),
            &format!("write a number from 1 to {MOST}"),
        )?;
        let parts = Parts::of([&self.from, &self.to], context.joined());
        let parts = parts.ok_or_else(|| self.none_joined())?;
        let mut random = Streams::new(of.seed, 0).stream("pattern");
        let drawn = (0..of.pairs.value).map(|_| parts.drawn(&mut random));
        Ok(drawn.map(|[from, to]| pair(from, to)).collect())
    }

    fn none_joined(&self) -> Mistake {
        let mut all: Vec<&str> = [&*self.from, &*self.to].concat();
        all.sort_unstable();
        all.dedup();
        if all.len() == 1 {
            return self.no_two();
        }
        self.wrong("from", format!("no links join any two of the nodes {}", list(&all)))
            .help("name nodes that links join, or add links")
    }

    fn demands(
        &self,
        of: &FromFile,
        context: &GroupContext<'_>,
    ) -> Result<Vec<PatternFlow>, Mistake> {
        let has = |key: &str| self.entries.iter().find(|it| it.key == key);
        if has("protocol").and_then(|it| it.node.text()) != Some("udp") {
            let message = "pattern `demands` requires flows over UDP";
            return Err(Mistake::new(message)
                .at(self.group.span.clone())
                .help("write protocol = \"udp\""));
        }
        if let Some(rate) = has("rate") {
            return Err(Mistake::new("`rate` follows from the demands")
                .at(rate.span.clone())
                .help("remove it, or write `scale` in the pattern"));
        }
        of.flows(self.group, [&self.from, &self.to], context.demands)
    }

    /// The pairs, if there are any.
    fn some(&self, pairs: Vec<PatternFlow>) -> Result<Vec<PatternFlow>, Mistake> {
        if pairs.is_empty() {
            return Err(self.no_two());
        }
        Ok(pairs)
    }

    fn no_two(&self) -> Mistake {
        self.wrong("from", format!("`{}` matches no two different nodes", self.group.key))
            .help("name other nodes in `from` or `to`")
    }

    fn wrong(&self, key: &str, message: String) -> Mistake {
        let entry = self.entries.iter().find(|it| it.key == key);
        Mistake::new(message).at(entry.map(|it| it.node.span.clone()))
    }
}

fn pair(from: &str, to: &str) -> PatternFlow {
    PatternFlow { ends: [from.to_owned(), to.to_owned()], own: Vec::new() }
}
