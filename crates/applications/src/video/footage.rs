//! The frames of a video: of a rate, or from a file.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Measured, PerSecond, written};

use crate::video::files::{MOST_FRAMES, frame_sizes};
use crate::video::{Frames, Picture};

/// The greatest rate of frames, in a second.
const MOST_PER_SECOND: f64 = 1000.0;

/// The frames of a video.
pub(crate) struct Footage<'a> {
    pub(crate) rate: Option<&'a Located<Measured<Rate>>>,
    pub(crate) duration: Option<&'a Located<Measured<Duration>>>,
    pub(crate) file: Option<&'a Located<String>>,
    pub(crate) frame_rate: &'a Located<Measured<PerSecond>>,
    pub(crate) group: &'a Located<String>,
}

/// 30 frames a second, as a default.
pub(crate) fn usual_frame_rate() -> Located<Measured<PerSecond>> {
    Measured(PerSecond(30.0)).into()
}

impl Footage<'_> {
    pub(crate) fn frames(&self, files: &mut Files<'_>) -> Result<Arc<Frames>, Mistake> {
        let per_second = self.frame_rate.value.0.0;
        self.frame_rate.checked(
            |_| per_second > 0.0 && per_second <= MOST_PER_SECOND,
            || "`frame_rate` must be greater than zero and at most 1000 per second".to_owned(),
            "write one such as \"30 per second\"",
        )?;
        let group = self.pictures()?;
        match self.file {
            Some(file) => self.of_file(file, per_second, &group, files).map(Arc::new),
            None => self.of_rate(per_second, &group).map(Arc::new),
        }
    }

    fn of_rate(&self, per_second: f64, group: &[Picture]) -> Result<Frames, Mistake> {
        let (Some(rate), Some(duration)) = (self.rate, self.duration) else {
            let missing = if self.rate.is_none() { "rate" } else { "duration" };
            return Err(Mistake::new(format!("a video requires `file` or `{missing}`"))
                .help("write rate = \"5 Mbps\" and duration = \"60 s\", or the name of a file"));
        };
        let count = count(duration, per_second)?;
        duration.checked(
            |_| count <= MOST_FRAMES,
            || "the video has more than ten million frames".to_owned(),
            "write a shorter duration",
        )?;
        Ok(Frames::of_rate(rate.value.0, per_second, group, count))
    }

    fn of_file(
        &self,
        file: &Located<String>,
        per_second: f64,
        group: &[Picture],
        files: &mut Files<'_>,
    ) -> Result<Frames, Mistake> {
        let sizes = files.read_once(file, (), |text| frame_sizes(text).map(Arc::<[u32]>::from))?;
        let mut count = sizes.len();
        if let Some(duration) = self.duration {
            let wanted = self::count(duration, per_second)?;
            let whole = Duration::from_seconds(count as f64 / per_second).unwrap_or_default();
            duration.checked(
                |_| wanted <= count,
                || {
                    let (name, whole) = (&file.value, written(&whole));
                    format!("{name} has {count} frames, which are {whole}")
                },
                "write no more than that, or leave `duration` out",
            )?;
            count = wanted;
        }
        let sum: f64 = sizes.iter().map(|it| f64::from(*it)).sum();
        let own = sum * 8.0 * per_second / sizes.len() as f64;
        let scale = self.rate.map_or(1.0, |it| it.value.0.bits_per_second() as f64 / own);
        Ok(Frames::of_sizes(&sizes[..count], scale, per_second, group))
    }

    fn pictures(&self) -> Result<Vec<Picture>, Mistake> {
        let picture = |letter| match letter {
            'I' => Some(Picture::I),
            'P' => Some(Picture::P),
            'B' => Some(Picture::B),
            _ => None,
        };
        let group: Option<Vec<Picture>> = self.group.value.chars().map(picture).collect();
        group.filter(|it| it.len() <= 1000 && it.first() == Some(&Picture::I)).ok_or_else(|| {
            let group = &self.group.value;
            self.group
                .mistake(format!("\"{group}\" is not a group of pictures"))
                .help("write I, P and B in the order of presentation, such as \"IBBPBBPBBPBB\"")
        })
    }
}

/// The frames of so much time.
fn count(duration: &Located<Measured<Duration>>, per_second: f64) -> Result<usize, Mistake> {
    let seconds = above_zero(duration, "duration")?.as_seconds();
    Ok(((seconds * per_second).round() as usize).max(1))
}
