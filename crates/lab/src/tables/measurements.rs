//! What is measured over a whole run.

use windtunnel_engine::Time;
use windtunnel_world::{Plan, World};

use super::columns::Table;
use super::{
    autonomous_systems, bridges, channels, flows, links, names, nodes, players, regions, sessions,
    sky, subflows, transfers, tunnels,
};

/// The totals of one run: a table for each kind.
#[derive(Clone, Debug)]
pub struct Measurements(Vec<Table>);

impl Measurements {
    /// Reads a world after its run, which reached `end`. `prefixes` are those that the consumers request.
    pub(crate) fn take(plan: &Plan, prefixes: &[String], world: &World, end: Time) -> Self {
        let mut all = vec![
            flows::totals(plan, prefixes, world, end),
            subflows::totals(plan, world, end),
            transfers::totals(plan, world),
            links::totals(plan, world, end),
            nodes::totals(plan, world),
            bridges::totals(plan, world),
            tunnels::totals(plan, world),
            regions::regions(plan, world),
            regions::totals(plan, world),
            regions::changes(plan, world),
            names::lookups(plan, world),
            autonomous_systems::systems(plan, world),
            autonomous_systems::routers(plan, world),
            autonomous_systems::paths(plan, world),
            autonomous_systems::changes(plan, world),
            channels::maps(plan),
            channels::budgets(plan),
            channels::antennas(plan),
            sky::contacts(plan),
        ];
        all.extend(sessions::totals(plan, world));
        all.extend([players::totals(plan, world, end), players::segments(plan, world)]);
        Self(all)
    }

    /// The tables.
    pub(super) fn tables(&self) -> &[Table] {
        &self.0
    }
}
