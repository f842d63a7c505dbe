//! Live frames: each is sent at its date, and its delay is from there to its last byte.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Measured, PerSecond, milliseconds};

use super::{Frames, Playback, Player, PlayerTotals};
use crate::keys::{Keys, WorkloadContext};
use crate::video::footage::{Footage, usual_frame_rate};
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Stream};

/// Frames that are sent as they are made.
#[derive(Clone, Debug)]
pub struct LiveSettings {
    /// The frames.
    pub frames: Arc<Frames>,
    /// The delay of a frame beyond which it is late.
    pub deadline: Duration,
}

impl Maker for LiveSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let start = setting.start;
        [Box::new(LiveSender::new(start, self)), Box::new(LiveReceiver::new(start, self))]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour { transfers: true, ..Behaviour::STEADY }
    }
}

/// How many frames are made before a time, if the first is made at `start`.
pub(super) fn made_before(frames: &Frames, start: Time, time: Time) -> usize {
    let is_made = |frame: &usize| start + frames.duration(*frame) < time;
    (0..frames.count()).take_while(is_made).count()
}

/// Sends each frame at its date.
#[derive(Clone, Debug)]
pub(crate) struct LiveSender {
    frames: Arc<Frames>,
    start: Time,
    stream: Option<Stream>,
    /// The next frame of the stream, the bytes before it, and when it leaves.
    next: usize,
    sent: u64,
    wake: Time,
}

impl LiveSender {
    pub(crate) fn new(start: Time, settings: &LiveSettings) -> Self {
        let frames = Arc::clone(&settings.frames);
        Self { frames, start, stream: None, next: 0, sent: 0, wake: start }
    }
}

impl Application for LiveSender {
    fn next_wake(&self) -> Time {
        self.wake
    }

    fn wake(&mut self, _now: Time, host: &mut dyn Host) {
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        let Some(frame) = self.frames.in_stream(self.next) else {
            self.wake = Time::NEVER;
            host.close(stream);
            return;
        };
        let end = self.frames.end(frame);
        host.write(stream, end - self.sent);
        host.begin();
        (self.next, self.sent) = (self.next + 1, end);
        self.wake = self.start + self.frames.duration(self.next);
    }

    fn stop(&mut self, _now: Time, host: &mut dyn Host) {
        if let Some(stream) = self.stream {
            host.close(stream);
        }
    }
}

/// Receives the frames, and knows when each was made.
#[derive(Clone, Debug)]
pub(crate) struct LiveReceiver {
    settings: LiveSettings,
    start: Time,
    stopped: Time,
    /// Frames received, and those of them that were late.
    received: usize,
    late: u64,
    /// The bytes of those.
    bytes: u64,
}

impl LiveReceiver {
    pub(crate) fn new(start: Time, settings: &LiveSettings) -> Self {
        Self {
            settings: settings.clone(),
            start,
            stopped: Time::NEVER,
            received: 0,
            late: 0,
            bytes: 0,
        }
    }

    /// When a frame of the stream is made.
    fn date(&self, place: usize) -> Time {
        self.start + self.settings.frames.duration(place)
    }

    /// The bytes of the stream up to the end of the next frame.
    fn next_end(&self) -> Option<u64> {
        let frames = &self.settings.frames;
        frames.in_stream(self.received).map(|it| frames.end(it))
    }
}

impl Application for LiveReceiver {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        self.next_end().into_iter().for_each(|it| host.await_received(stream, it));
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        while let Some(end) = self.next_end().filter(|it| *it <= host.received(stream)) {
            let start = self.date(self.received);
            let before = Before::Nothing;
            let (number, bytes) = (self.received as u64, end - self.bytes);
            host.complete(Completed { number, bytes, start, before });
            self.late += u64::from(now.since(start) > self.settings.deadline);
            (self.received, self.bytes) = (self.received + 1, end);
        }
        self.next_end().into_iter().for_each(|it| host.await_received(stream, it));
    }

    fn stop(&mut self, now: Time, _host: &mut dyn Host) {
        self.stopped = now;
    }

    fn player(&self) -> Option<&dyn Player> {
        Some(self)
    }
}

impl Player for LiveReceiver {
    fn totals(&self, now: Time) -> PlayerTotals {
        let LiveSettings { frames, deadline } = &self.settings;
        let made = made_before(frames, self.start, now.min(self.stopped));
        let is_late = |place: &usize| self.date(*place) + *deadline < now;
        let missing = (self.received..made).filter(is_late).count() as u64;
        PlayerTotals {
            frames: Some(made as u64),
            late: Some(self.late + missing),
            ..PlayerTotals::default()
        }
    }

    fn playback(&self, _now: Time) -> Option<Playback> {
        None
    }
}

/// Live frames: each is sent when it is made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesKeys {
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

impl FramesKeys {
    /// The frames that the keys make.
    ///
    /// # Errors
    /// [`Mistake`] at a key whose value does not fit, or in a file.
    pub fn settings(&self, files: &mut Files<'_>) -> Result<LiveSettings, Mistake> {
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

impl Keys for FramesKeys {
    type Workload = LiveSettings;

    fn workload(&self, context: &mut WorkloadContext<'_, '_>) -> Result<LiveSettings, Mistake> {
        self.settings(context.files)
    }
}
