//! The rules of adaptive streaming: which level the next segment shall have.
//!
//! The first segment has the lowest level in all of them, as in sabre. To add a rule: its file,
//! its keys in `keys.rs`, and a line in [`RuleSettings`] and in each of its functions.

mod bola;
mod bola_e;
mod estimate;
mod insufficient_buffer;
mod keys;
mod mpc;
mod rule;
mod settings;
mod throughput;

pub use bola::{BolaSettings, Oscillation};
pub use bola_e::{BolaESettings, Utility};
pub use estimate::{Estimate, harmonic_mean};
pub use insufficient_buffer::Client;
pub(crate) use keys::AnyRule;
pub use keys::RULES;
pub use mpc::MpcSettings;
pub use rule::{Choice, Download, Rule, RuleMaker, Situation};
pub use settings::RuleSettings;
pub use throughput::ThroughputSettings;
