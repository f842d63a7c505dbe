//! Modulation and coding schemes of IEEE 802.11ad on a single carrier, and what of a packet
//! gets across with each.

use libm::{exp, log1p, pow};
use windtunnel_engine::Rate;

use crate::radio::propagation::noise;

/// Chips a second: of the 2.16 GHz of a channel 1.76 are occupied.
pub const BANDWIDTH: f64 = 1.76e9;
/// Of each block of 512 chips 448 carry data, the others are a guard interval.
const DATA_CHIPS: f64 = 448.0 / 512.0;
/// Packets of that many bytes, of which this share is wrong at the SNR that a scheme needs:
/// the length and share for which the standard states sensitivities.
const REFERENCE_LENGTH: f64 = 4096.0;
const REFERENCE_ERROR: f64 = 0.01;
/// This many dB more divide the errors by ten: LDPC codes of 672 bits in white noise.
const DECADE: f64 = 0.4;
/// The noise figure and the loss of an implementation that the sensitivities assume, in dB,
/// are in them: this is the noise figure that the SNR is computed with.
const SENSITIVITY_NOISE_FIGURE: f64 = 10.0;

/// A modulation and coding scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mcs {
    /// Its index.
    pub index: u8,
    /// How bits become symbols.
    pub modulation: &'static str,
    /// The bits of a symbol.
    bits: f64,
    /// The share of them that is data.
    code_rate: f64,
    /// How often each is sent.
    repetition: f64,
    /// The sensitivity that the standard requires, in dBm.
    pub sensitivity: f64,
    /// The SNR that Terragraph's planner requires, in dB.
    planned: f64,
}

const fn mcs(
    index: u8,
    modulation: &'static str,
    [bits, code_rate, repetition]: [f64; 3],
    [sensitivity, planned]: [f64; 2],
) -> Mcs {
    Mcs { index, modulation, bits, code_rate, repetition, sensitivity, planned }
}

/// IEEE 802.11-2016, tables 20-3 and 20-19; the planner's thresholds are those of Terragraph's
/// planner, which uses no scheme below 3: for these the standard's.
pub static SCHEMES: [Mcs; 12] = [
    mcs(1, "BPSK", [1.0, 0.5, 2.0], [-68.0, 3.54]),
    mcs(2, "BPSK", [1.0, 0.5, 1.0], [-66.0, 5.54]),
    mcs(3, "BPSK", [1.0, 0.625, 1.0], [-65.0, 3.0]),
    mcs(4, "BPSK", [1.0, 0.75, 1.0], [-64.0, 4.5]),
    mcs(5, "BPSK", [1.0, 0.8125, 1.0], [-62.0, 5.0]),
    mcs(6, "QPSK", [2.0, 0.5, 1.0], [-63.0, 5.5]),
    mcs(7, "QPSK", [2.0, 0.625, 1.0], [-62.0, 7.5]),
    mcs(8, "QPSK", [2.0, 0.75, 1.0], [-61.0, 9.0]),
    mcs(9, "QPSK", [2.0, 0.8125, 1.0], [-59.0, 12.0]),
    mcs(10, "16-QAM", [4.0, 0.5, 1.0], [-55.0, 14.0]),
    mcs(11, "16-QAM", [4.0, 0.625, 1.0], [-54.0, 16.0]),
    mcs(12, "16-QAM", [4.0, 0.75, 1.0], [-53.0, 18.0]),
];

/// From which SNR on a scheme can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnrThresholds {
    /// Where the standard's sensitivities are reached at a noise figure of 10 dB.
    #[default]
    Standard,
    /// Those of Terragraph's planner.
    Planner,
}

impl Mcs {
    /// The scheme of an index from 1 to 12.
    #[must_use]
    pub fn of(index: u8) -> Option<&'static Self> {
        SCHEMES.iter().find(|it| it.index == index)
    }

    /// The rate of its data.
    ///
    /// # Panics
    /// Never: all are above zero.
    #[must_use]
    pub fn rate(&self) -> Rate {
        let share = DATA_CHIPS * self.bits * self.code_rate / self.repetition;
        Rate::from_bits_per_second((BANDWIDTH * share).round() as u64).expect("it is above zero")
    }

    /// The SNR in dB at which a hundredth of packets of 4,096 bytes is wrong.
    #[must_use]
    pub fn needed(&self, thresholds: SnrThresholds) -> f64 {
        match thresholds {
            SnrThresholds::Standard => {
                self.sensitivity - noise(BANDWIDTH, SENSITIVITY_NOISE_FIGURE)
            }
            SnrThresholds::Planner => self.planned,
        }
    }

    /// The probability that a packet of this many bytes is wrong at a SNR in dB: all parts of it
    /// are wrong independently.
    #[must_use]
    pub fn error(&self, thresholds: SnrThresholds, snr: f64, bytes: u32) -> f64 {
        let above = snr - self.needed(thresholds);
        let errors = -log1p(-REFERENCE_ERROR) * pow(10.0, -above / DECADE);
        1.0 - exp(-errors * f64::from(bytes) / REFERENCE_LENGTH)
    }
}
