//! Constellations that were filed or flown.

use crate::walker::{Phase, Walker, WalkerPattern};

/// A constellation by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// What scenarios call it.
    pub name: &'static str,
    /// Where its numbers are from.
    pub source: &'static str,
    /// Its shells; satellites of different shells are not joined.
    pub shells: &'static [Walker],
    /// The least elevation at which its ground stations use it, in degrees.
    pub elevation: f64,
}

const fn shell(
    pattern: WalkerPattern,
    [planes, per_plane]: [usize; 2],
    altitude: f64,
    inclination: f64,
    phase: Phase,
) -> Walker {
    Walker { pattern, planes, per_plane, altitude, inclination, phase, precesses: true }
}

use WalkerPattern::{Delta, Star};

const S1: Walker = shell(Delta, [72, 22], 550.0, 53.0, Phase::Walker(65));
const K1: Walker = shell(Delta, [34, 34], 630.0, 51.9, Phase::Walker(7));

/// All presets. Filings do not state phases: they are those that keep satellites farthest
/// apart.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "starlink-s1",
        source: "the first shell of Starlink: FCC SAT-MOD-20190830-00087",
        shells: &[S1],
        elevation: 25.0,
    },
    Preset {
        name: "starlink-s1-2018",
        source: "the first shell of Starlink as filed in 2018: FCC SAT-MOD-20181108-00083",
        shells: &[shell(Delta, [24, 66], 550.0, 53.0, Phase::Walker(13))],
        elevation: 25.0,
    },
    Preset {
        name: "starlink-gen1",
        source: "the five shells of Starlink's first generation: FCC SAT-MOD-20200417-00037",
        shells: &[
            S1,
            shell(Delta, [72, 22], 540.0, 53.2, Phase::Walker(65)),
            shell(Delta, [36, 20], 570.0, 70.0, Phase::Walker(0)),
            shell(Delta, [6, 58], 560.0, 97.6, Phase::Walker(0)),
            shell(Delta, [4, 43], 560.0, 97.6, Phase::Walker(0)),
        ],
        elevation: 25.0,
    },
    Preset {
        name: "kuiper-k1",
        source: "the first shell of Kuiper, as filed with the FCC in 2019",
        shells: &[K1],
        elevation: 30.0,
    },
    Preset {
        name: "telesat-t1",
        source: "the polar shell of Telesat: FCC SAT-MPL-20200526-00053",
        shells: &[shell(Star, [27, 13], 1015.0, 98.98, Phase::Alternate)],
        elevation: 10.0,
    },
    Preset {
        name: "oneweb",
        source: "the first phase of OneWeb",
        shells: &[shell(Star, [12, 49], 1200.0, 87.9, Phase::Alternate)],
        elevation: 25.0,
    },
    Preset {
        name: "iridium",
        source: "Iridium: six planes of eleven satellites",
        shells: &[shell(Star, [6, 11], 780.0, 86.4, Phase::Alternate)],
        elevation: 8.2,
    },
];
