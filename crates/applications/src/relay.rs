//! A proxy that splits a flow's connections (RFC 3135, section 2.4): it accepts a stream
//! and opens its own to the next host immediately. What it receives it writes to that
//! stream, and it reads from the first only what the second has delivered: it holds no
//! more than its receive buffer, and the window that it advertises says so.

use std::collections::BTreeMap;

use windtunnel_engine::Time;

use crate::{Application, Host, Stream};

/// A stream that was accepted and the one that was opened for it.
#[derive(Clone, Copy, Debug)]
struct Pair {
    from: Stream,
    to: Stream,
    /// Whether each is still open.
    is_open: [bool; 2],
    is_closing: bool,
    /// Bytes written to the second, and those that it delivered.
    relayed: u64,
    delivered: u64,
}

/// The application at a proxy.
#[derive(Clone, Debug, Default)]
pub struct Relay {
    pairs: Vec<Pair>,
    /// The place of each stream's pair.
    places: BTreeMap<Stream, usize>,
    free: Vec<usize>,
}

impl Relay {
    fn pair(&mut self, stream: Stream) -> Option<&mut Pair> {
        let place = *self.places.get(&stream)?;
        Some(&mut self.pairs[place])
    }

    fn insert(&mut self, pair: Pair) {
        let place = self.free.pop().unwrap_or(self.pairs.len());
        if place == self.pairs.len() {
            self.pairs.push(pair);
        }
        self.pairs[place] = pair;
        self.places.insert(pair.from, place);
        self.places.insert(pair.to, place);
    }

    /// Passes on what was received, closes the second stream when that was all, and
    /// reads what it has delivered.
    fn relay(&mut self, stream: Stream, host: &mut dyn Host) {
        let Some(pair) = self.pair(stream).filter(|it| it.is_open == [true; 2]) else { return };
        let received = host.received(pair.from);
        let fresh = received - std::mem::replace(&mut pair.relayed, received);
        if fresh > 0 {
            host.write(pair.to, fresh);
        }
        if host.is_finished(pair.from) && !pair.is_closing {
            pair.is_closing = true;
            host.close(pair.to);
        }
        let delivered = received - host.unacknowledged(pair.to).min(received);
        let taken = delivered - std::mem::replace(&mut pair.delivered, delivered);
        if taken > 0 {
            host.read(pair.from, taken);
        }
    }
}

impl Application for Relay {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        let next = host.open(host.ordinal(stream));
        host.await_received(stream, 0);
        host.await_acknowledged(next);
        self.insert(Pair {
            from: stream,
            to: next,
            is_open: [true; 2],
            is_closing: false,
            relayed: 0,
            delivered: 0,
        });
        self.relay(stream, host);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        self.relay(stream, host);
        host.await_received(stream, 0);
    }

    fn on_acknowledged(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        self.relay(stream, host);
    }

    fn on_closed(&mut self, stream: Stream) {
        let Some(place) = self.places.remove(&stream) else { return };
        let pair = &mut self.pairs[place];
        pair.is_open[usize::from(pair.to == stream)] = false;
        if pair.is_open == [false; 2] {
            self.free.push(place);
        }
    }
}
