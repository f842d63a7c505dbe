//! Ping-pong: one end sends so many bytes, the other sends as many back, and after a
//! pause the next round begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windtunnel_applications::{Application, Host, Maker, Setting, Stream};
use windtunnel_engine::{Duration, Time};

#[derive(Clone, Debug)]
pub(crate) struct PingPong {
    pub(crate) bytes: u64,
    pub(crate) pause: Duration,
    /// How many rounds were completed.
    pub(crate) rounds: Arc<AtomicU64>,
}

impl Maker for PingPong {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let ping = Ping { game: self.clone(), stream: None, next: setting.start };
        [Box::new(ping), Box::new(Pong { bytes: self.bytes })]
    }
}

#[derive(Debug)]
struct Ping {
    game: PingPong,
    stream: Option<Stream>,
    next: Time,
}

impl Application for Ping {
    fn next_wake(&self) -> Time {
        self.next
    }

    fn wake(&mut self, _now: Time, host: &mut dyn Host) {
        self.next = Time::NEVER;
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        host.await_received(stream, host.received(stream) + self.game.bytes);
        host.write(stream, self.game.bytes);
    }

    fn on_received(&mut self, now: Time, _stream: Stream, _host: &mut dyn Host) {
        self.game.rounds.fetch_add(1, Ordering::Relaxed);
        self.next = now + self.game.pause;
    }

    fn stop(&mut self, _now: Time, host: &mut dyn Host) {
        self.stream.into_iter().for_each(|it| host.close(it));
    }
}

#[derive(Debug)]
struct Pong {
    bytes: u64,
}

impl Application for Pong {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.bytes);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, host.received(stream) + self.bytes);
        host.write(stream, self.bytes);
    }
}
