//! Kinds of quantities, and how a number with its unit is read and written.

/// A kind of quantity: what it is called, its units, and how a number of them
/// becomes a value.
pub trait Quantity: Sized {
    /// With its article: "a duration".
    const NAME: &'static str;
    /// As a user would write it.
    const EXAMPLE: &'static str;
    /// Each unit with its worth in the base unit.
    const UNITS: &'static [(&'static str, f64)];
    /// Whether it may be negative.
    const SIGNED: bool = false;

    /// From a number of base units. `unit` is the unit as written.
    ///
    /// # Errors
    /// Why there is no such quantity, as a message has it behind the text.
    fn from_base(base: f64, unit: &str) -> Result<Self, &'static str>;

    /// The number of base units.
    fn base(&self) -> f64;

    /// The units that it may be written in.
    fn units(&self) -> &'static [(&'static str, f64)] {
        Self::UNITS
    }
}

/// A quantity as a user would write it: in the largest unit in which it is a whole
/// number.
#[must_use]
pub fn written<T: Quantity>(quantity: &T) -> String {
    let in_unit = |worth: f64| quantity.base() / worth;
    let is_whole = |worth: f64| {
        let number = in_unit(worth);
        number.abs() >= 1.0 && (number - number.round()).abs() < 1e-9
    };
    let whole = quantity.units().iter().rev().filter(|it| is_whole(it.1));
    let largest = whole.max_by(|one, other| one.1.total_cmp(&other.1));
    let base = quantity.units().iter().find(|it| it.1 == 1.0);
    match (largest, base.or(quantity.units().first())) {
        (Some((unit, worth)), _) => format!("{} {unit}", in_unit(*worth).round()),
        (None, Some((unit, worth))) => format!("{} {unit}", in_unit(*worth)),
        (None, None) => unreachable!("every quantity has a unit"),
    }
}

/// Reads a quantity.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn parse<T: Quantity>(text: &str) -> Result<T, String> {
    let advice = || {
        let units: Vec<&str> = T::UNITS.iter().map(|(unit, _)| *unit).collect();
        format!("write {} such as \"{}\" (units: {})", T::NAME, T::EXAMPLE, units.join(", "))
    };
    let text = text.trim();
    let unit_start = end_of_number(text);
    let (number, unit) = (text[..unit_start].replace('_', ""), text[unit_start..].trim());
    let Ok(number) = number.parse::<f64>() else {
        return Err(format!("\"{text}\" is not {}; {}", T::NAME, advice()));
    };
    if unit.is_empty() {
        return Err(format!("\"{text}\" has no unit; {}", advice()));
    }
    let Some((_, worth)) = T::UNITS.iter().find(|(it, _)| *it == unit) else {
        let meant = other_spelling(unit).filter(|it| T::UNITS.iter().any(|(known, _)| known == it));
        let advice = meant.map_or_else(advice, |it| format!("write `{it}`"));
        return Err(format!("`{unit}` is not a valid unit for {}; {advice}", T::NAME));
    };
    if number < 0.0 && !T::SIGNED {
        return Err(format!("\"{text}\" is negative; {}", advice()));
    }
    T::from_base(number * worth, unit).map_err(|why| format!("\"{text}\" {why}; {}", advice()))
}

/// Reads a quantity whose unit may be spelled as other programs do, such as `10 Mbit/s`.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn parse_usual<T: Quantity>(text: &str) -> Result<T, String> {
    let (number, unit) = text.split_at(end_of_number(text.trim_end()));
    match other_spelling(unit.trim()) {
        Some(unit) => parse(&format!("{number} {unit}")),
        None => parse(text),
    }
}

/// Where the number ends that a text begins with: it may have an exponent.
fn end_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_sign = |place: usize| matches!(bytes.get(place), Some(b'+' | b'-'));
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let is_exponent = |place: usize| {
        matches!(bytes[place], b'e' | b'E')
            && place > 0
            && is_digit(place - 1)
            && (is_digit(place + 1) || is_sign(place + 1) && is_digit(place + 2))
    };
    let belongs = |place: &usize| {
        matches!(bytes[*place], b'0'..=b'9' | b'.' | b'-' | b'+' | b'_') || is_exponent(*place)
    };
    (0..bytes.len()).find(|place| !belongs(place)).unwrap_or(bytes.len())
}

/// How scenarios spell a unit of rates that is often written in another way.
fn other_spelling(unit: &str) -> Option<String> {
    let (prefix, rest) = match unit.char_indices().nth(1) {
        Some((end, _)) if matches!(unit.as_bytes()[0], b'k' | b'K' | b'M' | b'G' | b'T') => {
            unit.split_at(end)
        }
        _ => ("", unit),
    };
    let is_rate = matches!(rest, "bit/s" | "bits/s" | "b/s" | "bits" | "bit" | "bps" | "BPS");
    let prefix = if prefix == "K" { "k" } else { prefix };
    is_rate.then(|| format!("{prefix}bps"))
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::{Duration, Rate};

    use super::*;
    use crate::kinds::{Bytes, PositiveDuration, Share};

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(parse("10 ms"), Ok(Duration::from_millis(10)));
        assert_eq!(parse("1.5ms"), Ok(Duration::from_micros(1500)));
        assert_eq!(parse::<Rate>("2.5 Gbps").unwrap().bits_per_second(), 2_500_000_000);
        assert_eq!(parse::<Rate>("1e9 bps").unwrap().bits_per_second(), 1_000_000_000);
        assert_eq!(parse("2.5E-3 s"), Ok(Duration::from_micros(2500)));
        assert_eq!(parse("64 KiB"), Ok(Bytes(65_536)));
        assert_eq!(parse("5 %"), Ok(Share(0.05)));
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        assert_eq!(written(&Duration::from_millis(5)), "5 ms");
        assert_eq!(written(&Duration::from_micros(125)), "125 us");
        assert_eq!(written(&Duration::ZERO), "0 s");
        assert_eq!(written(&Bytes(65_536)), "64 KiB");
        assert_eq!(written(&Bytes(1514)), "1514 B");
        assert_eq!(written(&Share(0.25)), "25 %");
        proptest::proptest!(|(nanoseconds in 0_u64..1 << 50)| {
            let duration = Duration::from_nanos(nanoseconds);
            let again: Duration = parse(&written(&duration)).unwrap();
            assert!((again.as_seconds() / duration.as_seconds() - 1.0).abs() < 1e-9 || nanoseconds == 0);
        });
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let wrong = |text| parse::<Duration>(text).unwrap_err();
        for (text, expected) in [
            ("10", "has no unit"),
            ("10 Mbps", "`Mbps` is not a valid unit for a duration"),
            ("-1 ms", "is negative"),
            ("soon", "is not a duration"),
            ("1e9 h", "213 days"),
            ("1e h", "is not a valid unit"),
            ("999999999 h", "213 days"),
            ("0.0001 ns", "1 ps"),
        ] {
            let message = wrong(text);
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("\"10 ms\""), "{message}");
        }
        let message = parse::<PositiveDuration>("0 s").unwrap_err();
        assert!(message.starts_with("\"0 s\" must be greater than zero; "), "{message}");
        assert!(parse::<Rate>("0 Mbps").unwrap_err().contains("never sends anything"));
        for (text, right) in [
            ("10 Mbit/s", "`Mbps`"),
            ("10 Mb/s", "`Mbps`"),
            ("1 Gbits", "`Gbps`"),
            ("5 Kbps", "`kbps`"),
            ("5 bit/s", "`bps`"),
        ] {
            let message = parse::<Rate>(text).unwrap_err();
            assert!(message.ends_with(&format!("; write {right}")), "{message}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        proptest::proptest!(|(text in "\\PC{0,12}")| {
            let _ = parse::<Duration>(&text);
            let _ = parse::<Bytes>(&text);
            let _ = parse::<Share>(&text);
        });
    }
}
