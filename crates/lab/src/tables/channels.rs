//! Links with a channel: the channel over time, the maps of radios, link budgets, and antennas.

use arrow_array::RecordBatch;
use windtunnel_links::LinkBudget;
use windtunnel_links::radio::{Map, Point};
use windtunnel_world::{ChannelSample, LinkPlan, Plan, PortId};

use super::columns::Columns;
use super::links::{Direction, directions};

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
        .count_if_any("mcs", |it| it.mcs.map(u64::from))
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
    lines.extend(budget.sensitivity.map(|it| ("sensitivity", "dBm", it)));
    lines.push(("margin", "dB", budget.margin()));
    lines.extend(budget.results.iter().map(|it| (it.name, it.unit, it.values)));
    lines
}

/// What the antennas of links lose over the angle from their axes: points of a curve, and one
/// that is not `on_curve`, where the other end is and with what else is lost there.
pub(super) fn antennas(plan: &Plan) -> RecordBatch {
    let mut rows: Vec<(&str, &str, [f64; 2], bool)> = Vec::new();
    for link in &plan.links {
        let patterns = link.channel.as_ref().and_then(|it| it.patterns());
        for (end, pattern) in patterns.into_iter().flatten().enumerate() {
            let node = plan.nodes[link.nodes[end]].name.as_str();
            let curve = pattern.points.into_iter().map(|it| (it, true));
            let all = curve.chain([(pattern.present, false)]);
            rows.extend(all.map(|(point, on_curve)| (link.name.as_str(), node, point, on_curve)));
        }
    }
    Columns::of(&rows)
        .text("link", |it| it.0)
        .text("node", |it| it.1)
        .number("angle_deg", |it| it.2[0])
        .number("loss_db", |it| it.2[1])
        .flag_if_any("on_curve", |it| Some(it.3))
        .batch()
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
