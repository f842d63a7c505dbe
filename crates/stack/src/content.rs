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

/// Writes at most `most` bytes of a stream from `offset` on, which goes on with them, until `write` takes
/// none of a piece; returns how many.
pub fn write(offset: &mut u64, most: u64, mut write: impl FnMut(&'static [u8]) -> usize) -> u64 {
    let mut left = most;
    while left > 0 {
        let taken = write(piece(*offset, left)) as u64;
        if taken == 0 {
            break;
        }
        *offset += taken;
        left -= taken;
    }
    most - left
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
    fn what_is_written_in_parts_is_the_stream_as_far_as_there_is_room() {
        let (mut offset, mut stream) = (0, Vec::new());
        for (most, room, written) in [(100_000, 70_000, 70_000), (10, 0, 0), (500, 999, 500)] {
            let mut left = room;
            let count = write(&mut offset, most, |piece| {
                let taken = piece.len().min(left).min(1000);
                left -= taken;
                stream.extend(&piece[..taken]);
                taken
            });
            assert_eq!(count, written);
        }
        assert_eq!(offset, stream.len() as u64);
        assert!(are_right(0, &stream));
    }

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
