//! What data takes in Linux's buffers, which count memory (`truesize`), where segments have about
//! 1400 bytes of data.

/// The bytes that a segment takes: 2048 for its headers and data, and 256 for what describes it.
const SEGMENT: u64 = 2304;
/// Those that it takes where it is joined with the data before it.
const JOINED: u64 = 2048;

/// The share of its usual room that a receive buffer has as long as a subflow has brought no data: of the
/// memory, Linux takes a half for data at first (`TCP_DEFAULT_SCALING_RATIO`), and 167/256 once full
/// segments have come.
pub(super) const BEFORE_DATA: f64 = 128.0 / 167.0;

/// How many segments of this many bytes of data are held where the memory for `segments` is: data that
/// waits in large pieces, for interfaces that segment, takes hardly more than its size.
pub(super) fn held_in(segments: f64, segment: u64, in_pieces: bool) -> f64 {
    if in_pieces { segments * SEGMENT as f64 / segment as f64 } else { segments }
}

/// What the window is smaller by where so many bytes wait for others before them: joined, they take
/// less than the memory that the window is computed with.
pub(super) fn taken_by(waiting: u64) -> u64 {
    waiting * JOINED / SEGMENT
}
