//! What travels on a link: sizes and what the protocols need to know, no bytes.

use crate::ndn::wire::size::{LinkHeaders, link_size};
use crate::ndn::{Data, Interest, Nack};

/// A packet under way. It fills one cache line: with many packets under way,
/// the time goes into waiting for memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Packet {
    /// What it carries.
    pub body: Body,
    /// Whether it carries a congestion mark.
    pub marked: bool,
    /// The size of the network-layer packet in octets, before link headers.
    pub network_size: u32,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// A request for Data.
    Interest(Interest),
    /// The answer to an Interest.
    Data(Data),
    /// An Interest refused by a router.
    Nack(Nack),
}

impl Packet {
    /// The size on a link in octets: the true encoding with the NDNLPv2 headers
    /// that it needs, without the overhead of the link's own framing.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u32 {
        let nack = match &self.body {
            Body::Nack(nack) => Some(nack.reason),
            Body::Interest(_) | Body::Data(_) => None,
        };
        if nack.is_none() && !self.marked {
            return self.network_size;
        }
        let headers = LinkHeaders { congestion_mark: self.marked, pit_token: None, nack };
        link_size(self.network_size, &headers)
    }
}
