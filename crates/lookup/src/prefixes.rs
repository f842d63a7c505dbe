//! Tables of IPv4 prefixes of given lengths.

use std::collections::BTreeMap;

use windtunnel_engine::Random;

/// How many prefixes there are of each length, from 0 to 32.
pub type PrefixCounts = [u32; 33];

/// A prefix: its address and length.
pub(super) type Prefix = (u32, u8);

/// The addresses that hosts have: those before and after are for other uses (RFC 6890).
const HOSTS: std::ops::Range<u64> = 0x0100_0000..0xe000_0000;

/// Draws a table of prefixes that do not overlap, each at any place of its length with the same
/// probability.
///
/// The shortest are placed first: a place of a longer one is then free or taken as a whole, so
/// that all find one as long as there is space.
///
/// # Errors
/// The number of addresses that they need, if there are not this many.
pub(super) fn draw(counts: &PrefixCounts, random: &mut Random) -> Result<Vec<Prefix>, u64> {
    let needed: u64 = (0u8..).zip(counts).map(|(length, it)| u64::from(*it) << (32 - length)).sum();
    if needed > HOSTS.end - HOSTS.start {
        return Err(needed);
    }
    let mut last_of: BTreeMap<u32, u32> = BTreeMap::new();
    let mut prefixes = Vec::new();
    for (length, count) in (0u8..).zip(counts) {
        for _ in 0..*count {
            let first = free_place(length, &last_of, random);
            last_of.insert(first, last(first, length));
            prefixes.push((first, length));
        }
    }
    Ok(prefixes)
}

fn free_place(length: u8, last_of: &BTreeMap<u32, u32>, random: &mut Random) -> u32 {
    loop {
        let first = random.bits() & mask(length);
        let before = last_of.range(..=last(first, length)).next_back();
        let is_taken = before.is_some_and(|(_, end)| *end >= first);
        let is_for_hosts = HOSTS.contains(&u64::from(first));
        if is_for_hosts && !is_taken {
            return first;
        }
    }
}

/// The bits that a prefix of that length sets.
pub(super) fn mask(length: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0)
}

fn last(first: u32, length: u8) -> u32 {
    first | !mask(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_engine::Streams;

    use super::*;

    fn counts(of: &[(u8, u32)]) -> PrefixCounts {
        let mut counts = [0; 33];
        of.iter().for_each(|(length, count)| counts[usize::from(*length)] = *count);
        counts
    }

    proptest! {
        /// The table has as many prefixes of each length as wanted, at places of their size,
        /// and no address is in two.
        #[test]
        fn prefixes_are_as_wanted_and_apart(
            of in proptest::collection::vec((9u8..=32, 0u32..40), 1..8),
            seed in any::<u64>(),
        ) {
            let wanted = counts(&of);
            let mut random = Streams::new(seed, 0).stream("prefixes");
            let mut drawn = draw(&wanted, &mut random).expect("there is space");
            let mut found = [0; 33];
            drawn.iter().for_each(|it| found[usize::from(it.1)] += 1);
            prop_assert_eq!(found, wanted);
            prop_assert!(drawn.iter().all(|(first, length)| first & !mask(*length) == 0));
            drawn.sort_unstable();
            let apart = drawn.windows(2).all(|it| last(it[0].0, it[0].1) < it[1].0);
            prop_assert!(apart);
        }
    }

    /// 223 prefixes of length 8 fill the space, and 224 do not fit.
    #[test]
    fn the_space_can_be_filled() {
        let mut random = Streams::new(1, 0).stream("prefixes");
        let full = draw(&counts(&[(8, 223)]), &mut random).expect("it fits");
        assert_eq!(full.len(), 223);
        assert_eq!(draw(&counts(&[(8, 224)]), &mut random), Err(224 << 24));
    }
}
