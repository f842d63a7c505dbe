//! Sending at full speed and silence in turn, over one stream.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::Measured;

use crate::bulk::Discard;
use crate::keys::{Keys, WorkloadContext};
use crate::period::Periods;
use crate::{Application, Behaviour, Host, Maker, OnOffPeriods, Setting, Stream};

impl Maker for OnOffPeriods {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let sender = OnOff::new(setting.start, *self, setting.random.clone());
        [Box::new(sender), Box::new(Discard)]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour { random: self.are_random(), ..Behaviour::STEADY }
    }
}

/// Sends in turns. While it sends, two windows of data are waiting or in flight: what
/// is left of them when a turn ends is still sent.
#[derive(Clone, Debug)]
pub(crate) struct OnOff {
    turns: OnOffPeriods,
    random: Random,
    is_on: bool,
    stream: Option<Stream>,
    next: Time,
}

impl OnOff {
    pub(crate) fn new(start: Time, turns: OnOffPeriods, random: Random) -> Self {
        Self { turns, random, is_on: false, stream: None, next: start }
    }

    fn fill(&self, stream: Stream, host: &mut dyn Host) {
        let room = host.room(stream);
        if room > 0 {
            host.write(stream, room);
        }
    }

    fn opened(&mut self, host: &mut dyn Host) -> Stream {
        *self.stream.get_or_insert_with(|| {
            let stream = host.open(0);
            host.await_acknowledged(stream);
            stream
        })
    }
}

impl Application for OnOff {
    fn next_wake(&self) -> Time {
        self.next
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        self.is_on = !self.is_on;
        let period = if self.is_on { self.turns.on } else { self.turns.off };
        self.next = now + period.draw(&mut self.random);
        if self.is_on {
            let stream = self.opened(host);
            self.fill(stream, host);
        }
    }

    fn stop(&mut self, _now: Time, host: &mut dyn Host) {
        self.is_on = false;
        if let Some(stream) = self.stream {
            host.close(stream);
        }
    }

    fn on_acknowledged(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        if self.is_on {
            self.fill(stream, host);
        }
    }

    fn on_closed(&mut self, _stream: Stream) {
        (self.stream, self.is_on, self.next) = (None, false, Time::NEVER);
    }
}

/// Sending in turns with silence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOffKeys {
    /// How long it sends.
    on: Located<Measured<Duration>>,
    /// How long it is silent.
    off: Located<Measured<Duration>>,
    /// Whether the times are always as long, or exponentially distributed with that
    /// mean.
    #[serde(default)]
    periods: Periods,
}

impl OnOffKeys {
    /// The periods that the keys make.
    ///
    /// # Errors
    /// [`Mistake`] at one that is zero.
    pub fn periods(&self) -> Result<OnOffPeriods, Mistake> {
        let length = |it, key| Ok(self.periods.of(above_zero(it, key)?));
        Ok(OnOffPeriods { on: length(&self.on, "on")?, off: length(&self.off, "off")? })
    }
}

impl Keys for OnOffKeys {
    type Workload = OnOffPeriods;

    fn workload(&self, _context: &mut WorkloadContext<'_, '_>) -> Result<OnOffPeriods, Mistake> {
        self.periods()
    }
}
