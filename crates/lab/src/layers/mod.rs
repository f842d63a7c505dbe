//! The network layers that scenarios may have beside IP and NDN, each in a folder of its own: its
//! sections of scenario files, its tables and the bytes of its packets.
//!
//! **To add one:** a folder here, and a line in [`with_built_in`]; `docs/adding-a-network-layer.md`
//! shows what is in it.

mod region;
mod scion;

use std::sync::Arc;

pub use region::read_dns;
use windtunnel_scenario::{Extensions, LayerKind};

/// What is written outside, after the network layers that are built in.
pub(crate) fn with_built_in(extensions: &Extensions) -> Extensions {
    let mut layers: Vec<Arc<dyn LayerKind>> =
        vec![Arc::new(region::Regions), Arc::new(scion::AutonomousSystems)];
    layers.extend(extensions.layers.iter().cloned());
    Extensions { layers, ..extensions.clone() }
}

/// The JSON Schema of scenario files, for editors and for the documents.
#[must_use]
pub fn schema() -> serde_json::Value {
    windtunnel_scenario::schema(&with_built_in(&Extensions::default()).layers)
}
