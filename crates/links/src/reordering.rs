//! Which packets a link delivers late, so that others overtake them.

use std::num::NonZeroU64;
use std::sync::Arc;

use windtunnel_engine::Random;

/// Which packets come late.
#[derive(Clone, Debug, PartialEq)]
pub enum Reordering {
    /// Each with this probability, independently.
    Independent(f64),
    /// One in this many: those whose numbers are multiples of it.
    Periodic(NonZeroU64),
    /// Those of these numbers, which rise.
    Listed(Arc<[u64]>),
}

impl Default for Reordering {
    fn default() -> Self {
        Self::Independent(0.0)
    }
}

impl Reordering {
    /// Whether any packet can come late.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Whether the packet of that number comes late; the first that the link sends has number 1.
    #[inline]
    pub fn strikes(&self, number: u64, random: &mut Random) -> bool {
        match self {
            Self::Independent(probability) => random.happens(*probability),
            Self::Periodic(every) => number.is_multiple_of(every.get()),
            Self::Listed(numbers) => numbers.binary_search(&number).is_ok(),
        }
    }
}
