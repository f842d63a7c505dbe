//! What a strategy decides about, and its decision.

use smallvec::SmallVec;
use windtunnel_engine::Time;

use crate::ndn::face::FaceId;
use crate::ndn::fib::{FibEntryId, NextHop};

/// A strategy's name and what it is.
#[derive(Clone, Copy, Debug)]
pub struct StrategyDescription {
    /// The name in scenario files.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What defines it.
    pub source: &'static str,
}

/// An Interest that a strategy must decide about.
#[derive(Debug)]
pub struct InterestArrival<'a> {
    /// When it came.
    pub now: Time,
    /// The face that it came from.
    pub face: FaceId,
    /// Its nonce.
    pub nonce: u32,
    /// Whether that face was waiting for the same Data already.
    pub retransmission: bool,
    /// What is sent again by the rules of its protocol.
    pub resending: Resending,
    /// The prefix that it is forwarded by.
    pub entry: FibEntryId,
    /// The faces that lead there, the best first.
    pub next_hops: &'a [NextHop],
}

/// Which Interests for a pending name are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resending {
    /// Those that come late enough after the last one that was sent, from whichever face (NFD).
    Later,
    /// This one: it comes from a face that waits already, or may go further than those before
    /// (RFC 8569, section 2.4.2).
    Always,
    /// Not this one: another face waits for the same answer.
    Never,
}

/// The faces that an Interest is sent to, each with its nonce. Callers keep one,
/// so that many faces allocate nothing once warm.
pub type Chosen = SmallVec<[(FaceId, u32); 2]>;

/// What a strategy decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send it to the faces chosen.
    Forward,
    /// Let it wait for the pending answer.
    Suppress,
    /// No face leads there.
    NoRoute,
}
