//! The end that has the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::Time;

use super::document::Page;
use super::settings::{Http, WebPageSettings};
use crate::{Application, Host, Stream};

/// Answers requests.
#[derive(Clone, Debug)]
pub(super) struct Server {
    settings: WebPageSettings,
    page: Arc<Page>,
    /// How many requests each stream has had.
    requests: BTreeMap<Stream, usize>,
}

impl Server {
    pub(super) fn new(settings: WebPageSettings, page: Arc<Page>) -> Self {
        Self { settings, page, requests: BTreeMap::new() }
    }
}

impl Application for Server {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.settings.request);
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        let WebPageSettings { request, http, .. } = self.settings;
        let ordinal = host.ordinal(stream) as usize;
        let requests = self.requests.entry(stream).or_default();
        while host.received(stream) >= (*requests as u64 + 1) * request {
            let object = http.object(ordinal, *requests);
            *requests += 1;
            let Some(object) = self.page.0.get(object) else { return };
            if http == Http::StreamPerObject {
                host.prioritise(stream, object.urgency());
            }
            host.write(stream, object.bytes);
        }
        match http {
            Http::StreamPerObject => host.close(stream),
            _ => host.await_received(stream, (*requests as u64 + 1) * request),
        }
    }

    /// The answer ends a stream that had one request.
    fn on_finished(&mut self, _now: Time, _stream: Stream, _host: &mut dyn Host) {}

    fn on_closed(&mut self, stream: Stream) {
        self.requests.remove(&stream);
    }
}
