//! Which pages move to the serving satellite, and when.
//!
//! **To add a policy:** a variant of [`PagingPolicy`]; its keys in files are in
//! `crates/scenario/src/traffic/sessions/policy.rs`, and the nodes that it may move pages to in
//! `carriers.rs` beside.

use std::sync::Arc;

use super::{PagingMaker, Site};

/// How a session's pages follow it.
#[derive(Clone, Debug)]
pub enum PagingPolicy {
    /// The whole object is kept in one place: no page moves, and nothing is handed over but a
    /// reference that the client has (the paper, section V-A). The place is this one, or the
    /// satellite that the session begins at.
    Separate(Option<Site>),
    /// A page stays where it was created; accesses from elsewhere are remote.
    Remote,
    /// A page moves when it is accessed from elsewhere (the paper, section V-C).
    OnDemand,
    /// As on demand, and a fault also fetches the next entries of the page table whose
    /// pages are elsewhere.
    ReadAhead {
        /// How many of them. Entries without a page, or with one here or on its way, are
        /// passed over.
        pages: usize,
    },
    /// As on demand, and a handover fetches the pages that were accessed most often since
    /// they were created, of equal ones those with the lower number.
    Prefetch {
        /// How many pages: those of them that are already there, or on their way, do not
        /// make room for others.
        top: usize,
        /// Whether they are copied by [`Session::prepare`](super::Session::prepare) before the
        /// handover, which then fetches those accessed since.
        is_ahead: bool,
    },
    /// As on demand, and a handover moves pages to the next satellite (section V-B).
    Proactive(ProactivePages),
    /// As on demand, with copies for when a satellite fails. A page that moves leaves
    /// a copy in its old frame. At a handover, the pages accessed in the stage that ends,
    /// if they are at its satellite, are written through to the latest satellites
    /// before it, other than the next: a copy is as its page was at a handover.
    Replicated {
        /// How many copies a page has at most. One accessed in the first stage only
        /// has none.
        copies: usize,
    },
    /// As on demand, and a handover moves the pages that stay behind to an idle neighbour, if
    /// [`Session::set_idle`](super::Session::set_idle) has named one (section V-D).
    IdleNeighbour,
    /// As on demand, and what a policy written outside moves beside.
    External(Arc<dyn PagingMaker>),
}

/// Which pages a handover moves. The paper leaves it open; its number, 2910, is that of all
/// existing pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProactivePages {
    /// All that exist.
    Existing,
    /// One for each entry of the page table; entries without a page move an empty frame.
    Entries,
    /// Those accessed in the stage that ends.
    UsedInLastStage,
}

impl PagingPolicy {
    /// How many copies of a page it keeps at most.
    pub(super) fn copies(&self) -> usize {
        match self {
            Self::Replicated { copies } => *copies,
            _ => 0,
        }
    }

    /// How many pages a fault fetches at most beside its own.
    pub(super) fn read_ahead(&self) -> usize {
        match self {
            Self::ReadAhead { pages } => *pages,
            _ => 0,
        }
    }
}
