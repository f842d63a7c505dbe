//! Codes of regions and of sub-regions.

use std::fmt;

/// The code of a region, or of a sub-region of it: eight bits that are assigned worldwide and
/// 24 that the region assigns (section V, figure 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u32);

impl Code {
    /// Of no region: where the source is not told.
    pub const UNSPECIFIED: Self = Self(0);
    /// The lowest and the highest number of a region: 0 means none, 255 is reserved.
    pub const REGIONS: std::ops::RangeInclusive<u8> = 1..=254;
    /// The highest number of a sub-region.
    pub const LAST_SUB_REGION: u32 = (1 << 24) - 1;

    /// The code of a region as a whole.
    #[must_use]
    pub const fn of_region(region: u8) -> Self {
        Self((region as u32) << 24)
    }

    /// The code of a sub-region, of whose number the 24 lowest bits count; 0 is the region as a
    /// whole.
    #[must_use]
    pub const fn of_sub_region(region: u8, sub_region: u32) -> Self {
        Self(Self::of_region(region).0 | (sub_region & Self::LAST_SUB_REGION))
    }

    /// The prefixes that it has, the longest first: itself, and with its last one, two and three
    /// bytes left open.
    pub fn prefixes(self) -> impl Iterator<Item = Self> {
        [0, 8, 16, 24].into_iter().map(move |open| Self(self.0 >> open << open))
    }

    /// The number of its region.
    #[inline]
    #[must_use]
    pub const fn region(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The number of its sub-region, 0 for the region as a whole.
    #[inline]
    #[must_use]
    pub const fn sub_region(self) -> u32 {
        self.0 & Self::LAST_SUB_REGION
    }
}

impl fmt::Display for Code {
    /// As four numbers, the region's first: `3.0.0.1`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [region, a, b, c] = self.0.to_be_bytes();
        write!(formatter, "{region}.{a}.{b}.{c}")
    }
}
