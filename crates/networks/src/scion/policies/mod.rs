//! Path policies: which of the paths to a destination the next packet of a flow takes.
//!
//! A policy is a state machine without input or output. The network layer asks it for each
//! packet, sends the probes that it wants (SCMP echo requests), and reports what became of them.
//!
//! **To add one:** its file, and a line in [`PolicySettings`] and in each of its functions.
//!
//! Its keys in files are in `crates/scenario/src/autonomous_systems/policies.rs`.

mod bandit;
mod disjoint;
mod epsilon_greedy;
mod exp3;
mod first;
mod lowest_latency;
mod lowest_rtt;
mod memory;
mod round_robin;
mod ucb1;
mod widest;

use std::fmt::Debug;
use std::sync::Arc;

use windtunnel_engine::{Duration, Random, Rate, Time};

pub use bandit::BanditSettings;
pub use lowest_rtt::LowestRttSettings;
pub use round_robin::Turn;

use bandit::Bandit;
use disjoint::Disjoint;
use epsilon_greedy::EpsilonGreedy;
use exp3::Exp3;
use first::First;
use lowest_latency::LowestLatency;
use lowest_rtt::LowestRtt;
use round_robin::RoundRobin;
use ucb1::Ucb1;
use widest::Widest;

/// What a path is known by: it stays the same as long as the path crosses the same interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u64);

/// An interface of an autonomous system, at one end of a link to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId {
    /// The number of the isolation domain in the highest 16 bits, and in the lowest 48 that of
    /// the autonomous system.
    pub isd_as: u64,
    /// Its number in the autonomous system.
    pub number: u16,
}

/// A path, as a policy sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathInfo {
    /// What it is known by.
    pub id: PathId,
    /// The sum of the latencies that beacons announced, in one direction.
    pub latency: Duration,
    /// The least of the bandwidths that beacons announced.
    pub bandwidth: Rate,
    /// The largest SCION packet, in bytes.
    pub mtu: u16,
    /// How many autonomous systems it crosses, those of both ends included.
    pub as_hops: u8,
    /// The interfaces that it crosses, in order.
    pub interfaces: Arc<[InterfaceId]>,
    /// When it becomes invalid.
    pub expires: Time,
    /// The smoothed round trip of the probes on it (RFC 6298, section 2); none before the first.
    pub rtt: Option<Duration>,
}

/// Chooses the path of each packet of a flow, or of a subflow of Multipath TCP.
pub trait PathPolicy: Debug + Send {
    /// How often it wants the paths to be probed; none: never.
    fn probe_interval(&self) -> Option<Duration> {
        None
    }

    /// Whether only the path in use is to be probed, and not all.
    fn probes_only_current(&self) -> bool {
        false
    }

    /// What became of a probe: its round trip; none if it was lost.
    fn on_probe(&mut self, _now: Time, _path: &PathInfo, _rtt: Option<Duration>) {}

    /// The path of the next packet, by its place in `paths`. These are never empty and ordered
    /// by ([`as_hops`](PathInfo::as_hops), [`id`](PathInfo::id)); `current` is the place of the
    /// path that the packet before took, if it is still there.
    fn select(
        &mut self,
        now: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize;
}

/// Makes policies that are written outside this crate.
pub trait PolicyMaker: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// A policy for a flow with this many subflows, and the one of them that it is for, from 0.
    fn policy(&self, subflow: usize, subflows: usize) -> Box<dyn PathPolicy>;
}

/// A policy and its parameters.
#[derive(Clone, Debug, Default)]
pub enum PolicySettings {
    /// The fewest autonomous systems.
    #[default]
    First,
    /// The lowest latency that beacons announced.
    LowestLatency,
    /// The greatest bandwidth that beacons announced.
    Widest,
    /// The lowest round trip of probes.
    LowestRtt(LowestRttSettings),
    /// Each in turn.
    RoundRobin(Turn),
    /// The lowest mean loss, but a random path with this probability.
    EpsilonGreedy(BanditSettings, f64),
    /// UCB1.
    Ucb1(BanditSettings),
    /// EXP3, with this share of rounds in which any path is drawn.
    Exp3(BanditSettings, f64),
    /// Paths that share as few interfaces as possible, one for each subflow.
    Disjoint,
    /// One from outside.
    External(Arc<dyn PolicyMaker>),
}

impl PolicySettings {
    /// What the policy is called.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::First => "first",
            Self::LowestLatency => "lowest-latency",
            Self::Widest => "widest",
            Self::LowestRtt(_) => "lowest-rtt",
            Self::RoundRobin(_) => "round-robin",
            Self::EpsilonGreedy(..) => "epsilon-greedy",
            Self::Ucb1(_) => "ucb1",
            Self::Exp3(..) => "exp3",
            Self::Disjoint => "disjoint",
            Self::External(it) => it.name(),
        }
    }

    /// The policy of a subflow, by its place among this many: 0 of 1 for a flow without.
    #[must_use]
    pub fn policy(&self, subflow: usize, subflows: usize) -> Box<dyn PathPolicy> {
        match self {
            Self::First => Box::new(First),
            Self::LowestLatency => Box::new(LowestLatency),
            Self::Widest => Box::new(Widest),
            Self::LowestRtt(it) => Box::new(LowestRtt::new(*it)),
            Self::RoundRobin(it) => Box::new(RoundRobin::new(*it)),
            Self::EpsilonGreedy(it, epsilon) => {
                Box::new(Bandit::new(*it, EpsilonGreedy::new(*epsilon)))
            }
            Self::Ucb1(it) => Box::new(Bandit::new(*it, Ucb1::default())),
            Self::Exp3(it, gamma) => Box::new(Bandit::new(*it, Exp3::new(*gamma))),
            Self::Disjoint => Box::new(Disjoint::new(subflow, subflows)),
            Self::External(it) => it.policy(subflow, subflows),
        }
    }
}

/// The place of the path with the least of something; of several the first.
fn least<T: PartialOrd>(paths: &[PathInfo], value: impl Fn(&PathInfo) -> T) -> usize {
    let mut best = (0, value(&paths[0]));
    for (place, path) in paths.iter().enumerate().skip(1) {
        let value = value(path);
        if value < best.1 {
            best = (place, value);
        }
    }
    best.0
}

/// One of this many places, all with the same probability.
fn uniform(places: usize, random: &mut Random) -> usize {
    (random.unit() * places as f64) as usize
}
