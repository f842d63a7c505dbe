//! A producer: answers every Interest below its prefix with Data, or publishes Data unasked.

use windtunnel_engine::Duration;
use windtunnel_packets::ndn::wire::size::{DataShape, NameSize, SignatureKind};
use windtunnel_packets::ndn::{Data, Interest, Name};
use windtunnel_packets::{Body, Packet};

/// What a producer serves.
#[derive(Clone, Debug)]
pub struct Producer {
    /// The bytes of content in each Data packet.
    pub content: u32,
    /// How long Data counts as fresh, in milliseconds; 0: never said.
    pub freshness_ms: u32,
    /// How long it takes to answer.
    pub response_delay: Duration,
    /// What signs the Data; only its size matters here.
    pub signature: SignatureKind,
    /// What it publishes, if it does; then it answers nothing.
    pub publishing: Option<Publishing>,
}

/// Segments of a file that come into the content store of the producer's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publishing {
    /// The time between two segments.
    pub interval: Duration,
    /// How many there are.
    pub segments: u64,
}

impl Producer {
    /// The Data that answers an Interest whose prefix has the encoded size
    /// `prefix`.
    #[inline]
    #[must_use]
    pub fn answer(&self, interest: &Interest, prefix: NameSize) -> Packet {
        self.data(interest.name, prefix)
    }

    /// The Data of a name whose prefix has the encoded size `prefix`.
    #[must_use]
    pub fn data(&self, name: Name, prefix: NameSize) -> Packet {
        let shape = DataShape {
            content_length: self.content,
            freshness_period_ms: (self.freshness_ms > 0).then_some(u64::from(self.freshness_ms)),
            final_block: None,
            signature: self.signature,
            key_locator: None,
        };
        let data = Data { name, content: self.content, freshness_ms: self.freshness_ms };
        let network_size = name.prefix.format().data_size(prefix, name.segment, &shape);
        Packet::ndn(Body::Data(data), network_size as u16)
    }
}
