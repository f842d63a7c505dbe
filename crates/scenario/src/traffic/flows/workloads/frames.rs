//! Live frames.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::video::LiveSettings;
use windtunnel_engine::{Duration, Rate};

use super::footage::{Footage, usual_frame_rate};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, PerSecond, milliseconds};

/// Live frames: each is sent when it is made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frames {
    /// Their mean rate; required without `file`, whose frames are scaled to it; default there: as
    /// they are.
    rate: Option<Located<Measured<Rate>>>,
    /// How long they are made; required without `file`; default there: as long as there are any.
    duration: Option<Located<Measured<Duration>>>,
    /// A file with the size of each frame in bytes at the end of its line; default: all have the
    /// same.
    file: Option<Located<String>>,
    /// How many are made in a second.
    #[serde(default = "usual_frame_rate")]
    frame_rate: Located<Measured<PerSecond>>,
    /// From a frame's making to its last byte: with more it counts as late.
    #[serde(default = "milliseconds::<100>")]
    deadline: Located<Measured<Duration>>,
}

impl Frames {
    pub(crate) fn settings(&self, files: &mut Files<'_>) -> Result<LiveSettings, Mistake> {
        let footage = Footage {
            rate: self.rate.as_ref(),
            duration: self.duration.as_ref(),
            file: self.file.as_ref(),
            frame_rate: &self.frame_rate,
            // They are sent in the order in which they are made.
            group: &"I".to_owned().into(),
        };
        let deadline = above_zero(&self.deadline, "deadline")?;
        Ok(LiveSettings { frames: footage.frames(files)?, deadline })
    }
}
