//! The lab: reads a scenario file, builds its worlds, runs them side by side
//! and turns what was measured into Arrow tables.
//!
//! [`Study::read`] parses and checks a file once; [`Batch`] runs its cases and
//! replications on threads; [`tables`] makes the tables.

mod batch;
mod bounds;
mod bridges;
mod build;
mod capture;
mod cases;
mod environment;
mod error;
mod files;
mod flows;
mod frames;
mod links;
mod queues;
mod radio;
mod scenario;
pub mod tables;
mod trace;
mod units;

pub use batch::{Batch, Fault, Outcome, Progress, Run};
pub use bounds::Bounds;
pub use capture::Captures;
pub use cases::{Case, Study};
pub use environment::{Answer, Driver, Environment, Environments, Signals};
pub use error::{Place, ScenarioError};
pub use scenario::schema;
pub use units::units;
