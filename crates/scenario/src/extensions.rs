//! What scenarios name that is written outside these crates: in Python, or in a program that
//! uses the lab.

use std::sync::Arc;

use windtunnel_applications::sessions::PagingMaker;
use windtunnel_applications::video::rules::RuleMaker;
use windtunnel_controllers::{self as controllers, DESCRIPTIONS};
use windtunnel_networks::scion::policies::PolicyMaker;
use windtunnel_transports::mptcp::{self, scheduler};

use crate::autonomous_systems::policies::POLICIES;
use crate::error::Mistake;
use crate::flows::RULES;
use crate::sessions::PAGING;

/// Makers of what is written outside: a scenario names each as its maker does.
#[derive(Clone, Debug, Default)]
pub struct Extensions {
    /// Of congestion controllers.
    pub controllers: Vec<Arc<dyn controllers::Maker>>,
    /// Of schedulers of Multipath TCP.
    pub schedulers: Vec<Arc<dyn scheduler::Maker>>,
    /// Of rules that choose the bitrates of adaptive videos.
    pub rules: Vec<Arc<dyn RuleMaker>>,
    /// Of policies that choose the paths of flows.
    pub path_policies: Vec<Arc<dyn PolicyMaker>>,
    /// Of policies that choose which pages of sessions move.
    pub paging_policies: Vec<Arc<dyn PagingMaker>>,
}

impl Extensions {
    /// Refuses names that something of the same kind has already.
    pub(crate) fn check(&self) -> Result<(), Mistake> {
        let own = self.controllers.iter().map(|it| it.description().name);
        check("controller", own, DESCRIPTIONS.iter().map(|it| it.name))?;
        let own = self.schedulers.iter().map(|it| it.name());
        check("scheduler", own, mptcp::DESCRIPTIONS.iter().map(|it| it.name))?;
        check("rule", self.rules.iter().map(|it| it.name()), RULES.iter().copied())?;
        let own = self.path_policies.iter().map(|it| it.name());
        check("path policy", own, POLICIES.iter().copied())?;
        let own = self.paging_policies.iter().map(|it| it.name());
        check("paging policy", own, PAGING.iter().copied())
    }
}

fn check<'a>(
    what: &str,
    mut own: impl Iterator<Item = &'a str>,
    registered: impl Iterator<Item = &'static str> + Clone,
) -> Result<(), Mistake> {
    match own.find(|name| registered.clone().any(|it| it == *name)) {
        None => Ok(()),
        Some(name) => Err(Mistake::new(format!("there is a {what} `{name}` already"))
            .help("give yours another name")),
    }
}
