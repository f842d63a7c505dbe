//! All path policies, with their parameters.

use std::sync::Arc;

use super::bandit::{Bandit, BanditSettings};
use super::disjoint::Disjoint;
use super::epsilon_greedy::EpsilonGreedy;
use super::exp3::Exp3;
use super::first::First;
use super::lowest_latency::LowestLatency;
use super::lowest_rtt::{LowestRtt, LowestRttSettings};
use super::path_policy::{PathPolicy, PolicyMaker};
use super::round_robin::{RoundRobin, Turn};
use super::ucb1::Ucb1;
use super::widest::Widest;

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
