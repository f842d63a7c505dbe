//! What the names in files mean, and in which unit numbers are that have none.

use windtunnel_engine::{Duration, Rate};

use super::attributes::{Attribute, first};
use super::{EdgeValues, Found};
use crate::network::links::Weight;
use crate::reading::error::Mistake;
use crate::reading::units::{Length, Quantity, Share, parse_usual};

/// The speed of light in fibre, in km/s: a refractive index of 1.468 (ITU-T G.652).
const LIGHT_IN_FIBRE: f64 = 299_792.458 / 1.468;

/// The names of a node's label, which goes before its name.
const LABELS: [&str; 3] = ["label", "name", "NodeLabel"];
const LATITUDES: [&str; 2] = ["Latitude", "lat"];
const LONGITUDES: [&str; 4] = ["Longitude", "lon", "lng", "long"];
/// Longitude and latitude, as networkx has them.
const POSITION: &str = "pos";

/// The speed in bit/s, as in the Internet Topology Zoo.
const SPEED: &str = "LinkSpeedRaw";
/// The speed in units that are under another name, as there.
const SPEED_IN_UNITS: [&str; 2] = ["LinkSpeed", "LinkSpeedUnits"];
/// Without a unit in Mbps.
const RATES: [&str; 4] = ["bandwidth", "capacity", "rate", "bw"];
/// Without a unit in ms.
const DELAYS: [&str; 2] = ["delay", "latency"];
/// Without a unit a probability from 0 to 1.
const LOSSES: [&str; 2] = ["loss", "packet_loss"];
/// Without a unit in km.
const LENGTHS: [&str; 3] = ["length", "dist", "distance"];

/// Whether a name means something of a node.
pub(super) fn is_of_node(name: &str) -> bool {
    is_among(name, &[&LABELS, &LATITUDES, &LONGITUDES, &[POSITION]])
}

/// Whether a name means something of an edge, one of them its weight.
pub(super) fn is_of_edge(name: &str, weight: Option<&str>) -> bool {
    is_among(name, &[&[SPEED], &SPEED_IN_UNITS, &RATES, &DELAYS, &LOSSES, &LENGTHS])
        || weight.is_some_and(|it| it.eq_ignore_ascii_case(name))
}

fn is_among(name: &str, all: &[&[&str]]) -> bool {
    all.iter().copied().flatten().any(|it| it.eq_ignore_ascii_case(name))
}

/// The label of a node, in one line: the first that says more than its identifier.
pub(super) fn label(id: &str, node: &[Attribute]) -> String {
    let of = |name: &&str| first(node, &[name]).map(|it| one_line(&it.value));
    let label = LABELS.iter().filter_map(of).find(|it| !it.is_empty() && it != id);
    label.unwrap_or_else(|| one_line(id))
}

/// A text with a space in place of all white space and control characters between its words.
fn one_line(text: &str) -> String {
    let words = text.split(|it: char| it.is_whitespace() || it.is_control());
    words.filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The latitude and longitude of a node.
pub(super) fn place(node: &[Attribute]) -> Result<Option<Found<[f64; 2]>>, Mistake> {
    let [latitude, longitude] = [first(node, &LATITUDES), first(node, &LONGITUDES)];
    let (Some(latitude), Some(longitude)) = (latitude, longitude) else {
        return Ok(position(node));
    };
    let under = format!("{} and {}", latitude.name, longitude.name);
    let value = [degrees(latitude, 90.0)?, eastern(degrees(longitude, 360.0)?)];
    Ok(Some(Found { value, under }))
}

/// The same from a pair of coordinates, which may be those of a drawing: then they are no place.
fn position(node: &[Attribute]) -> Option<Found<[f64; 2]>> {
    let position = first(node, &[POSITION])?;
    let [longitude, latitude]: [f64; 2] = serde_json::from_str(&position.value).ok()?;
    let is_on_earth = latitude.abs() <= 90.0 && longitude.abs() <= 360.0;
    let value = [latitude, eastern(longitude)];
    is_on_earth.then(|| Found { value, under: position.name.clone() })
}

/// A longitude from -180 to 180.
fn eastern(longitude: f64) -> f64 {
    if longitude.abs() > 180.0 { longitude - 360_f64.copysign(longitude) } else { longitude }
}

fn degrees(angle: &Attribute, most: f64) -> Result<f64, Mistake> {
    let number = angle.value.trim().parse().ok().filter(|it: &f64| it.abs() <= most);
    number.ok_or_else(|| {
        angle
            .mistake(format!("\"{}\" is not an angle in degrees", angle.value))
            .help(format!("write a number from -{most} to {most}"))
    })
}

/// What a file says of an edge, whose weight is under that name.
pub(super) fn edge(edge: &[Attribute], weight: Option<&str>) -> Result<EdgeValues, Mistake> {
    let weight = weight.and_then(|it| first(edge, &[it])).map(weighed).transpose()?;
    Ok(EdgeValues { rate: rate(edge)?, delay: delay(edge)?, loss: loss(edge)?, weight })
}

fn weighed(weight: &Attribute) -> Result<Found<f64>, Mistake> {
    let text = weight.value.trim();
    let number = text.parse().ok().filter(|it| Weight::new(*it).is_some());
    number.map(|it| found(it, weight)).ok_or_else(|| {
        weight.mistake(format!("\"{text}\" is not a valid weight; write {}", Weight::VALID))
    })
}

fn rate(edge: &[Attribute]) -> Result<Option<Found<Rate>>, Mistake> {
    if let Some(raw) = first(edge, &[SPEED]) {
        return measured(raw, 1.0).map(|it| Some(found(it, raw)));
    }
    let [speed, units] = SPEED_IN_UNITS.map(|it| first(edge, &[it]));
    if let (Some(speed), Some(units)) = (speed, units) {
        let is_prefix = matches!(units.value.trim(), "K" | "k" | "M" | "G" | "T");
        let unit = if is_prefix { "bps" } else { "" };
        let text = format!("{} {}{unit}", speed.value, units.value.trim());
        let value = measured(&Attribute { value: text, ..speed.clone() }, 1.0)?;
        return Ok(Some(Found { value, under: format!("{} and {}", speed.name, units.name) }));
    }
    let Some(rate) = speed.or_else(|| first(edge, &RATES)) else { return Ok(None) };
    Ok(Some(found(measured(rate, 1e6)?, rate)))
}

fn delay(edge: &[Attribute]) -> Result<Option<Found<Duration>>, Mistake> {
    if let Some(delay) = first(edge, &DELAYS) {
        return measured(delay, 1e-3).map(|it| Some(found(it, delay)));
    }
    let Some(length) = first(edge, &LENGTHS) else { return Ok(None) };
    let Length(metres) = measured(length, 1e3)?;
    let delay = in_fibre(metres / 1e3).filter(|_| metres >= 0.0).ok_or_else(|| {
        length
            .mistake(format!("\"{}\" is not the length of a link", length.value))
            .help("write one of at least 0 km")
    })?;
    Ok(Some(found(delay, length)))
}

/// How long light takes in a fibre of that length, in km.
pub(crate) fn in_fibre(kilometres: f64) -> Option<Duration> {
    Duration::from_seconds(kilometres / LIGHT_IN_FIBRE)
}

fn loss(edge: &[Attribute]) -> Result<Option<Found<Share>>, Mistake> {
    let Some(loss) = first(edge, &LOSSES) else { return Ok(None) };
    Ok(Some(found(measured(loss, 1.0)?, loss)))
}

fn found<T>(value: T, attribute: &Attribute) -> Found<T> {
    Found { value, under: attribute.name.clone() }
}

/// How much a demand is, in bit/s; without a unit in Mbps.
pub(super) fn demand(value: &Attribute) -> Result<f64, Mistake> {
    let text = value.value.trim();
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number * 1e6),
        Ok(_) => Err(value.mistake(format!("\"{text}\" is not a demand")).help(DEMAND)),
        Err(_) => measured(value, 1e6).map(|it: Rate| it.base()),
    }
}

const DEMAND: &str = "write a number of Mbps that is not negative";

/// A quantity, whose number alone is in a unit worth so much of the base unit.
fn measured<T: Quantity>(attribute: &Attribute, worth: f64) -> Result<T, Mistake> {
    let text = attribute.value.trim();
    let wrong = |why| format!("\"{text}\" {why}; write {} such as \"{}\"", T::NAME, T::EXAMPLE);
    let value = match text.parse::<f64>() {
        Ok(number) if number < 0.0 => Err(wrong("is negative")),
        Ok(number) => T::from_base(number * worth, "").map_err(wrong),
        Err(_) => parse_usual(text),
    };
    value.map_err(|why| attribute.mistake(why))
}
