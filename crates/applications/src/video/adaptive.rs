//! Adaptive streaming: segments are requested one at a time over one stream, each at the level
//! that a rule chooses, as long as there is room in the buffer.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Located;
use windtunnel_reading::sizes::within;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Bytes, Measured, bytes, milliseconds, written};

use super::rules::{Download, Rule, RuleSettings, Situation};
use super::{Experience, Ladder, Playback, Player, PlayerTotals, Segment, SegmentBuffer};
use crate::keys::{Keys, WorkloadContext};
use crate::video::files::{MOST_SEGMENTS, check_bitrates, ladder};
use crate::video::rules::AnyRule;
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Stream};

/// A player of segments.
#[derive(Clone, Debug)]
pub struct AdaptiveSettings {
    /// The levels and sizes of the segments.
    pub ladder: Arc<Ladder>,
    /// What chooses the levels.
    pub rule: RuleSettings,
    /// The media that the buffer holds; at least a segment.
    pub maximum_buffer: Duration,
    /// The size in bytes of a request for the lowest level; a request has a byte more for each
    /// level above, which says the level, because packets carry sizes without content. It must
    /// fit into a segment of TCP.
    pub request: u64,
}

impl Maker for AdaptiveSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        [Box::new(SegmentServer::new(self)), Box::new(AdaptivePlayer::new(setting.start, self))]
    }

    fn behaviour(&self) -> Behaviour {
        let random = matches!(self.rule, RuleSettings::External(_));
        Behaviour { transfers: true, playback: true, random, ..Behaviour::STEADY }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It has nothing to do until then.
    Waiting(Time),
    /// It has chosen a level and waits, as the rule wants.
    Delaying { until: Time, level: usize },
    /// It has requested a segment at that level; the first byte came so much later.
    Downloading { requested: Time, level: usize, latency: Option<Duration> },
    /// All was received, or it was left.
    Done,
}

/// Asks for segments and plays them.
#[derive(Clone, Debug)]
pub(crate) struct AdaptivePlayer {
    settings: AdaptiveSettings,
    rule: Box<dyn Rule>,
    start: Time,
    state: State,
    /// When the buffer had no room for another segment.
    full: Option<Time>,
    stream: Option<Stream>,
    /// The bytes of the segments before the one that is requested.
    before: u64,
    buffer: SegmentBuffer,
    segments: Vec<Segment>,
    stopped: Time,
}

impl AdaptivePlayer {
    pub(crate) fn new(start: Time, settings: &AdaptiveSettings) -> Self {
        let ladder = &settings.ladder;
        let count = ladder.segments();
        Self {
            rule: settings.rule.rule(ladder, settings.maximum_buffer.as_seconds()),
            start,
            state: State::Waiting(start),
            full: None,
            stream: None,
            before: 0,
            buffer: SegmentBuffer::default(),
            segments: Vec::with_capacity(count),
            stopped: Time::NEVER,
            settings: settings.clone(),
        }
    }

    /// Chooses the level of the next segment.
    fn choose(&mut self, now: Time, host: &mut dyn Host) {
        if let Some(since) = self.full.take() {
            self.rule.on_full(now.since(since).as_seconds());
        }
        let choice = self.rule.choose(&Situation {
            ladder: &self.settings.ladder,
            segment: self.segments.len(),
            buffer: self.buffer.level(now).as_seconds(),
        });
        let level = choice.level.min(self.settings.ladder.bitrates().len() - 1);
        match Duration::from_seconds(choice.delay) {
            Some(delay) if delay > Duration::ZERO => {
                self.state = State::Delaying { until: now + delay, level };
            }
            _ => self.request(now, level, host),
        }
    }

    fn request(&mut self, now: Time, level: usize, host: &mut dyn Host) {
        self.state = State::Downloading { requested: now, level, latency: None };
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        host.await_received(stream, self.before + 1);
        host.write(stream, self.settings.request + level as u64);
        host.begin();
    }

    /// A segment has come.
    fn take_in(&mut self, now: Time, requested: Time, level: usize, latency: Duration) {
        let ladder = &self.settings.ladder;
        let bytes = ladder.bytes(self.segments.len(), level);
        self.before += bytes;
        let stalled = self.buffer.add(now, ladder.duration());
        let (download, buffer) = (now.since(requested), self.buffer.level(now));
        let bitrate = ladder.bitrates()[level];
        self.segments.push(Segment { level, bitrate, bytes, requested, download, buffer, stalled });
        self.rule.on_download(
            ladder,
            &Download {
                level,
                bytes,
                latency: latency.as_seconds(),
                time: download.as_seconds(),
                buffer: buffer.as_seconds(),
                stalled: stalled.as_seconds(),
            },
        );
    }

    /// What follows a segment: the next one, as soon as there is room for it.
    fn go_on(&mut self, now: Time, host: &mut dyn Host) {
        let ladder = &self.settings.ladder;
        if self.segments.len() == ladder.segments() {
            self.finish(host);
            return;
        }
        let room = self.buffer.when_down_to(self.settings.maximum_buffer - ladder.duration());
        if room > now {
            self.full = Some(now);
            self.state = State::Waiting(room);
        } else {
            self.choose(now, host);
        }
    }

    fn finish(&mut self, host: &mut dyn Host) {
        self.state = State::Done;
        if let Some(stream) = self.stream {
            host.close(stream);
        }
    }

    /// The media of the whole video.
    fn whole(&self) -> Duration {
        self.settings.ladder.duration() * self.settings.ladder.segments() as u64
    }

    /// How many segments have been begun to be played.
    fn played(&self, now: Time) -> usize {
        let segment = self.settings.ladder.duration().as_picos();
        self.buffer.played(now).as_picos().div_ceil(segment) as usize
    }
}

impl Application for AdaptivePlayer {
    fn next_wake(&self) -> Time {
        match self.state {
            State::Waiting(time) | State::Delaying { until: time, .. } => time,
            State::Downloading { .. } | State::Done => Time::NEVER,
        }
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        match self.state {
            State::Waiting(time) if time <= now => self.choose(now, host),
            State::Delaying { until, level } if until <= now => self.request(now, level, host),
            _ => {}
        }
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        let State::Downloading { requested, level, latency } = self.state else { return };
        let latency = latency.unwrap_or(now.since(requested));
        let bytes = self.settings.ladder.bytes(self.segments.len(), level);
        if host.received(stream) < self.before + bytes {
            self.state = State::Downloading { requested, level, latency: Some(latency) };
            host.await_received(stream, self.before + bytes);
            return;
        }
        let before = Before::Request {
            bytes: self.settings.request + level as u64,
            is_first: self.segments.is_empty(),
        };
        let number = self.segments.len() as u64;
        host.complete(Completed { number, bytes, start: requested, before });
        self.take_in(now, requested, level, latency);
        self.go_on(now, host);
    }

    fn stop(&mut self, now: Time, host: &mut dyn Host) {
        self.stopped = now;
        self.finish(host);
    }

    fn player(&self) -> Option<&dyn Player> {
        Some(self)
    }
}

impl Player for AdaptivePlayer {
    fn totals(&self, now: Time) -> PlayerTotals {
        let now = now.min(self.stopped);
        let played = Experience::of(&self.segments[..self.played(now)]);
        let first = self.segments.first();
        PlayerTotals {
            startup: first.map(|it| (it.requested + it.download).since(self.start)),
            underflows: Some(self.buffer.underflows(now, self.whole())),
            stalled: Some(self.buffer.stalled(now, self.whole())),
            played: Some(self.buffer.played(now)),
            segments: Some(self.segments.len() as u64),
            quality: played.bitrate(),
            switches: Some(played.switches()),
            experience: played.mean(),
            ..PlayerTotals::default()
        }
    }

    fn playback(&self, now: Time) -> Option<Playback> {
        let time = now.min(self.stopped);
        let buffer = self.buffer.level(time);
        let last = self.played(time).max(1) - 1;
        Some(Playback {
            buffer,
            quality: self.segments.get(last).map(|it| it.bitrate),
            is_playing: buffer > Duration::ZERO && now < self.stopped,
        })
    }

    fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

/// Sends the segments that are requested.
#[derive(Clone, Debug)]
pub(crate) struct SegmentServer {
    ladder: Arc<Ladder>,
    request: u64,
    /// How many segments were requested, and the bytes of those requests.
    sent: usize,
    requests: u64,
}

impl SegmentServer {
    pub(crate) fn new(settings: &AdaptiveSettings) -> Self {
        let ladder = Arc::clone(&settings.ladder);
        Self { ladder, request: settings.request, sent: 0, requests: 0 }
    }
}

impl Application for SegmentServer {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.request);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        if self.sent == self.ladder.segments() {
            return;
        }
        let received = host.received(stream);
        let level = (received - self.requests - self.request) as usize;
        let level = level.min(self.ladder.bitrates().len() - 1);
        let bytes = self.ladder.bytes(self.sent, level);
        (self.sent, self.requests) = (self.sent + 1, received);
        host.await_received(stream, received + self.request);
        host.write(stream, bytes);
    }
}

/// A video in segments, of which the receiver requests one after another over one connection, each
/// at a level that a rule chooses.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveVideoKeys {
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

impl Keys for AdaptiveVideoKeys {
    type Workload = AdaptiveSettings;

    fn receiver_opens(&self) -> bool {
        true
    }

    fn workload(&self, context: &mut WorkloadContext<'_, '_>) -> Result<AdaptiveSettings, Mistake> {
        let ladder = self.ladder(context.files)?;
        let maximum_buffer = self.maximum_buffer.value.0;
        self.maximum_buffer.checked(
            |_| maximum_buffer > ladder.duration(),
            || {
                let segment = written(&ladder.duration());
                format!("`maximum_buffer` must be longer than a segment, {segment}")
            },
            "write more than a segment, such as \"25 s\"",
        )?;
        let most =
            u64::from(context.maximum_segment).saturating_sub(ladder.bitrates().len() as u64);
        Ok(AdaptiveSettings {
            request: within(&self.request, most, "request")?,
            ladder,
            rule: AnyRule::plan(&self.rule, context.rules)?,
            maximum_buffer,
        })
    }
}

impl AdaptiveVideoKeys {
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
        let ladder = files.read_once(file, (), |text| ladder(text).map(Arc::new))?;
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
