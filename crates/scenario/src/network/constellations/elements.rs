//! Constellations of element sets, and the planes that their satellites form.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_orbits::{DVec3, ElementSet, Epoch, GridLink, read_elements};

use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::{Length, Measured};

/// Satellites by their element sets, propagated by SGP4.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TleFile {
    /// The file.
    tle: Tle,
}

/// A file of element sets: in two lines each (TLE), or orbit mean-elements messages in JSON or CSV
/// (OMM), as CelesTrak and Space-Track publish them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tle {
    /// The file; its name is relative to the scenario file.
    file: Located<String>,
    /// The least and the greatest mean altitude of the satellites that are taken; default:
    /// all are.
    altitude: Option<Located<[Measured<Length>; 2]>>,
    /// How many planes the satellites form, if the file has them plane by plane, as many in
    /// each; default: satellites are of one plane whose orbits lie within 1.5° of the next.
    planes: Option<Located<u16>>,
}

/// Satellites by their elements.
pub(super) struct Elements {
    pub(super) records: Vec<ElementSet>,
    /// As in the file.
    planes: Option<usize>,
}

/// Satellites whose ascending nodes are farther apart are of different planes, in degrees.
const APART: f64 = 1.5;

/// The satellites of a file.
fn element_sets(text: &str) -> Result<Arc<[ElementSet]>, Mistake> {
    let records = read_elements(text).map_err(|it| {
        Mistake::new(format!("{}: {}", it.place, it.why)).help(
            "write two lines of 69 characters for each satellite, or messages (OMM) in JSON or CSV",
        )
    })?;
    Ok(records.into())
}

impl TleFile {
    pub(super) fn read(&self, files: &mut Files<'_>) -> Result<Elements, Mistake> {
        let Tle { file, altitude, planes } = &self.tle;
        let mut records = files.read_once(file, (), element_sets)?.to_vec();
        if let Some(it) = altitude {
            let [least, most] = it.value.map(|it| it.0.0 / 1e3);
            let of_all = records.len();
            records.retain(|it| (least..=most).contains(&it.altitude));
            it.checked(
                |_| !records.is_empty(),
                || format!("none of the {of_all} satellites is between {least} and {most} km"),
                "write the lowest and the highest altitude, such as [\"540 km\", \"560 km\"]",
            )?;
        }
        if records.is_empty() {
            return Err(file.mistake("the file has no element sets"));
        }
        let planes = planes.as_ref().map(|it| {
            let count = usize::from(it.value);
            it.checked(
                |_| count > 0 && records.len() % count == 0,
                || {
                    format!(
                        "{} satellites cannot be divided evenly among {count} planes",
                        records.len()
                    )
                },
                "write a number that divides that of the satellites, or remove it",
            )?;
            Ok(count)
        });
        Ok(Elements { records, planes: planes.transpose()? })
    }
}

impl Elements {
    /// The names of the satellites; those that are there twice get their number.
    pub(super) fn names(&self, constellation: &str) -> Vec<String> {
        let mut known = std::collections::HashSet::new();
        let name = |(number, it): (usize, &ElementSet)| match known.insert(it.name.clone()) {
            true => it.name.clone(),
            false => format!("{constellation}-{number}"),
        };
        self.records.iter().enumerate().map(name).collect()
    }

    /// The satellites plane by plane, in the order in which they follow each other.
    fn planes(&self, epoch: Epoch) -> Vec<Vec<usize>> {
        if let Some(planes) = self.planes {
            let each = self.records.len() / planes;
            return (0..planes).map(|it| (it * each..(it + 1) * each).collect()).collect();
        }
        let mut places: Vec<(f64, f64, usize)> = (0..self.records.len())
            .filter_map(|it| {
                let [node, argument] = self.place(it, epoch)?;
                Some((node, argument, it))
            })
            .collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        // The first plane begins behind the widest gap, so that none is cut at 0 degrees.
        let gap = |at: usize| {
            let before = places[(at + places.len() - 1) % places.len()].0;
            (places[at].0 - before).rem_euclid(360.0)
        };
        let first = (0..places.len()).max_by(|one, other| gap(*one).total_cmp(&gap(*other)));
        places.rotate_left(first.unwrap_or(0));
        let mut planes: Vec<Vec<(f64, f64, usize)>> = Vec::new();
        for place in places {
            match planes.last_mut() {
                Some(plane) if is_near(plane[plane.len() - 1].0, place.0) => plane.push(place),
                _ => planes.push(vec![place]),
            }
        }
        for plane in &mut planes {
            plane.sort_by(|one, other| one.1.total_cmp(&other.1));
        }
        planes.into_iter().map(|it| it.into_iter().map(|it| it.2).collect()).collect()
    }

    /// The right ascension of a satellite's ascending node and its argument of latitude at an
    /// epoch, in degrees.
    fn place(&self, satellite: usize, epoch: Epoch) -> Option<[f64; 2]> {
        let orbit = &self.records[satellite].orbit;
        let at = |time: f64| orbit.position(epoch, time, 0.0);
        let (position, later) = (at(0.0)?, at(1.0)?);
        let normal = position.cross(later).normalize();
        let node = DVec3::new(-normal.y, normal.x, 0.0).normalize();
        let ahead = normal.cross(node);
        let argument = position.dot(ahead).atan2(position.dot(node)).to_degrees();
        Some([node.y.atan2(node.x).to_degrees(), argument.rem_euclid(360.0)])
    }

    /// The links of +Grid: along each plane, and from each satellite to one of the next plane:
    /// `partner` slots ahead where planes are as in the file, else the nearest at the epoch
    /// that is not joined yet.
    pub(super) fn links(&self, epoch: Epoch, partner: i64, seam: bool) -> Vec<GridLink> {
        let planes = self.planes(epoch);
        let mut links = Vec::new();
        for plane in planes.iter().filter(|it| it.len() > 1) {
            let ends = plane.iter().zip(plane.iter().cycle().skip(1));
            let ends = ends.take(if plane.len() > 2 { plane.len() } else { 1 });
            links.extend(ends.map(|(one, other)| GridLink {
                satellites: [*one, *other],
                is_between_planes: false,
            }));
        }
        let wraps = seam && planes.len() > 2;
        let neighbours = planes.iter().zip(planes.iter().cycle().skip(1));
        for (plane, next) in neighbours.take(planes.len() - usize::from(!wraps)) {
            let pairs = match self.planes {
                Some(_) => by_slot(plane, next, partner),
                None => self.nearest(epoch, plane, next),
            };
            links.extend(
                pairs
                    .into_iter()
                    .map(|satellites| GridLink { satellites, is_between_planes: true }),
            );
        }
        links
    }

    /// Joins the satellites of two planes, the nearest first.
    fn nearest(&self, epoch: Epoch, plane: &[usize], next: &[usize]) -> Vec<[usize; 2]> {
        let at = |it: usize| self.records[it].orbit.position(epoch, 0.0, 0.0);
        let mut pairs: Vec<(f64, [usize; 2])> = plane
            .iter()
            .flat_map(|one| next.iter().map(move |other| [*one, *other]))
            .filter_map(|pair| Some((at(pair[0])?.distance(at(pair[1])?), pair)))
            .collect();
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut taken = std::collections::HashSet::new();
        let mut joined = Vec::new();
        for (_, [one, other]) in pairs {
            if !taken.contains(&one) && !taken.contains(&other) {
                taken.extend([one, other]);
                joined.push([one, other]);
            }
        }
        joined
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (other - one).rem_euclid(360.0) <= APART
}

fn by_slot(plane: &[usize], next: &[usize], partner: i64) -> Vec<[usize; 2]> {
    let slots = next.len() as i64;
    let other = |slot: usize| next[(slot as i64 + partner).rem_euclid(slots) as usize];
    plane.iter().enumerate().map(|(slot, one)| [*one, other(slot)]).collect()
}
