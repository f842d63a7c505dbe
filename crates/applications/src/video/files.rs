//! Files of videos: the sizes of frames, and the ladders of segments.

use std::ops::Range;

use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;

use crate::video::Ladder;

/// The most frames of a video.
pub(crate) const MOST_FRAMES: usize = 10_000_000;
/// The most segments of a video.
pub(crate) const MOST_SEGMENTS: usize = 1_000_000;
/// The most levels of a ladder.
pub(crate) const MOST_LEVELS: usize = 100;
/// The largest segment, in bits: 100 GB.
const MOST_BITS: u64 = 800_000_000_000;
/// The longest segment, in milliseconds: an hour.
const LONGEST_SEGMENT_MS: u64 = 3_600_000;
/// The highest bitrate, in kbit/s.
const MOST_KBPS: f64 = 1e9;

/// Reads the sizes of frames in bytes: the last word of each line. Lines that begin with `#` or
/// `%` are skipped, as are empty ones.
pub(crate) fn frame_sizes(text: &str) -> Result<Vec<u32>, Mistake> {
    let mut sizes = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let place = start..start + line.len().max(1);
        start += line.len() + 1;
        let trimmed = line.trim();
        if trimmed.starts_with(['#', '%']) {
            continue;
        }
        let Some(word) = trimmed.split_whitespace().next_back() else { continue };
        let size = word.parse().ok().filter(|it| *it > 0).ok_or_else(|| {
            let word: String = word.chars().take(40).flat_map(char::escape_debug).collect();
            Mistake::new(format!("\"{word}\" is not the size of a frame in bytes"))
                .at(place.clone())
                .help("end each line with a whole number of bytes, at least 1")
        })?;
        if sizes.len() == MOST_FRAMES {
            return Err(Mistake::new("more than ten million frames").at(place));
        }
        sizes.push(size);
    }
    if sizes.is_empty() {
        return Err(Mistake::new("the file has no frames")
            .help("write the size of each frame in bytes on a line of its own"));
    }
    Ok(sizes)
}

/// A ladder as sabre's manifests have it.
#[derive(Deserialize)]
struct Manifest {
    segment_duration_ms: u64,
    bitrates_kbps: Vec<f64>,
    segment_sizes_bits: Vec<Vec<u64>>,
}

/// Reads a ladder of segments.
pub(crate) fn ladder(text: &str) -> Result<Ladder, Mistake> {
    let manifest: Manifest = serde_json::from_str(text).map_err(|error| {
        Mistake::new(format!("not a ladder of segments: {}", without_place(&error)))
            .at(place_of(text, error.line(), error.column()))
            .help(
                "write JSON with `segment_duration_ms`, `bitrates_kbps` and, for each segment, \
                 its size at each of them in `segment_sizes_bits`",
            )
    })?;
    let Manifest { segment_duration_ms, bitrates_kbps, segment_sizes_bits } = manifest;
    if !(1..=LONGEST_SEGMENT_MS).contains(&segment_duration_ms) {
        return Err(Mistake::new("`segment_duration_ms` must be between 1 and 3600000")
            .help("write how long each segment lasts, in milliseconds"));
    }
    let bitrates: Vec<f64> = bitrates_kbps.iter().map(|it| it * 1e3).collect();
    check_bitrates(&bitrates, "`bitrates_kbps`")?;
    if !(1..=MOST_SEGMENTS).contains(&segment_sizes_bits.len()) {
        let message = format!("`segment_sizes_bits` must have 1 to {MOST_SEGMENTS} segments");
        return Err(Mistake::new(message));
    }
    for (number, sizes) in (1..).zip(&segment_sizes_bits) {
        if sizes.len() != bitrates.len() {
            let (sizes, levels) = (sizes.len(), bitrates.len());
            let message = format!("segment {number} has {sizes} sizes for {levels} bitrates");
            return Err(Mistake::new(message).help("write its size in bits at each bitrate"));
        }
        if let Some(size) = sizes.iter().find(|it| !(1..=MOST_BITS).contains(*it)) {
            return Err(Mistake::new(format!("segment {number} has a size of {size} bits"))
                .help("each size must be greater than zero, and no more than 100 GB"));
        }
    }
    let bytes = segment_sizes_bits.iter().flatten().map(|it| it.div_ceil(8));
    let bytes = bytes.collect();
    Ok(Ladder::new(Duration::from_millis(segment_duration_ms), bitrates, bytes))
}

/// Refuses levels, in bits per second, that do not rise.
pub(crate) fn check_bitrates(bitrates: &[f64], what: &str) -> Result<(), Mistake> {
    if !(1..=MOST_LEVELS).contains(&bitrates.len()) {
        return Err(Mistake::new(format!("{what} must have 1 to {MOST_LEVELS} levels")));
    }
    if let Some(bps) = bitrates.iter().find(|it| !(1.0..=MOST_KBPS * 1e3).contains(*it)) {
        return Err(Mistake::new(format!("{what} has a level of {} kbit/s", bps / 1e3))
            .help("write bitrates greater than zero"));
    }
    match bitrates.windows(2).find(|it| it[0] >= it[1]) {
        Some(pair) => {
            let [first, second] = [pair[0] / 1e3, pair[1] / 1e3];
            Err(Mistake::new(format!("{what}: {second} kbit/s follows {first} kbit/s"))
                .help("the bitrates of a ladder must rise"))
        }
        None => Ok(()),
    }
}

/// What serde_json says, without the place that is given beside it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The place of a line and a column that count from 1.
fn place_of(text: &str, line: usize, column: usize) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line.max(1) - 1).map(str::len).sum();
    let mut place = (before + column.max(1) - 1).min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place..(place + 1).min(text.len()).max(place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_the_last_words_of_lines() {
        let text = "% Nframe | type | size (Bytes)\n0 U 0. 0.000000 23890\n\n# more\n6262\r\n";
        assert_eq!(frame_sizes(text).unwrap(), [23_890, 6262]);
    }

    #[test]
    fn a_mistake_in_json_has_its_place() {
        let text = "{\n  \"segment_duration_ms\": 3000,\n  \"bitrates_kbps\": [1, x]\n}";
        let mistake = ladder(text).unwrap_err();
        assert_eq!(&text[mistake.span.unwrap()], "x");
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(
            text in "([0-9#., \t\r\n{}\\[\\]\":-]|\\PC){0,60}",
            duration in 0_u64..5000,
            bitrates in prop::collection::vec(-10.0..1e10_f64, 0..4),
            sizes in prop::collection::vec(prop::collection::vec(0..u64::MAX, 0..4), 0..4),
        ) {
            let _ = frame_sizes(&text);
            let _ = ladder(&text);
            let manifest = serde_json::json!({
                "segment_duration_ms": duration,
                "bitrates_kbps": bitrates,
                "segment_sizes_bits": sizes,
            });
            let _ = ladder(&manifest.to_string());
        }
    }
}
