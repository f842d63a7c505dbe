//! Messages of the domain name system between nodes (RFC 1035).

use windtunnel_engine::Handle;

use crate::ip::IpVersion;
use crate::udp;

/// The UDP port of name servers (RFC 1035, section 4.2.1).
pub const PORT: u16 = 53;

/// A message over UDP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DnsMessage {
    /// The nodes of its sender and of its receiver.
    pub between: [u32; 2],
    /// The number of the resolver that it comes from or goes to, which represents its port; none
    /// between two servers.
    pub resolver: Option<u32>,
    /// The version of IP that carries it.
    pub version: IpVersion,
    /// Its bytes, in the packet store.
    pub bytes: Handle,
}

impl DnsMessage {
    /// The size of an IP packet with a message of this many bytes.
    #[must_use]
    pub fn network_size(version: IpVersion, bytes: usize) -> u16 {
        version.header() + udp::HEADER + bytes as u16
    }
}
