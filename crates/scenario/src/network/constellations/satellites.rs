//! Which satellites a constellation has.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use windtunnel_orbits::{self as orbits, Orbit, PRESETS, Walker};
use windtunnel_reading::choice;

use super::elements::{Elements, TleFile};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::{Angle, Length, Measured};

/// Which satellites a constellation has.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "key", rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum Satellites {
    /// Those of a known constellation.
    Preset(PresetSatellites),
    /// A pattern of planes.
    Planes(Planes),
    /// Those of a file.
    Tle(TleFile),
}

/// The satellites of a known constellation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PresetSatellites {
    /// `starlink-s1` (72 planes of 22 satellites), `starlink-s1-2018` (24 of 66),
    /// `starlink-gen1` (five shells, 4,408 satellites), `kuiper-k1` (34 of 34), `telesat-t1`
    /// (27 of 13), `oneweb` (12 of 49) or `iridium` (6 of 11).
    preset: Located<String>,
}

/// Circular orbits of one altitude and inclination, in planes at equal distances (Walker).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Planes {
    /// How many planes there are.
    planes: Located<u16>,
    /// How many satellites are in each.
    satellites_per_plane: Located<u16>,
    /// Their height over the equator, whose radius is 6378.137 km.
    altitude: Located<Measured<Length>>,
    /// The angle between the planes and the equator.
    inclination: Located<Measured<Angle>>,
    /// How the planes are spread.
    #[serde(default)]
    pattern: Pattern,
    /// How far the satellites of a plane are ahead of those of the plane before: Walker's
    /// factor, of which as many as there are planes are a slot; or `"alternate"`: those of
    /// every second plane are half a slot ahead.
    #[serde(default)]
    phase: Phase,
    /// How orbits change in the course of time.
    #[serde(default)]
    propagation: Propagation,
}

choice! {
    /// How planes are spread.
    Pattern as orbits::WalkerPattern {
        /// Over 360°.
        Delta,
        /// Over 180°: on one side of the Earth all satellites go north, on the other south.
        Star,
    }
}

/// How orbits change in the course of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Propagation {
    /// The oblateness of the Earth turns their planes and changes their period.
    #[default]
    J2,
    /// Orbits do not change.
    Kepler,
}

/// How far planes are shifted against each other.
#[derive(Clone, Copy, Debug)]
struct Phase(orbits::Phase);

impl Default for Phase {
    fn default() -> Self {
        Self(orbits::Phase::Walker(0))
    }
}

/// The satellites of a constellation.
pub(super) struct Members {
    pub(super) orbits: Vec<Orbit>,
    /// Their names.
    pub(super) names: Vec<String>,
    /// The least elevation at which they are used where none is written, in degrees.
    pub(super) elevation: f64,
    pub(super) layout: Layout,
}

/// How satellites lie to each other.
pub(super) enum Layout {
    /// In patterns, one after the other.
    Patterns(Vec<Walker>),
    /// As the elements of a file have it.
    Elements(Elements),
}

/// A usual elevation, in degrees.
const ELEVATION: f64 = 25.0;

impl Satellites {
    /// The satellites of a constellation of that name.
    pub(super) fn members(&self, name: &str, files: &mut Files<'_>) -> Result<Members, Mistake> {
        match self {
            Self::Preset(it) => it.members(name),
            Self::Planes(it) => Ok(members(name, vec![it.walker()?], ELEVATION)),
            Self::Tle(it) => {
                let elements = it.read(files)?;
                Ok(Members {
                    orbits: elements.records.iter().map(|it| it.orbit.clone()).collect(),
                    names: elements.names(name),
                    elevation: ELEVATION,
                    layout: Layout::Elements(elements),
                })
            }
        }
    }
}

impl PresetSatellites {
    fn members(&self, name: &str) -> Result<Members, Mistake> {
        let preset = PRESETS.iter().find(|it| it.name == self.preset.value).ok_or_else(|| {
            let known: Vec<&str> = PRESETS.iter().map(|it| it.name).collect();
            self.preset
                .mistake(format!("there is no preset `{}`", self.preset.value))
                .help(suggestion(&self.preset.value, &known))
        })?;
        Ok(members(name, preset.shells.to_vec(), preset.elevation))
    }
}

fn members(name: &str, shells: Vec<Walker>, elevation: f64) -> Members {
    let orbits = shells.iter().flat_map(Walker::orbits).map(Orbit::Circular).collect();
    let has_shells = shells.len() > 1;
    let names = shells.iter().enumerate().flat_map(|(shell, walker)| {
        let shell = if has_shells { format!("-{shell}") } else { String::new() };
        (0..walker.planes).flat_map(move |plane| {
            let shell = shell.clone();
            (0..walker.per_plane).map(move |slot| format!("{name}{shell}-{plane}-{slot}"))
        })
    });
    Members { orbits, names: names.collect(), elevation, layout: Layout::Patterns(shells) }
}

impl Planes {
    fn walker(&self) -> Result<Walker, Mistake> {
        for count in [&self.planes, &self.satellites_per_plane] {
            count.checked(
                |it| (1..=1_000).contains(it),
                || format!("{} of them", count.value),
                "write 1 to 1000",
            )?;
        }
        let altitude = self.altitude.value.0.0 / 1e3;
        self.altitude.checked(
            |_| (160.0..=60_000.0).contains(&altitude),
            || format!("an altitude of {altitude} km is out of range"),
            "write one from \"160 km\" to \"60000 km\"; lower ones decay within days",
        )?;
        let inclination = self.inclination.value.0.0;
        self.inclination.checked(
            |_| (0.0..=180.0).contains(&inclination),
            || format!("an inclination of {inclination}° is out of range"),
            "write one from \"0°\" to \"180°\"",
        )?;
        Ok(Walker {
            pattern: self.pattern.into(),
            planes: usize::from(self.planes.value),
            per_plane: usize::from(self.satellites_per_plane.value),
            altitude,
            inclination,
            phase: self.phase.0,
            precesses: self.propagation == Propagation::J2,
        })
    }
}

impl<'de> Deserialize<'de> for Phase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FactorOrWord;
        impl Visitor<'_> for FactorOrWord {
            type Value = Phase;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a whole number from 0, or \"alternate\"")
            }
            fn visit_i64<E: Error>(self, factor: i64) -> Result<Phase, E> {
                let factor = u32::try_from(factor);
                let factor = factor
                    .map_err(|_| E::custom("`phase` must not be negative; write 0 or more"))?;
                Ok(Phase(orbits::Phase::Walker(factor)))
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Phase, E> {
                match word {
                    "alternate" => Ok(Phase(orbits::Phase::Alternate)),
                    other => Err(E::custom(format!(
                        "unknown phase `{other}`; write a whole number, or \"alternate\""
                    ))),
                }
            }
        }
        deserializer.deserialize_any(FactorOrWord)
    }
}

impl Serialize for Phase {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            orbits::Phase::Walker(factor) => serializer.serialize_u32(factor),
            orbits::Phase::Alternate => serializer.serialize_str("alternate"),
        }
    }
}

impl JsonSchema for Phase {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "phase".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "enum": ["alternate"] }] })
    }
}
