//! Path segments as their bytes: `PathSegment` of SCION's control plane, in protocol buffers.

use super::error::DecodeError;
use super::isd_as::IsdAs;
use super::path::HopField;
use super::protobuf::{Value, Writer, fields};
use super::segment::{AsEntry, HopEntry, PathSegment, PeerEntry, StaticInfo};

/// The length of an ECDSA signature on P-256 in DER, as most are.
const SIGNATURE: [u8; 71] = [0; 71];
/// The number of ECDSA with SHA-256.
const ALGORITHM: u64 = 1;
/// The length of a key's identifier.
const KEY_IDENTIFIER: [u8; 20] = [0; 20];

impl PathSegment {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut segment = Writer::default();
        segment.message(1, |it| {
            it.number(1, u64::from(self.timestamp));
            it.number(2, u64::from(self.segment_id));
        });
        for entry in &self.entries {
            segment.message(2, |it| it.message(1, |it| signed(it, entry)));
        }
        segment.finish()
    }

    /// The segment of these bytes. Signatures are not looked at.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut segment = Self::default();
        for field in fields(bytes) {
            match field? {
                (1, it) => {
                    for field in fields(it.bytes()?) {
                        match field? {
                            (1, it) => segment.timestamp = it.small()?,
                            (2, it) => segment.segment_id = it.small()?,
                            _ => {}
                        }
                    }
                }
                (2, it) => segment.entries.push(entry(it)?),
                _ => {}
            }
        }
        if segment.entries.is_empty() {
            return Err(DecodeError::Missing(2));
        }
        Ok(segment)
    }
}

/// What is at a path of fields below a message.
fn at<'a>(value: Value<'a>, path: &[u32]) -> Result<Value<'a>, DecodeError> {
    path.iter().try_fold(value, |value, number| {
        for field in fields(value.bytes()?) {
            let (found, inner) = field?;
            if found == *number {
                return Ok(inner);
            }
        }
        Err(DecodeError::Missing(*number))
    })
}

fn signed(output: &mut Writer, entry: &AsEntry) {
    output.message(1, |it| {
        it.message(1, |it| {
            it.number(1, ALGORITHM);
            it.bytes(2, &KEY_IDENTIFIER);
        });
        it.message(2, |it| body(it, entry));
    });
    output.bytes(2, &SIGNATURE);
}

fn body(output: &mut Writer, entry: &AsEntry) {
    output.number(1, entry.isd_as.0);
    output.number(2, entry.next.0);
    output.message(3, |it| {
        it.message(1, |it| hop_field(it, &entry.hop.field));
        it.number(2, u64::from(entry.hop.ingress_mtu));
    });
    for peer in &entry.peers {
        output.message(4, |it| {
            it.number(1, peer.peer.0);
            it.number(2, u64::from(peer.peer_interface));
            it.number(3, u64::from(peer.mtu));
            it.message(4, |it| hop_field(it, &peer.field));
        });
    }
    output.number(5, u64::from(entry.mtu));
    output.message(6, |it| it.message(1, |it| static_info(it, &entry.info)));
}

fn hop_field(output: &mut Writer, field: &HopField) {
    output.number(1, u64::from(field.ingress));
    output.number(2, u64::from(field.egress));
    output.number(3, u64::from(field.expiry));
    output.bytes(4, &field.mac);
}

fn static_info(output: &mut Writer, info: &StaticInfo) {
    output.message(1, |it| {
        it.number(1, u64::from(info.intra_latency));
        it.number(2, u64::from(info.inter_latency));
        it.map(3, &info.crossing_latency);
        it.map(4, &info.peer_latency);
    });
    output.message(4, |it| {
        it.number(1, u64::from(info.intra_bandwidth));
        it.number(2, u64::from(info.inter_bandwidth));
        it.map(3, &info.crossing_bandwidth);
        it.map(4, &info.peer_bandwidth);
    });
}

/// What an autonomous system says.
fn entry(value: Value<'_>) -> Result<AsEntry, DecodeError> {
    let mut entry = AsEntry::default();
    for field in fields(at(value, &[1, 1, 2])?.bytes()?) {
        match field? {
            (1, it) => entry.isd_as = IsdAs(it.number()?),
            (2, it) => entry.next = IsdAs(it.number()?),
            (3, it) => entry.hop = hop_entry(it)?,
            (4, it) => entry.peers.push(peer_entry(it)?),
            (5, it) => entry.mtu = it.small()?,
            (6, it) => entry.info = read_info(at(it, &[1])?)?,
            _ => {}
        }
    }
    Ok(entry)
}

fn hop_entry(value: Value<'_>) -> Result<HopEntry, DecodeError> {
    let mut entry = HopEntry::default();
    for field in fields(value.bytes()?) {
        match field? {
            (1, it) => entry.field = read_hop_field(it)?,
            (2, it) => entry.ingress_mtu = it.small()?,
            _ => {}
        }
    }
    Ok(entry)
}

fn peer_entry(value: Value<'_>) -> Result<PeerEntry, DecodeError> {
    let mut entry = PeerEntry::default();
    for field in fields(value.bytes()?) {
        match field? {
            (1, it) => entry.peer = IsdAs(it.number()?),
            (2, it) => entry.peer_interface = it.small()?,
            (3, it) => entry.mtu = it.small()?,
            (4, it) => entry.field = read_hop_field(it)?,
            _ => {}
        }
    }
    Ok(entry)
}

fn read_hop_field(value: Value<'_>) -> Result<HopField, DecodeError> {
    let mut hop = HopField::default();
    for field in fields(value.bytes()?) {
        match field? {
            (1, it) => hop.ingress = it.small()?,
            (2, it) => hop.egress = it.small()?,
            (3, it) => hop.expiry = it.small()?,
            (4, it) => {
                let bytes = it.bytes()?;
                let length = DecodeError::Length { offset: 0, length: bytes.len() };
                hop.mac = bytes.try_into().map_err(|_| length)?;
            }
            _ => {}
        }
    }
    Ok(hop)
}

fn read_info(value: Value<'_>) -> Result<StaticInfo, DecodeError> {
    let mut info = StaticInfo::default();
    for field in fields(value.bytes()?) {
        let (place, it) = field?;
        let (intra, inter, crossing, peer) = match place {
            1 => (
                &mut info.intra_latency,
                &mut info.inter_latency,
                &mut info.crossing_latency,
                &mut info.peer_latency,
            ),
            4 => (
                &mut info.intra_bandwidth,
                &mut info.inter_bandwidth,
                &mut info.crossing_bandwidth,
                &mut info.peer_bandwidth,
            ),
            _ => continue,
        };
        for field in fields(it.bytes()?) {
            match field? {
                (1, it) => *intra = it.small()?,
                (2, it) => *inter = it.small()?,
                (3, it) => crossing.push(it.entry()?),
                (4, it) => peer.push(it.entry()?),
                _ => {}
            }
        }
    }
    Ok(info)
}
