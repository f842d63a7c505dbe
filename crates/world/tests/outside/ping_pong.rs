//! Ping-pong: one end sends this many bytes, the other sends as many back, and so on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windtunnel_applications::{Application, Host, Maker, Setting, Stream};
use windtunnel_engine::Time;

/// One end, and the maker of both.
#[derive(Clone, Debug)]
pub(crate) struct PingPong {
    pub(crate) bytes: u64,
    /// How often either end has received them.
    pub(crate) received: Arc<AtomicU64>,
    /// When it begins; never: it only answers.
    pub(crate) begins: Time,
}

impl Maker for PingPong {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let end = |begins| Box::new(Self { begins, ..self.clone() });
        [end(setting.start), end(Time::NEVER)]
    }
}

impl Application for PingPong {
    fn next_wake(&self) -> Time {
        self.begins
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        self.begins = Time::NEVER;
        let stream = host.open(0);
        host.write(stream, self.bytes);
        self.on_open(now, stream, host);
    }

    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.bytes);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        self.received.fetch_add(1, Ordering::Relaxed);
        host.write(stream, self.bytes);
        host.await_received(stream, host.received(stream) + self.bytes);
    }
}
