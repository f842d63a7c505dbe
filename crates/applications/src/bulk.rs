//! Data without end over one stream.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::units::Measured;

use crate::keys::{Keys, WorkloadContext};
use crate::{Application, Behaviour, Host, Maker, Setting, Stream};

/// Data without end, over one stream.
#[derive(Clone, Copy, Debug)]
pub struct BulkSettings {
    /// How fast the application hands it over; without limit if there is none.
    pub rate: Option<Rate>,
}

impl Maker for BulkSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        [Box::new(Bulk::new(setting.start, self.rate)), Box::new(Discard)]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour::STEADY
    }
}

/// Sends without end, as fast as the stream takes it or at a rate.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct Discard;

impl Application for Discard {}

/// Data without end.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkKeys {
    /// How fast the application hands it over; default: without limit.
    rate: Option<Measured<Rate>>,
}

impl Keys for BulkKeys {
    type Workload = BulkSettings;

    fn workload(&self, _context: &mut WorkloadContext<'_, '_>) -> Result<BulkSettings, Mistake> {
        Ok(BulkSettings { rate: self.rate.map(|it| it.0) })
    }
}
