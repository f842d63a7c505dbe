//! All rules, with their parameters.

use std::sync::Arc;

use super::bola::{Bola, BolaSettings};
use super::bola_e::{BolaE, BolaESettings};
use super::mpc::{Mpc, MpcSettings};
use super::rule::{Rule, RuleMaker};
use super::throughput::{Throughput, ThroughputSettings};
use crate::video::Ladder;

/// A rule and its parameters.
#[derive(Clone, Debug)]
pub enum RuleSettings {
    /// The highest level that the throughput allows.
    Throughput(ThroughputSettings),
    /// BOLA.
    Bola(BolaSettings),
    /// BOLA-E.
    BolaE(BolaESettings),
    /// Model predictive control.
    Mpc(MpcSettings),
    /// A rule from outside.
    External(Arc<dyn RuleMaker>),
}

impl RuleSettings {
    /// What the rule is called.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Throughput(_) => "throughput",
            Self::Bola(_) => "bola",
            Self::BolaE(_) => "bola-e",
            Self::Mpc(it) if it.robust => "robust-mpc",
            Self::Mpc(_) => "mpc",
            Self::External(it) => it.name(),
        }
    }

    /// The rule, for a player of that ladder whose buffer holds this many seconds.
    #[must_use]
    pub fn rule(&self, ladder: &Ladder, maximum_buffer: f64) -> Box<dyn Rule> {
        match self {
            Self::Throughput(it) => Box::new(Throughput::new(*it)),
            Self::Bola(it) => Box::new(Bola::new(*it, ladder, maximum_buffer)),
            Self::BolaE(it) => Box::new(BolaE::new(*it, ladder, maximum_buffer)),
            Self::Mpc(it) => Box::new(Mpc::new(*it)),
            Self::External(it) => it.rule(ladder, maximum_buffer),
        }
    }
}
