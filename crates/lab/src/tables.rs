//! The results as Arrow tables: columns have their units in their names, rows are in the
//! order of cases, runs and the scenario file.
//!
//! A column is written once: its name, its definition and where its values come from stand
//! together, in the file of its table. What several tables share is in `shared`.

mod bridges;
mod channels;
mod commands;
mod descriptions;
mod flows;
mod labels;
mod links;
mod measurements;
mod nodes;
mod packets;
mod players;
mod run;
mod runs;
mod series;
mod sessions;
pub(crate) mod shared;
mod sky;
mod subflows;
mod transfers;
mod tunnels;
mod web_pages;

pub use descriptions::descriptions;
pub(crate) use descriptions::series_names;
pub(crate) use labels::Labels;
pub use labels::axis_column;
pub(crate) use measurements::Kept;
pub use measurements::Measurements;
pub(crate) use packets::{flow as flow_name, place as place_name};
pub use run::Run;
pub use runs::all;
pub(crate) use series::{empty, of_chunk};
pub use shared::RUN;
pub use sky::positions;
pub use windtunnel_tables::{Better, Column, Table};
