//! Requests and their answers, one after another over streams that the receiver of the answers
//! opens: a closed system of workers, each with at most one request under way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::sizes::{MOST_FILE, within};
use windtunnel_reading::timers::zero;
use windtunnel_reading::units::{Bytes, Measured, bytes};

use crate::keys::{Keys, WorkloadContext};
use crate::period::Periods;
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Period, Setting, Stream};

/// Workers at the receiver ask and the sender answers, again and again, over a stream for each
/// that the receiver opens.
#[derive(Clone, Copy, Debug)]
pub struct RequestResponseSettings {
    /// How many workers there are.
    pub workers: u32,
    /// The size of a request in bytes.
    pub request: u64,
    /// The size of an answer in bytes.
    pub response: u64,
    /// From an answer's end to the next request.
    pub think: Period,
}

impl Maker for RequestResponseSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let client = Client::new(setting.start, *self, setting.random.clone());
        [Box::new(Server { exchange: *self }), Box::new(client)]
    }

    fn behaviour(&self) -> Behaviour {
        let (many_streams, random) = (self.workers > 1, self.think.is_random());
        Behaviour { many_streams, transfers: true, random, ..Behaviour::STEADY }
    }
}

/// One that asks, waits for the answer, thinks, and asks again.
#[derive(Clone, Debug)]
struct Worker {
    /// How many answers it has received.
    answers: u64,
    /// What its thinking is drawn from.
    random: Random,
    stream: Option<Stream>,
    /// When it asked last, and whether that opened its stream.
    asked: Time,
    is_first: bool,
}

/// Asks: several workers, each over a stream of its own.
#[derive(Clone, Debug)]
struct Client {
    exchange: RequestResponseSettings,
    workers: Box<[Worker]>,
    /// When those ask that think, by number.
    next: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Client {
    fn new(start: Time, exchange: RequestResponseSettings, random: Random) -> Self {
        let streams = std::iter::successors(Some(random), |it| Some(it.second()));
        let worker =
            |random| Worker { answers: 0, random, stream: None, asked: start, is_first: true };
        let workers: Box<[Worker]> = streams.take(exchange.workers as usize).map(worker).collect();
        let next = (0..workers.len()).map(|it| Reverse((start, it))).collect();
        Self { exchange, workers, next }
    }

    fn ask(&mut self, now: Time, number: usize, host: &mut dyn Host) {
        let worker = &mut self.workers[number];
        worker.asked = now;
        worker.is_first = worker.stream.is_none();
        let stream = *worker.stream.get_or_insert_with(|| host.open(number as u64));
        host.await_received(stream, host.received(stream) + self.exchange.response);
        host.write(stream, self.exchange.request);
        host.begin();
    }
}

impl Application for Client {
    fn next_wake(&self) -> Time {
        self.next.peek().map_or(Time::NEVER, |it| it.0.0)
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        while let Some(Reverse((time, number))) = self.next.peek().copied()
            && time <= now
        {
            self.next.pop();
            self.ask(now, number, host);
        }
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        let number = host.ordinal(stream) as usize;
        let RequestResponseSettings { request, response, think, .. } = self.exchange;
        let workers = self.workers.len() as u64;
        let worker = &mut self.workers[number];
        let before = Before::Request { bytes: request, is_first: worker.is_first };
        let answer = worker.answers * workers + number as u64;
        worker.answers += 1;
        let start = worker.asked;
        host.complete(Completed { number: answer, bytes: response, start, before });
        self.next.push(Reverse((now + think.draw(&mut worker.random), number)));
    }

    fn on_closed(&mut self, stream: Stream) {
        let closed = self.workers.iter_mut().find(|it| it.stream == Some(stream));
        closed.into_iter().for_each(|it| it.stream = None);
    }
}

/// Answers.
#[derive(Clone, Debug)]
struct Server {
    exchange: RequestResponseSettings,
}

impl Application for Server {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.exchange.request);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        // A request is asked for only after the answer to the one before.
        host.await_received(stream, host.received(stream) + self.exchange.request);
        host.write(stream, self.exchange.response);
    }
}

/// The receiver asks and the sender answers, again and again, over one connection for each worker
/// at the receiver, which opens it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestResponseKeys {
    /// The size of a request.
    #[serde(default = "bytes::<100>")]
    request: Located<Measured<Bytes>>,
    /// The size of an answer.
    response: Located<Measured<Bytes>>,
    /// The number of workers, each with a connection of its own: each waits for its answer, thinks,
    /// and sends the next request, so that no more requests than workers are outstanding.
    #[serde(default = "number::<1>")]
    workers: Located<u16>,
    /// From an answer's end to the next request.
    #[serde(default = "zero")]
    think: Located<Measured<Duration>>,
    /// Whether `think` is always as long, or exponentially distributed with that mean.
    #[serde(default)]
    periods: Periods,
}

impl Keys for RequestResponseKeys {
    type Workload = RequestResponseSettings;

    fn receiver_opens(&self) -> bool {
        true
    }

    fn workload(
        &self,
        _context: &mut WorkloadContext<'_, '_>,
    ) -> Result<RequestResponseSettings, Mistake> {
        Ok(RequestResponseSettings {
            workers: self.workers()?,
            request: within(&self.request, MOST_FILE, "request")?,
            response: within(&self.response, MOST_FILE, "response")?,
            think: self.periods.of(self.think.value.0),
        })
    }
}

impl RequestResponseKeys {
    fn workers(&self) -> Result<u32, Mistake> {
        let zero = || "`workers` must be greater than zero".to_owned();
        self.workers.checked(|it| *it > 0, zero, "write one such as workers = 10")?;
        Ok(u32::from(self.workers.value))
    }
}
