//! Fixed radio links.

mod adaptation;
mod antenna;
mod medium_access;
mod reflection;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::choice;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::lengths::positive;
use windtunnel_reading::located::{Each, Located, number};
use windtunnel_reading::timers::sampling;
use windtunnel_reading::units::{
    Angle, Decibels, Frequency, Length, Measured, Power, Temperature, WaterContent, decibels,
    milliseconds,
};

use crate::ChannelMaker;
use crate::atmosphere::{self, Air};
use crate::fixed_wireless::{self, FixedWirelessPlan, Ladder, RainExtent as Extent};
use crate::keys::Keys;
use crate::pace::Pace;
use crate::weather::{Fog, Rain, Weather};
use adaptation::Adaptation;
use antenna::{Antenna, Beams};
use medium_access::MediumAccess;
use reflection::Reflection;

/// The carriers that the recommendations for rain and fog are for, in Hz.
const CARRIERS: std::ops::RangeInclusive<f64> = 1e9..=200e9;
/// The longest path, in metres: longer ones see the Earth's curvature.
const MOST_DISTANCE: f64 = 100e3;
/// More water vapour than any air has that is not warmer than 60 °C.
const MOST_VAPOUR: f64 = 130.0;
/// 0 °C in kelvins.
const ZERO_CELSIUS: f64 = 273.15;

/// A fixed radio link.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedWirelessKeys {
    /// How fast it sends, by a fixed radio.
    fixed_wireless: Located<FixedWireless>,
}

/// A fixed radio link: two antennas that point at each other, with the single-carrier schemes of
/// IEEE 802.11ad in a channel of 2.16 GHz, such as from roof to roof at 60 GHz. How fast it sends,
/// and which packets have errors, follows from the received power. A value that may differ by
/// direction is one for both, or an array of two: for what the first node sends, and for what the
/// second node sends; one that may differ by end likewise: for the first node's antenna, and for
/// the second's.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FixedWireless {
    /// The carrier's frequency: 1 GHz to 200 GHz.
    carrier: Located<Measured<Frequency>>,
    /// From one antenna to the other.
    distance: Located<Measured<Length>>,
    /// The transmitted power with the transmitting antenna's gain (EIRP); with control of the
    /// power, the most.
    eirp: Each<Measured<Power>>,
    /// The antenna of each end.
    antenna: Each<Antenna>,
    /// The pointing error of each antenna, to the side.
    #[serde(default = "on_axis")]
    pointing_error: Each<Located<Measured<Angle>>>,
    /// The beams of phased arrays at both ends; default: the antennas do not steer.
    beams: Option<Beams>,
    /// The air's temperature, on which the absorption by oxygen depends.
    #[serde(default = "mild")]
    temperature: Measured<Temperature>,
    /// The water vapour in the air. Its pressure is 1013.25 hPa.
    #[serde(default = "vapour")]
    vapour: Located<Measured<WaterContent>>,
    /// How much it rains: a rain rate, or a file; default: it does not.
    #[serde(default = "none::<Rain>")]
    rain: Weather<Rain>,
    /// On how much of the path it rains.
    #[serde(default)]
    rain_extent: RainExtent,
    /// The polarisation of the waves, on which the attenuation by rain depends.
    #[serde(default)]
    polarisation: Polarisation,
    /// The liquid water of fog: 0.05 g/m³ at a visibility of 300 m, 0.5 g/m³ at 50 m; or a file;
    /// default: there is none.
    #[serde(default = "none::<Fog>")]
    fog: Weather<Fog>,
    /// Calm water between both ends, which reflects a second ray; default: there is none.
    reflection: Option<Reflection>,
    /// The receivers' noise figure; the standard's sensitivities are for 10 dB.
    #[serde(default = "decibels::<10>")]
    noise_figure: Located<Measured<Decibels>>,
    /// From which SNR on modulation and coding schemes can be used.
    #[serde(default)]
    thresholds: Thresholds,
    /// The slowest scheme that rate adaptation uses: 1 to 12.
    #[serde(default = "number::<2>")]
    lowest_mcs: Located<u16>,
    /// The fastest one.
    #[serde(default = "number::<12>")]
    highest_mcs: Located<u16>,
    /// Which scheme is used; default: `snr`.
    #[serde(default)]
    adaptation: Adaptation,
    /// How the ends share the channel; default: `time-division`.
    #[serde(default)]
    medium_access: MediumAccess,
    /// How often a packet that is received with errors is sent again at the most.
    #[serde(default = "number::<7>")]
    retransmissions: Located<u16>,
    /// How often the channel is sampled while the weather changes.
    #[serde(default = "milliseconds::<10>")]
    period: Located<Measured<Duration>>,
}

fn on_axis() -> Each<Located<Measured<Angle>>> {
    Located::from(Measured(Angle(0.0))).into()
}

fn mild() -> Measured<Temperature> {
    Measured(Temperature(15.0))
}

fn vapour() -> Located<Measured<WaterContent>> {
    Measured(WaterContent(7.5)).into()
}

fn none<K>() -> Weather<K> {
    Weather::Constant(0.0)
}

choice! {
    /// On how much of the path it rains.
    RainExtent as Extent {
        /// On all of it alike.
        Whole,
        /// On the effective path length of ITU-R P.530: heavy rain falls on a part.
        Effective,
    }
}

choice! {
    /// The polarisation of the waves.
    Polarisation as atmosphere::Polarisation {
        /// Along the ground.
        Horizontal,
        /// Up and down.
        Vertical,
    }
}

choice! {
    /// From which SNR on modulation and coding schemes can be used.
    Thresholds as fixed_wireless::SnrThresholds {
        /// Where IEEE 802.11ad's sensitivities are reached with a noise figure of 10 dB; 5 dB
        /// for an implementation's losses are in them.
        Standard,
        /// Those of Terragraph's network planner.
        Planner,
    }
}

impl Keys for FixedWirelessKeys {
    fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
        let link = &self.fixed_wireless.value;
        let plan = link.plan(files, duration)?;
        let fastest = link.adaptation.fastest(&plan.ladder)?;
        let rates = [plan.access.most(fastest.rate()); 2];
        let physical_layer = [0, 1]
            .map(|half| Some(link.medium_access.layer(half, &plan, link.retransmissions.value)));
        let channel: Option<Arc<dyn ChannelMaker>> = Some(Arc::new(plan));
        let duplex = link.medium_access.duplex();
        Ok(Pace { physical_layer, channel, duplex, ..Pace::of(rates) })
    }
}

impl FixedWireless {
    fn plan(
        &self,
        files: &mut Files<'_>,
        duration: Duration,
    ) -> Result<FixedWirelessPlan, Mistake> {
        let carrier = self.carrier()?;
        Ok(FixedWirelessPlan {
            carrier,
            distance: self.distance()?,
            eirp: self.eirp.0.map(|it| it.0.0),
            ends: [self.end(0, carrier)?, self.end(1, carrier)?],
            air: self.air()?,
            rain: fixed_wireless::Rain {
                rate: self.rain.plan(files)?,
                polarisation: self.polarisation.into(),
                extent: self.rain_extent.into(),
            },
            fog: self.fog.plan(files)?,
            reflection: self.reflection.as_ref().map(Reflection::plan).transpose()?,
            noise_figure: not_negative(&self.noise_figure, "noise_figure")?,
            ladder: self.ladder()?,
            adaptation: self.adaptation.plan(self.eirp.0.map(|it| it.0.0))?,
            access: self.medium_access.plan()?,
            period: sampling(&self.period, duration)?,
        })
    }

    fn carrier(&self) -> Result<f64, Mistake> {
        let hertz = self.carrier.value.0.0;
        self.carrier.checked(
            |_| CARRIERS.contains(&hertz),
            || {
                format!(
                    "the models of rain and fog do not hold for a carrier at {} GHz",
                    hertz / 1e9
                )
            },
            "write one from \"1 GHz\" to \"200 GHz\"",
        )?;
        Ok(hertz)
    }

    fn distance(&self) -> Result<f64, Mistake> {
        let metres = positive(&self.distance, "distance", "1 km")?;
        self.distance.checked(
            |_| metres <= MOST_DISTANCE,
            || format!("a distance of {} km is out of range", metres / 1e3),
            "write at most \"100 km\"",
        )?;
        Ok(metres)
    }

    fn end(&self, end: usize, carrier: f64) -> Result<fixed_wireless::End, Mistake> {
        let pointing_error = &self.pointing_error.0[end];
        let degrees = pointing_error.value.0.0;
        pointing_error.checked(
            |_| degrees.abs() <= 180.0,
            || format!("a pointing error of {degrees}° is out of range"),
            "write an angle from \"-180°\" to \"180°\"",
        )?;
        Ok(fixed_wireless::End {
            antenna: self.antenna.0[end].plan(carrier)?,
            pointing_error: degrees,
            beam: self.beams.as_ref().map(|it| it.plan(end)).transpose()?,
        })
    }

    fn air(&self) -> Result<Air, Mistake> {
        let vapour = self.vapour.value.0.0;
        self.vapour.checked(
            |_| vapour <= MOST_VAPOUR,
            || format!("`vapour` must be at most {MOST_VAPOUR} g/m³, not {vapour} g/m³"),
            "write one such as vapour = \"7.5 g/m³\"",
        )?;
        let temperature = self.temperature.0.0 + ZERO_CELSIUS;
        Ok(Air { temperature, vapour, ..Air::default() })
    }

    fn ladder(&self) -> Result<Ladder, Mistake> {
        let lowest = adaptation::scheme(&self.lowest_mcs)?.index;
        let highest = adaptation::scheme(&self.highest_mcs)?.index;
        self.highest_mcs.checked(
            |_| lowest <= highest,
            || format!("`highest_mcs` {highest} is below `lowest_mcs` {lowest}"),
            "write a range of schemes, such as lowest_mcs = 2 and highest_mcs = 12",
        )?;
        self.highest_mcs.checked(
            |_| [lowest, highest] != [Ladder::SKIPPED; 2],
            || "rate adaptation does not use MCS 5".to_owned(),
            "MCS 6 is faster and needs less",
        )?;
        Ok(Ladder::new(self.thresholds.into(), [lowest, highest]))
    }
}
