//! Which pages of a session move to the node that serves it, and when.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use windtunnel_applications::sessions::{PagingMaker, PagingPolicy, ProactivePages, Site};
use windtunnel_engine::Duration;
use windtunnel_reading::choice;

use crate::network::nodes::Names;
use crate::reading::error::{Mistake, suggestion};
use crate::reading::located::{Located, number};
use crate::reading::reader::{self, SHORT};
use crate::reading::schema::short_forms;
use crate::reading::timers::zero;
use crate::reading::tree::{Node, Value};
use crate::reading::units::Measured;

/// The names of the policies that are built in.
pub(crate) const PAGING: [&str; 8] = [
    "on-demand",
    "separate",
    "remote",
    "read-ahead",
    "prefetch",
    "proactive",
    "replicated",
    "idle-neighbour",
];

/// A policy that is built in, or the name of one that is written outside.
#[derive(Clone, Debug)]
pub(super) enum AnyPaging {
    BuiltIn(Paging),
    Named(String),
}

impl Default for AnyPaging {
    fn default() -> Self {
        Self::BuiltIn(Paging::OnDemand(OnDemand {}))
    }
}

impl AnyPaging {
    /// The policy, if it is built in or one of these makers'.
    pub(super) fn plan(
        policy: &Located<Self>,
        nodes: &Names<'_>,
        makers: &[Arc<dyn PagingMaker>],
    ) -> Result<PagingPolicy, Mistake> {
        let name = match &policy.value {
            Self::BuiltIn(it) => return it.policy(nodes),
            Self::Named(it) => it.as_str(),
        };
        if let Some(maker) = makers.iter().find(|it| it.name() == name) {
            return Ok(PagingPolicy::External(Arc::clone(maker)));
        }
        let known: Vec<&str> = makers.iter().map(|it| it.name()).chain(PAGING).collect();
        let mistake = policy.mistake(format!("there is no paging policy `{name}`"));
        Err(mistake.help(suggestion(name, &known)))
    }

    /// How long before a handover pages are copied ahead, if they are.
    pub(super) fn ahead(&self) -> Option<Duration> {
        match self {
            Self::BuiltIn(Paging::Prefetch(it)) => it.ahead(),
            _ => None,
        }
    }

    /// The node that the policy names beside those that serve.
    pub(super) fn separate(&self) -> Option<&Located<String>> {
        match self {
            Self::BuiltIn(Paging::Separate(it)) => it.node.as_ref(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for AnyPaging {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = AnyPaging;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a paging policy, or a table with it as `kind`")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<AnyPaging, E> {
                if !PAGING.contains(&name) {
                    return Ok(AnyPaging::Named(name.to_owned()));
                }
                let node = Node { span: 0..0, value: Value::Text(name.to_owned()) };
                let read = reader::read(node).map(AnyPaging::BuiltIn);
                read.map_err(|it: Mistake| E::custom(it.message))
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<AnyPaging, D::Error> {
                Paging::deserialize(table).map(AnyPaging::BuiltIn)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, NameOrTable)
    }
}

impl JsonSchema for AnyPaging {
    fn schema_name() -> Cow<'static, str> {
        Paging::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut policy = Paging::json_schema(generator);
        policy.insert(
            "description".into(),
            "Which pages of a session move to the node that serves it, and when: one of these \
             policies, or the name of one written in Python."
                .into(),
        );
        if let Some(kinds) = policy.get_mut("anyOf").and_then(|it| it.as_array_mut()) {
            kinds.push(serde_json::json!({ "type": "string" }));
        }
        policy
    }
}

/// Which pages of a session move to the node that serves it, and when. Its name alone is the
/// kind with all its defaults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Paging", tag = "kind", transform = short_forms)]
pub(super) enum Paging {
    /// A page moves when it is accessed from another node.
    OnDemand(OnDemand),
    /// The whole object is kept in one place, and all accesses from elsewhere are remote. No page
    /// table travels: users have a reference to the object.
    Separate(Separate),
    /// A page stays where it was created; accesses from elsewhere are remote.
    Remote(Remote),
    /// As on demand, and a fault also fetches the pages of the entries that follow.
    ReadAhead(ReadAhead),
    /// As on demand, and a handover fetches the pages that were accessed most often.
    Prefetch(Prefetch),
    /// As on demand, and a handover moves pages to the next node.
    Proactive(Proactive),
    /// As on demand, and a page that moves leaves a copy; a handover writes the pages accessed
    /// since the last one through to nodes before.
    Replicated(Replicated),
    /// As on demand, and the pages that a handover leaves behind move to the neighbour that serves
    /// the fewest users, if these are fewer than at the node that hands over.
    IdleNeighbour(IdleNeighbour),
}

/// A page moves when it is accessed from another node.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnDemand {}

/// The whole object is kept in one place.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Separate {
    /// The node that keeps it, such as one on the ground; default: the node at which the session
    /// starts.
    node: Option<Located<String>>,
}

/// The pages that a handover leaves behind move to an idle neighbour.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IdleNeighbour {}

/// A page stays where it was created.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remote {}

/// A fault also fetches the pages of the entries that follow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAhead {
    /// How many.
    #[serde(default = "number::<8>")]
    pages: Located<u16>,
}

/// A handover fetches the pages that were accessed most often.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Prefetch {
    /// How many.
    #[serde(default = "number::<100>")]
    pages: Located<u16>,
    /// How long before the next node serves they are copied there, for where satellites will be
    /// is known; the handover fetches those accessed since. 0: they move at the handover.
    #[serde(default = "zero")]
    ahead: Located<Measured<Duration>>,
}

impl Prefetch {
    fn ahead(&self) -> Option<Duration> {
        Some(self.ahead.value.0).filter(|it| *it > Duration::ZERO)
    }
}

/// A handover moves pages to the next node.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Proactive {
    /// Which.
    #[serde(default)]
    pages: Moved,
}

choice! {
    /// Which pages a handover moves.
    Moved as ProactivePages {
        /// All that exist.
        Existing,
        /// One for each entry of the page table, whether it has a page or not.
        Entries,
        /// Those accessed since the last handover.
        UsedInLastStage,
    }
}

/// A page that moves leaves a copy.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Replicated {
    /// The most copies that a page has.
    #[serde(default = "number::<1>")]
    copies: Located<u16>,
}

impl Paging {
    fn policy(&self, nodes: &Names<'_>) -> Result<PagingPolicy, Mistake> {
        Ok(match self {
            Self::OnDemand(OnDemand {}) => PagingPolicy::OnDemand,
            Self::Separate(it) => {
                let node = it.node.as_ref().map(|it| nodes.index(it)).transpose()?;
                PagingPolicy::Separate(node.map(|it| Site(it as u32)))
            }
            Self::Remote(Remote {}) => PagingPolicy::Remote,
            Self::ReadAhead(it) => PagingPolicy::ReadAhead { pages: it.pages.value.into() },
            Self::Prefetch(it) => PagingPolicy::Prefetch {
                top: it.pages.value.into(),
                is_ahead: it.ahead().is_some(),
            },
            Self::Proactive(it) => PagingPolicy::Proactive(it.pages.into()),
            Self::Replicated(it) => PagingPolicy::Replicated { copies: it.copies.value.into() },
            Self::IdleNeighbour(IdleNeighbour {}) => PagingPolicy::IdleNeighbour,
        })
    }
}
