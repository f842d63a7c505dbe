//! Requests and their answers, one after another over streams that the receiver of the answers
//! opens: a closed system of workers, each with at most one request under way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use windtunnel_engine::{Random, Time};

use crate::{Application, Before, Completed, Host, Period, Stream};

/// Sizes in bytes, and the pause between an answer and the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) request: u64,
    pub(crate) response: u64,
    pub(crate) think: Period,
}

/// One that asks, waits for the answer, thinks, and asks again.
#[derive(Debug)]
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
#[derive(Debug)]
pub(crate) struct Client {
    exchange: Exchange,
    workers: Box<[Worker]>,
    /// When those ask that think, by number.
    next: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Client {
    pub(crate) fn new(start: Time, exchange: Exchange, workers: u32, random: Random) -> Self {
        let streams = std::iter::successors(Some(random), |it| Some(it.second()));
        let worker =
            |random| Worker { answers: 0, random, stream: None, asked: start, is_first: true };
        let workers: Box<[Worker]> = streams.take(workers as usize).map(worker).collect();
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
        let Exchange { request, response, think } = self.exchange;
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
#[derive(Debug)]
pub(crate) struct Server {
    exchange: Exchange,
}

impl Server {
    pub(crate) fn new(exchange: Exchange) -> Self {
        Self { exchange }
    }
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
