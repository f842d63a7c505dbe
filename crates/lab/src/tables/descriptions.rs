//! What all tables hold, without a run.

use std::sync::LazyLock;

use windtunnel_engine::Time;
use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_tables::Table;
use windtunnel_world::World;

use super::measurements;
use super::run::totals;
use super::series;
use crate::layers;

/// A scenario without anything: its results have all tables, and no row in any of those of
/// measurements that is of use here.
const SMALLEST: &str = "duration = \"1 s\"\nnodes = { a = {} }\n";

/// All tables without rows: those of a whole run, and those of series.
struct Tables {
    totals: Vec<Table>,
    series: Vec<Table>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let files = &mut |_: &str| -> Result<String, Unreadable> { unreachable!("it names none") };
    let extensions = &layers::with_built_in(&Extensions::default());
    let outside = Outside { extensions, files };
    let study = Study::read("smallest", SMALLEST, &[], outside).expect("it is a scenario");
    let plan = study.cases[0].of_run(0);
    let world = World::new(&plan).expect("nothing is sent");
    let measured = measurements::totals(&plan, &[], &study.layers, &world, Time::ZERO);
    let totals = [totals(&[])].into_iter().chain(measured).collect();
    Tables { totals, series: series::empty(&plan) }
});

/// All tables: what each holds, and its columns, which follow those of a run's case and number.
pub fn descriptions() -> impl Iterator<Item = &'static Table> {
    TABLES.totals.iter().chain(&TABLES.series)
}

/// The names of the tables of series.
pub(crate) fn series_names() -> impl Iterator<Item = &'static str> {
    TABLES.series.iter().map(|it| it.name)
}

/// Whether a table has a column of that name.
pub(super) fn is_column(name: &str) -> bool {
    name == super::shared::RUN.name
        || descriptions().any(|table| table.columns.iter().any(|it| it.name == name))
}
