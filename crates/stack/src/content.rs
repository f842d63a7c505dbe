//! What streams carry in simulations: bytes that say where they are, so that others are noticed.

/// The bytes repeat after so many: a prime, so that no packet size is a multiple of it.
const PERIOD: usize = 251;
/// How many bytes are handed over at a time.
const PIECE: usize = 1 << 16;

static BYTES: [u8; PIECE + PERIOD] = {
    let mut bytes = [0; PIECE + PERIOD];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = (at % PERIOD) as u8;
        at += 1;
    }
    bytes
};

/// The bytes of a stream from `offset` on: at most `most`, and not all in one piece.
#[must_use]
pub fn piece(offset: u64, most: u64) -> &'static [u8] {
    let start = (offset % PERIOD as u64) as usize;
    &BYTES[start..start + most.min(PIECE as u64) as usize]
}

/// Whether `bytes` are those of a stream from `offset` on.
#[must_use]
pub fn are_right(mut offset: u64, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let expected = piece(offset, bytes.len() as u64);
        let (first, rest) = bytes.split_at(expected.len());
        if first != expected {
            return false;
        }
        offset += first.len() as u64;
        bytes = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_repeated_or_changed_is_noticed() {
        let stream: Vec<u8> = (0..1000).flat_map(|it| piece(1400 * it, 1400)).copied().collect();
        assert!(are_right(0, &stream));
        assert!(are_right(1_234, &stream[1_234..]));
        assert!(!are_right(0, &stream[1400..]) && !are_right(1400, &stream));
        let mut changed = stream.clone();
        changed[700_000] ^= 1;
        assert!(!are_right(0, &changed));
    }
}
