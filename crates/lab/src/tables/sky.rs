//! Where nodes move: when which links can be used, and the paths of flows.

use arrow_array::RecordBatch;
use windtunnel_orbits::Coordinates;
use windtunnel_world::{ContactPlan, Plan, RouteSample};

use super::columns::Columns;

/// The contacts of a plan, in the order in which they begin.
pub(super) fn contacts(plan: &Plan) -> RecordBatch {
    let contacts: &[ContactPlan] = plan.sky.as_ref().map_or(&[], |it| &it.contacts);
    let end = plan.duration.as_seconds();
    let node = |it: &ContactPlan, side: usize| &plan.nodes[plan.links[it.link].nodes[side]].name;
    Columns::of(contacts)
        .text("link", |it| &plan.links[it.link].name)
        .text("node", |it| node(it, 0))
        .text("satellite", |it| node(it, 1))
        .number("start_s", |it| it.from.as_seconds())
        .number("end_s", |it| it.until.map_or(end, |it| it.as_seconds()))
        .flag_if_any("is_cut", |it| it.until.map(|_| it.cut.is_some()))
        .batch()
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
pub fn positions(plan: &Plan, times: &[f64]) -> RecordBatch {
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
    Columns::of(&rows)
        .number("time_s", |it| it.time)
        .text("node", |it| it.node)
        .text("kind", |it| it.kind)
        .number("latitude_degrees", |it| it.place.latitude)
        .number("longitude_degrees", |it| it.place.longitude)
        .number("height_m", |it| it.place.height * 1e3)
        .batch()
}

fn placed<'a>(
    plan: &'a Plan,
    time: f64,
    (node, kind, place): (usize, &'static str, Coordinates),
) -> Placed<'a> {
    Placed { node: &plan.nodes[node].name, kind, time, place }
}

/// Samples of the paths of flows.
pub(crate) fn route_series(plan: &Plan, rows: &[RouteSample]) -> RecordBatch {
    let name = |node: &u32| plan.nodes[*node as usize].name.as_str();
    let paths = rows.iter().map(|it| it.nodes.iter().map(name).collect::<Vec<_>>().join(" > "));
    let rows: Vec<(&RouteSample, String)> = rows.iter().zip(paths).collect();
    Columns::of(&rows)
        .text("flow", |(it, _)| &plan.flows[it.flow as usize].name)
        .number("time_s", |(it, _)| it.time_s)
        .number("propagation_s", |(it, _)| it.propagation_s)
        .number("return_propagation_s", |(it, _)| it.return_propagation_s)
        .count_if_any("links", |(it, _)| (it.nodes.len() as u64).checked_sub(1))
        .text_if_any("path", |(_, path)| Some(path.as_str()).filter(|it| !it.is_empty()))
        .batch()
}
