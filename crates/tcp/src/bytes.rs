//! The bytes of one direction of a connection that are kept: sent and not acknowledged, or
//! received and not read.

use std::collections::VecDeque;

/// A part of a stream of bytes, from some place on.
#[derive(Debug, Default)]
pub(crate) struct Bytes {
    kept: VecDeque<u8>,
    /// The place in the stream of the first that is kept.
    start: u64,
}

impl Bytes {
    /// The place of the first byte that is kept.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// How many are kept, with gaps.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The place in the stream whose low bits are `low`, and which is near its start.
    pub(crate) fn place(&self, low: u32) -> i64 {
        let distance = low.wrapping_sub(self.start as u32).cast_signed();
        self.start as i64 + i64::from(distance)
    }

    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.kept.extend(bytes);
    }

    /// Puts bytes at a place; those before the start are left out, and gaps are zeros until they
    /// are filled.
    pub(crate) fn put(&mut self, place: i64, bytes: &[u8]) {
        let skipped = usize::try_from(self.start as i64 - place).unwrap_or(0);
        let Some(bytes) = bytes.get(skipped..) else { return };
        let from = (place + skipped as i64 - self.start as i64) as usize;
        let until = from + bytes.len();
        if self.kept.len() < until {
            self.kept.resize(until, 0);
        }
        let (first, second) = self.kept.as_mut_slices();
        let boundary = first.len();
        let in_first = boundary.saturating_sub(from).min(bytes.len());
        if in_first > 0 {
            first[from..from + in_first].copy_from_slice(&bytes[..in_first]);
        }
        let rest = &bytes[in_first..];
        if !rest.is_empty() {
            let from = from.max(boundary) - boundary;
            second[from..from + rest.len()].copy_from_slice(rest);
        }
    }

    /// Copies `length` bytes from a place on; fewer if they are not kept.
    pub(crate) fn copy(&self, place: i64, length: usize, output: &mut Vec<u8>) {
        output.clear();
        let Ok(from) = usize::try_from(place - self.start as i64) else { return };
        let until = (from + length).min(self.kept.len());
        let (first, second) = self.kept.as_slices();
        let boundary = first.len();
        output.extend_from_slice(first.get(from..until.min(boundary)).unwrap_or_default());
        let rest = from.max(boundary) - boundary..until.max(boundary) - boundary;
        output.extend_from_slice(second.get(rest).unwrap_or_default());
    }

    /// Takes bytes from the front, at most `most`; returns how many.
    pub(crate) fn take(&mut self, most: usize, output: &mut [u8]) -> usize {
        let count = most.min(output.len()).min(self.kept.len());
        let (first, second) = self.kept.as_slices();
        let in_first = count.min(first.len());
        output[..in_first].copy_from_slice(&first[..in_first]);
        output[in_first..count].copy_from_slice(&second[..count - in_first]);
        self.forget(count);
        count
    }

    /// Forgets what is before a place.
    pub(crate) fn forget_until(&mut self, place: u64) {
        let count = place.saturating_sub(self.start);
        self.forget(usize::try_from(count).unwrap_or(usize::MAX).min(self.kept.len()));
    }

    fn forget(&mut self, count: usize) {
        self.kept.drain(..count);
        self.start += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(bytes: &Bytes) -> Vec<u8> {
        let mut output = Vec::new();
        bytes.copy(bytes.start() as i64, usize::MAX / 2, &mut output);
        output
    }

    #[test]
    fn places_are_found_across_the_wrap_of_their_low_bits() {
        let bytes = Bytes { kept: VecDeque::new(), start: (1 << 32) - 10 };
        for place in [(1_i64 << 32) - 1_000, (1 << 32) - 10, 1 << 32, (1 << 32) + 70_000] {
            assert_eq!(bytes.place(place as u32), place);
        }
        assert_eq!(Bytes::default().place(u32::MAX), -1, "before the stream");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Against a plain stream of which parts come in any order, several times, while it is
        /// taken from.
        #[test]
        fn what_was_put_comes_out(
            parts in prop::collection::vec((0_usize..500, 0_usize..60, 0_usize..40), 1..60),
        ) {
            let stream: Vec<u8> = (0..600_usize).map(|it| (it * 7 % 251) as u8 + 1).collect();
            let (mut bytes, mut held, mut taken) = (Bytes::default(), vec![false; 600], 0);
            for (from, length, takes) in parts {
                bytes.put(from as i64, &stream[from..from + length]);
                held[from..from + length].fill(true);
                let ready = held[taken..].iter().take_while(|it| **it).count();
                let mut output = vec![0; takes];
                let count = bytes.take(ready, &mut output);
                prop_assert_eq!(count, ready.min(takes));
                prop_assert_eq!(&output[..count], &stream[taken..taken + count]);
                taken += count;
                prop_assert_eq!(bytes.start(), taken as u64);
                for (index, byte) in all(&bytes).into_iter().enumerate() {
                    let at = taken + index;
                    prop_assert!(!held[at] || byte == stream[at]);
                }
            }
        }
    }
}
