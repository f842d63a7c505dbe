//! Functions on the paths of packets.

use std::sync::Arc;

use windtunnel_networks::bridge::{DestinationSettings, SourceSettings};
use windtunnel_networks::tunnel::WireGuardSettings;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::wireguard;
use windtunnel_transports::tcp::TcpSettings;

/// Two nodes that work together as the edges of a part of the network. All IP packets
/// from a flow's sender to its receiver pass them whose path leads through the one
/// and later through the other.
#[derive(Clone, Debug)]
pub struct BridgePlan {
    /// Its name.
    pub name: String,
    /// The node of the source edge.
    pub from: usize,
    /// The node of the destination edge.
    pub to: usize,
    /// What the source edge is given.
    pub source: SourceSettings,
    /// What the destination edge is given.
    pub destination: DestinationSettings,
}

/// A tunnel: IP packets whose path leads over both its ends, in this order or the other,
/// travel between them inside others; or the NDN and CCNx packets of a link do.
#[derive(Clone, Debug)]
pub struct TunnelPlan {
    /// Its name.
    pub name: String,
    /// The nodes of its ends. No two tunnels that carry IP packets have the same two.
    pub ends: [usize; 2],
    /// What carries the packets.
    pub carrier: TunnelCarrier,
}

/// What carries the packets of a tunnel.
#[derive(Clone, Debug)]
pub enum TunnelCarrier {
    /// IP packets with a header of that version.
    Ip(IpVersion),
    /// WireGuard.
    WireGuard(WireGuardSettings),
    /// A TCP connection between its ends.
    Tcp(TcpTunnelPlan),
}

/// A tunnel that is a TCP connection.
#[derive(Clone, Debug)]
pub struct TcpTunnelPlan {
    /// The link whose NDN and CCNx packets it carries, over that link alone, whose nodes are the
    /// tunnel's ends in this order: a face over TCP. None: it carries IP packets.
    pub face: Option<usize>,
    /// How both ends of the connection behave.
    pub settings: Arc<TcpSettings>,
    /// The most bytes that wait at an end for an acknowledgement: what finds no room is
    /// dropped before it enters.
    pub buffer: u64,
}

impl TunnelPlan {
    /// The link whose face it is, if it is one.
    #[must_use]
    pub fn face(&self) -> Option<usize> {
        match &self.carrier {
            TunnelCarrier::Tcp(it) => it.face,
            TunnelCarrier::Ip(_) | TunnelCarrier::WireGuard(_) => None,
        }
    }
}

impl TunnelCarrier {
    /// The most bytes of a packet inside, if that is limited.
    #[must_use]
    pub fn mtu(&self) -> Option<u16> {
        match self {
            Self::Ip(_) | Self::Tcp(_) => None,
            Self::WireGuard(it) => Some(it.mtu),
        }
    }

    /// The most bytes that it adds to a packet. The segments of a connection are not larger
    /// for it.
    #[must_use]
    pub fn overhead(&self) -> u16 {
        match self {
            Self::Ip(version) => version.header(),
            Self::Tcp(_) => 0,
            Self::WireGuard(it) => it.version.header() + wireguard::OVERHEAD + wireguard::BLOCK - 1,
        }
    }
}
