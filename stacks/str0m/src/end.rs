//! An end of a connection.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use str0m::bwe::BweKind;
use str0m::net::{Protocol, Receive, Transmit};
use str0m::{Event as Happening, Input, Output, Rtc, RtcError};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Place, Read, Role, Stack, State, StreamStack,
};

use crate::encoder::Encoder;
use crate::random::Generator;
use crate::session::{self, FIRST_RATE};

/// One end, with the only stream that there is: its video.
pub(crate) struct End {
    rtc: Rtc,
    /// The instant at which the run began: of the machine's clock, and nothing depends on it.
    began: Instant,
    generator: Generator,
    encoder: Encoder,
    /// The estimated rate in bits per second.
    estimate: u64,
    is_sender: bool,
    is_connected: bool,
    is_opened: bool,
    unread: u64,
    timeout: Option<Duration>,
    leaving: VecDeque<Transmit>,
    events: VecDeque<Event>,
    state: State,
}

impl fmt::Debug for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("End").finish_non_exhaustive()
    }
}

impl End {
    /// One that begins now.
    pub(crate) fn new(now: Duration, place: &Place) -> Result<Self, String> {
        let began = Instant::now() - now;
        let mut generator = Generator::new(place.seed);
        let rtc = generator.with(|| session::begun(place, began + now))?;
        Ok(Self {
            rtc,
            began,
            generator,
            encoder: Encoder::default(),
            estimate: FIRST_RATE,
            is_sender: place.role == Role::Client,
            is_connected: false,
            is_opened: false,
            unread: 0,
            timeout: Some(now),
            leaving: VecDeque::new(),
            events: VecDeque::new(),
            state: State::default(),
        })
    }

    /// Calls str0m, and takes all that it has then.
    fn call(&mut self, work: impl FnOnce(&mut Rtc) -> Result<(), RtcError>) {
        let Self { rtc, generator, .. } = self;
        let mut outcome = generator.with(|| work(rtc));
        while outcome.is_ok() {
            let Self { rtc, generator, .. } = self;
            outcome = match generator.with(|| rtc.poll_output()) {
                Ok(Output::Timeout(time)) => {
                    self.timeout = Some(time.saturating_duration_since(self.began));
                    return;
                }
                Ok(Output::Transmit(datagram)) => {
                    self.leaving.push_back(datagram);
                    Ok(())
                }
                Ok(Output::Event(event)) => {
                    self.note(event);
                    Ok(())
                }
                Err(error) => Err(error),
            };
        }
        if let Err(error) = outcome {
            self.timeout = None;
            self.events.push_back(Event::Failed(error.to_string()));
        }
    }

    fn note(&mut self, event: Happening) {
        match event {
            Happening::Connected => {
                self.is_connected = true;
                self.events.extend([Event::Connected, Event::Available]);
            }
            Happening::MediaData(frame) => {
                if !std::mem::replace(&mut self.is_opened, true) {
                    self.events.push_back(Event::Opened(0));
                }
                self.unread += frame.data.len() as u64;
                self.events.push_back(Event::Readable(0));
            }
            Happening::EgressBitrateEstimate(BweKind::Twcc { estimate, .. }) => {
                self.estimate = estimate.as_u64();
                self.state.pacing_rate = Some(self.estimate / 8);
            }
            Happening::PeerStats(told) => {
                self.state.smoothed_rtt = told.rtt.or(self.state.smoothed_rtt);
            }
            _ => {}
        }
    }

    /// Hands over the frames that are due.
    fn encode(&mut self, now: Duration) {
        while let Some(frame) = self.encoder.next(now, self.estimate) {
            let instant = self.began + now;
            self.call(|rtc| session::write(rtc, instant, &frame));
            // Its pacer sends what it may when it is told the time.
            self.call(|rtc| rtc.handle_input(Input::Timeout(instant)));
        }
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        let instant = self.began + now;
        for it in datagrams {
            // Others than those of WebRTC are left alone.
            if let Ok(datagram) = Receive::new(Protocol::Udp, it.from, it.to, it.bytes) {
                self.call(|rtc| rtc.handle_input(Input::Receive(instant, datagram)));
            }
        }
    }

    fn wake(&mut self, now: Duration) {
        let instant = self.began + now;
        if self.timeout.is_some_and(|it| it <= now) {
            self.call(|rtc| rtc.handle_input(Input::Timeout(instant)));
        }
        self.encode(now);
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.encode(now);
        let datagram = self.leaving.pop_front()?;
        buffer.extend_from_slice(&datagram.contents);
        let (from, to, ecn) = (None, datagram.destination, Ecn::NotCapable);
        Some(Departure { from, to, ecn, segment: buffer.len() })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        self.timeout.into_iter().chain(self.encoder.due()).min()
    }

    fn state(&self) -> State {
        self.state
    }
}

impl StreamStack for End {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        let opens = self.is_sender && self.is_connected && !self.is_opened;
        self.is_opened |= opens;
        opens.then_some(0)
    }

    /// Data without end are the video.
    fn write(&mut self, now: Duration, _stream: u64, bytes: u64) -> u64 {
        if self.is_sender && bytes == u64::MAX {
            self.encoder.begin(now);
        } else {
            let what = "it sends a video for as long as the flow lasts; leave out `workload`";
            self.events.push_back(Event::Failed(what.to_owned()));
        }
        bytes
    }

    fn finish(&mut self, _now: Duration, _stream: u64) {
        self.encoder.stop();
    }

    fn read(&mut self, _now: Duration, _stream: u64) -> Read {
        Read { bytes: std::mem::take(&mut self.unread), is_end: false }
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
