//! What scenarios name that is written outside these crates: in Python, or in a program that
//! uses the lab.

use std::sync::Arc;

use windtunnel_applications::sessions::PagingMaker;
use windtunnel_applications::video::rules::RuleMaker;
use windtunnel_controllers as controllers;
use windtunnel_networks::scion::policies::PolicyMaker;
use windtunnel_stack::StackKind;
use windtunnel_transports::mptcp::scheduler;

use crate::network::layers::LayerKind;

/// Simulates a run, on the thread that calls this and before it returns.
pub type InTurns = fn(&mut (dyn FnMut() + Send));

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
    /// Implementations of transport protocols.
    pub stacks: Vec<Arc<dyn StackKind>>,
    /// Kinds of network layers.
    pub layers: Vec<Arc<dyn LayerKind>>,
    /// Simulates each run that uses these, where one interpreter calls them all, so that runs at the
    /// same time would wait for each other.
    pub in_turns: Option<InTurns>,
}
