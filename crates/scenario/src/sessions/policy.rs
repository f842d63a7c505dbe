//! Which pages of a session move to the node that serves it, and when.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::sessions::{PagingPolicy, ProactivePages};

use crate::choice::choice;
use crate::located::{Located, number};
use crate::schema::short_forms;

/// Which pages of a session move to the node that serves it, and when. Its name alone is the
/// kind with all its defaults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Paging", tag = "kind", transform = short_forms)]
pub(super) enum Paging {
    /// A page moves when it is accessed from another node.
    OnDemand(OnDemand),
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
}

impl Default for Paging {
    fn default() -> Self {
        Self::OnDemand(OnDemand {})
    }
}

/// A page moves when it is accessed from another node.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnDemand {}

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
    pub(super) fn policy(&self) -> PagingPolicy {
        match self {
            Self::OnDemand(OnDemand {}) => PagingPolicy::OnDemand,
            Self::Remote(Remote {}) => PagingPolicy::Remote,
            Self::ReadAhead(it) => PagingPolicy::ReadAhead { pages: it.pages.value.into() },
            Self::Prefetch(it) => PagingPolicy::Prefetch { top: it.pages.value.into() },
            Self::Proactive(it) => PagingPolicy::Proactive(it.pages.into()),
            Self::Replicated(it) => PagingPolicy::Replicated { copies: it.copies.value.into() },
        }
    }
}
