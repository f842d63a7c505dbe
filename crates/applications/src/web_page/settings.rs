//! How a page is asked for.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use super::document::Counts;

/// How requests and answers are put on streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Http {
    /// HTTP/1.1 (RFC 9112): six streams, and on each one object after the other. An object's stream is
    /// that of its place in the order in which objects are found, in turn.
    #[serde(rename = "1.1")]
    OneObjectPerStream,
    /// HTTP/2 (RFC 9113): one stream, on which objects come whole, in the order in which they were
    /// requested.
    #[default]
    #[serde(rename = "2")]
    OneStream,
    /// HTTP/3 (RFC 9114): a stream for each object.
    #[serde(rename = "3")]
    StreamPerObject,
}

/// How many connections to a server a browser opens over HTTP/1.1.
const CONNECTIONS: usize = 6;

impl Http {
    /// The stream on which an object comes.
    pub(super) fn stream(self, object: usize) -> usize {
        match self {
            Self::OneObjectPerStream => object % CONNECTIONS,
            Self::OneStream => 0,
            Self::StreamPerObject => object,
        }
    }

    /// The object that is the next one on a stream after so many.
    pub(super) fn object(self, stream: usize, before: usize) -> usize {
        match self {
            Self::OneObjectPerStream => stream + before * CONNECTIONS,
            Self::OneStream => before,
            Self::StreamPerObject => stream,
        }
    }

    /// Whether a request waits for the answer to the one before on its stream.
    pub(super) fn waits(self) -> bool {
        self == Self::OneObjectPerStream
    }
}

/// A page that is loaded once.
#[derive(Clone, Copy, Debug)]
pub struct WebPageSettings {
    /// How it is asked for.
    pub http: Http,
    /// Its objects beside the document.
    pub counts: Counts,
    /// The size of each object; none: each has its own.
    pub size: Option<u64>,
    /// The size of a request.
    pub request: u64,
    /// From when an object is known to its request.
    pub think: Duration,
}
