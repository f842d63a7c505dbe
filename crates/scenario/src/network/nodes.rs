//! Nodes, and how the rest of a scenario names them.

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::Duration;
use windtunnel_networks::ndn::content_store::ReplacementPolicy;
use windtunnel_networks::ndn::forwarder::ForwarderMarks;
use windtunnel_orbits::GroundPath;
use windtunnel_reading::choice;
use windtunnel_world::NodePlan;

use crate::network::constellations::{self, GeographicPosition, Journey};
use crate::network::linux_hosts::LinuxHost;
use crate::reading::error::{Mistake, suggestion};
use crate::reading::generators::InTurn;
use crate::reading::located::{Located, Named};
use crate::reading::schema::filled;
use crate::reading::units::{Measured, PacketCount};

/// A node: a host or a router, with an NDN forwarder.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = filled)]
pub(crate) struct Node {
    /// The content store; default: none. One of `defaults.node` is not for nodes whose consumers
    /// ask for the same names again, from a catalogue: it would answer them without delay.
    content_store: Option<ContentStore>,
    /// How it chooses among next hops.
    #[serde(default)]
    strategy: Strategy,
    /// What happens to a congestion mark on an Interest.
    #[serde(default)]
    interest_marks: InterestMarks,
    /// How long its forwarder takes for a packet of NDN or CCNx that comes in, from a link or from
    /// a consumer or producer on the node: one after another, as one thread. At most 16,384 wait.
    /// Default: no time.
    processing_time: Option<Measured<Duration>>,
    /// Where it is on the Earth, from where it uses satellites: the name of a large city, or
    /// latitude and longitude such as `["51.5°", "-0.1°"]`; default: nowhere.
    place: Option<Located<GeographicPosition>>,
    /// Where it is in the course of time, in place of `place`: it moves along great circles,
    /// and stays at the last place. Default: it does not move.
    journey: Option<Located<Vec<Journey>>>,
    /// A Linux kernel as its host, in virtual time: all flows over TCP from or to the node are connections of
    /// this one kernel. Default: Windtunnel's TCP.
    linux: Option<Located<LinuxHost>>,
    /// How many nodes it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#` is
    /// the number. Default: it is one node.
    #[serde(rename = "count")]
    _count: Option<u32>,
    /// For some keys, the values that the nodes have in turn: the first one has the first value, and
    /// after the last value it is the turn of the first again. Default: all have the same values.
    #[serde(rename = "in_turn")]
    _in_turn: Option<InTurn>,
}

/// Data kept to answer later Interests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentStore {
    /// How many Data packets it holds; with 0 it is off.
    capacity: Measured<PacketCount>,
    /// Which Data is evicted when it is full.
    #[serde(default)]
    policy: Policy,
    /// Whether Data cached with a congestion mark is sent with it again, as NFD does.
    #[serde(default)]
    keep_marks: bool,
}

choice! {
    /// Which Data is evicted.
    Policy as ReplacementPolicy {
        /// The least recently used.
        Lru,
        /// The first that came in.
        Fifo,
    }
}

/// How a node chooses among next hops.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Strategy {
    /// The one of the lowest cost; retransmissions try the others.
    #[default]
    BestRoute,
    /// All at once.
    Multicast,
    /// By weights that congestion marks move.
    Pcon,
}

/// What happens to a congestion mark on an Interest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InterestMarks {
    /// Its Data returns it, as in PCON.
    #[default]
    Return,
    /// Nothing, as in NFD.
    Ignore,
}

impl ContentStore {
    /// That of a live forwarder whose file has none.
    pub(crate) fn of_a_live_forwarder() -> Self {
        let capacity = Measured(PacketCount(4096));
        Self { capacity, policy: Policy::default(), keep_marks: false }
    }
}

impl Node {
    /// A node that only forwards.
    pub(crate) fn forwarding(
        content_store: ContentStore,
        strategy: Strategy,
        interest_marks: InterestMarks,
    ) -> Self {
        Self { content_store: Some(content_store), strategy, interest_marks, ..Self::default() }
    }

    /// Where it is in the course of time, if it is on the Earth.
    pub(crate) fn path(&self) -> Result<Option<GroundPath>, Mistake> {
        constellations::path(self.place.as_ref(), self.journey.as_ref())
    }

    /// The kernel that is its host, if one is.
    pub(crate) fn linux(&self) -> Option<&Located<LinuxHost>> {
        self.linux.as_ref()
    }

    pub(crate) fn plan(&self, name: &str) -> NodePlan {
        let store = self.content_store.as_ref();
        NodePlan {
            name: name.to_owned(),
            cached: store.map_or(0, |it| it.capacity.0.0),
            policy: store.map(|it| it.policy).unwrap_or_default().into(),
            strategy: match self.strategy {
                Strategy::BestRoute => "best-route",
                Strategy::Multicast => "multicast",
                Strategy::Pcon => "pcon",
            },
            marks: ForwarderMarks {
                interest_marks_return: self.interest_marks == InterestMarks::Return,
                cached_marks_stay: store.is_some_and(|it| it.keep_marks),
            },
            processing_time: self.processing_time.map_or(Duration::ZERO, |it| it.0),
            layers: Vec::new(),
        }
    }
}

/// Names, by which a scenario refers to things of one kind.
pub struct Names<'a> {
    kind: &'static str,
    names: IndexSet<&'a str>,
}

impl<'a> Names<'a> {
    /// Those of things of a kind, such as "node".
    #[must_use]
    pub fn of<T>(kind: &'static str, things: &'a Named<T>) -> Self {
        Self::among(kind, things.keys().map(|it| it.get_ref().as_str()))
    }

    /// These names, of things of a kind.
    pub fn among(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Self {
        Self { kind, names: names.collect() }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The name of a thing by its place in the plan.
    #[must_use]
    pub fn name(&self, index: usize) -> &'a str {
        self.names[index]
    }

    /// The place of a thing in the plan.
    ///
    /// # Errors
    /// [`Mistake`] if there is none of that name, with the nearest.
    pub fn index(&self, name: &Located<String>) -> Result<usize, Mistake> {
        self.names.get_index_of(name.value.as_str()).ok_or_else(|| {
            let known: Vec<&str> = self.names.iter().copied().collect();
            let several = self.kind == "node" && name.value.contains('*');
            name.mistake(format!("there is no {} `{}`", self.kind, name.value)).help(if several {
                "for flows between several nodes, write a `pattern`".to_owned()
            } else {
                suggestion(&name.value, &known)
            })
        })
    }
}
