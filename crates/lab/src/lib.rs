//! The lab: runs scenarios side by side and turns what was measured into Arrow
//! tables.
//!
//! [`read`] gives a scenario the files beside it; [`Batch`] runs its cases and
//! replications on threads, which write series into a folder as they go on; [`tables`] makes
//! the tables.
//!
//! **To add a column:** a line in the file of its table in `tables`, with its definition; all else is
//! made from it. `series` has what is recorded during a run.
//! **To add a network layer:** `layers`.

mod advice;
mod after_the_end;
mod batch;
mod beginnings;
mod bounds;
mod capture;
mod equal_cases;
mod folder;
mod frames;
mod free_memory;
mod layers;
mod live;
mod packets;
mod qlog;
mod randomness;
mod recording;
mod repeats;
mod run_folder;
mod series;
pub mod tables;

pub use advice::{advice, packet_hops};
pub use after_the_end::after_the_end;
pub use batch::{Batch, Details, Fault, Outcome, Processors, Progress};
pub use bounds::Bounds;
pub use capture::{CaptureSettings, Directions};
pub use folder::{read, read_with};
pub use layers::{read_dns, schema};
pub use live::{LiveLine, LiveRun};
pub use packets::PacketSettings;
pub use randomness::without_randomness;
pub use recording::Recording;
pub use repeats::{FlowRepeat, flow_repeats};
pub use tables::Run;
pub use windtunnel_scenario::{
    Case, Extensions, ScenarioError, Study, TextPosition, check_toml, did_you_mean, suggestion,
    units,
};
