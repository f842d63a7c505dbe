//! The end that loads the page.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use windtunnel_engine::{Duration, Time};

use super::document::Page;
use super::load::{Meter, PageLoad};
use super::settings::{Http, WebPageSettings};
use crate::{Application, Before, Completed, Host, Stream};

/// A stream and what comes on it.
#[derive(Clone, Debug, Default)]
struct Channel {
    stream: Option<Stream>,
    /// How many objects were requested on it, and how many have come.
    requested: usize,
    complete: usize,
    /// The bytes of those that have come, and of the one that comes what was seen.
    before: u64,
    seen: u64,
    /// When requests were written whose answers have not come.
    asked: VecDeque<Time>,
}

/// Loads the page.
#[derive(Clone, Debug)]
pub(super) struct Client {
    settings: WebPageSettings,
    page: Arc<Page>,
    meter: Meter,
    /// Objects by when they may be requested.
    known: BTreeSet<(Time, usize)>,
    /// Objects that wait for their turn on their stream.
    waiting: BTreeSet<usize>,
    channels: BTreeMap<usize, Channel>,
    is_stopped: bool,
}

impl Client {
    pub(super) fn new(settings: WebPageSettings, page: Arc<Page>, start: Time) -> Self {
        Self {
            settings,
            meter: Meter::new(&page, start),
            page,
            known: BTreeSet::from([(start, 0)]),
            waiting: BTreeSet::new(),
            channels: BTreeMap::new(),
            is_stopped: false,
        }
    }

    /// Requests what may be requested on a stream.
    fn request(&mut self, now: Time, number: usize, host: &mut dyn Host) {
        let http = self.settings.http;
        let channel = self.channels.entry(number).or_default();
        loop {
            let object = http.object(number, channel.requested);
            let is_busy = http.waits() && channel.requested > channel.complete;
            if is_busy || !self.waiting.remove(&object) {
                return;
            }
            let stream = *channel.stream.get_or_insert_with(|| host.open(number as u64));
            host.begin();
            host.write(stream, self.settings.request);
            if http == Http::StreamPerObject {
                host.close(stream);
            }
            channel.requested += 1;
            channel.asked.push_back(now);
            if channel.asked.len() == 1 {
                host.await_received(stream, channel.before + self.page.next(object, 0));
            }
            if http == Http::StreamPerObject {
                return;
            }
        }
    }
}

impl Application for Client {
    fn next_wake(&self) -> Time {
        self.known.first().map_or(Time::NEVER, |it| it.0)
    }

    fn wake(&mut self, now: Time, host: &mut dyn Host) {
        while let Some((_, object)) = self.known.first().copied().filter(|it| it.0 <= now) {
            self.known.pop_first();
            self.waiting.insert(object);
            self.request(now, self.settings.http.stream(object), host);
        }
    }

    fn on_received(&mut self, now: Time, stream: Stream, host: &mut dyn Host) {
        let number = host.ordinal(stream) as usize;
        let Some(channel) = self.channels.get_mut(&number) else { return };
        let http = self.settings.http;
        while channel.requested > channel.complete {
            let object = http.object(number, channel.complete);
            let bytes = self.page.0[object].bytes;
            let seen = (host.received(stream) - channel.before).min(bytes);
            if object == 0 && seen > 0 {
                self.meter.first_byte(now);
            }
            let found = self.page.found(object, channel.seen..seen);
            if !self.is_stopped {
                self.known.extend(found.map(|it| (now + self.settings.think, it)));
            }
            channel.seen = seen;
            if seen < bytes {
                host.await_received(stream, channel.before + self.page.next(object, seen));
                break;
            }
            let start = channel.asked.pop_front().unwrap_or(now);
            let is_first = channel.complete == 0;
            channel.complete += 1;
            (channel.before, channel.seen) = (channel.before + bytes, 0);
            self.meter.complete(&self.page, object, now);
            let before = Before::Request { bytes: self.settings.request, is_first };
            host.complete(Completed { number: object as u64, bytes, start, before });
        }
        if self.settings.think == Duration::ZERO {
            self.wake(now, host);
        }
        self.request(now, number, host);
    }

    fn stop(&mut self, _now: Time, _host: &mut dyn Host) {
        self.is_stopped = true;
        self.known.clear();
        self.waiting.clear();
    }

    fn page(&self) -> Option<&PageLoad> {
        Some(self.meter.load())
    }
}
