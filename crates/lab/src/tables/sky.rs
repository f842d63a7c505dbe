//! Where nodes move: when which links can be used, and the paths of flows.

use windtunnel_orbits::Coordinates;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{ContactPlan, Plan, RouteSample};

use super::shared::{FLOW, LINK, NODE};

/// The contacts of a plan, in the order in which they begin.
pub(super) fn contacts(plan: &Plan) -> Table {
    let contacts: &[ContactPlan] = plan.sky.as_ref().map_or(&[], |it| &it.contacts);
    let end = plan.duration.as_seconds();
    let node = |it: &ContactPlan, side: usize| &plan.nodes[plan.links[it.link].nodes[side]].name;
    Columns::of("contacts", "When a node on the ground had a link to a satellite.", contacts)
        .text(LINK, |it| &plan.links[it.link].name)
        .text(NODE, |it| node(it, 0))
        .text(column("satellite", "The satellite."), |it| node(it, 1))
        .number(column("start_s", "When the link could be used."), |it| it.from.as_seconds())
        .number(column("end_s", "Until when; at most the end of the run."), |it| {
            it.until.map_or(end, |it| it.as_seconds())
        })
        .flag_if_any(
            column(
                "is_cut",
                "Whether what the link still carried was lost at its end; empty if it lasted \
                 until the run's.",
            ),
            |it| it.until.map(|_| it.cut.is_some()),
        )
        .table()
}

/// A node at a time.
struct Placed<'a> {
    node: &'a str,
    kind: &'static str,
    time: f64,
    place: Coordinates,
}

/// Where the nodes of a plan that have a place are at some times, in seconds: first the
/// stations, then the satellites. Without satellites there are no rows.
#[must_use]
pub fn positions(plan: &Plan, times: &[f64]) -> Table {
    let mut rows = Vec::new();
    let mut above = Vec::new();
    for (&time, sky) in times.iter().flat_map(|it| plan.sky.iter().map(move |sky| (it, sky))) {
        let stations = sky.stations.iter().map(|(node, path)| (*node, "station", path.place(time)));
        rows.extend(stations.map(|it| placed(plan, time, it)));
        sky.sky.positions(time, &mut above);
        let satellites = sky.satellites.iter().zip(&above);
        let satellites = satellites.map(|(node, it)| (*node, "satellite", Coordinates::of(*it)));
        rows.extend(satellites.map(|it| placed(plan, time, it)));
    }
    Columns::of(
        "positions",
        "Where the nodes of a scenario with satellites are at some times.",
        &rows,
    )
    .number(column("time_s", "When."), |it| it.time)
    .text(NODE, |it| it.node)
    .text(column("kind", "`station` or `satellite`."), |it| it.kind)
    .number(column("latitude_degrees", "The geodetic latitude, northwards."), |it| {
        it.place.latitude
    })
    .number(column("longitude_degrees", "The longitude, eastwards."), |it| it.place.longitude)
    .number(column("height_m", "The height above the ellipsoid."), |it| it.place.height * 1e3)
    .table()
}

fn placed<'a>(
    plan: &'a Plan,
    time: f64,
    (node, kind, place): (usize, &'static str, Coordinates),
) -> Placed<'a> {
    Placed { node: &plan.nodes[node].name, kind, time, place }
}

/// Samples of the paths of flows.
pub(super) fn route_series(plan: &Plan, rows: &[RouteSample]) -> Table {
    let name = |node: &u32| plan.nodes[*node as usize].name.as_str();
    let paths = rows.iter().map(|it| it.nodes.iter().map(name).collect::<Vec<_>>().join(" > "));
    let rows: Vec<(&RouteSample, String)> = rows.iter().zip(paths).collect();
    Columns::of(
        "route_series",
        "The path of each flow, at each instant at which paths are searched for.",
        &rows,
    )
    .text(FLOW, |(it, _)| &plan.flows[it.flow as usize].name)
    .number(column("time_s", "When."), |(it, _)| it.time_s)
    .number(
        column("propagation_s", "How long light takes along the path; empty while there is none."),
        |(it, _)| it.propagation_s,
    )
    .number(column("return_propagation_s", "The same of the path back."), |(it, _)| {
        it.return_propagation_s
    })
    .count_if_any(column("links", "The links of the path."), |(it, _)| {
        (it.nodes.len() as u64).checked_sub(1)
    })
    .text_if_any(column("path", "The nodes of the path."), |(_, path)| {
        Some(path.as_str()).filter(|it| !it.is_empty())
    })
    .table()
}
