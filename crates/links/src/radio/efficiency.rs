//! From SINR to spectral efficiency.

use std::f64::consts::LN_2;

use libm::log1p;

use super::propagation::from_decibels;

/// The efficiencies of TS 38.214, table 5.2.2.1-2, in bit/s/Hz.
const CQI: [f64; 15] = [
    0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023,
    4.5234, 5.1152, 5.5547,
];
/// Those of table 5.2.2.1-3.
const CQI_256: [f64; 15] = [
    0.1523, 0.3770, 0.8770, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547,
    6.2266, 6.9141, 7.4063,
];

/// How the spectral efficiency follows from the SINR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Efficiency {
    /// The greatest of TS 38.214's table 5.2.2.1-2 that Shannon's law allows at a
    /// SINR that is less by a gap.
    Cqi {
        /// The gap, in dB.
        gap: f64,
    },
    /// The same with table 5.2.2.1-3, which reaches 256-QAM.
    Cqi256 {
        /// The gap, in dB.
        gap: f64,
    },
    /// A share of Shannon's law up to a maximum; nothing below a minimum SINR
    /// (TR 36.942, annex A.2).
    Shannon {
        /// The share.
        share: f64,
        /// The maximum, in bit/s/Hz.
        maximum: f64,
        /// The minimum SINR, in dB.
        minimum_sinr: f64,
    },
}

impl Efficiency {
    /// The spectral efficiency at a SINR in dB, in bit/s/Hz.
    #[must_use]
    pub fn at(&self, sinr: f64) -> f64 {
        match *self {
            Self::Cqi { gap } => greatest(&CQI, shannon(sinr - gap)),
            Self::Cqi256 { gap } => greatest(&CQI_256, shannon(sinr - gap)),
            Self::Shannon { minimum_sinr, .. } if sinr < minimum_sinr => 0.0,
            Self::Shannon { share, maximum, .. } => (share * shannon(sinr)).min(maximum),
        }
    }
}

/// Shannon's law: the capacity of a channel at a SINR in dB, in bit/s/Hz.
fn shannon(sinr: f64) -> f64 {
    log1p(from_decibels(sinr)) / LN_2
}

/// The greatest of a rising table that does not exceed the limit; 0 if all do.
fn greatest(table: &[f64], limit: f64) -> f64 {
    let place = table.partition_point(|it| *it <= limit);
    place.checked_sub(1).map_or(0.0, |it| table[it])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits a symbol, and 1024 times the code rate, of both tables.
    const QPSK_TO_64_QAM: [(f64, f64); 15] = [
        (2.0, 78.0),
        (2.0, 120.0),
        (2.0, 193.0),
        (2.0, 308.0),
        (2.0, 449.0),
        (2.0, 602.0),
        (4.0, 378.0),
        (4.0, 490.0),
        (4.0, 616.0),
        (6.0, 466.0),
        (6.0, 567.0),
        (6.0, 666.0),
        (6.0, 772.0),
        (6.0, 873.0),
        (6.0, 948.0),
    ];
    const QPSK_TO_256_QAM: [(f64, f64); 15] = [
        (2.0, 78.0),
        (2.0, 193.0),
        (2.0, 449.0),
        (4.0, 378.0),
        (4.0, 490.0),
        (4.0, 616.0),
        (6.0, 466.0),
        (6.0, 567.0),
        (6.0, 666.0),
        (6.0, 772.0),
        (6.0, 873.0),
        (8.0, 711.0),
        (8.0, 797.0),
        (8.0, 885.0),
        (8.0, 948.0),
    ];

    #[test]
    fn an_efficiency_is_the_bits_of_a_symbol_times_the_code_rate() {
        for (table, schemes) in [(CQI, QPSK_TO_64_QAM), (CQI_256, QPSK_TO_256_QAM)] {
            for (efficiency, (bits, rate)) in table.into_iter().zip(schemes) {
                // The tables have four decimals.
                assert!((efficiency - bits * rate / 1024.0).abs() <= 5e-5, "{efficiency}");
            }
        }
    }
}
