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
    /// What it is to the Interests that are pending for the same name.
    pub repetition: Repetition,
    /// The prefix that it is forwarded by.
    pub entry: FibEntryId,
    /// The faces that lead there, the best first.
    pub next_hops: &'a [NextHop],
}

/// What an Interest for a pending name is, and whether it is sent again by the rules of its
/// protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// NDN: the first from its face. The strategy decides.
    OtherFace,
    /// NDN: from a face that waits already. The strategy decides.
    SameFace,
    /// CCNx: from a face that waits already, or one that may go further than those before. It is
    /// sent again (RFC 8569, section 2.4.2).
    Forwarded,
    /// CCNx: the first from its face. It waits for the same answer.
    Aggregated,
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
