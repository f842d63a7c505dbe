//! Rain: ITU-R P.838-3, and the length of a path on which it falls, P.530.

use libm::{exp, log10, pow};

/// How the waves swing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarisation {
    /// Along the ground.
    Horizontal,
    /// Up and down.
    Vertical,
}

/// A sum of curves of bell shape over the logarithm of the frequency, and a line (P.838-3,
/// equations 2 and 3).
struct Curve<const N: usize> {
    bells: [[f64; 3]; N],
    slope: f64,
    offset: f64,
}

impl<const N: usize> Curve<N> {
    /// Its value at a frequency in GHz.
    fn at(&self, frequency: f64) -> f64 {
        let logarithm = log10(frequency);
        let bell = |&[height, centre, width]: &[f64; 3]| {
            let from = (logarithm - centre) / width;
            height * exp(-from * from)
        };
        self.bells.iter().map(bell).sum::<f64>() + self.slope * logarithm + self.offset
    }
}

/// Tables 1 to 4 of P.838-3: the logarithm of k, and α.
const K_HORIZONTAL: Curve<4> = Curve {
    bells: [
        [-5.33980, -0.10008, 1.13098],
        [-0.35351, 1.26970, 0.45400],
        [-0.23789, 0.86036, 0.15354],
        [-0.94158, 0.64552, 0.16817],
    ],
    slope: -0.18961,
    offset: 0.71147,
};
const K_VERTICAL: Curve<4> = Curve {
    bells: [
        [-3.80595, 0.56934, 0.81061],
        [-3.44965, -0.22911, 0.51059],
        [-0.39902, 0.73042, 0.11899],
        [0.50167, 1.07319, 0.27195],
    ],
    slope: -0.16398,
    offset: 0.63297,
};
const ALPHA_HORIZONTAL: Curve<5> = Curve {
    bells: [
        [-0.14318, 1.82442, -0.55187],
        [0.29591, 0.77564, 0.19822],
        [0.32177, 0.63773, 0.13164],
        [-5.37610, -0.96230, 1.47828],
        [16.1721, -3.29980, 3.43990],
    ],
    slope: 0.67849,
    offset: -1.95537,
};
const ALPHA_VERTICAL: Curve<5> = Curve {
    bells: [
        [-0.07771, 2.33840, -0.76284],
        [0.56727, 0.95545, 0.54039],
        [-0.20238, 1.14520, 0.26809],
        [-48.2991, 0.791669, 0.116226],
        [48.5833, 0.791459, 0.116479],
    ],
    slope: -0.053739,
    offset: 0.83433,
};

impl Polarisation {
    /// The coefficient k and the exponent α at a frequency from 1 to 1000 GHz.
    #[must_use]
    pub fn coefficients(self, frequency: f64) -> [f64; 2] {
        let frequency = frequency / 1e9;
        match self {
            Self::Horizontal => {
                [pow(10.0, K_HORIZONTAL.at(frequency)), ALPHA_HORIZONTAL.at(frequency)]
            }
            Self::Vertical => [pow(10.0, K_VERTICAL.at(frequency)), ALPHA_VERTICAL.at(frequency)],
        }
    }
}

/// What rain of this many mm/h takes (P.838-3, equation 1).
#[must_use]
pub fn rain(frequency: f64, rate: f64, polarisation: Polarisation) -> f64 {
    let [k, alpha] = polarisation.coefficients(frequency);
    k * pow(rate, alpha)
}

/// On how much of a path of that length, in kilometres, rain falls as strongly as it does for
/// 0.01 % of a year, at that rate in mm/h: it does not everywhere at once (P.530-17, equation 33).
#[must_use]
pub fn effective_path(distance: f64, frequency: f64, rate: f64, polarisation: Polarisation) -> f64 {
    let [_, alpha] = polarisation.coefficients(frequency);
    let falls =
        0.477 * pow(distance, 0.633) * pow(rate, 0.073 * alpha) * pow(frequency / 1e9, 0.123)
            - 10.579 * (1.0 - exp(-0.024 * distance));
    // The factor is at most 2.5, also where the sum is not above zero.
    let factor = if falls > 0.4 { 1.0 / falls } else { 2.5 };
    distance * factor
}
