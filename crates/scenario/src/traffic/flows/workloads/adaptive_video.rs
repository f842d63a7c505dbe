//! A video in segments of several levels.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_applications::video::rules::RuleMaker;
use windtunnel_applications::video::{AdaptiveSettings, Ladder};
use windtunnel_engine::{Duration, Rate};

use super::rules::AnyRule;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::sizes::within;
use crate::reading::timers::above_zero;
use crate::reading::units::{Bytes, Measured, bytes, milliseconds, written};
use crate::reading::video::{MOST_SEGMENTS, check_bitrates};

/// A video in segments, of which the receiver requests one after another over one connection, each
/// at a level that a rule chooses.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdaptiveVideo {
    /// A JSON file with `segment_duration_ms`, `bitrates_kbps` and, for each segment, its size at
    /// each of them in `segment_sizes_bits`, as sabre has them; or else `levels`.
    file: Option<Located<String>>,
    /// The bitrates of its levels, rising, which all segments have; `segment` and `duration` are
    /// required with it.
    levels: Option<Located<Vec<Measured<Rate>>>>,
    /// With `levels`: how long a segment lasts.
    segment: Option<Located<Measured<Duration>>>,
    /// How long the video is, to the end of a segment; default with `file`: all of it.
    duration: Option<Located<Measured<Duration>>>,
    /// What chooses the level of each segment; with the rules that are built in, the first has
    /// the lowest.
    rule: Located<AnyRule>,
    /// The media that the player holds: it requests a segment once there is room. The default is
    /// sabre's.
    #[serde(default = "milliseconds::<25_000>")]
    maximum_buffer: Located<Measured<Duration>>,
    /// The size of a request for the lowest level; for each level above it is a byte more. All
    /// must fit into a segment of TCP.
    #[serde(default = "bytes::<100>")]
    request: Located<Measured<Bytes>>,
}

impl AdaptiveVideo {
    /// Over connections whose segments have this many bytes of data; `rules` are from outside.
    pub(super) fn plan(
        &self,
        segment: u16,
        rules: &[Arc<dyn RuleMaker>],
        files: &mut Files<'_>,
    ) -> Result<Workload, Mistake> {
        let ladder = self.ladder(files)?;
        let maximum_buffer = self.maximum_buffer.value.0;
        self.maximum_buffer.checked(
            |_| maximum_buffer > ladder.duration(),
            || {
                let segment = written(&ladder.duration());
                format!("`maximum_buffer` must be longer than a segment, {segment}")
            },
            "write more than a segment, such as \"25 s\"",
        )?;
        let most = u64::from(segment).saturating_sub(ladder.bitrates().len() as u64);
        Ok(Workload::AdaptiveVideo(AdaptiveSettings {
            request: within(&self.request, most, "request")?,
            ladder,
            rule: AnyRule::plan(&self.rule, rules)?,
            maximum_buffer,
        }))
    }

    fn ladder(&self, files: &mut Files<'_>) -> Result<Arc<Ladder>, Mistake> {
        match (&self.file, &self.levels) {
            (Some(file), None) => self.of_file(file, files),
            (None, Some(levels)) => self.of_levels(levels).map(Arc::new),
            (None, None) => Err(Mistake::new("a video in segments requires `file` or `levels`")
                .help("write the name of a file, or levels = [\"1 Mbps\", \"3 Mbps\"]")),
            (Some(_), Some(levels)) => {
                let message = "`file` and `levels` cannot both be set";
                Err(levels.mistake(message).help("write one of them"))
            }
        }
    }

    fn of_file(
        &self,
        file: &Located<String>,
        files: &mut Files<'_>,
    ) -> Result<Arc<Ladder>, Mistake> {
        if let Some(segment) = &self.segment {
            let message =
                "`segment` cannot be set beside `file`, which has the length of its segments";
            return Err(segment.mistake(message).help("remove `segment`"));
        }
        let ladder = files.ladder(file)?;
        let Some(duration) = &self.duration else { return Ok(ladder) };
        let whole = ladder.duration() * ladder.segments() as u64;
        let wanted = above_zero(duration, "duration")?;
        duration.checked(
            |_| wanted <= whole,
            || format!("{} has a duration of {}", file.value, written(&whole)),
            "write no more than that, or leave `duration` out",
        )?;
        let segments = wanted.as_picos().div_ceil(ladder.duration().as_picos());
        Ok(Arc::new(ladder.first(segments as usize)))
    }

    fn of_levels(&self, levels: &Located<Vec<Measured<Rate>>>) -> Result<Ladder, Mistake> {
        let bitrates = levels.value.iter().map(|it| it.0.bits_per_second() as f64);
        let bitrates: Vec<f64> = bitrates.collect();
        check_bitrates(&bitrates, "`levels`").map_err(|it| it.at(levels.span.clone()))?;
        let (Some(segment), Some(duration)) = (&self.segment, &self.duration) else {
            let missing = if self.segment.is_none() { "segment" } else { "duration" };
            return Err(levels
                .mistake(format!("`levels` requires `{missing}`"))
                .help("write segment = \"4 s\" and duration = \"120 s\""));
        };
        let media = above_zero(segment, "segment")?;
        let segments = above_zero(duration, "duration")?.as_picos().div_ceil(media.as_picos());
        duration.checked(
            |_| segments <= MOST_SEGMENTS as u64,
            || format!("the video has more than {MOST_SEGMENTS} segments"),
            "write a shorter `duration` or longer segments",
        )?;
        Ok(Ladder::constant(media, bitrates, segments as usize))
    }
}
