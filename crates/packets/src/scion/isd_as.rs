//! The numbers of isolation domains and autonomous systems.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of an isolation domain in the highest 16 bits, and in the lowest 48 that of an
/// autonomous system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsdAs(pub u64);

/// Why a text is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is not a number such as `1-64512` or `1-ff00:0:110`")]
pub struct ParseIsdAsError;

/// The largest number of an autonomous system.
const LARGEST_AS: u64 = (1 << 48) - 1;

impl IsdAs {
    /// That of an autonomous system in an isolation domain, if its number fits.
    #[must_use]
    pub fn new(isd: u16, number: u64) -> Option<Self> {
        (number <= LARGEST_AS).then_some(Self(u64::from(isd) << 48 | number))
    }

    /// The isolation domain.
    #[must_use]
    pub fn isd(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// The autonomous system's number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0 & LARGEST_AS
    }

    /// The number of an autonomous system: decimal as BGP's, or three groups of hexadecimal
    /// digits.
    ///
    /// # Errors
    /// [`ParseIsdAsError`].
    pub fn parse_number(text: &str) -> Result<u64, ParseIsdAsError> {
        if !text.contains(':') {
            return text.parse::<u32>().map(u64::from).map_err(|_| ParseIsdAsError);
        }
        let groups: Vec<&str> = text.split(':').collect();
        let [a, b, c] = groups[..] else { return Err(ParseIsdAsError) };
        [a, b, c].iter().try_fold(0_u64, |sum, it| {
            let digits = (1..=4).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_hexdigit());
            let group = u64::from_str_radix(it, 16).ok().filter(|_| digits);
            Ok(sum << 16 | group.ok_or(ParseIsdAsError)?)
        })
    }
}

impl fmt::Display for IsdAs {
    /// As SCION writes them: numbers that BGP has too are decimal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        if u32::try_from(number).is_ok() {
            return write!(formatter, "{}-{number}", self.isd());
        }
        let [a, b, c] = [number >> 32, number >> 16 & 0xffff, number & 0xffff];
        write!(formatter, "{}-{a:x}:{b:x}:{c:x}", self.isd())
    }
}

impl FromStr for IsdAs {
    type Err = ParseIsdAsError;

    fn from_str(text: &str) -> Result<Self, ParseIsdAsError> {
        let (isd, number) = text.split_once('-').ok_or(ParseIsdAsError)?;
        let isd = isd.parse().map_err(|_| ParseIsdAsError)?;
        Self::new(isd, Self::parse_number(number)?).ok_or(ParseIsdAsError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for text in ["1-64512", "2-ff00:0:110", "65535-ffff:ffff:ffff", "0-0", "1-4294967295"] {
            assert_eq!(text.parse::<IsdAs>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("1-ff00:0:110".parse(), Ok(IsdAs(0x0001_ff00_0000_0110)));
        for text in ["", "1", "1-", "-1", "1-x", "1-1:2", "1-12345:0:1", "65536-1", "1-+1:0:1"] {
            assert_eq!(text.parse::<IsdAs>(), Err(ParseIsdAsError), "{text}");
        }
    }
}
