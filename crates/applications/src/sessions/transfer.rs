//! What a session has its carrier bring from one satellite to another.

use super::Site;

/// What a transfer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It brings the page table and the token with it.
    PageTable,
    /// It moves pages; their old frames are free once it has arrived.
    Move,
    /// It writes pages through to copies.
    Copy,
    /// It copies pages to the satellite that serves next, before it does.
    Ahead,
    /// It answers a remote access: the page's content is used and not kept.
    RemoteAccess,
}

/// A message between two satellites, with the request for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTransfer {
    /// The session's number for it, from 0.
    pub number: u64,
    /// What it is for.
    pub purpose: Purpose,
    /// The entries whose pages it carries. None for a page table.
    pub pages: Vec<usize>,
    /// Where it leaves.
    pub from: Site,
    /// Where it goes.
    pub to: Site,
    /// Its size in bytes, without headers.
    pub bytes: u64,
    /// Who first asks `from` for it; nobody, if `from` sends it by itself.
    pub requested_by: Option<Site>,
    /// The size of that request in bytes; 0 without one.
    pub request_bytes: u64,
    /// The stage in which it was made; a handover's is the one that begins.
    pub(super) stage: usize,
}
