//! The results as Arrow tables: columns have their units in their names, rows are in the
//! order of cases, runs and the scenario file.

mod bridges;
mod channels;
mod column_names;
mod columns;
mod flows;
mod labels;
mod links;
mod nodes;
mod packets;
mod players;
mod runs;
mod sessions;
mod sky;
mod subflows;
mod tunnels;

pub(crate) use channels::channel_series;
pub use column_names::COLUMNS;
pub(crate) use columns::Columns;
pub(crate) use flows::flow_series;
pub(crate) use labels::Labels;
pub(crate) use links::link_series;
pub(crate) use nodes::node_series;
pub(crate) use packets::{flow as flow_name, packet_events, place as place_name};
pub(crate) use players::playback_series;
pub(crate) use runs::SERIES;
pub use runs::{Measurements, Run, all};
pub use sky::positions;
pub(crate) use sky::route_series;
pub(crate) use subflows::subflow_series;
