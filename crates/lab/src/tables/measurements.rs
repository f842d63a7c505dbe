//! What is measured over a whole run.

use std::sync::Arc;

use arrow_array::RecordBatch;
use windtunnel_engine::Time;
use windtunnel_scenario::LayerKind;
use windtunnel_tables::Table;
use windtunnel_world::{Plan, World};

use super::{
    bridges, channels, commands, flows, links, nodes, players, sessions, sky, subflows, transfers,
    tunnels, web_pages,
};

/// What is kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All its tables.
    All,
    /// The totals that every network has: no series, and nothing of what only some have.
    OfNetworks,
}

/// The totals of one run: the values of a table for each kind, by its name. What its columns are is
/// the same for all runs, and is not kept.
#[derive(Clone, Debug)]
pub struct Measurements(Vec<(&'static str, RecordBatch)>);

impl Measurements {
    /// Reads a world after its run, as [`totals`] does.
    pub(crate) fn take(
        plan: &Plan,
        prefixes: &[String],
        layers: &[Arc<dyn LayerKind>],
        world: &World,
        end: Time,
    ) -> Self {
        Self::values(totals(plan, prefixes, layers, world, end))
    }

    /// Of these, those that every network has.
    pub(crate) fn of_networks(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> Self {
        Self::values(totals_of_networks(plan, prefixes, world, end))
    }

    fn values(tables: Vec<Table>) -> Self {
        Self(tables.into_iter().map(|it| (it.name, it.values)).collect())
    }

    /// The tables.
    pub(super) fn tables(&self) -> &[(&'static str, RecordBatch)] {
        &self.0
    }
}

/// The tables of a world after its run, which reached `end`. `prefixes` are those that the
/// consumers request.
pub(super) fn totals(
    plan: &Plan,
    prefixes: &[String],
    layers: &[Arc<dyn LayerKind>],
    world: &World,
    end: Time,
) -> Vec<Table> {
    let mut all = totals_of_networks(plan, prefixes, world, end);
    all.extend(layers.iter().flat_map(|it| it.tables(plan, world)));
    all.extend([
        channels::maps(plan),
        channels::budgets(plan),
        channels::antennas(plan),
        sky::contacts(plan),
    ]);
    all.extend(sessions::totals(plan, world));
    all.extend([players::totals(plan, world, end), players::segments(plan, world)]);
    all.push(web_pages::totals(plan, world));
    all.push(commands::totals(plan, world));
    all
}

/// The first of these: the tables that have something to say of every network.
fn totals_of_networks(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> Vec<Table> {
    vec![
        flows::totals(plan, prefixes, world, end),
        subflows::totals(plan, world, end),
        transfers::totals(plan, world),
        links::totals(plan, world, end),
        nodes::totals(plan, world),
        bridges::totals(plan, world),
        tunnels::totals(plan, world),
    ]
}
