//! What uses a network: flows and consumers, and what lies on their paths.

pub(crate) mod bridges;
pub(crate) mod consumers;
pub(crate) mod controllers;
pub(crate) mod faces;
pub(crate) mod flow_paths;
pub(crate) mod flows;
pub(crate) mod needs;
pub(crate) mod producers;
pub(crate) mod sessions;
pub(crate) mod tunnels;
