//! Flows over TCP and UDP, as users write them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use windtunnel_engine::{Duration, Rate};

use super::{Controller, Located};
use crate::units::{Bytes, Measured, PerSecond, Segments, Share, parse};

table! {
    /// A flow over TCP or UDP, from one node to another. Keys are for TCP where
    /// they do not say otherwise.
    Flow {
        /// TCP, UDP: the node that the data comes from; to be stated.
        from: Located<String>,
        /// TCP, UDP: the node that it goes to; to be stated.
        to: Located<String>,
        /// What carries it; `tcp` unless stated.
        protocol: Protocol,
        /// TCP, UDP: the version of IP; `v4` unless stated.
        ip: Ip,
        /// What drives its window: a name (one under `[controllers]`, or else a
        /// controller's own), or a table with the latter as `kind` and parameters;
        /// to be stated.
        controller: Controller,
        /// TCP, UDP: what it carries; data without end unless stated.
        workload: Located<FlowWorkload>,
        /// TCP, UDP: when it starts; at once unless stated.
        start: Measured<Duration>,
        /// TCP, UDP: it starts at a random moment within so much time from `start`,
        /// another one in each run; exactly then unless stated.
        start_within: Measured<Duration>,
        /// TCP, UDP: when it begins nothing more, while what was handed over is still
        /// sent; at the end unless stated.
        stop: Located<Measured<Duration>>,
        /// The data in a full segment; what fills a packet of 1500 B unless stated,
        /// which is 1448 B over IPv4 with timestamps.
        maximum_segment: Located<Measured<Bytes>>,
        /// Whether segments carry timestamps; yes unless stated.
        timestamps: Located<bool>,
        /// How losses are found and repaired; `rack` unless stated.
        recovery: Located<Recovery>,
        /// What is done with ECN; what the controller needs, or else `off`, unless
        /// stated.
        ecn: Located<Ecn>,
        /// After how many full segments the receiver acknowledges; 2 unless stated.
        acknowledge_every: Located<Measured<Segments>>,
        /// How long it waits for them; 40 ms unless stated.
        acknowledge_within: Located<Measured<Duration>>,
        /// The timeout before the first round trip is measured; 1 s unless stated.
        initial_timeout: Located<Measured<Duration>>,
        /// The least timeout; 200 ms unless stated, as in Linux; 1 s in RFC 6298.
        minimum_timeout: Located<Measured<Duration>>,
        /// The least by which the timeout exceeds the smoothed round trip; 200 ms
        /// unless stated, as in Linux; the clock's granularity in RFC 6298.
        minimum_variation: Located<Measured<Duration>>,
        /// The greatest timeout; 60 s unless stated.
        maximum_timeout: Located<Measured<Duration>>,
        /// What the receiver can hold; 1 GiB unless stated, which limits nothing.
        receive_buffer: Located<Measured<Bytes>>,
        /// When the receiving application takes what arrived; `at-once` unless
        /// stated.
        reading: Located<Reading>,
        /// Whether segments are spread over the round trip also where the controller
        /// does not ask for it; no unless stated.
        pacing: Located<bool>,
        /// The window at the start; 10 segments unless stated.
        initial_window: Located<Measured<Segments>>,
        /// No decrease leads below this; 2 segments unless stated.
        minimum_window: Located<Measured<Segments>>,
        /// Proxies on its way that split its connections (RFC 3135); none unless stated.
        /// What a flow counts is then what its own two hosts count: windows, delays and
        /// retransmissions of the connection to the first proxy, and what arrives at the
        /// far end.
        split: Located<Split>,
        /// TCP: how fast the application hands over `bulk` data. UDP: the rate of what
        /// the datagrams carry, without headers, to be stated; without limit over TCP
        /// unless stated.
        rate: Located<Measured<Rate>>,
        /// UDP: what each datagram carries; 1400 B unless stated.
        payload: Located<Measured<Bytes>>,
    }
}

/// What carries a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Protocol {
    /// The Transmission Control Protocol.
    #[default]
    Tcp,
    /// The User Datagram Protocol.
    Udp,
}

/// A version of IP.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ip {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// How a sender finds and repairs losses.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Recovery {
    /// Three duplicate acknowledgements lead back to slow start (Jacobson 1988).
    Tahoe,
    /// Fast recovery that the first new acknowledgement ends (RFC 5681).
    Reno,
    /// Fast recovery until all is acknowledged that was sent before (RFC 6582).
    NewReno,
    /// Selective acknowledgements (RFC 6675, RFC 9937).
    Sack,
    /// Selective acknowledgements and the time of sending (RFC 8985, RFC 9937).
    Rack,
}

/// What is done with ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ecn {
    /// Nothing: routers drop where they would mark.
    Off,
    /// A mark is echoed until the sender has answered it (RFC 3168).
    Classic,
    /// Each acknowledgement says whether what it acknowledges was marked
    /// (RFC 8257).
    Dctcp,
    /// The receiver counts marked packets (RFC 9768).
    Accurate,
    /// The same, with packets that ask for L4S (RFC 9331).
    Scalable,
    /// As `classic`, and the milder mark of SCE is echoed.
    Sce,
}

/// When the receiving application takes what arrived.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reading {
    /// At once.
    AtOnce,
    /// Never: the window closes.
    Never,
}

/// Proxies that split a flow's connections: each answers the node before in the
/// receiver's name, and has a connection of its own to the next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Split {
    /// The nodes of the proxies, in the order of the way.
    pub(crate) at: Vec<Located<String>>,
    /// How much of a connection each holds; 1 GiB unless stated, which limits nothing.
    pub(crate) buffer: Option<Located<Measured<Bytes>>>,
}

/// What a flow carries. Each kind has its own keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowWorkload {
    /// Which kind.
    pub(crate) kind: FlowWorkloadKind,
    /// `file`: its size.
    pub(crate) size: Option<Located<Measured<Bytes>>>,
    /// `request-response`: the size of a request; 100 B unless stated.
    pub(crate) request: Option<Located<Measured<Bytes>>>,
    /// `request-response`: the size of an answer.
    pub(crate) response: Option<Located<Measured<Bytes>>>,
    /// `request-response`: from an answer's end to the next request; no time unless
    /// stated.
    pub(crate) think: Option<Located<Measured<Duration>>>,
    /// `on-off`: how long it sends.
    pub(crate) on: Option<Located<Measured<Duration>>>,
    /// `on-off`: how long it is silent.
    pub(crate) off: Option<Located<Measured<Duration>>>,
    /// `on-off`, `request-response`: whether the times are always as long, or
    /// exponentially distributed with that mean; `fixed` unless stated.
    pub(crate) periods: Option<Located<Periods>>,
    /// `arrivals`: how large the files are: a size for all; `web-search` or
    /// `data-mining` for those distributions; or points of a distribution function,
    /// each a size and the probability of no more, such as
    /// `[["1 kB", "0 %"], ["10 kB", "60 %"], ["1 MB", "100 %"]]`.
    pub(crate) sizes: Option<Located<SizesOfFiles>>,
    /// `arrivals`: the share of the rate of the narrowest link on the way that their
    /// segments with data fill on average, headers included; this or `rate`. With a
    /// radio or a trace of rates that is the greatest rate, with a trace of
    /// opportunities the mean one.
    pub(crate) load: Option<Located<Measured<Share>>>,
    /// `arrivals`: how many arrive on average; this or `load`.
    pub(crate) rate: Option<Located<Measured<PerSecond>>>,
}

/// The kind of a flow's workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FlowWorkloadKind {
    /// TCP, UDP: data without end.
    Bulk,
    /// TCP: one file.
    File,
    /// TCP: the receiver asks and the sender answers, again and again, over one
    /// connection that the receiver opens.
    RequestResponse,
    /// TCP, UDP: at full speed in turns. Over TCP two windows of data wait before the
    /// sender, as in Linux: what of them is left when a turn ends is still sent.
    OnOff,
    /// TCP: files that arrive by a Poisson process, each over a connection of its
    /// own.
    Arrivals,
}

/// Whether times are all alike.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Periods {
    /// They are.
    Fixed,
    /// They are exponentially distributed.
    Exponential,
}

/// A point of a distribution function: a size, and the probability of no more.
type SizePoint = (Measured<Bytes>, Measured<Share>);

/// How large files are.
#[derive(Clone, Debug)]
pub(crate) enum SizesOfFiles {
    WebSearch,
    DataMining,
    Fixed(Bytes),
    Points(Vec<SizePoint>),
}

impl<'de> Deserialize<'de> for SizesOfFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameSizeOrPoints;
        impl<'de> Visitor<'de> for NameSizeOrPoints {
            type Value = SizesOfFiles;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(
                    "\"web-search\", \"data-mining\", a size such as \"64 KiB\", or an array of \
                     points such as [\"10 kB\", \"15 %\"]",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                match text {
                    "web-search" => Ok(SizesOfFiles::WebSearch),
                    "data-mining" => Ok(SizesOfFiles::DataMining),
                    size if size.starts_with(|it: char| it.is_ascii_digit()) => {
                        parse(size).map(SizesOfFiles::Fixed).map_err(E::custom)
                    }
                    other => Err(E::custom(format!(
                        "there is no distribution `{other}`; write \"web-search\", \
                         \"data-mining\", or a size such as \"64 KiB\""
                    ))),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, points: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(points)).map(SizesOfFiles::Points)
            }
        }
        deserializer.deserialize_any(NameSizeOrPoints)
    }
}

impl JsonSchema for SizesOfFiles {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "sizes".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Measured<Bytes>>();
        let share = generator.subschema_for::<Measured<Share>>();
        json_schema!({
            "anyOf": [
                { "enum": ["web-search", "data-mining"] },
                size,
                { "type": "array", "minItems": 2, "items": {
                    "type": "array", "prefixItems": [size, share], "minItems": 2, "maxItems": 2,
                } },
            ]
        })
    }
}
