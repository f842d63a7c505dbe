//! Links with a channel: the channel over time, and the maps of radios.

use arrow_array::RecordBatch;
use windtunnel_links::radio::{Map, Point};
use windtunnel_world::{LinkPlan, Plan, World};

use super::{Columns, directions};

/// Each direction of each link with a channel, at each time.
pub(super) fn series(plan: &Plan, world: &World) -> RecordBatch {
    let directions: Vec<_> =
        directions(plan).into_iter().filter(|it| it.link.channel.is_some()).collect();
    let rows: Vec<_> = directions.into_iter().cycle().zip(&world.series().channels).collect();
    Columns::of(&rows)
        .text("link", |(direction, _)| &direction.link.name)
        .text("from", |(direction, _)| direction.from)
        .text("to", |(direction, _)| direction.to)
        .number("time_s", |(_, it)| it.time_s)
        .number("x_m", |(_, it)| it.position.map(|it| it.x))
        .number("y_m", |(_, it)| it.position.map(|it| it.y))
        .text_if_any("station", |(direction, it)| {
            let station = &map(direction.link)?.stations[it.station?];
            Some(&station.name)
        })
        .flag_if_any("line_of_sight", |(_, it)| it.line_of_sight)
        .number("sinr_db", |(_, it)| it.sinr_db)
        .number("rate_bps", |(_, it)| it.rate_bps)
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
