//! One file that is requested, sent at once, and played while it comes.

use std::sync::Arc;

use windtunnel_engine::Time;

use super::{Frames, Playback, Player, PlayerTotals, Playout, PlayoutSettings};
use crate::{Application, Before, Completed, Host, Stream};

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

/// Asks for the file and plays it.
#[derive(Debug)]
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
#[derive(Debug)]
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
