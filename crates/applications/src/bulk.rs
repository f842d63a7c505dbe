//! Data without end over one stream.

use windtunnel_engine::{Rate, Time};

use crate::{Application, Host, Stream};

/// Sends without end, as fast as the stream takes it or at a rate.
#[derive(Debug)]
pub(crate) struct Bulk {
    rate: Option<Rate>,
    stream: Option<Stream>,
    next: Time,
}

impl Bulk {
    pub(crate) fn new(start: Time, rate: Option<Rate>) -> Self {
        Self { rate, stream: None, next: start }
    }
}

impl Application for Bulk {
    fn next_wake(&self) -> Time {
        self.next
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        let Some(rate) = self.rate else {
            self.next = Time::NEVER;
            return host.write(stream, u64::MAX);
        };
        let portion = portion(rate, host);
        // While the transport holds enough, the application waits.
        if host.room(stream) > 0 {
            host.write(stream, portion);
        }
        self.next = now + rate.transmission_time(portion as u32);
    }

    fn stop(&mut self, _now: Time, host: &mut dyn Host) {
        if let Some(stream) = self.stream {
            host.close(stream);
        }
    }

    fn on_closed(&mut self, _stream: Stream) {
        self.stream = None;
        self.next = Time::NEVER;
    }
}

/// What an application that hands data over at a rate does so with, in bytes: its writes, or a
/// full segment, or what it makes in 0.1 ms.
fn portion(rate: Rate, host: &dyn Host) -> u64 {
    let made = rate.bits_per_second() / 8 / 10_000;
    let usual = made.max(u64::from(host.segment()));
    host.write_size().unwrap_or(usual).min(u64::from(u32::MAX))
}

/// Receives what comes.
#[derive(Debug)]
pub(crate) struct Discard;

impl Application for Discard {}
