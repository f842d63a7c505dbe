//! What a case expects of a number.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// The share by which a number may differ from a value without a tolerance: what rounding makes.
const ROUNDING: f64 = 1e-6;

/// The values that a number may have.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A value, with the share of it by which the number may differ.
    Near {
        /// The value.
        value: f64,
        /// The share.
        within: f64,
    },
    /// No less and no more than these.
    Between {
        /// The least value; minus infinity if there is none.
        least: f64,
        /// The greatest; infinity if there is none.
        most: f64,
    },
    /// One of several, which the document leaves open.
    Either(Vec<f64>),
}

impl Bound {
    /// Whether a number has one of these values.
    #[must_use]
    pub fn holds(&self, number: f64) -> bool {
        let near = |value: f64, within: f64| {
            let slack = within * value.abs().max(ROUNDING);
            number == value || value.is_finite() && (number - value).abs() <= slack
        };
        match self {
            Self::Near { value, within } => near(*value, *within),
            Self::Between { least, most } => {
                let slack =
                    |bound: f64| if bound.is_finite() { ROUNDING * bound.abs() } else { 0.0 };
                number >= least - slack(*least) && number <= most + slack(*most)
            }
            Self::Either(values) => values.iter().any(|it| near(*it, ROUNDING)),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near { value, within } if *within <= ROUNDING => write!(formatter, "{value}"),
            Self::Near { value, within } => write!(formatter, "{value} ± {} %", 100.0 * within),
            Self::Between { least, most } if *least == f64::NEG_INFINITY => {
                write!(formatter, "at most {most}")
            }
            Self::Between { least, most } if *most == f64::INFINITY => {
                write!(formatter, "at least {least}")
            }
            Self::Between { least, most } => write!(formatter, "{least} to {most}"),
            Self::Either(values) => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(formatter, "{}", values.join(" or "))
            }
        }
    }
}

/// The keys of a bound that is a table.
const KEYS: &[&str] = &["value", "within", "least", "most", "either"];

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

/// A number alone, or a table.
struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Bound;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, or a table such as { value = 70, within = 0.01 }")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Bound, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Bound, E> {
        Ok(Bound::Near { value, within: ROUNDING })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bound, A::Error> {
        let (mut value, mut within, mut least, mut most) = (None, None, None, None);
        let mut either = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "value" => value = Some(map.next_value()?),
                "within" => within = Some(map.next_value()?),
                "least" => least = Some(map.next_value()?),
                "most" => most = Some(map.next_value()?),
                "either" => either = map.next_value()?,
                _ => return Err(A::Error::unknown_field(&key, KEYS)),
            }
        }
        match (value, within, least, most, either.is_empty()) {
            (Some(value), within, None, None, true) => {
                Ok(Bound::Near { value, within: within.unwrap_or(ROUNDING) })
            }
            (None, None, None, None, false) => Ok(Bound::Either(either)),
            (None, None, least, most, true) if least.is_some() || most.is_some() => {
                Ok(Bound::Between {
                    least: least.unwrap_or(f64::NEG_INFINITY),
                    most: most.unwrap_or(f64::INFINITY),
                })
            }
            _ => Err(A::Error::custom(
                "this says not which numbers are right; write a number, `value` with `within`, \
                 `least` or `most` or both, or `either`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_at_its_ends_and_no_further() {
        let near = Bound::Near { value: 70.0, within: 0.01 };
        assert!(near.holds(70.6) && near.holds(69.4) && !near.holds(70.8) && !near.holds(69.2));
        let between = Bound::Between { least: 2.0, most: 3.0 };
        assert!(between.holds(2.0) && between.holds(3.0) && !between.holds(1.9));
        assert!(!between.holds(3.1) && !between.holds(f64::NAN));
        let either = Bound::Either(vec![28.0, 70.0]);
        assert!(either.holds(28.0) && either.holds(70.0) && !either.holds(49.0));
        let infinite = Bound::Near { value: f64::INFINITY, within: ROUNDING };
        assert!(infinite.holds(f64::INFINITY) && !infinite.holds(1e300));
    }
}
