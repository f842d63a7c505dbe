//! From a map file to a map.

use serde::Deserialize;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Length, Measured};
use windtunnel_reading::{reader, tree};

use crate::radio::{Building, Map, Point, Station};

/// The heights of the user's antenna, in metres, as in TR 38.901, table 7.4.1-1.
const USER_HEIGHTS: [f64; 2] = [1.5, 22.5];
/// The heights of a base station's antenna, in metres, around the table's 10 m.
const STATION_HEIGHTS: [f64; 2] = [2.0, 50.0];

/// A map file: the surroundings of a radio.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFile {
    /// What it shows, in one line.
    #[serde(rename = "title")]
    _title: Option<String>,
    /// The base stations.
    stations: Located<Vec<StationTable>>,
    /// The buildings.
    #[serde(default)]
    buildings: Vec<BuildingTable>,
    /// Who walks there.
    user: User,
}

/// A point of a map: eastwards and northwards.
type MapPoint = [Measured<Length>; 2];

/// A base station.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StationTable {
    name: Located<String>,
    at: MapPoint,
    height: Located<Measured<Length>>,
}

/// A building: a rectangle along the axes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildingTable {
    corner: MapPoint,
    width: Located<Measured<Length>>,
    depth: Located<Measured<Length>>,
}

/// Who walks on the map.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    path: Located<Vec<Located<MapPoint>>>,
    height: Located<Measured<Length>>,
}

/// Reads a map.
pub(crate) fn read(text: &str) -> Result<Map, Mistake> {
    let file: MapFile = reader::read(tree::parse(text)?)?;
    let stations = stations(&file)?;
    let buildings = file.buildings.iter().map(|it| {
        let (width, depth) = (side(&it.width)?, side(&it.depth)?);
        Ok(Building { corner: point(&it.corner), width, depth })
    });
    Ok(Map {
        stations,
        buildings: buildings.collect::<Result<_, _>>()?,
        path: path(&file)?,
        user_height: height(&file.user.height, USER_HEIGHTS, "the user's antenna")?,
    })
}

fn stations(file: &MapFile) -> Result<Vec<Station>, Mistake> {
    let stations = &file.stations;
    if stations.value.is_empty() {
        return Err(Mistake::new("the map has no base station").at(stations.span.clone()).help(
            "write one such as { name = \"g1\", at = [\"0 m\", \"0 m\"], height = \"10 m\" }",
        ));
    }
    let mut known: Vec<Station> = Vec::new();
    for it in &stations.value {
        let name = &it.name.value;
        if known.iter().any(|other| other.name == *name) {
            return Err(Mistake::new(format!("two base stations named `{name}`"))
                .at(it.name.span.clone())
                .help("give each a different name"));
        }
        let height = height(&it.height, STATION_HEIGHTS, "a base station's antenna")?;
        known.push(Station { name: name.clone(), at: point(&it.at), height });
    }
    Ok(known)
}

fn path(file: &MapFile) -> Result<Vec<Point>, Mistake> {
    let corners = &file.user.path;
    if corners.value.is_empty() {
        return Err(Mistake::new("the path is empty")
            .at(corners.span.clone())
            .help("write where the user is, such as [[\"0 m\", \"20 m\"]]"));
    }
    let path: Vec<Point> = corners.value.iter().map(|it| point(&it.value)).collect();
    match path.windows(2).position(|it| it[0] == it[1]) {
        Some(place) => {
            Err(Mistake::new("two consecutive corners of the path are at the same place")
                .at(corners.value[place + 1].span.clone())
                .help("remove one of them"))
        }
        None => Ok(path),
    }
}

fn point([x, y]: &MapPoint) -> Point {
    Point { x: x.0.0, y: y.0.0 }
}

fn side(length: &Located<Measured<Length>>) -> Result<f64, Mistake> {
    match length.value.0.0 {
        metres if metres > 0.0 => Ok(metres),
        _ => Err(Mistake::new("both lengths of a building must be greater than zero")
            .at(length.span.clone())
            .help("write one such as \"10 m\"")),
    }
}

fn height(
    height: &Located<Measured<Length>>,
    [least, most]: [f64; 2],
    of: &str,
) -> Result<f64, Mistake> {
    let metres = height.value.0.0;
    if (least..=most).contains(&metres) {
        return Ok(metres);
    }
    Err(Mistake::new(format!("a height of {metres} m of {of} is out of range"))
        .at(height.span.clone())
        .help(format!("write a height from {least} m to {most} m, for which the path loss holds")))
}
