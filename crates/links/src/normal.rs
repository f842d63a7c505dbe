//! The normal distribution.

/// The least level that is told from 0.
const LEAST: f64 = 1.0 / (1_u64 << 54) as f64;

/// The value below which a standard normal variable is with that probability, to seven digits.
///
/// Source: Wichura, Algorithm AS 241, Applied Statistics 37 (1988), PPND7.
pub(crate) fn quantile(level: f64) -> f64 {
    let from_middle = level - 0.5;
    if from_middle.abs() <= 0.425 {
        let r = 0.180_625 - from_middle * from_middle;
        return from_middle
            * polynomial(r, &[3.387_132_717_9, 50.434_271_938, 159.291_132_02, 59.109_374_72])
            / polynomial(r, &[1.0, 17.895_169_469, 78.757_757_664, 67.187_563_6]);
    }
    let r = libm::sqrt(-libm::log(level.min(1.0 - level).max(LEAST)));
    let size = if r <= 5.0 {
        let r = r - 1.6;
        polynomial(r, &[1.423_437_277_7, 2.756_815_39, 1.306_728_481_6, 0.170_238_211_03])
            / polynomial(r, &[1.0, 0.737_001_642_5, 0.120_211_329_75])
    } else {
        let r = r - 5.0;
        polynomial(r, &[6.657_905_115, 3.081_226_386, 0.428_682_943_37, 0.017_337_203_997])
            / polynomial(r, &[1.0, 0.241_978_942_25, 0.012_258_202_635])
    };
    size.copysign(from_middle)
}

/// A polynomial, the constant first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, it| sum * x + it)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through the distribution function: half of erfc(-x / sqrt(2)).
    #[test]
    fn the_distribution_function_of_a_quantile_is_its_level() {
        let levels = (1..2000).map(|it| f64::from(it) / 2000.0);
        let far = (4..15).map(|it| 10_f64.powi(-it));
        for level in levels.chain(far) {
            let back = libm::erfc(-quantile(level) / 2_f64.sqrt()) / 2.0;
            assert!((back / level - 1.0).abs() < 1e-5, "{back} for {level}");
            assert!((quantile(level) + quantile(1.0 - level)).abs() < 1e-2, "{level}");
        }
        assert!(quantile(0.0).is_finite());
    }
}
