//! Links whose rate follows a radio.

mod air;
mod blockage;
mod efficiency;
mod handover;
mod map;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::choice;
use windtunnel_reading::decibels::not_negative;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::{Each, Located};
use windtunnel_reading::timers::MOST_SAMPLES;
use windtunnel_reading::units::{
    Decibels, Frequency, Measured, Power, Share, Speed, decibels, milliseconds,
};

use crate::keys::Keys;
use crate::pace::Pace;
use crate::radio::{self, RadioPlan};
use crate::{PhysicalLayerMaker, ReportPlan};
use air::{Harq, Rlc};
use blockage::Blockage;
use efficiency::Efficiency;
use handover::Handover;

/// The carriers that TR 38.901 is for, in Hz.
const CARRIERS: std::ops::RangeInclusive<f64> = 0.5e9..=100e9;
/// A SINR in dB above which no efficiency rises any more.
const PERFECT: f64 = 1000.0;

/// A link whose rate follows a radio.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadioKeys {
    /// How fast it sends, by a radio.
    radio: Located<Radio>,
}

/// A radio: how fast the link sends follows from where a user moves. The link's
/// second node is the user. A value that may differ by direction is one for both,
/// or an array of two: for what the first node sends, and for what the user sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Radio {
    /// The file with the map: stations, buildings and the user's path; its name is
    /// relative to the scenario file.
    map: Located<String>,
    /// How fast the user moves along the path, and stops at its end.
    speed: Measured<Speed>,
    /// The carrier's frequency: 0.5 GHz to 100 GHz.
    carrier: Located<Measured<Frequency>>,
    /// The bandwidth.
    bandwidth: Located<Each<Measured<Frequency>>>,
    /// The transmitted power.
    transmit_power: Each<Measured<Power>>,
    /// The gain of both ends' antennas together, towards the serving station.
    #[serde(default = "decibels::<0>")]
    antenna_gain: Located<Measured<Decibels>>,
    /// The receivers' noise figure.
    #[serde(default = "decibels::<7>")]
    noise_figure: Located<Measured<Decibels>>,
    /// What determines whether the user has line of sight to a station.
    #[serde(default)]
    line_of_sight: LineOfSight,
    /// What reaches a user without line of sight to the station; `diffraction` requires
    /// `line_of_sight = "map"`.
    #[serde(default)]
    obstructed: Located<Obstructed>,
    /// Whether there is shadowing.
    #[serde(default = "yes")]
    shadowing: bool,
    /// What passes between the user and the station; default: nothing.
    blockage: Option<Blockage>,
    /// From SINR to spectral efficiency; default: `shannon`.
    #[serde(default)]
    efficiency: Located<Efficiency>,
    /// The share of the rate that reference signals and control use.
    #[serde(default = "overhead")]
    overhead: Located<Measured<Share>>,
    /// How often the channel is sampled.
    #[serde(default = "milliseconds::<10>")]
    period: Located<Measured<Duration>>,
    /// How lost blocks are sent again; default: as its own keys say.
    #[serde(default)]
    harq: Harq,
    /// What happens to a packet that HARQ gives up; default: `acknowledged`.
    #[serde(default)]
    rlc: Rlc,
    /// When the user changes from one station to another; default: as its own keys say.
    #[serde(default)]
    handover: Handover,
    /// How the SINR is reported to senders; default: as its own keys say.
    #[serde(default)]
    report: Report,
}

fn yes() -> bool {
    true
}

fn overhead() -> Located<Measured<Share>> {
    Measured(Share(0.25)).into()
}

choice! {
    /// What determines whether the user has line of sight to a station.
    LineOfSight as radio::LineOfSight {
        /// The map's buildings.
        Map,
        /// Chance, by the distance (3GPP TR 38.901, table 7.4.2-1); buildings do not
        /// matter.
        Probability,
    }
}

choice! {
    /// What reaches a user without line of sight to the station.
    Obstructed as radio::Obstructed {
        /// What is diffracted around buildings (ITU-R P.526), or scattered and reflected
        /// (3GPP TR 38.901), whichever is stronger.
        Scattering,
        /// What is diffracted around buildings alone.
        Diffraction,
    }
}

/// How the SINR is reported to senders whose data crosses this radio and no other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    /// How often, a multiple of the channel's `period`; default: with each sample.
    period: Option<Located<Measured<Duration>>>,
    /// The age of a report when it arrives.
    #[serde(default = "milliseconds::<10>")]
    delay: Located<Measured<Duration>>,
}

impl Default for Report {
    fn default() -> Self {
        Self { period: None, delay: milliseconds::<10>() }
    }
}

impl Keys for RadioKeys {
    fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
        let radio = &self.radio.value;
        let plan = radio.plan(files, duration)?;
        let rates = greatest_rates(&plan).ok_or_else(|| {
            let span = radio.efficiency.span.clone().or_else(|| self.radio.span.clone());
            Mistake::new("the radio never sends anything")
                .at(span)
                .help("write a greater efficiency")
        })?;
        let air = air::plan(&radio.harq, &radio.rlc)?;
        let physical_layer = air.map(|it| Arc::new(it) as Arc<dyn PhysicalLayerMaker>);
        let physical_layer = [physical_layer.clone(), physical_layer];
        Ok(Pace { physical_layer, channel: Some(Arc::new(plan)), ..Pace::of(rates) })
    }
}

/// The most that a radio sends in each direction.
fn greatest_rates(plan: &RadioPlan) -> Option<[Rate; 2]> {
    let bits_per_hertz = plan.efficiency.at(PERFECT) * (1.0 - plan.overhead);
    let rate = |hertz: f64| Rate::from_bits_per_second((hertz * bits_per_hertz).round() as u64);
    let [there, back] = plan.bandwidth.map(rate);
    Some([there?, back?])
}

impl Radio {
    fn plan(&self, files: &mut Files<'_>, duration: Duration) -> Result<RadioPlan, Mistake> {
        let carrier = self.carrier()?;
        let period = self.period(duration)?;
        Ok(RadioPlan {
            carrier,
            bandwidth: self.bandwidth(carrier)?,
            transmit_power: self.transmit_power.0.map(|it| it.0.0),
            antenna_gain: self.antenna_gain.value.0.0,
            noise_figure: not_negative(&self.noise_figure, "noise_figure")?,
            map: files.read_once(&self.map, (), map::read)?,
            speed: self.speed.0.0,
            line_of_sight: self.line_of_sight.into(),
            obstructed: self.obstructed()?,
            shadowing: self.shadowing,
            blockage: self.blockage.as_ref().map(Blockage::plan).transpose()?,
            efficiency: self.efficiency.value.plan()?,
            overhead: self.overhead()?,
            period,
            handover: self.handover.plan()?,
            report: self.report.plan(period)?,
        })
    }

    fn carrier(&self) -> Result<f64, Mistake> {
        let hertz = self.carrier.value.0.0;
        self.carrier.checked(
            |_| CARRIERS.contains(&hertz),
            || format!("the path loss model does not hold for a carrier at {} GHz", hertz / 1e9),
            "write one from \"0.5 GHz\" to \"100 GHz\"",
        )?;
        Ok(hertz)
    }

    fn bandwidth(&self, carrier: f64) -> Result<[f64; 2], Mistake> {
        let hertz = self.bandwidth.value.0.map(|it| it.0.0);
        let help = "write one such as \"100 MHz\", or an array of two";
        let zero = || "`bandwidth` must be greater than zero".to_owned();
        self.bandwidth.checked(|_| !hertz.contains(&0.0), zero, help)?;
        let above = || "`bandwidth` is above the carrier's frequency".to_owned();
        self.bandwidth.checked(|_| hertz.iter().all(|it| *it <= carrier), above, help)?;
        Ok(hertz)
    }

    fn obstructed(&self) -> Result<radio::Obstructed, Mistake> {
        let needs_map = matches!(self.obstructed.value, Obstructed::Diffraction);
        self.obstructed.checked(
            |_| !needs_map || matches!(self.line_of_sight, LineOfSight::Map),
            || "`diffraction` requires `line_of_sight = \"map\"`".to_owned(),
            "write obstructed = \"scattering\", or line_of_sight = \"map\"",
        )?;
        Ok(self.obstructed.value.into())
    }

    fn overhead(&self) -> Result<f64, Mistake> {
        self.overhead.checked(
            |it| it.0.0 < 1.0,
            || "`overhead` must be less than 100 %".to_owned(),
            "write less than \"100 %\"",
        )?;
        Ok(self.overhead.value.0.0)
    }

    fn period(&self, duration: Duration) -> Result<Duration, Mistake> {
        let period = self.period.value.0;
        let samples = duration.as_picos() / period.as_picos().max(1);
        if period != Duration::ZERO && samples <= MOST_SAMPLES {
            return Ok(period);
        }
        let message = format!("more than ten million samples of the channel, one every {period}");
        let span = self.period.span.clone().or_else(|| self.map.span.clone());
        Err(Mistake::new(message).at(span).help("write a longer period, such as \"10 ms\""))
    }
}

impl Report {
    fn plan(&self, sampling: Duration) -> Result<ReportPlan, Mistake> {
        let period = self.period.as_ref().map_or(sampling, |it| it.value.0);
        if let Some(it) = &self.period {
            let is_multiple = period.as_picos().is_multiple_of(sampling.as_picos());
            it.checked(
                |_| period != Duration::ZERO && is_multiple,
                || {
                    format!(
                        "`period` must be a multiple of the sampling period, {sampling}, not \
                            {period}"
                    )
                },
                &format!("write a multiple of {sampling}"),
            )?;
        }
        Ok(ReportPlan { period, delay: self.delay.value.0 })
    }
}
