//! A page of the web: a document, and the objects that it and they refer to, requested by the
//! receiver as soon as it knows of them.

mod client;
mod document;
mod load;
mod server;
mod settings;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::sizes::{MOST_FILE, within};
use windtunnel_reading::timers::zero;
use windtunnel_reading::units::{Bytes, Measured, bytes};

use crate::keys::{Keys, WorkloadContext};
use crate::{Application, Behaviour, Maker, Setting};
use client::Client;
pub use document::Counts;
use document::Page;
pub use load::PageLoad;
use server::Server;
pub use settings::{Http, WebPageSettings};

impl Maker for WebPageSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let page = Page::new(self.counts, self.size, &mut setting.random.clone());
        let page = Arc::new(page);
        let client = Client::new(*self, Arc::clone(&page), setting.start);
        [Box::new(Server::new(*self, page)), Box::new(client)]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour {
            many_streams: self.http != Http::OneStream,
            transfers: true,
            random: self.size.is_none(),
            ..Behaviour::STEADY
        }
    }
}

/// A page of the web, loaded once by the receiver, which opens the connections: a document and what it
/// refers to, as on the median page of 2024 for desktops, but lighter. By default it has 57 objects.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebPageKeys {
    /// "1.1": six streams, one object at a time on each. "2": one stream, on which objects come in the
    /// order of their requests. "3": a stream for each object. Over TCP a stream is a connection;
    /// over QUIC all are in one.
    #[serde(default)]
    http: Http,
    /// Style sheets, which the document names at its beginning. Nothing is shown before they have come.
    #[serde(default = "number::<8>")]
    styles: Located<u16>,
    /// Scripts: the first half of them as style sheets, each other one is asked for by one of these.
    #[serde(default = "number::<24>")]
    scripts: Located<u16>,
    /// Fonts, which style sheets name.
    #[serde(default = "number::<4>")]
    fonts: Located<u16>,
    /// Images: a quarter of them style sheets name, a quarter scripts, the rest the document at its
    /// end.
    #[serde(default = "number::<18>")]
    images: Located<u16>,
    /// What else scripts ask for.
    #[serde(default = "number::<2>")]
    others: Located<u16>,
    /// The size of each object. Default: each is drawn by its kind, with the percentiles of the HTTP
    /// Archive.
    object_size: Option<Located<Measured<Bytes>>>,
    /// The size of a request.
    #[serde(default = "bytes::<400>")]
    request: Located<Measured<Bytes>>,
    /// From when an object is known to its request.
    #[serde(default = "zero")]
    think: Located<Measured<Duration>>,
}

impl Keys for WebPageKeys {
    type Workload = WebPageSettings;

    fn receiver_opens(&self) -> bool {
        true
    }

    fn workload(&self, _: &mut WorkloadContext<'_, '_>) -> Result<WebPageSettings, Mistake> {
        let size = self.object_size.as_ref();
        let size = size.map(|it| within(it, MOST_FILE, "object_size")).transpose()?;
        let count = |it: &Located<u16>| {
            let message = || format!("{} are too many objects of a page", it.value);
            it.checked(|it| *it <= MOST, message, &format!("write at most {MOST}"))?;
            Ok(it.value)
        };
        Ok(WebPageSettings {
            http: self.http,
            counts: Counts {
                styles: count(&self.styles)?,
                scripts: count(&self.scripts)?,
                fonts: count(&self.fonts)?,
                images: count(&self.images)?,
                others: count(&self.others)?,
            },
            size,
            request: within(&self.request, MOST_FILE, "request")?,
            think: self.think.value.0,
        })
    }
}

/// How many objects of a kind a page has at the most.
const MOST: u16 = 1000;
