//! A video in one file, played while it comes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_applications::Workload;
use windtunnel_applications::video::{LateFramePolicy, PlayoutSettings, ProgressiveSettings};
use windtunnel_engine::{Duration, Rate};

use super::footage::{Footage, usual_frame_rate};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::sizes::{MOST_FILE, within};
use crate::reading::timers::above_zero;
use crate::reading::units::{Bytes, Measured, PerSecond, bytes, milliseconds};

/// A video in one file, which the receiver requests and plays while it comes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Video {
    /// Its mean rate; required without `file`, whose frames are scaled to it; default there: as
    /// they are.
    rate: Option<Located<Measured<Rate>>>,
    /// How long it is; required without `file`; default there: all of it.
    duration: Option<Located<Measured<Duration>>>,
    /// A file with the size of each frame in bytes at the end of its line; default: sizes of
    /// which those of I, P and B are as 6 : 2 : 1.
    file: Option<Located<String>>,
    /// Its frames in a second.
    #[serde(default = "usual_frame_rate")]
    frame_rate: Located<Measured<PerSecond>>,
    /// What its frames refer to, in the order of presentation, again and again: I to none, P to
    /// the I or P before it, B to those on both sides. In the file, what a B refers to precedes it.
    #[serde(default = "usual_group")]
    group: Located<String>,
    /// The media with which it begins to play. The default is VLC's `network-caching`.
    #[serde(default = "milliseconds::<1000>")]
    threshold: Located<Measured<Duration>>,
    /// How far that grows at underflows. The default is VLC's.
    #[serde(default = "milliseconds::<6000>")]
    maximum_threshold: Located<Measured<Duration>>,
    /// What happens when a frame is late.
    #[serde(default)]
    late_frames: LateFrames,
    /// With `discard` and `discard-then-rebuffer`: how late a frame may be shown. The default is that of VLC's display.
    #[serde(default = "milliseconds::<20>")]
    tolerance: Located<Measured<Duration>>,
    /// The size of the request.
    #[serde(default = "bytes::<100>")]
    request: Located<Measured<Bytes>>,
}

/// What happens when a frame is late.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum LateFrames {
    /// The player pauses until it has `threshold` again, which grows by the time that the frame
    /// was late.
    #[default]
    Rebuffer,
    /// The clock goes on, and the frame is not shown, nor those that refer to it.
    Discard,
    /// The same, until the next frame is late by more than `threshold`: then the player pauses
    /// until it has `threshold` again.
    DiscardThenRebuffer,
}

fn usual_group() -> Located<String> {
    "IBBPBBPBBPBB".to_owned().into()
}

impl Video {
    pub(super) fn plan(&self, files: &mut Files<'_>) -> Result<Workload, Mistake> {
        let footage = Footage {
            rate: self.rate.as_ref(),
            duration: self.duration.as_ref(),
            file: self.file.as_ref(),
            frame_rate: &self.frame_rate,
            group: &self.group,
        };
        let threshold = above_zero(&self.threshold, "threshold")?;
        let maximum_threshold = self.maximum_threshold.value.0;
        self.maximum_threshold.checked(
            |_| maximum_threshold >= threshold,
            || "`maximum_threshold` is below `threshold`".to_owned(),
            "write a greater one",
        )?;
        let reading = match self.late_frames {
            LateFrames::Rebuffer => LateFramePolicy::Rebuffer,
            LateFrames::Discard => LateFramePolicy::Discard(self.tolerance.value.0),
            LateFrames::DiscardThenRebuffer => {
                LateFramePolicy::DiscardThenRebuffer(self.tolerance.value.0)
            }
        };
        Ok(Workload::Video(ProgressiveSettings {
            frames: footage.frames(files)?,
            request: within(&self.request, MOST_FILE, "request")?,
            playout: PlayoutSettings { threshold, maximum_threshold, reading },
        }))
    }
}
