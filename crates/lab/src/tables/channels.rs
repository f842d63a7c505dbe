//! Links with a channel: the channel over time, the maps of radios, and link budgets.

use arrow_array::RecordBatch;
use windtunnel_links::LinkBudget;
use windtunnel_links::radio::{Map, Point};
use windtunnel_world::{ChannelSample, LinkPlan, Plan, PortId};

use super::{Columns, Direction, directions};

/// Samples of directions of links with a channel.
pub(crate) fn channel_series(plan: &Plan, rows: &[ChannelSample]) -> RecordBatch {
    let directions = directions(plan);
    let of = |it: &ChannelSample| directions[it.port.index()];
    Columns::of(rows)
        .text("link", |it| &of(it).link.name)
        .text("from", |it| of(it).from)
        .text("to", |it| of(it).to)
        .number("time_s", |it| it.time_s)
        .number("x_m", |it| it.position.map(|it| it.x))
        .number("y_m", |it| it.position.map(|it| it.y))
        .text_if_any("station", |it| {
            let station = &map(of(it).link)?.stations[it.station?];
            Some(&station.name)
        })
        .flag_if_any("line_of_sight", |it| it.line_of_sight)
        .number("sinr_db", |it| it.sinr_db)
        .number("received_dbm", |it| it.received_dbm)
        .number("margin_db", |it| it.margin_db)
        .number("rate_bps", |it| it.rate_bps)
        .batch()
}

/// A row of a link budget.
struct BudgetRow<'a> {
    direction: Direction<'a>,
    number: usize,
    term: &'static str,
    unit: &'static str,
    /// At the best time, and at the worst.
    values: [f64; 2],
}

/// The budgets of all links that have one: their terms, and what follows from them.
pub(super) fn budgets(plan: &Plan) -> RecordBatch {
    let directions = directions(plan);
    let mut rows = Vec::new();
    for (link, it) in plan.links.iter().enumerate() {
        let budgets = it.channel.as_ref().and_then(|it| it.budgets());
        for (side, budget) in budgets.iter().flatten().enumerate() {
            let direction = directions[PortId::new(link, side).index()];
            let lines = lines(budget).into_iter().enumerate();
            rows.extend(lines.map(|(number, (term, unit, values))| BudgetRow {
                direction,
                number,
                term,
                unit,
                values,
            }));
        }
    }
    Columns::of(&rows)
        .text("link", |it| &it.direction.link.name)
        .text("from", |it| it.direction.from)
        .text("to", |it| it.direction.to)
        .count("number", |it| it.number as u64)
        .text("term", |it| it.term)
        .text("unit", |it| it.unit)
        .number("best", |it| it.values[0])
        .number("worst", |it| it.values[1])
        .batch()
}

/// The lines of a budget, each with its unit: the terms; the received power and the
/// sensitivity, if powers are known; the margin.
fn lines(budget: &LinkBudget) -> Vec<(&'static str, &'static str, [f64; 2])> {
    let first = if budget.sensitivity.is_some() { "dBm" } else { "dB" };
    let units = std::iter::once(first).chain(std::iter::repeat("dB"));
    let terms = budget.terms.iter().zip(units);
    let mut lines: Vec<_> = terms.map(|(it, unit)| (it.name, unit, [it.best, it.worst])).collect();
    lines.extend(budget.received().map(|it| ("received power", "dBm", it)));
    lines.extend(budget.sensitivity.map(|it| ("sensitivity", "dBm", [it; 2])));
    lines.push(("margin", "dB", budget.margin()));
    lines
}

/// An object on a map.
struct Row<'a> {
    link: &'a str,
    kind: &'static str,
    name: Option<&'a str>,
    number: usize,
    at: Point,
    /// Of a building: its size from west to east, and from south to north.
    extent: Option<[f64; 2]>,
}

/// The objects on the maps of all radios, and the corners of the users' paths.
pub(super) fn maps(plan: &Plan) -> RecordBatch {
    let mut rows = Vec::new();
    for link in &plan.links {
        let Some(map) = map(link) else { continue };
        let row =
            |kind, number, at| Row { link: &link.name, kind, name: None, number, at, extent: None };
        let stations = map.stations.iter().enumerate();
        rows.extend(
            stations
                .map(|(number, it)| Row { name: Some(&it.name), ..row("station", number, it.at) }),
        );
        let buildings = map.buildings.iter().enumerate();
        rows.extend(buildings.map(|(number, it)| Row {
            extent: Some([it.width, it.depth]),
            ..row("building", number, it.corner)
        }));
        rows.extend(map.path.iter().enumerate().map(|(number, it)| row("path", number, *it)));
    }
    Columns::of(&rows)
        .text("link", |it| it.link)
        .text("kind", |it| it.kind)
        .text_if_any("name", |it| it.name)
        .count("number", |it| it.number as u64)
        .number("x_m", |it| it.at.x)
        .number("y_m", |it| it.at.y)
        .number("width_m", |it| it.extent.map(|[width, _]| width))
        .number("depth_m", |it| it.extent.map(|[_, depth]| depth))
        .batch()
}

/// The map of a link's channel, if it has one.
fn map(link: &LinkPlan) -> Option<&Map> {
    link.channel.as_ref()?.map()
}
