//! Weights of links, by which the lengths of paths are measured.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The greatest metric of a link (RFC 5305, section 3.7).
const MOST: u32 = 0xff_ffff;

/// The weight of a link, in thousandths: sums of decimals are exact, so that equal paths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight(pub(super) u64);

impl Weight {
    /// What is valid.
    pub(crate) const VALID: &str =
        "a number greater than 0, to 16777215, of at most three decimals, such as 10 or 2.5";

    pub(crate) fn new(number: f64) -> Option<Self> {
        let thousandths = (number * 1e3).round();
        let is_exact = (thousandths - number * 1e3).abs() < 1e-4;
        let fits = is_exact && thousandths > 0.0 && number <= f64::from(MOST);
        fits.then_some(Self(thousandths as u64))
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Weight;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a weight such as 10 or 2.5")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Weight, E> {
                self.visit_f64(number as f64)
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Weight, E> {
                Weight::new(number).ok_or_else(|| {
                    E::custom(format!("{number} is not a valid weight; write {}", Weight::VALID))
                })
            }
        }
        deserializer.deserialize_any(Number)
    }
}

impl JsonSchema for Weight {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "weight".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "exclusiveMinimum": 0, "maximum": MOST })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Weight;

    #[test]
    fn weights_are_those_of_ospf_and_of_measured_maps() {
        for (number, thousandths) in [(1.0, 1000), (2.5, 2500), (0.001, 1), (65_535.0, 65_535_000)]
        {
            assert_eq!(Weight::new(number), Some(Weight(thousandths)), "{number}");
        }
        for number in [0.0, -1.0, 1.0001, 16_777_216.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Weight::new(number), None, "{number}");
        }
    }

    proptest! {
        #[test]
        fn each_of_three_decimals_is_exact(thousandths in 1..=16_777_215_000_u64) {
            let number: f64 = format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
                .parse()
                .expect("a number");
            prop_assert_eq!(Weight::new(number), Some(Weight(thousandths)));
        }
    }
}
