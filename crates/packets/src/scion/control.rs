//! What control services and hosts tell each other, and how it is split into packets.
//!
//! SCION's implementation speaks gRPC over QUIC. Here a message is split into fragments that
//! fit into one packet each; one that is not complete is dropped, and whoever needs it asks
//! again:
//!
//! ```text
//! 0  message, 4 bytes   4  fragment   5  how many   6  zero, 2 bytes   8  the fragment
//! ```

use super::error::{DecodeError, Reader};
use super::isd_as::IsdAs;
use super::segment::PathSegment;

/// The length of what precedes a fragment.
pub const FRAGMENT_HEADER: u16 = 8;

/// What a segment is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SegmentKind {
    /// From a customer to the core.
    Up,
    /// Between core autonomous systems.
    Core,
    /// From the core to a customer.
    Down,
}

const BEACON: u8 = 1;
const REGISTRATION: u8 = 2;
const REQUEST: u8 = 3;
const REPLY: u8 = 4;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlMessage {
    /// A beacon, to the next autonomous system.
    Beacon(PathSegment),
    /// An autonomous system can be reached by this segment, to the core where it begins.
    Registration(PathSegment),
    /// Which segments of a kind lead to an autonomous system? Up: all that paths to there
    /// begin, go on and end with, asked by a host.
    Request {
        /// By which the one who asks knows it.
        identifier: u32,
        /// The kind.
        kind: SegmentKind,
        /// The autonomous system; of number 0: all of its isolation domain.
        to: IsdAs,
    },
    /// These.
    Reply {
        /// Of the request.
        identifier: u32,
        /// The segments.
        segments: Vec<(SegmentKind, PathSegment)>,
    },
}

impl SegmentKind {
    fn of(offset: usize, number: u8) -> Result<Self, DecodeError> {
        [Self::Up, Self::Core, Self::Down]
            .get(usize::from(number))
            .copied()
            .ok_or(DecodeError::Value { offset, value: u64::from(number) })
    }
}

impl ControlMessage {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Beacon(it) => [&[BEACON][..], &it.encode()].concat(),
            Self::Registration(it) => [&[REGISTRATION][..], &it.encode()].concat(),
            Self::Request { identifier, kind, to } => {
                let mut output = vec![REQUEST];
                output.extend(identifier.to_be_bytes());
                output.push(*kind as u8);
                output.extend(to.0.to_be_bytes());
                output
            }
            Self::Reply { identifier, segments } => {
                let mut output = vec![REPLY];
                output.extend(identifier.to_be_bytes());
                for (kind, segment) in segments {
                    let bytes = segment.encode();
                    output.push(*kind as u8);
                    output.extend((bytes.len() as u32).to_be_bytes());
                    output.extend(bytes);
                }
                output
            }
        }
    }

    /// The message of these bytes.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        match reader.u8()? {
            BEACON => Ok(Self::Beacon(PathSegment::decode(reader.rest())?)),
            REGISTRATION => Ok(Self::Registration(PathSegment::decode(reader.rest())?)),
            REQUEST => {
                let identifier = reader.u32()?;
                let kind = SegmentKind::of(reader.offset(), reader.u8()?)?;
                Ok(Self::Request { identifier, kind, to: IsdAs(reader.u64()?) })
            }
            REPLY => {
                let identifier = reader.u32()?;
                let mut segments = Vec::new();
                while !reader.is_empty() {
                    let kind = SegmentKind::of(reader.offset(), reader.u8()?)?;
                    let length = reader.u32()? as usize;
                    segments.push((kind, PathSegment::decode(reader.take(length)?)?));
                }
                Ok(Self::Reply { identifier, segments })
            }
            kind => Err(DecodeError::Value { offset: 0, value: u64::from(kind) }),
        }
    }
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// The number of the message, among those of its sender.
    pub message: u32,
    /// Which part.
    pub place: u8,
    /// How many there are.
    pub count: u8,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl<'a> Fragment<'a> {
    /// The parts of a message, each with at most `room` bytes together with what precedes it;
    /// none if that is too many.
    pub fn split(message: u32, bytes: &'a [u8], room: u16) -> Vec<Self> {
        let room = usize::from(room.saturating_sub(FRAGMENT_HEADER)).max(1);
        let Ok(count) = u8::try_from(bytes.len().div_ceil(room)) else { return Vec::new() };
        let parts = (0..).zip(bytes.chunks(room));
        parts.map(|(place, bytes)| Fragment { message, place, count, bytes }).collect()
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut output = self.message.to_be_bytes().to_vec();
        output.extend([self.place, self.count, 0, 0]);
        output.extend(self.bytes);
        output
    }

    /// The part of these bytes.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let message = reader.u32()?;
        let [place, count, ..] = reader.array::<4>()?;
        if place >= count {
            return Err(DecodeError::Value { offset: 4, value: u64::from(place) });
        }
        Ok(Self { message, place, count, bytes: reader.rest() })
    }
}
