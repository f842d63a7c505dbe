//! Quantities as users write them: a number and its unit.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};
use windtunnel_engine::{Duration, Rate};

use crate::located::Located;

/// A kind of quantity: what it is called, its units, and how a number of them
/// becomes a value.
pub trait Quantity: Sized {
    /// With its article: "a duration".
    const NAME: &'static str;
    /// As a user would write it.
    const EXAMPLE: &'static str;
    /// Each unit with its worth in the base unit.
    const UNITS: &'static [(&'static str, f64)];
    /// Whether it may be negative.
    const SIGNED: bool = false;

    /// From a number of base units, or why not. `unit` is the unit as written.
    ///
    /// # Errors
    /// Why it is no such quantity.
    fn from_base(base: f64, unit: &str) -> Result<Self, &'static str>;

    /// The number of base units.
    fn base(&self) -> f64;

    /// The units that it may be written in.
    fn units(&self) -> &'static [(&'static str, f64)] {
        Self::UNITS
    }
}

/// A quantity as a user would write it: in the largest unit in which it is a whole
/// number.
#[must_use]
pub fn written<T: Quantity>(quantity: &T) -> String {
    let in_unit = |worth: f64| quantity.base() / worth;
    let is_whole = |worth: f64| {
        let number = in_unit(worth);
        number.abs() >= 1.0 && (number - number.round()).abs() < 1e-9
    };
    let whole = quantity.units().iter().rev().filter(|it| is_whole(it.1));
    let largest = whole.max_by(|one, other| one.1.total_cmp(&other.1));
    let base = quantity.units().iter().find(|it| it.1 == 1.0);
    match (largest, base.or(quantity.units().first())) {
        (Some((unit, worth)), _) => format!("{} {unit}", in_unit(*worth).round()),
        (None, Some((unit, worth))) => format!("{} {unit}", in_unit(*worth)),
        (None, None) => unreachable!("every quantity has a unit"),
    }
}

/// Reads a quantity.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn parse<T: Quantity>(text: &str) -> Result<T, String> {
    let advice = || {
        let units: Vec<&str> = T::UNITS.iter().map(|(unit, _)| *unit).collect();
        format!("write {} such as \"{}\" (units: {})", T::NAME, T::EXAMPLE, units.join(", "))
    };
    let text = text.trim();
    let unit_start = end_of_number(text);
    let (number, unit) = (text[..unit_start].replace('_', ""), text[unit_start..].trim());
    let Ok(number) = number.parse::<f64>() else {
        return Err(format!("\"{text}\" is not {}; {}", T::NAME, advice()));
    };
    if unit.is_empty() {
        return Err(format!("\"{text}\" has no unit; {}", advice()));
    }
    let Some((_, worth)) = T::UNITS.iter().find(|(it, _)| *it == unit) else {
        let meant = other_spelling(unit).filter(|it| T::UNITS.iter().any(|(known, _)| known == it));
        let advice = meant.map_or_else(advice, |it| format!("write `{it}`"));
        return Err(format!("`{unit}` is not a valid unit for {}; {advice}", T::NAME));
    };
    if number < 0.0 && !T::SIGNED {
        return Err(format!("\"{text}\" is negative; {}", advice()));
    }
    T::from_base(number * worth, unit).map_err(|why| format!("\"{text}\" {why}; {}", advice()))
}

/// Reads a quantity whose unit may be spelled as other programs do, such as `10 Mbit/s`.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn parse_usual<T: Quantity>(text: &str) -> Result<T, String> {
    let (number, unit) = text.split_at(end_of_number(text.trim_end()));
    match other_spelling(unit.trim()) {
        Some(unit) => parse(&format!("{number} {unit}")),
        None => parse(text),
    }
}

/// Where the number ends that a text begins with: it may have an exponent.
fn end_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_sign = |place: usize| matches!(bytes.get(place), Some(b'+' | b'-'));
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let is_exponent = |place: usize| {
        matches!(bytes[place], b'e' | b'E')
            && place > 0
            && is_digit(place - 1)
            && (is_digit(place + 1) || is_sign(place + 1) && is_digit(place + 2))
    };
    let belongs = |place: &usize| {
        matches!(bytes[*place], b'0'..=b'9' | b'.' | b'-' | b'+' | b'_') || is_exponent(*place)
    };
    (0..bytes.len()).find(|place| !belongs(place)).unwrap_or(bytes.len())
}

/// How scenarios spell a unit of rates that is often written in another way.
fn other_spelling(unit: &str) -> Option<String> {
    let (prefix, rest) = match unit.char_indices().nth(1) {
        Some((end, _)) if matches!(unit.as_bytes()[0], b'k' | b'K' | b'M' | b'G' | b'T') => {
            unit.split_at(end)
        }
        _ => ("", unit),
    };
    let is_rate = matches!(rest, "bit/s" | "bits/s" | "b/s" | "bits" | "bit" | "bps" | "BPS");
    let prefix = if prefix == "K" { "k" } else { prefix };
    is_rate.then(|| format!("{prefix}bps"))
}

/// A duration as scenarios write it, such as `2 s`.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn duration(text: &str) -> Result<Duration, String> {
    parse(text)
}

/// Every unit that a scenario can have, with its worth in a base unit, and the name of
/// that; shares have none.
#[must_use]
pub fn units() -> Vec<(&'static str, f64, &'static str)> {
    fn of<T: Quantity>() -> Vec<(&'static str, f64, &'static str)> {
        let base = T::UNITS.iter().find(|(_, worth)| *worth == 1.0).map_or("", |(unit, _)| *unit);
        T::UNITS.iter().map(|(unit, worth)| (*unit, *worth, base)).collect()
    }
    [
        of::<Duration>(),
        of::<Rate>(),
        of::<Bytes>(),
        of::<PacketCount>(),
        of::<Segments>(),
        of::<Share>(),
        of::<PerSecond>(),
        of::<Frequency>(),
        of::<Power>(),
        of::<Decibels>(),
        of::<Gain>(),
        of::<Length>(),
        of::<Angle>(),
        of::<Speed>(),
        of::<SpectralEfficiency>(),
        of::<Temperature>(),
        of::<RainRate>(),
        of::<WaterContent>(),
    ]
    .concat()
}

/// A quantity in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured<T>(pub T);

impl<'de, T: Quantity> Deserialize<'de> for Measured<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);
        impl<T: Quantity> Visitor<'_> for Text<T> {
            type Value = Measured<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{} such as \"{}\"", T::NAME, T::EXAMPLE)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                parse(text).map(Measured).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Text(PhantomData))
    }
}

impl<T: Quantity> Serialize for Measured<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(&self.0))
    }
}

impl<T: Quantity> JsonSchema for Measured<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let units: Vec<&str> = T::UNITS.iter().map(|(unit, _)| *unit).collect();
        let sign = if T::SIGNED { "-?" } else { "" };
        json_schema!({
            "type": "string",
            "title": T::NAME.trim_start_matches("an ").trim_start_matches("a "),
            "pattern": format!("^ *{sign}[0-9._]+ *({}) *$", units.join("|")),
            "examples": [T::EXAMPLE],
        })
    }
}

impl Quantity for Duration {
    const NAME: &'static str = "a duration";
    const EXAMPLE: &'static str = "10 ms";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("min", 60.0),
        ("h", 3600.0),
    ];

    fn from_base(seconds: f64, _: &str) -> Result<Self, &'static str> {
        match Self::from_seconds(seconds) {
            Some(Self::ZERO) if seconds > 0.0 => Err("is less than the resolution, 1 ps"),
            it => it.ok_or("is longer than the maximum, 213 days"),
        }
    }

    fn base(&self) -> f64 {
        self.as_seconds()
    }
}

impl Quantity for Rate {
    const NAME: &'static str = "a rate";
    const EXAMPLE: &'static str = "100 Mbps";
    const UNITS: &'static [(&'static str, f64)] =
        &[("bps", 1.0), ("kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9), ("Tbps", 1e12)];

    fn from_base(rate: f64, _: &str) -> Result<Self, &'static str> {
        if rate > 1e15 {
            return Err("is more than 1000 Tbps");
        }
        Self::from_bits_per_second(rate.round() as u64).ok_or("never sends anything")
    }

    fn base(&self) -> f64 {
        self.bits_per_second() as f64
    }
}

/// How often in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frequency(pub f64);

impl Quantity for Frequency {
    const NAME: &'static str = "a frequency";
    const EXAMPLE: &'static str = "1.25 Hz";
    const UNITS: &'static [(&'static str, f64)] =
        &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)];

    fn from_base(frequency: f64, _: &str) -> Result<Self, &'static str> {
        if frequency > 1e12 { Err("is above 1000 GHz") } else { Ok(Self(frequency)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A power, in dBm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power(pub f64);

impl Quantity for Power {
    const NAME: &'static str = "a power";
    const EXAMPLE: &'static str = "30 dBm";
    const UNITS: &'static [(&'static str, f64)] = &[("dBm", 1.0)];
    const SIGNED: bool = true;

    fn from_base(power: f64, _: &str) -> Result<Self, &'static str> {
        if power.abs() > 100.0 { Err("is not between -100 and 100 dBm") } else { Ok(Self(power)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A ratio of two powers, in dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decibels(pub f64);

impl Quantity for Decibels {
    const NAME: &'static str = "a ratio in decibels";
    const EXAMPLE: &'static str = "3 dB";
    const UNITS: &'static [(&'static str, f64)] = &[("dB", 1.0)];
    const SIGNED: bool = true;

    fn from_base(ratio: f64, _: &str) -> Result<Self, &'static str> {
        if ratio.abs() > 200.0 { Err("is not between -200 and 200 dB") } else { Ok(Self(ratio)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// An antenna's gain, in dBi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain(pub f64);

impl Quantity for Gain {
    const NAME: &'static str = "a gain";
    const EXAMPLE: &'static str = "40 dBi";
    const UNITS: &'static [(&'static str, f64)] = &[("dBi", 1.0)];

    fn from_base(gain: f64, _: &str) -> Result<Self, &'static str> {
        if gain > 100.0 { Err("is above 100 dBi") } else { Ok(Self(gain)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// The temperature of air, in degrees Celsius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(pub f64);

impl Quantity for Temperature {
    const NAME: &'static str = "a temperature";
    const EXAMPLE: &'static str = "15 °C";
    const UNITS: &'static [(&'static str, f64)] = &[("°C", 1.0), ("C", 1.0)];
    const SIGNED: bool = true;

    fn from_base(degrees: f64, _: &str) -> Result<Self, &'static str> {
        if degrees.abs() > 60.0 { Err("is not between -60 and 60 °C") } else { Ok(Self(degrees)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// How fast rain falls, in mm/h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RainRate(pub f64);

impl Quantity for RainRate {
    const NAME: &'static str = "a rain rate";
    const EXAMPLE: &'static str = "12.5 mm/h";
    const UNITS: &'static [(&'static str, f64)] = &[("mm/h", 1.0)];

    fn from_base(rate: f64, _: &str) -> Result<Self, &'static str> {
        Ok(Self(rate))
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// The water in air, in g/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterContent(pub f64);

impl Quantity for WaterContent {
    const NAME: &'static str = "a water content";
    const EXAMPLE: &'static str = "7.5 g/m³";
    const UNITS: &'static [(&'static str, f64)] = &[("g/m³", 1.0), ("g/m3", 1.0)];

    fn from_base(content: f64, _: &str) -> Result<Self, &'static str> {
        if content > 100.0 { Err("is above 100 g/m³") } else { Ok(Self(content)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A length, or a coordinate, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length(pub f64);

/// An angle, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle(pub f64);

impl Quantity for Angle {
    const NAME: &'static str = "an angle";
    const EXAMPLE: &'static str = "25°";
    const UNITS: &'static [(&'static str, f64)] =
        &[("°", 1.0), ("deg", 1.0), ("mrad", 0.18 / std::f64::consts::PI)];
    const SIGNED: bool = true;

    fn from_base(degrees: f64, _: &str) -> Result<Self, &'static str> {
        if degrees.abs() > 360.0 { Err("is more than 360°") } else { Ok(Self(degrees)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

impl Quantity for Length {
    const NAME: &'static str = "a length";
    const EXAMPLE: &'static str = "10 m";
    const UNITS: &'static [(&'static str, f64)] =
        &[("nm", 1e-9), ("um", 1e-6), ("µm", 1e-6), ("mm", 1e-3), ("m", 1.0), ("km", 1e3)];
    const SIGNED: bool = true;

    fn from_base(length: f64, _: &str) -> Result<Self, &'static str> {
        if length.abs() > 1e8 {
            Err("is not between -100000 and 100000 km")
        } else {
            Ok(Self(length))
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A speed, in metres a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(pub f64);

impl Quantity for Speed {
    const NAME: &'static str = "a speed";
    const EXAMPLE: &'static str = "1.5 m/s";
    const UNITS: &'static [(&'static str, f64)] = &[("m/s", 1.0), ("km/h", 1.0 / 3.6)];

    fn from_base(speed: f64, _: &str) -> Result<Self, &'static str> {
        if speed > 1000.0 { Err("is above 1000 m/s") } else { Ok(Self(speed)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A spectral efficiency, in bit/s/Hz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectralEfficiency(pub f64);

impl Quantity for SpectralEfficiency {
    const NAME: &'static str = "a spectral efficiency";
    const EXAMPLE: &'static str = "4.4 bit/s/Hz";
    const UNITS: &'static [(&'static str, f64)] = &[("bit/s/Hz", 1.0)];

    fn from_base(efficiency: f64, _: &str) -> Result<Self, &'static str> {
        if efficiency > 100.0 { Err("is above 100 bit/s/Hz") } else { Ok(Self(efficiency)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl Quantity for Bytes {
    const NAME: &'static str = "a size";
    const EXAMPLE: &'static str = "64 KiB";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];

    fn from_base(bytes: f64, _: &str) -> Result<Self, &'static str> {
        if bytes > 1e18 { Err("is above 1000 PB") } else { Ok(Self(bytes.round() as u64)) }
    }

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

/// Refuses numbers of packets that are not whole or too large.
fn check_packets(number: f64) -> Result<(), &'static str> {
    match number {
        _ if number > f64::from(u32::MAX) => Err("is more than 4294967295 packets"),
        _ if number.fract() != 0.0 => Err("is not a whole number of packets"),
        _ => Ok(()),
    }
}

/// Packets of a content store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketCount(pub usize);

impl Quantity for PacketCount {
    const NAME: &'static str = "a number of packets";
    const EXAMPLE: &'static str = "100 packets";
    const UNITS: &'static [(&'static str, f64)] = &[("packets", 1.0), ("packet", 1.0)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        check_packets(base)?;
        Ok(Self(base as usize))
    }

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

/// A window, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segments(pub f64);

impl Quantity for Segments {
    const NAME: &'static str = "a window";
    const EXAMPLE: &'static str = "2 segments";
    const UNITS: &'static [(&'static str, f64)] = &[("segments", 1.0), ("segment", 1.0)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (1.0..=1e6).contains(&base) {
            Ok(Self(base))
        } else {
            Err("is not between 1 and 1,000,000")
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// How many arrive in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerSecond(pub f64);

impl Quantity for PerSecond {
    const NAME: &'static str = "a rate of events";
    const EXAMPLE: &'static str = "100 per second";
    const UNITS: &'static [(&'static str, f64)] =
        &[("per second", 1.0), ("per minute", 1.0 / 60.0), ("per hour", 1.0 / 3600.0)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if base > 1e9 { Err("is more than a billion in a second") } else { Ok(Self(base)) }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A probability or a share, such as `"1 %"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl Quantity for Share {
    const NAME: &'static str = "a probability";
    const EXAMPLE: &'static str = "1 %";
    const UNITS: &'static [(&'static str, f64)] = &[("%", 0.01)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (0.0..=1.0).contains(&base) {
            Ok(Self(base))
        } else {
            Err("is not between 0 % and 100 %")
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// How much is offered to a link, as a share of its rate; more than the link has is possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load(pub f64);

impl Quantity for Load {
    const NAME: &'static str = "a load";
    const EXAMPLE: &'static str = "60 %";
    const UNITS: &'static [(&'static str, f64)] = Share::UNITS;

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (0.0..=10.0).contains(&base) {
            Ok(Self(base))
        } else {
            Err("is not between 0 % and 1000 %")
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

// -- Defaults ---------------------------------------------------------------

/// A number of microseconds, as a default.
#[must_use]
pub fn microseconds<const NUMBER: u64>() -> Located<Measured<Duration>> {
    Measured(Duration::from_micros(NUMBER)).into()
}

/// A number of milliseconds, as a default.
#[must_use]
pub fn milliseconds<const NUMBER: u64>() -> Located<Measured<Duration>> {
    Measured(Duration::from_millis(NUMBER)).into()
}

/// A number of bytes, as a default.
#[must_use]
pub fn bytes<const NUMBER: u64>() -> Located<Measured<Bytes>> {
    Measured(Bytes(NUMBER)).into()
}

/// A number of thousandths of a hertz, as a default.
#[must_use]
pub fn millihertz<const NUMBER: u32>() -> Located<Measured<Frequency>> {
    Measured(Frequency(f64::from(NUMBER) / 1000.0)).into()
}

/// A number of decibels, as a default.
#[must_use]
pub fn decibels<const NUMBER: i32>() -> Located<Measured<Decibels>> {
    Measured(Decibels(f64::from(NUMBER))).into()
}

/// A number of percent, as a default.
#[must_use]
pub fn percent<const NUMBER: u32>() -> Measured<Share> {
    Measured(Share(f64::from(NUMBER) / 100.0))
}

/// A number of segments, as a default.
#[must_use]
pub fn segments<const NUMBER: u32>() -> Located<Measured<Segments>> {
    Measured(Segments(f64::from(NUMBER))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(parse("10 ms"), Ok(Duration::from_millis(10)));
        assert_eq!(parse("1.5ms"), Ok(Duration::from_micros(1500)));
        assert_eq!(parse::<Rate>("2.5 Gbps").unwrap().bits_per_second(), 2_500_000_000);
        assert_eq!(parse::<Rate>("1e9 bps").unwrap().bits_per_second(), 1_000_000_000);
        assert_eq!(parse("2.5E-3 s"), Ok(Duration::from_micros(2500)));
        assert_eq!(parse("64 KiB"), Ok(Bytes(65_536)));
        assert_eq!(parse("5 %"), Ok(Share(0.05)));
        assert_eq!(parse("-10.5 dBm"), Ok(Power(-10.5)));
        assert_eq!(parse("-3 dB"), Ok(Decibels(-3.0)));
        assert_eq!(parse("-0.05 km"), Ok(Length(-50.0)));
        assert_eq!(parse("36 km/h"), Ok(Speed(10.0)));
        assert_eq!(parse("3.5 GHz"), Ok(Frequency(3.5e9)));
        assert_eq!(parse("4.4 bit/s/Hz"), Ok(SpectralEfficiency(4.4)));
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        assert_eq!(written(&Duration::from_millis(5)), "5 ms");
        assert_eq!(written(&Duration::from_micros(125)), "125 us");
        assert_eq!(written(&Duration::ZERO), "0 s");
        assert_eq!(written(&Bytes(65_536)), "64 KiB");
        assert_eq!(written(&Bytes(1514)), "1514 B");
        assert_eq!(written(&Frequency(0.125)), "0.125 Hz");
        assert_eq!(written(&Share(0.25)), "25 %");
        assert_eq!(written(&Decibels(-10.0)), "-10 dB");
        proptest::proptest!(|(nanoseconds in 0_u64..1 << 50)| {
            let duration = Duration::from_nanos(nanoseconds);
            let again: Duration = parse(&written(&duration)).unwrap();
            assert!((again.as_seconds() / duration.as_seconds() - 1.0).abs() < 1e-9 || nanoseconds == 0);
        });
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let wrong = |text| parse::<Duration>(text).unwrap_err();
        for (text, expected) in [
            ("10", "has no unit"),
            ("10 Mbps", "`Mbps` is not a valid unit for a duration"),
            ("-1 ms", "is negative"),
            ("soon", "is not a duration"),
            ("1e9 h", "213 days"),
            ("1e h", "is not a valid unit"),
            ("999999999 h", "213 days"),
            ("0.0001 ns", "1 ps"),
        ] {
            let message = wrong(text);
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("\"10 ms\""), "{message}");
        }
        assert!(parse::<Rate>("0 Mbps").unwrap_err().contains("never sends anything"));
        for (text, right) in [
            ("10 Mbit/s", "`Mbps`"),
            ("10 Mb/s", "`Mbps`"),
            ("1 Gbits", "`Gbps`"),
            ("5 Kbps", "`kbps`"),
            ("5 bit/s", "`bps`"),
        ] {
            let message = parse::<Rate>(text).unwrap_err();
            assert!(message.ends_with(&format!("; write {right}")), "{message}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        proptest::proptest!(|(text in "\\PC{0,12}")| {
            let _ = parse::<Duration>(&text);
            let _ = parse::<PacketCount>(&text);
            let _ = parse::<Share>(&text);
            let _ = parse::<Length>(&text);
        });
    }
}
