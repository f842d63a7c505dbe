//! Path segments, and beacons, which are segments under construction.

use super::isd_as::IsdAs;
use super::mac::Key;
use super::path::HopField;

/// A path segment, from the core autonomous system that began it on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSegment {
    /// When it was begun, in seconds since the epoch.
    pub timestamp: u32,
    /// The accumulator of authenticators at its beginning.
    pub segment_id: u16,
    /// What each autonomous system on it says, in the order in which beacons passed them.
    pub entries: Vec<AsEntry>,
}

/// What an autonomous system says in a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AsEntry {
    /// Who says it.
    pub isd_as: IsdAs,
    /// To whom the beacon goes on; 0: it ends here.
    pub next: IsdAs,
    /// How it is crossed.
    pub hop: HopEntry,
    /// How it is crossed from peers.
    pub peers: Vec<PeerEntry>,
    /// The largest SCION packet that crosses it, in bytes.
    pub mtu: u16,
    /// What is announced of its links.
    pub info: StaticInfo,
}

/// A hop field, and what the link before it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopEntry {
    /// The hop field.
    pub field: HopField,
    /// The largest SCION packet on the link to the ingress interface; 0: there is none.
    pub ingress_mtu: u16,
}

/// A hop field from a peering link to the egress interface of the beacon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerEntry {
    /// The peer.
    pub peer: IsdAs,
    /// Its interface of the link.
    pub peer_interface: u16,
    /// The largest SCION packet on the link.
    pub mtu: u16,
    /// The hop field, whose ingress is the own interface of the link.
    pub field: HopField,
}

/// What an autonomous system announces of its links: latencies one way in microseconds,
/// bandwidths in kilobits per second; 0: nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticInfo {
    /// Latency from the ingress to the egress interface.
    pub intra_latency: u32,
    /// Latency from the egress interface to the next autonomous system.
    pub inter_latency: u32,
    /// Latency from the egress interface to other interfaces.
    pub crossing_latency: Vec<(u16, u32)>,
    /// Latency of peering links, by the own interface.
    pub peer_latency: Vec<(u16, u32)>,
    /// Bandwidth from the ingress to the egress interface.
    pub intra_bandwidth: u32,
    /// Bandwidth from the egress interface to the next autonomous system.
    pub inter_bandwidth: u32,
    /// Bandwidth from the egress interface to other interfaces.
    pub crossing_bandwidth: Vec<(u16, u32)>,
    /// Bandwidth of peering links, by the own interface.
    pub peer_bandwidth: Vec<(u16, u32)>,
}

impl PathSegment {
    /// The autonomous system where it begins.
    #[must_use]
    pub fn first(&self) -> IsdAs {
        self.entries.first().map(|it| it.isd_as).unwrap_or_default()
    }

    /// The autonomous system where it ends.
    #[must_use]
    pub fn last(&self) -> IsdAs {
        self.entries.last().map(|it| it.isd_as).unwrap_or_default()
    }

    /// Whether an autonomous system is on it.
    #[must_use]
    pub fn contains(&self, isd_as: IsdAs) -> bool {
        self.entries.iter().any(|it| it.isd_as == isd_as)
    }

    /// The accumulator of authenticators before the hop field of that number.
    #[must_use]
    pub fn beta(&self, number: usize) -> u16 {
        self.entries[..number].iter().fold(self.segment_id, |beta, it| {
            let [a, b, ..] = it.hop.field.mac;
            beta ^ u16::from_be_bytes([a, b])
        })
    }

    /// Adds what an autonomous system says, and its authenticators.
    pub fn extend(&mut self, key: &Key, mut entry: AsEntry) {
        let beta = self.beta(self.entries.len());
        let field = &mut entry.hop.field;
        field.mac = key.mac(beta, self.timestamp, field);
        let [a, b, ..] = field.mac;
        // Those of peers are not in the chain: they stand behind the hop field.
        let behind = beta ^ u16::from_be_bytes([a, b]);
        for peer in &mut entry.peers {
            peer.field.mac = key.mac(behind, self.timestamp, &peer.field);
        }
        self.entries.push(entry);
    }

    /// The interfaces that it crosses: two segments with the same are two of one age.
    pub fn interfaces(&self) -> impl Iterator<Item = (IsdAs, u16, u16)> {
        self.entries.iter().map(|it| (it.isd_as, it.hop.field.ingress, it.hop.field.egress))
    }

    /// When its first hop field becomes invalid, in seconds since the epoch, rounded down.
    #[must_use]
    pub fn expires(&self) -> u64 {
        let lives = self.entries.iter().map(|it| super::path::lifetime(it.hop.field.expiry));
        let least = lives.min().map_or(0, |it| it.as_nanos() / 1_000_000_000);
        u64::from(self.timestamp) + least
    }
}
