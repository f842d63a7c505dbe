//! Links whose rate follows a radio or a trace, as users write them.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use super::{Each, Located};
use crate::units::{
    Decibels, Frequency, Length, Measured, Power, Share, SpectralEfficiency, Speed,
};

/// A radio: how fast the link sends follows from where a user walks. The link's
/// second node is the user. A value that may differ by direction is one for both,
/// or an array of two: for what the first node sends, and for what the user sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Radio {
    /// The file with the map: stations, buildings and the user's path; sought beside
    /// the scenario file.
    pub(crate) map: Located<String>,
    /// How fast the user goes along the path; at its end the user stands still.
    pub(crate) speed: Measured<Speed>,
    /// The carrier's frequency.
    pub(crate) carrier: Located<Measured<Frequency>>,
    /// The bandwidth.
    pub(crate) bandwidth: Located<Each<Measured<Frequency>>>,
    /// The transmitted power.
    pub(crate) transmit_power: Each<Measured<Power>>,
    /// The gain of both ends' antennas together, towards the serving station; 0 dB
    /// unless stated.
    pub(crate) antenna_gain: Option<Measured<Decibels>>,
    /// The receivers' noise figure; 7 dB unless stated.
    pub(crate) noise_figure: Option<Located<Measured<Decibels>>>,
    /// What decides whether the user sees a station; `map` unless stated.
    #[serde(default)]
    pub(crate) line_of_sight: LineOfSight,
    /// What reaches a user who does not; `scattering` unless stated.
    pub(crate) obstructed: Option<Located<Obstructed>>,
    /// Whether there is shadowing; yes unless stated.
    pub(crate) shadowing: Option<bool>,
    /// What passes between the user and the station; nothing unless stated.
    pub(crate) blockage: Option<Blockage>,
    /// From SINR to spectral efficiency; `shannon` unless stated.
    pub(crate) efficiency: Option<Efficiency>,
    /// The share of the rate that reference signals and control take; 25 % unless
    /// stated.
    pub(crate) overhead: Option<Located<Measured<Share>>>,
    /// How often the channel is sampled; 10 ms unless stated.
    pub(crate) period: Option<Located<Measured<Duration>>>,
    /// How lost blocks are repeated; as its own keys say unless stated.
    pub(crate) harq: Option<Harq>,
    /// What becomes of a packet that HARQ gives up; `acknowledged` unless stated.
    pub(crate) rlc: Option<Rlc>,
    /// When the user changes from one station to another; as its own keys say unless
    /// stated.
    #[serde(default)]
    pub(crate) handover: Handover,
    /// How senders hear of the SINR; as its own keys say unless stated.
    #[serde(default)]
    pub(crate) report: Report,
}

/// What decides whether the user sees a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LineOfSight {
    /// The map's buildings.
    #[default]
    Map,
    /// Chance, by the distance (3GPP TR 38.901, table 7.4.2-1); buildings do not
    /// matter.
    Probability,
}

/// What reaches a user who does not see the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Obstructed {
    /// What is diffracted around buildings (ITU-R P.526), or scattered and reflected
    /// (3GPP TR 38.901), whichever is stronger.
    Scattering,
    /// What is diffracted around buildings alone.
    Diffraction,
}

/// What passes between the user and the station, such as people and cars.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Blockage {
    /// The mean time from one's end to the next, exponentially distributed.
    pub(crate) every: Located<Measured<Duration>>,
    /// The mean time at full loss, exponentially distributed.
    pub(crate) lasts: Located<Measured<Duration>>,
    /// The full loss.
    pub(crate) loss: Located<Measured<Decibels>>,
    /// How long the loss takes to rise, and to fall; no time unless stated.
    pub(crate) edge: Option<Measured<Duration>>,
}

/// From SINR to spectral efficiency. Each kind has its own keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Efficiency {
    /// Which kind.
    pub(crate) kind: Located<EfficiencyKind>,
    /// `cqi`, `cqi-256qam`: by how much the SINR counts as less; 7.43 dB unless
    /// stated, for a bit error rate of 5 in 100,000.
    pub(crate) gap: Option<Located<Measured<Decibels>>>,
    /// `shannon`: the share of Shannon's law; 60 % unless stated.
    pub(crate) share: Option<Located<Measured<Share>>>,
    /// `shannon`: the greatest; 4.4 bit/s/Hz unless stated.
    pub(crate) most: Option<Located<Measured<SpectralEfficiency>>>,
    /// `shannon`: the SINR below which nothing gets through; -10 dB unless stated.
    pub(crate) least_sinr: Option<Located<Measured<Decibels>>>,
}

/// The kind of a spectral efficiency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EfficiencyKind {
    /// A share of Shannon's law, up to a greatest value (3GPP TR 36.942, annex A.2).
    Shannon,
    /// The greatest of 3GPP TS 38.214's table 5.2.2.1-2 that Shannon's law allows.
    Cqi,
    /// The same with table 5.2.2.1-3, which reaches 256-QAM.
    #[serde(rename = "cqi-256qam")]
    Cqi256,
}

/// Hybrid ARQ: a block that was received with errors is sent again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Harq {
    /// How long a block is on the link: what is sent within that time arrives together
    /// or not at all; 125 µs unless stated (LTE has 1 ms).
    pub(crate) slot: Option<Measured<Duration>>,
    /// The probability that an attempt fails; 10 % unless stated.
    pub(crate) error: Option<Located<Measured<Share>>>,
    /// How long it takes until the next attempt; 1 ms unless stated.
    pub(crate) round_trip: Option<Measured<Duration>>,
    /// How often it tries; 4 times unless stated.
    pub(crate) attempts: Option<Located<u32>>,
}

/// Radio link control: what becomes of a packet that HARQ gives up.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rlc {
    /// Its mode.
    pub(crate) kind: RlcKind,
    /// `acknowledged`: how long it takes until a status report says that the packet
    /// is missing; 20 ms unless stated.
    pub(crate) status: Option<Located<Measured<Duration>>>,
}

/// A mode of radio link control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RlcKind {
    /// The packet is sent again: nothing is lost, at a price in delay.
    Acknowledged,
    /// The packet is lost.
    Unacknowledged,
}

/// When the user changes from one station to another (3GPP TS 38.331, event A3).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handover {
    /// By how much the other must be better; 3 dB unless stated.
    pub(crate) margin: Option<Located<Measured<Decibels>>>,
    /// For how long; 160 ms unless stated.
    pub(crate) after: Option<Measured<Duration>>,
    /// How long nothing is sent then; 50 ms unless stated.
    pub(crate) interruption: Option<Measured<Duration>>,
}

/// How senders whose data crosses this radio alone hear of its SINR.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    /// How often; as often as the channel is sampled unless stated.
    pub(crate) period: Option<Located<Measured<Duration>>>,
    /// How old a report is when it arrives; 10 ms unless stated.
    pub(crate) delay: Option<Measured<Duration>>,
}

/// A file that says when or how fast a link sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trace {
    /// The file; sought beside the scenario file.
    pub(crate) file: Located<String>,
    /// What its lines say.
    pub(crate) kind: TraceKind,
    /// Whether it begins again at its last line's time, where otherwise nothing is sent
    /// after the last opportunity, and the last rate stays; yes unless stated.
    pub(crate) repeat: Option<bool>,
}

/// What a trace's lines say. Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TraceKind {
    /// Each is an opportunity for 1500 octets of packets: the milliseconds since the
    /// trace began, as mahimahi writes them. What nobody uses is wasted.
    Opportunities,
    /// Each is a time in seconds, with white space or a comma and the rate in Mbit/s
    /// from then on, 0 where nothing is sent. The first time is 0.
    Rates,
}

/// A map file: the surroundings of a radio.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MapFile {
    /// What it shows, in one line.
    #[serde(rename = "title")]
    pub(crate) _title: Option<String>,
    /// The base stations.
    pub(crate) stations: Located<Vec<Station>>,
    /// The buildings.
    #[serde(default)]
    pub(crate) buildings: Vec<Building>,
    /// Who walks there.
    pub(crate) user: User,
}

/// A place: eastwards and northwards.
pub(crate) type Place = [Measured<Length>; 2];

/// A base station.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Station {
    pub(crate) name: Located<String>,
    pub(crate) at: Place,
    pub(crate) height: Located<Measured<Length>>,
}

/// A building: a rectangle along the axes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Building {
    pub(crate) corner: Place,
    pub(crate) width: Located<Measured<Length>>,
    pub(crate) depth: Located<Measured<Length>>,
}

/// Who walks on the map.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    pub(crate) path: Located<Vec<Located<Place>>>,
    pub(crate) height: Located<Measured<Length>>,
}
