//! The frames of a video: their sizes, their dates, and which of them refer to which.

use windtunnel_engine::{Duration, Rate};

/// What a frame refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// To none (intra).
    I,
    /// To the I or P before it (predicted).
    P,
    /// To the I or P before it and the one after it (bidirectional); none refers to it.
    B,
}

impl Picture {
    /// Its size beside others'. Typical of H.264 at a few Mb/s; no source gives one ratio for all.
    fn weight(self) -> u64 {
        match self {
            Self::I => 6,
            Self::P => 2,
            Self::B => 1,
        }
    }
}

/// Frames at a constant rate. In the stream, the I or P after some B comes before them, because
/// they refer to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    per_second: f64,
    pictures: Box<[Picture]>,
    /// For each frame in order of presentation, the bytes of the stream up to its last one.
    ends: Box<[u64]>,
    /// The frames in the order of the stream.
    order: Box<[u32]>,
}

impl Frames {
    /// `count` frames of which `group` is repeated, with the sizes of I : P : B as 6 : 2 : 1 and
    /// on average `rate`. The group begins with an I.
    #[must_use]
    pub fn of_rate(rate: Rate, per_second: f64, group: &[Picture], count: usize) -> Self {
        let pictures: Vec<Picture> = group.iter().copied().cycle().take(count).collect();
        let weights: u64 = group.iter().map(|it| it.weight()).sum();
        let bytes = rate.bits_per_second() as f64 / 8.0 / per_second;
        let in_weight = bytes * group.len() as f64 / weights as f64;
        let sizes = pictures.iter().map(|it| it.weight() as f64 * in_weight);
        Self::with(per_second, sizes, pictures.clone())
    }

    /// Frames of these sizes in bytes, each times `scale`; `group` is repeated over them.
    #[must_use]
    pub fn of_sizes(sizes: &[u32], scale: f64, per_second: f64, group: &[Picture]) -> Self {
        let pictures = group.iter().copied().cycle().take(sizes.len()).collect();
        Self::with(per_second, sizes.iter().map(|it| f64::from(*it) * scale), pictures)
    }

    fn with(per_second: f64, sizes: impl Iterator<Item = f64>, pictures: Vec<Picture>) -> Self {
        let sizes: Vec<f64> = sizes.collect();
        let order = order(&pictures);
        let mut ends = vec![0; sizes.len()].into_boxed_slice();
        // Rounding the sum and not each size keeps the rate exact.
        let (mut sum, mut last) = (0.0, 0);
        for frame in &order {
            sum += sizes[*frame as usize];
            last = (sum.round() as u64).max(last + 1);
            ends[*frame as usize] = last;
        }
        Self { per_second, pictures: pictures.into(), ends, order }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.order.last().map_or(0, |it| self.ends[*it as usize])
    }

    /// How long this many frames last.
    #[must_use]
    pub fn duration(&self, frames: usize) -> Duration {
        Duration::from_seconds(frames as f64 / self.per_second).unwrap_or(Duration::MAX)
    }

    /// What a frame refers to.
    #[must_use]
    pub fn picture(&self, frame: usize) -> Picture {
        self.pictures[frame]
    }

    /// The bytes of the stream up to a frame's last one.
    #[must_use]
    pub fn end(&self, frame: usize) -> u64 {
        self.ends[frame]
    }

    /// The frame at a place in the stream.
    #[must_use]
    pub fn in_stream(&self, place: usize) -> Option<usize> {
        self.order.get(place).map(|it| *it as usize)
    }
}

/// The order of the stream: each I or P before the B that precede it.
fn order(pictures: &[Picture]) -> Box<[u32]> {
    let mut order = Vec::with_capacity(pictures.len());
    let mut waiting = Vec::new();
    for (frame, picture) in (0..).zip(pictures) {
        if *picture == Picture::B {
            waiting.push(frame);
        } else {
            order.push(frame);
            order.append(&mut waiting);
        }
    }
    order.append(&mut waiting);
    order.into()
}

#[cfg(test)]
mod tests {
    use super::Picture::{B, I, P};
    use super::*;

    const GROUP: [Picture; 12] = [I, B, B, P, B, B, P, B, B, P, B, B];

    fn paper(count: usize) -> Frames {
        Frames::of_rate(Rate::from_bits_per_second(5_240_000).unwrap(), 30.0, &GROUP, count)
    }

    #[test]
    fn what_a_frame_refers_to_comes_before_it() {
        let order: Vec<_> = (0..8).map(|it| paper(8).in_stream(it).unwrap()).collect();
        assert_eq!(order, [0, 3, 1, 2, 6, 4, 5, 7]);
    }

    #[test]
    fn sizes_have_their_ratio_and_the_rate_is_exact() {
        let frames = paper(30 * 180);
        assert_eq!(frames.bytes(), 5_240_000 / 8 * 180);
        // I 78.6 kB, P 26.2 kB, B 13.1 kB at 5.24 Mb/s and 30 frames a second.
        assert_eq!(frames.end(0), 78_600);
        assert_eq!(frames.end(3) - frames.end(0), 26_200);
        assert_eq!(frames.end(1) - frames.end(3), 13_100);
    }

    #[test]
    fn sizes_from_outside_are_scaled() {
        let frames = Frames::of_sizes(&[100, 300, 200], 1.5, 25.0, &[I, P]);
        let ends: Vec<_> = (0..3).map(|it| frames.end(it)).collect();
        assert_eq!(ends, [150, 600, 900]);
        assert_eq!(frames.duration(25), Duration::from_secs(1));
    }
}
