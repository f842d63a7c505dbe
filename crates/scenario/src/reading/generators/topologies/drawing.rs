//! The nodes and links that a topology makes.

use std::fmt::Display;
use std::ops::Range;

use windtunnel_engine::Duration;

use crate::reading::error::Mistake;
use crate::reading::generators::demands::Demand;
use crate::reading::generators::entries::{entry, set, text};
use crate::reading::tree::{Entry, Node as Tree, Value};
use crate::reading::units::written;

/// A topology as far as it is drawn.
pub(super) struct Drawing {
    name: String,
    pub(super) span: Range<usize>,
    node: Vec<Entry>,
    link: Vec<Entry>,
    host: Vec<Entry>,
    access: Vec<Entry>,
    /// What the file has for all links that do not say otherwise.
    defaults: Option<Tree>,
    pub(super) nodes: Vec<Entry>,
    pub(super) links: Vec<Entry>,
    pub(super) demands: Vec<Demand>,
    /// What is used of a file that it is drawn from, and what is not.
    pub(super) import: Option<String>,
}

impl Drawing {
    /// Nothing of the topology in that table yet.
    pub(super) fn new(topology: &Entry, defaults: Option<Tree>) -> Result<Self, Mistake> {
        Ok(Self {
            name: topology.key.clone(),
            span: topology.span.clone(),
            node: part(topology, "node")?,
            link: part(topology, "link")?,
            host: part(topology, "host")?,
            access: part(topology, "access")?,
            defaults,
            nodes: Vec::new(),
            links: Vec::new(),
            demands: Vec::new(),
            import: None,
        })
    }

    /// Adds a node that is no host, and gives its name.
    pub(super) fn node(&mut self, name: impl Display) -> String {
        self.node_with(name, &[])
    }

    /// The same, with keys that hold whatever those of all nodes say.
    pub(super) fn node_with(&mut self, name: impl Display, keys: &[Entry]) -> String {
        self.add_node(name, over(keys, &self.node))
    }

    /// Adds a host at a node, with a link of its own, and gives its name.
    pub(super) fn host(&mut self, name: impl Display, at: &str) -> String {
        self.host_with(name, at, None)
    }

    /// The same with another delay of the link.
    pub(super) fn host_with(
        &mut self,
        name: impl Display,
        at: &str,
        delay: Option<Duration>,
    ) -> String {
        let name = self.add_node(name, over(&self.host, &self.node));
        let mut keys = over(&self.access, &self.link);
        if let Some(delay) = delay {
            set(&mut keys, text("delay", written(&delay), &self.span));
        }
        self.join(name.clone(), [&name, at], keys);
        name
    }

    /// Adds a link between two nodes.
    pub(super) fn link(&mut self, name: impl Display, ends: [&str; 2]) {
        self.join(format!("{}-{name}", self.name), ends, self.link.clone());
    }

    /// The same, with keys that hold whatever those of all links say.
    pub(super) fn link_with(&mut self, name: impl Display, ends: [&str; 2], keys: &[Entry]) {
        self.join(format!("{}-{name}", self.name), ends, over(keys, &self.link));
    }

    /// The delay of links that are not those of hosts.
    pub(super) fn delay(&self) -> Option<&Tree> {
        self.of_links("delay")
    }

    /// What links that are not those of hosts have under a key.
    pub(super) fn of_links(&self, key: &str) -> Option<&Tree> {
        let own = self.link.iter().find(|it| it.key == key).map(|it| &it.node);
        own.or_else(|| self.defaults.as_ref()?.get(key))
    }

    /// The first of these keys that its nodes or links have of their own.
    pub(super) fn own<'a>(&self, part: &str, keys: &[&'a str]) -> Option<&'a str> {
        let part = if part == "node" { &self.node } else { &self.link };
        keys.iter().copied().find(|key| part.iter().any(|it| it.key == *key))
    }

    /// The delay that the links of hosts have of their own.
    pub(super) fn access_delay(&self) -> Option<&Entry> {
        self.access.iter().find(|it| it.key == "delay")
    }

    fn add_node(&mut self, name: impl Display, keys: Vec<Entry>) -> String {
        let name = format!("{}-{name}", self.name);
        self.nodes.push(entry(&name, Value::Table(keys), &self.span));
        name
    }

    fn join(&mut self, name: String, ends: [&str; 2], keys: Vec<Entry>) {
        let end = |it: &str| Tree { span: self.span.clone(), value: Value::Text(it.to_owned()) };
        let nodes = entry("nodes", Value::Array(ends.map(end).into()), &self.span);
        let keys = [vec![nodes], keys].concat();
        self.links.push(entry(&name, Value::Table(keys), &self.span));
    }
}

/// The keys of a part of a topology.
fn part(topology: &Entry, name: &str) -> Result<Vec<Entry>, Mistake> {
    let Some(part) = topology.node.get(name) else { return Ok(Vec::new()) };
    let Some(entries) = part.entries() else {
        return Err(Mistake::new(format!("`{name}` is not a table"))
            .at(part.span.clone())
            .help(format!("write {name} = {{ … }} with keys of a node or a link")));
    };
    match entries.iter().find(|it| it.key == "nodes" || it.key == "count") {
        None => Ok(entries.to_vec()),
        Some(it) => Err(Mistake::new(format!("`{}` follows from the topology", it.key))
            .at(it.span.clone())
            .help("remove it")),
    }
}

/// Keys, and those of all where they do not have them.
fn over(own: &[Entry], all: &[Entry]) -> Vec<Entry> {
    let missing = all.iter().filter(|it| !own.iter().any(|own| own.key == it.key));
    own.iter().chain(missing).cloned().collect()
}
