//! One file that is requested, sent at once, and played while it comes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::sizes::{MOST_FILE, within};
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Bytes, Measured, PerSecond, bytes, milliseconds};

use super::{Frames, LateFramePolicy, Playback, Player, PlayerTotals, Playout, PlayoutSettings};
use crate::keys::{Keys, WorkloadContext};
use crate::video::footage::{Footage, usual_frame_rate};
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Stream};

/// A player of one file.
#[derive(Clone, Debug)]
pub struct ProgressiveSettings {
    /// The frames of the file.
    pub frames: Arc<Frames>,
    /// The size of the request in bytes.
    pub request: u64,
    /// How it plays.
    pub playout: PlayoutSettings,
}

impl Maker for ProgressiveSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        [Box::new(FileServer::new(self)), Box::new(ProgressivePlayer::new(setting.start, self))]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour { transfers: true, playback: true, ..Behaviour::STEADY }
    }
}

/// Asks for the file and plays it.
#[derive(Clone, Debug)]
pub(crate) struct ProgressivePlayer {
    settings: ProgressiveSettings,
    playout: Playout,
    start: Time,
    /// When it asks; never again.
    asks: Time,
    stream: Option<Stream>,
}

impl ProgressivePlayer {
    pub(crate) fn new(start: Time, settings: &ProgressiveSettings) -> Self {
        let playout = Playout::new(Arc::clone(&settings.frames), settings.playout, start);
        Self { settings: settings.clone(), playout, start, asks: start, stream: None }
    }

    fn await_next(&self, stream: Stream, host: &mut dyn Host) {
        if let Some(bytes) = self.playout.awaits() {
            host.await_received(stream, bytes);
        }
    }
}

impl Application for ProgressivePlayer {
    fn next_wake(&self) -> Time {
        self.asks.min(self.playout.next_wake())
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        if self.asks <= now {
            self.asks = Time::NEVER;
            let stream = host.open(0);
            self.stream = Some(stream);
            host.write(stream, self.settings.request);
            host.begin();
            self.await_next(stream, host);
        }
        self.playout.wake(now);
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        let received = host.received(stream);
        self.playout.receive(now, received);
        let bytes = self.settings.frames.bytes();
        if received >= bytes {
            let before = Before::Request { bytes: self.settings.request, is_first: true };
            host.complete(Completed { number: 0, bytes, start: self.start, before });
            host.close(stream);
        }
        self.await_next(stream, host);
    }

    fn stop(&mut self, now: Time, host: &mut dyn Host) {
        self.playout.stop(now);
        if let Some(stream) = self.stream {
            host.close(stream);
        }
    }

    fn player(&self) -> Option<&dyn Player> {
        Some(self)
    }
}

impl Player for ProgressivePlayer {
    fn totals(&self, now: Time) -> PlayerTotals {
        self.playout.totals(now)
    }

    fn playback(&self, now: Time) -> Option<Playback> {
        Some(self.playout.playback(now))
    }
}

/// Sends the file when it is asked.
#[derive(Clone, Debug)]
pub(crate) struct FileServer {
    request: u64,
    bytes: u64,
}

impl FileServer {
    pub(crate) fn new(settings: &ProgressiveSettings) -> Self {
        Self { request: settings.request, bytes: settings.frames.bytes() }
    }
}

impl Application for FileServer {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.request);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.write(stream, self.bytes);
    }
}

/// A video in one file, which the receiver requests and plays while it comes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VideoKeys {
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

impl Keys for VideoKeys {
    type Workload = ProgressiveSettings;

    fn receiver_opens(&self) -> bool {
        true
    }

    fn workload(
        &self,
        context: &mut WorkloadContext<'_, '_>,
    ) -> Result<ProgressiveSettings, Mistake> {
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
        Ok(ProgressiveSettings {
            frames: footage.frames(context.files)?,
            request: within(&self.request, MOST_FILE, "request")?,
            playout: PlayoutSettings { threshold, maximum_threshold, reading },
        })
    }
}
