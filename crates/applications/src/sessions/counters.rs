//! What a session has counted.

use std::ops::AddAssign;

/// Counters of a session. Accesses are `creations + hits + faults + waits +
/// remote_accesses`, without those refused. What is sent is counted when it is emitted,
/// whether or not it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCounters {
    /// Handovers to another satellite.
    pub handovers: u64,
    /// Accesses that created their page.
    pub creations: u64,
    /// Accesses to a page at the serving satellite.
    pub hits: u64,
    /// Accesses that had their page fetched.
    pub faults: u64,
    /// Accesses to a page on its way.
    pub waits: u64,
    /// Accesses to a page that stays elsewhere.
    pub remote_accesses: u64,
    /// Accesses refused: by a satellite without the token, or to no entry of the page table.
    pub refusals: u64,
    /// Pages moved, one for each page however far, with empty frames.
    pub page_transfers: u64,
    /// Stages between a moved page's frame and its new one, summed over page transfers.
    pub page_hops: u64,
    /// Pages written through to copies.
    pub copies: u64,
    /// Request messages.
    pub requests: u64,
    /// Their bytes.
    pub request_bytes: u64,
    /// Bytes of pages sent: moved, copied, or answers to remote accesses.
    pub page_bytes: u64,
    /// Bytes of page tables sent at handovers.
    pub page_table_bytes: u64,
    /// Pages lost to failures.
    pub lost: u64,
    /// Pages that existed when the session ended.
    pub dropped: u64,
}

impl AddAssign for SessionCounters {
    fn add_assign(&mut self, other: Self) {
        self.handovers += other.handovers;
        self.creations += other.creations;
        self.hits += other.hits;
        self.faults += other.faults;
        self.waits += other.waits;
        self.remote_accesses += other.remote_accesses;
        self.refusals += other.refusals;
        self.page_transfers += other.page_transfers;
        self.page_hops += other.page_hops;
        self.copies += other.copies;
        self.requests += other.requests;
        self.request_bytes += other.request_bytes;
        self.page_bytes += other.page_bytes;
        self.page_table_bytes += other.page_table_bytes;
        self.lost += other.lost;
        self.dropped += other.dropped;
    }
}
