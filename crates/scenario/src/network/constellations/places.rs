//! Places on the Earth, as scenarios name them, and journeys between them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use windtunnel_engine::Duration;
use windtunnel_orbits::{Coordinates, GroundPath, cities};

use crate::reading::error::{Mistake, did_you_mean};
use crate::reading::located::Located;
use crate::reading::units::{Angle, Measured};

/// A place on the Earth: the name of a large city, or its latitude and longitude.
#[derive(Clone, Debug)]
pub(crate) enum GeographicPosition {
    City(String),
    Coordinates([Measured<Angle>; 2]),
}

/// A place at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journey {
    /// When the node is there.
    at: Located<Measured<Duration>>,
    /// Where.
    place: Located<GeographicPosition>,
}

impl GeographicPosition {
    fn coordinates(place: &Located<Self>) -> Result<Coordinates, Mistake> {
        match &place.value {
            Self::City(name) => city(name).ok_or_else(|| {
                let known: Vec<&str> = cities().map(|it| it.0).collect();
                let meant = did_you_mean(name, &known);
                let meant = meant.map_or(String::new(), |it| format!("{it} Or "));
                place
                    .mistake(format!("`{name}` is not among the largest cities of the world"))
                    .help(format!("{meant}write its coordinates, such as [\"51.5°\", \"-0.1°\"]"))
            }),
            Self::Coordinates([latitude, longitude]) => {
                let (latitude, longitude) = (latitude.0.0, longitude.0.0);
                place.checked(
                    |_| latitude.abs() <= 90.0,
                    || format!("a latitude of {latitude}° is out of range"),
                    "write the latitude first, from \"-90°\" to \"90°\", then the longitude",
                )?;
                place.checked(
                    |_| longitude.abs() <= 180.0,
                    || format!("a longitude of {longitude}° is out of range"),
                    "write one from \"-180°\" to \"180°\"; east is positive",
                )?;
                Ok(Coordinates::on_the_ground(latitude, longitude))
            }
        }
    }
}

/// The city of that name, or the only one that is called after it and others, as cities are that
/// have grown together.
fn city(name: &str) -> Option<Coordinates> {
    let name = name.to_lowercase();
    let named = cities().find(|it| it.0.to_lowercase() == name);
    let first = format!("{name} ");
    let mut others = cities().filter(|it| it.0.to_lowercase().starts_with(&first));
    let only = others.next().filter(|_| others.next().is_none());
    named.or(only).map(|it| it.1)
}

/// Where a node is in the course of time, if it has a place or a journey.
pub(crate) fn path(
    place: Option<&Located<GeographicPosition>>,
    journey: Option<&Located<Vec<Journey>>>,
) -> Result<Option<GroundPath>, Mistake> {
    let Some(journey) = journey else {
        return place.map(|it| GeographicPosition::coordinates(it).map(GroundPath::at)).transpose();
    };
    if place.is_some() {
        let message = "`place` and `journey` cannot both be set";
        return Err(journey.mistake(message).help("remove one of them"));
    }
    let corner = |it: &Journey| {
        Ok((it.at.value.0.as_seconds(), GeographicPosition::coordinates(&it.place)?))
    };
    let corners = journey.value.iter().map(corner).collect::<Result<Vec<_>, Mistake>>()?;
    let late = corners.windows(2).position(|it| it[0].0 >= it[1].0);
    if let Some(before) = late {
        let message = "the times of a journey must increase";
        return Err(journey.value[before + 1].at.mistake(message).help("write a later one"));
    }
    GroundPath::along(corners).map(Some).ok_or_else(|| {
        journey
            .mistake("the journey has no place")
            .help("write one such as { at = \"0 s\", place = \"London\" }")
    })
}

impl<'de> Deserialize<'de> for GeographicPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CityOrCoordinates;
        impl<'de> Visitor<'de> for CityOrCoordinates {
            type Value = GeographicPosition;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a city, or a latitude and a longitude")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<GeographicPosition, E> {
                Ok(GeographicPosition::City(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<GeographicPosition, A::Error> {
                let mut degrees = Vec::new();
                while let Some(it) = items.next_element()? {
                    degrees.push(it);
                }
                let count = degrees.len();
                degrees.try_into().map(GeographicPosition::Coordinates).map_err(|_| {
                    A::Error::custom(format!(
                        "a place has a latitude and a longitude, not {count} angles; write \
                         [\"51.5°\", \"-0.1°\"]"
                    ))
                })
            }
        }
        deserializer.deserialize_any(CityOrCoordinates)
    }
}

impl JsonSchema for GeographicPosition {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "place".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let angle = generator.subschema_for::<Measured<Angle>>();
        json_schema!({
            "anyOf": [
                { "type": "string", "description": "city" },
                { "type": "array", "items": angle, "minItems": 2, "maxItems": 2 }
            ]
        })
    }
}
