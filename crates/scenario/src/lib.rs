//! Scenarios: from a file's text to plans that a world can be built from.
//!
//! [`Study::read`] parses and checks a text once. It does no input or output of its
//! own: whoever calls it gives the texts of the files that a scenario names.
//!
//! Each kind of queue, flow, workload and link has a file, in the folder of its table: its keys,
//! their documentation and their checks. `extensions` has the names of what is written outside.

mod autonomous_systems;
mod bridges;
mod build;
mod cases;
mod checks;
mod choice;
mod classes;
mod comparison;
mod constellations;
mod consumers;
mod controllers;
mod defaults;
mod distributions;
mod dns;
mod error;
mod extension_names;
mod extensions;
mod faces;
mod files;
mod fixed_wireless;
mod flow_paths;
mod flows;
mod generators;
mod graphs;
mod lengths;
mod links;
mod located;
mod maps;
mod ndn_forwarder;
mod needs;
mod nodes;
mod optical;
mod pace;
mod periods;
mod prefixes;
mod producers;
mod queues;
mod radio;
mod reachability;
mod reader;
mod recording;
mod regions;
mod routing;
mod scenario;
mod schema;
mod sessions;
mod settings;
mod sizes;
mod stages;
mod timers;
mod trace;
mod traces;
mod tree;
mod tunnels;
mod units;
mod video;
mod weather;

pub use bridges::round_trip;
pub use cases::{Case, Outside, Study};
pub use consumers::{LoneConsumer, lone_consumer};
pub use dns::{RootPlan, read_dns};
pub use error::{Mistake, Place, ScenarioError, did_you_mean, list, suggestion};
pub use extensions::Extensions;
pub use files::Unreadable;
pub use ndn_forwarder::{
    FaceAddress, FacePlan, FaceProtocol, ForwarderPlan, NDN_PORT, RoutePlan, read_forwarder,
};
pub use scenario::schema;
pub use tree::check_toml;
pub use units::{duration, units};
