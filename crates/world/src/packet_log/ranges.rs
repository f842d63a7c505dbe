//! Ranges of bytes.

use std::collections::BTreeMap;

/// Ranges of bytes that do not overlap: the end of each by its start.
#[derive(Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Puts the bytes from `start` to before `end` in; `newly` is called with each range of
    /// them that was not there.
    pub(super) fn insert(&mut self, start: u64, end: u64, mut newly: impl FnMut(u64, u64)) {
        let mut from = start;
        let before = self.0.range(..start).next_back().map(|(at, _)| *at);
        let first = before.filter(|it| self.0[it] >= start).unwrap_or(start);
        let touched: Vec<(u64, u64)> = self.0.range(first..=end).map(|(s, e)| (*s, *e)).collect();
        let (mut whole_start, mut whole_end) = (start, end);
        for (s, e) in touched {
            if s > from {
                newly(from, s.min(end));
            }
            from = from.max(e);
            self.0.remove(&s);
            (whole_start, whole_end) = (whole_start.min(s), whole_end.max(e));
        }
        if from < end {
            newly(from, end);
        }
        if whole_start < whole_end {
            self.0.insert(whole_start, whole_end);
        }
    }

    /// Forgets what is before `end`.
    pub(super) fn forget(&mut self, end: u64) {
        while let Some(first) = self.0.first_entry().filter(|it| *it.key() < end) {
            let last = first.remove();
            if last > end {
                self.0.insert(end, last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_is_new_once(
            steps in prop::collection::vec((0_u64..60, 0_u64..20, any::<bool>()), 1..60),
        ) {
            let (mut ranges, mut bytes) = (Ranges::default(), BTreeSet::new());
            for (start, length, forgets) in steps {
                if forgets {
                    ranges.forget(start);
                    bytes.retain(|it| *it >= start);
                    continue;
                }
                let mut newly = Vec::new();
                ranges.insert(start, start + length, |from, to| newly.extend(from..to));
                let expected: Vec<u64> =
                    (start..start + length).filter(|it| bytes.insert(*it)).collect();
                prop_assert_eq!(newly, expected);
            }
        }
    }
}
