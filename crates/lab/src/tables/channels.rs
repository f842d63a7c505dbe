//! Links with a channel: the channel over time, the maps of radios, link budgets, and antennas.

use windtunnel_links::LinkBudget;
use windtunnel_links::radio::{Map, Point};
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{ChannelSample, LinkPlan, Plan, PortId};

use super::links::{Direction, directions};
use super::shared::{FROM, LINK, NODE, NUMBER, TIME_S, TO, X_M, Y_M};

/// Samples of directions of links with a channel.
pub(super) fn series(plan: &Plan, rows: &[ChannelSample]) -> Table {
    let directions = directions(plan);
    let of = |it: &ChannelSample| directions[it.port.index()];
    Columns::of(
        "channel_series",
        "Samples of each direction of each link with a channel, for each interval of the \
         recording.",
        rows,
    )
    .text(LINK, |it| &of(it).link.name)
    .text(FROM, |it| of(it).from)
    .text(TO, |it| of(it).to)
    .number(TIME_S, |it| it.time_s)
    .number(X_M, |it| it.position.map(|it| it.x))
    .number(Y_M, |it| it.position.map(|it| it.y))
    .text_if_any(
        column("station", "The station that serves the user; during a handover the next one."),
        |it| {
            let station = &map(of(it).link)?.stations[it.station?];
            Some(&station.name)
        },
    )
    .flag_if_any(column("line_of_sight", "Whether there is a line of sight to it."), |it| {
        it.line_of_sight
    })
    .number(
        column(
            "sinr_db",
            "The SINR; of a fixed radio link the SNR; empty where the channel has none.",
        ),
        |it| it.sinr_db,
    )
    .count_if_any(
        column("mcs", "The index of the modulation and coding scheme; empty where there is none.")
            .unit(""),
        |it| it.mcs.map(u64::from),
    )
    .number(
        column("received_dbm", "The received power; empty where the channel does not say."),
        |it| it.received_dbm,
    )
    .number(column("margin_db", "How far it is above what the receiver needs."), |it| it.margin_db)
    .number(
        column(
            "rate_bps",
            "How fast the link sends; 0 while it does not. With a delivery trace the mean \
             over the interval.",
        ),
        |it| it.rate_bps,
    )
    .table()
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
pub(super) fn budgets(plan: &Plan) -> Table {
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
    Columns::of(
        "link_budgets",
        "The link budget of each link that has one, a row for each term; the terms add up to what \
         is received.",
        &rows,
    )
    .text(LINK, |it| &it.direction.link.name)
    .text(FROM, |it| it.direction.from)
    .text(TO, |it| it.direction.to)
    .count(NUMBER, |it| it.number as u64)
    .text(column("term", "What adds or loses power."), |it| it.term)
    .text(column("unit", "The unit of both values."), |it| it.unit)
    .number(column("best", "The value at the best time, such as without fog or rain."), |it| {
        it.values[0]
    })
    .number(column("worst", "The value at the worst time; without random fluctuations."), |it| {
        it.values[1]
    })
    .table()
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
pub(super) fn antennas(plan: &Plan) -> Table {
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
    Columns::of("antennas", "What antennas lose over the angle from their axes.", &rows)
        .text(LINK, |it| it.0)
        .text(NODE, |it| it.1)
        .number(column("angle_deg", "The angle from the axis."), |it| it.2[0])
        .number(column("loss_db", "The loss at that angle."), |it| it.2[1])
        .flag_if_any(
            column(
                "on_curve",
                "Whether the point is of the antenna's pattern, and not where the other end of \
                 the link is.",
            ),
            |it| Some(it.3),
        )
        .table()
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
pub(super) fn maps(plan: &Plan) -> Table {
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
    Columns::of("maps", "The stations, buildings and users' paths of radio links.", &rows)
        .text(LINK, |it| it.link)
        .text(column("kind", "`station`, `building` or `path`."), |it| it.kind)
        .text_if_any(column("name", "The name of a station; empty for others."), |it| it.name)
        .count(NUMBER, |it| it.number as u64)
        .number(
            column(
                "x_m",
                "The position of a station or of a point of a path, or of a building's corner, \
                 eastwards.",
            ),
            |it| it.at.x,
        )
        .number(column("y_m", "The same, northwards."), |it| it.at.y)
        .number(column("width_m", "A building's size from west to east."), |it| {
            it.extent.map(|[width, _]| width)
        })
        .number(column("depth_m", "A building's size from south to north."), |it| {
            it.extent.map(|[_, depth]| depth)
        })
        .table()
}

/// The map of a link's channel, if it has one.
fn map(link: &LinkPlan) -> Option<&Map> {
    link.channel.as_ref()?.map()
}
