//! Messages over one stream, handed over from outside: what a service of the network sends
//! from one of its nodes to another.

use std::collections::VecDeque;

use windtunnel_engine::Time;

use crate::{Application, Behaviour, Host, Maker, Setting, Stream};

/// Messages of a service of the network, over one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Messages;

impl Maker for Messages {
    fn applications(&self, _setting: &Setting) -> [Box<dyn Application>; 2] {
        [Box::<MessageSender>::default(), Box::<MessageReceiver>::default()]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour::STEADY
    }
}

/// Sends messages, one after the other.
#[derive(Clone, Debug, Default)]
struct MessageSender {
    /// It is opened with the first message.
    stream: Option<Stream>,
}

impl Application for MessageSender {
    fn on_message(&mut self, _now: Time, bytes: u64, host: &mut dyn Host) {
        let stream = *self.stream.get_or_insert_with(|| host.open(0));
        host.write(stream, bytes);
    }
}

/// Receives them. It is told of each when that is handed over, for packets carry no bytes, of
/// which the first would say how many follow.
#[derive(Clone, Debug, Default)]
struct MessageReceiver {
    stream: Option<Stream>,
    /// The bytes of all messages up to each that is under way, and up to the last one.
    ends: VecDeque<u64>,
    last: u64,
}

impl MessageReceiver {
    fn await_next(&self, host: &mut dyn Host) {
        if let (Some(stream), Some(end)) = (self.stream, self.ends.front()) {
            host.await_received(stream, *end);
        }
    }
}

impl Application for MessageReceiver {
    fn on_message(&mut self, _now: Time, bytes: u64, host: &mut dyn Host) {
        self.last += bytes;
        self.ends.push_back(self.last);
        if self.ends.len() == 1 {
            self.await_next(host);
        }
    }

    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        self.stream = Some(stream);
        self.await_next(host);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        let received = host.received(stream);
        while self.ends.front().is_some_and(|it| *it <= received) {
            self.ends.pop_front();
            host.deliver();
        }
        self.await_next(host);
    }
}
