//! Requests and their answers, one after another over one stream that the receiver of
//! the answers opens.

use windtunnel_engine::{Random, Time};

use crate::{Application, Before, Completed, Host, Period, Stream};

/// Sizes in bytes, and the pause between an answer and the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) request: u64,
    pub(crate) response: u64,
    pub(crate) think: Period,
}

/// Asks.
#[derive(Debug)]
pub(crate) struct Client {
    exchange: Exchange,
    random: Random,
    stream: Option<Stream>,
    asked: Time,
    next: Time,
}

impl Client {
    pub(crate) fn new(start: Time, exchange: Exchange, random: Random) -> Self {
        Self { exchange, random, stream: None, asked: start, next: start }
    }
}

impl Application for Client {
    fn next_wake(&self) -> Time {
        self.next
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        (self.asked, self.next) = (now, Time::NEVER);
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        host.await_received(stream, host.received(stream) + self.exchange.response);
        host.write(stream, self.exchange.request);
        host.begin();
    }

    fn on_received(&mut self, now: Time, _stream: Stream, host: &mut dyn Host) {
        let Exchange { request, response, think } = self.exchange;
        let before = Before::Request(request);
        host.complete(Completed { bytes: response, start: self.asked, before });
        self.next = now + think.draw(&mut self.random);
    }

    fn on_closed(&mut self, _stream: Stream) {
        self.stream = None;
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
