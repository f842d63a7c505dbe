//! Producers, and the prefixes that they serve.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_packets::ndn::wire::size::SignatureKind;
use windtunnel_reading::choice;
use windtunnel_transports::ndn::producer::{self, Producer as Settings};
use windtunnel_world::{NodePlan, ProducerPlan};

use crate::network::nodes::Names;
use crate::reading::error::Mistake;
use crate::reading::generators::InTurn;
use crate::reading::located::Located;
use crate::reading::prefixes::Prefixes;
use crate::reading::schema::filled;
use crate::reading::sizes;
use crate::reading::units::{Bytes, Measured, bytes};

/// Room in the largest packet for the name, the signature and the headers.
const MOST_PAYLOAD: u64 = 8192;

/// A producer: answers every Interest below its prefix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = filled)]
pub(crate) struct Producer {
    /// The node that it is on.
    node: Located<String>,
    /// The prefix that it serves, such as `/video`, or `ccnx:/video`: then packets are CCNx's (RFC
    /// 8609), in UDP datagrams from node to node.
    prefix: Located<String>,
    /// The content of each Data packet.
    #[serde(default = "bytes::<1024>")]
    payload: Located<Measured<Bytes>>,
    /// How long Data counts as fresh; default: the Data does not say.
    freshness: Option<Measured<Duration>>,
    /// How long it takes to answer.
    #[serde(default = "at_once")]
    response_delay: Measured<Duration>,
    /// What signs the Data; default: `digest-sha256`. CCNx's Content Objects have nothing.
    signature: Option<Located<Signature>>,
    /// It publishes a file into the content store of its node, and answers nothing: an Interest
    /// meets what the store has, or waits there until it is published. Default: it answers.
    publishing: Option<Located<Publishing>>,
    /// How many producers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#` is
    /// the number. Default: it is one producer.
    #[serde(rename = "count")]
    _count: Option<u32>,
    /// For some keys, the values that the producers have in turn: the first one has the first value, and
    /// after the last value it is the turn of the first again. Default: all have the same values.
    #[serde(rename = "in_turn")]
    _in_turn: Option<InTurn>,
}

/// A file that is published, segment by segment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Publishing {
    /// The payload per time.
    #[serde(default = "rate")]
    rate: Located<Measured<Rate>>,
    /// The size of the file; the last segment counts as a full one.
    size: Located<Measured<Bytes>>,
}

/// That of Cefore's `cefputfile`.
fn rate() -> Located<Measured<Rate>> {
    Measured(Rate::from_bits_per_second(5_000_000).expect("more than nothing")).into()
}

impl Publishing {
    fn plan(&self, payload: u32) -> Result<producer::Publishing, Mistake> {
        let bytes = sizes::of_content(&self.size)?;
        let interval = self.rate.value.0.transmission_time(payload);
        self.rate.checked(
            |_| interval > Duration::ZERO,
            || "at this `rate` the time to publish a segment is zero".to_owned(),
            "write a lower rate, such as \"5 Mbps\"",
        )?;
        Ok(producer::Publishing { interval, segments: bytes.div_ceil(u64::from(payload)) })
    }
}

fn at_once() -> Measured<Duration> {
    Measured(Duration::ZERO)
}

choice! {
    /// What signs Data; here it only decides the size.
    Signature as SignatureKind {
        /// 32 bytes.
        DigestSha256,
        /// None: 0 bytes.
        Null,
        /// 32 bytes.
        HmacSha256,
        /// 64 bytes.
        Ed25519,
        /// 71 bytes.
        EcdsaP256,
        /// 256 bytes.
        Rsa2048,
    }
}

impl Producer {
    pub(crate) fn plan(
        &self,
        nodes: &Names<'_>,
        prefixes: &mut Prefixes,
    ) -> Result<ProducerPlan, Mistake> {
        let freshness = self.freshness.map_or(0, |it| it.0.as_nanos() / 1_000_000);
        let node = nodes.index(&self.node)?;
        let prefix = prefixes.insert(&self.prefix)?;
        self.check_format(prefixes.format(prefix))?;
        let content = self.content()?;
        let publishing = self.publishing.as_ref();
        Ok(ProducerPlan {
            node,
            prefix,
            producer: Settings {
                content,
                freshness_ms: u32::try_from(freshness).unwrap_or(u32::MAX),
                response_delay: self.response_delay.0,
                signature: self
                    .signature
                    .as_ref()
                    .map_or(Signature::default(), |it| it.value)
                    .into(),
                publishing: publishing.map(|it| it.value.plan(content)).transpose()?,
            },
        })
    }

    /// Checks that what it publishes is kept, on the node where it is.
    pub(crate) fn check_store(&self, node: &NodePlan) -> Result<(), Mistake> {
        let Some(publishing) = &self.publishing else { return Ok(()) };
        publishing.checked(
            |_| node.cached > 0,
            || format!("node `{}` has no content store to publish into", node.name),
            "write content_store = { capacity = \"65535 packets\" } there",
        )
    }

    fn check_format(&self, format: PacketFormat) -> Result<(), Mistake> {
        let Some(signature) = &self.signature else { return Ok(()) };
        signature.checked(
            |_| format == PacketFormat::Ndn,
            || "Content Objects of CCNx are not signed here".to_owned(),
            "remove `signature`, or serve a prefix without `ccnx:`",
        )
    }

    fn content(&self) -> Result<u32, Mistake> {
        let bytes = self.payload.value.0.0;
        self.payload.checked(
            |_| (1..=MOST_PAYLOAD).contains(&bytes),
            || format!("a payload of {bytes} B does not fit into an NDN packet of 8800 B"),
            &format!("write 1 B to {MOST_PAYLOAD} B"),
        )?;
        Ok(bytes as u32)
    }
}
