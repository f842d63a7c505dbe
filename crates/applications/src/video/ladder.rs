//! A video in segments, each of which there is at several levels of quality.

use windtunnel_engine::Duration;

/// The levels of a video, and the sizes of its segments at each.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    duration: Duration,
    bitrates: Box<[f64]>,
    /// Segment by segment, in bytes.
    sizes: Box<[u64]>,
}

impl Ladder {
    /// Segments of `duration` at levels of rising `bitrates`, in bits per second. `sizes` has the
    /// bytes of the first segment at each level, then those of the second, and so on.
    ///
    /// # Panics
    /// If the segments do not have a size at each level.
    #[must_use]
    pub fn new(duration: Duration, bitrates: Vec<f64>, sizes: Vec<u64>) -> Self {
        assert!(
            sizes.len().is_multiple_of(bitrates.len()),
            "each segment has a size at each level"
        );
        Self { duration, bitrates: bitrates.into(), sizes: sizes.into() }
    }

    /// This many segments, each of which has the bitrate of its level.
    #[must_use]
    pub fn constant(duration: Duration, bitrates: Vec<f64>, segments: usize) -> Self {
        let bytes = |it: &f64| (it / 8.0 * duration.as_seconds()).round().max(1.0) as u64;
        let sizes: Vec<u64> = bitrates.iter().map(bytes).collect();
        let sizes = sizes.iter().copied().cycle().take(segments * sizes.len()).collect();
        Self::new(duration, bitrates, sizes)
    }

    /// The same with this many segments only.
    #[must_use]
    pub fn first(&self, segments: usize) -> Self {
        let sizes = &self.sizes[..segments * self.bitrates.len()];
        Self { sizes: sizes.into(), ..self.clone() }
    }

    /// The media in a segment.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The levels' bitrates, rising, in bits per second.
    #[must_use]
    pub fn bitrates(&self) -> &[f64] {
        &self.bitrates
    }

    /// How many segments there are.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.sizes.len() / self.bitrates.len()
    }

    /// A segment's size at a level, in bytes.
    #[must_use]
    pub fn bytes(&self, segment: usize, level: usize) -> u64 {
        self.sizes[segment * self.bitrates.len() + level]
    }

    /// The highest level of no more than `rate` bits per second; the lowest if there is none.
    #[must_use]
    pub fn level_of_rate(&self, rate: f64) -> usize {
        self.bitrates.iter().take_while(|it| **it <= rate).count().saturating_sub(1)
    }
}
