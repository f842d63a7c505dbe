//! What a policy written outside this crate decides on, and what it answers.

use std::fmt::Debug;

use dyn_clone::DynClone;

/// A page that exists, as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageView {
    /// Its entry in the page table, from 0.
    pub number: usize,
    /// Whether it is in a frame of the satellite that serves the session.
    pub is_here: bool,
    /// Whether it is on its way: it cannot be fetched before it has arrived.
    pub is_moving: bool,
    /// The stage, from 0, in which it was last brought or accessed where it is.
    pub held_since: usize,
    /// Accesses since it was created.
    pub uses: u64,
    /// The stage of the last one.
    pub last_used: usize,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a policy decides on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagingView {
    /// The stage that the session is in, from 0; at a handover the one that ends.
    pub stage: usize,
    /// The entries of the page table.
    pub entries: usize,
    /// The pages that exist, by their number.
    pub pages: Vec<PageView>,
}

/// Decides which pages of a session move beside those that are accessed.
pub trait Paging: Debug + DynClone + Send {
    /// The pages that a fault fetches beside its own: those that do not exist, are on their way
    /// or are here already do not move.
    fn on_fault(&mut self, _view: &PagingView, _page: usize) -> Vec<usize> {
        Vec::new()
    }

    /// The pages that a handover moves to the next satellite.
    fn on_handover(&mut self, _view: &PagingView) -> Vec<usize> {
        Vec::new()
    }
}

dyn_clone::clone_trait_object!(Paging);

/// Makes policies that are written outside this crate.
pub trait PagingMaker: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// A policy for a session.
    fn make(&self) -> Box<dyn Paging>;
}
