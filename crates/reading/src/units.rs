//! The quantities of scenarios: those of `windtunnel_units`, and those that only scenarios have.

use windtunnel_engine::{Duration, Rate};
pub use windtunnel_units::Measured;
pub use windtunnel_units::{
    Bytes, PacketCount, Quantity, Segments, Share, parse, parse_usual, written,
};

use crate::located::Located;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(parse("-10.5 dBm"), Ok(Power(-10.5)));
        assert_eq!(parse("-3 dB"), Ok(Decibels(-3.0)));
        assert_eq!(parse("-0.05 km"), Ok(Length(-50.0)));
        assert_eq!(parse("36 km/h"), Ok(Speed(10.0)));
        assert_eq!(parse("3.5 GHz"), Ok(Frequency(3.5e9)));
        assert_eq!(parse("4.4 bit/s/Hz"), Ok(SpectralEfficiency(4.4)));
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        assert_eq!(written(&Frequency(0.125)), "0.125 Hz");
        assert_eq!(written(&Decibels(-10.0)), "-10 dB");
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        proptest::proptest!(|(text in "\\PC{0,12}")| {
            let _ = parse::<Length>(&text);
        });
    }
}
