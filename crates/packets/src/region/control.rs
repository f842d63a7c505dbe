//! Messages of the region protocol's own: errors, echo, and the control plane's. Protocol
//! [`CONTROL`](super::protocol), modelled on ICMPv6 (RFC 4443):
//!
//! ```text
//! 0  type   1  code   2  zero, 2 bytes   4  value, 4 bytes   8  the rest
//! ```
//!
//! | type | what | code | value | the rest |
//! |---|---|---|---|---|
//! | 1 | unreachable | 0 unknown region, 1 no agreement, 2 unknown sub-region, 3 payload not accepted, 4 unknown address | 0 | the packet |
//! | 2 | too big | 0 | the largest that is not, in bytes | the packet |
//! | 3 | hop limit exceeded | 0 | 0 | the packet |
//! | 4 | bad header | 0 | the offset of what is wrong | the packet |
//! | 16 | of a session between neighbours | what it holds | its sequence number | acknowledgement 4, content |
//! | 128, 129 | echo request, reply | 0 | an identifier | data |
//!
//! Of a packet that an error is about, as much is quoted as fits into 1,280 bytes.

use super::error::DecodeError;
use super::records::{Reader, Record, Update};

const UNREACHABLE: u8 = 1;
const TOO_BIG: u8 = 2;
const HOP_LIMIT: u8 = 3;
const BAD_HEADER: u8 = 4;
const SESSION: u8 = 16;
const ECHO_REQUEST: u8 = 128;
const ECHO_REPLY: u8 = 129;

/// The code of an unreachable destination of which no region is known.
pub const UNKNOWN_REGION: u8 = 0;
/// The code of an unreachable destination to which no agreement leads.
pub const NO_AGREEMENT: u8 = 1;
/// The code of an unreachable destination in a sub-region that nobody is in.
pub const UNKNOWN_SUB_REGION: u8 = 2;
/// The code of an unreachable destination whose region does not accept such a payload.
pub const NOT_ACCEPTED: u8 = 3;
/// The code of an unreachable destination with an address that nobody has.
pub const UNKNOWN_ADDRESS: u8 = 4;

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Its destination cannot be reached; the code says why.
    Unreachable(u8),
    /// It is larger than this many bytes.
    TooBig(u32),
    /// It has passed too many nodes.
    HopLimit,
    /// Its header is wrong at this offset.
    BadHeader(u32),
}

impl ErrorKind {
    /// Type, code and value of its message.
    fn fields(self) -> (u8, u8, u32) {
        match self {
            Self::Unreachable(code) => (UNREACHABLE, code, 0),
            Self::TooBig(mtu) => (TOO_BIG, 0, mtu),
            Self::HopLimit => (HOP_LIMIT, 0, 0),
            Self::BadHeader(offset) => (BAD_HEADER, 0, offset),
        }
    }
}

/// What neighbours tell each other, in order and reliably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionMessage {
    /// Nothing but the acknowledgement (code 0).
    Acknowledgement,
    /// A record that is flooded inside the region (code 1).
    Record(Record),
    /// How a region is reached, from the border of another region (code 2).
    Update(Update),
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionControl {
    /// A packet was dropped.
    Error {
        /// Why.
        kind: ErrorKind,
        /// The packet, or the beginning of it.
        quote: Vec<u8>,
    },
    /// A request to answer, or the answer.
    Echo {
        /// Whether it is the answer.
        is_reply: bool,
        /// By which the one who asked knows it.
        identifier: u32,
        /// What comes back as it was sent.
        data: Vec<u8>,
    },
    /// A message from one neighbour to the other.
    Session {
        /// Its number; an acknowledgement alone has none of its own, and here the next one's.
        sequence: u32,
        /// The number of the next one that its sender expects.
        acknowledgement: u32,
        /// What it says.
        message: SessionMessage,
    },
}

impl RegionControl {
    /// The length of what precedes what an error quotes.
    pub const HEADER: u16 = 8;
    /// The largest packet with an error message: what every link carries (RFC 4443, section
    /// 2.4 (c)).
    pub const LARGEST_ERROR: u16 = 1280;

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let (kind, code, value) = match self {
            Self::Error { kind, .. } => kind.fields(),
            Self::Echo { is_reply, identifier, .. } => {
                (if *is_reply { ECHO_REPLY } else { ECHO_REQUEST }, 0, *identifier)
            }
            Self::Session { sequence, message, .. } => {
                let code = match message {
                    SessionMessage::Acknowledgement => 0,
                    SessionMessage::Record(_) => 1,
                    SessionMessage::Update(_) => 2,
                };
                (SESSION, code, *sequence)
            }
        };
        let mut bytes = vec![kind, code, 0, 0];
        bytes.extend(value.to_be_bytes());
        match self {
            Self::Error { quote, .. } => bytes.extend(quote),
            Self::Echo { data, .. } => bytes.extend(data),
            Self::Session { acknowledgement, message, .. } => {
                bytes.extend(acknowledgement.to_be_bytes());
                match message {
                    SessionMessage::Acknowledgement => {}
                    SessionMessage::Record(it) => it.encode(&mut bytes),
                    SessionMessage::Update(it) => it.encode(&mut bytes),
                }
            }
        }
        bytes
    }

    /// From its bytes.
    ///
    /// # Errors
    /// [`DecodeError`], with offsets from the message's beginning.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let [kind, code] = [reader.byte()?, reader.byte()?];
        reader.short()?;
        let value = reader.word()?;
        let wrong_code = DecodeError::Value { offset: 1, value: u32::from(code) };
        let error = match kind {
            UNREACHABLE => ErrorKind::Unreachable(code),
            TOO_BIG => ErrorKind::TooBig(value),
            HOP_LIMIT => ErrorKind::HopLimit,
            BAD_HEADER => ErrorKind::BadHeader(value),
            ECHO_REQUEST | ECHO_REPLY => {
                let is_reply = kind == ECHO_REPLY;
                let data = reader.rest().to_vec();
                return Ok(Self::Echo { is_reply, identifier: value, data });
            }
            SESSION => {
                let acknowledgement = reader.word()?;
                let message = match code {
                    0 => SessionMessage::Acknowledgement,
                    1 => SessionMessage::Record(Record::decode(&mut reader)?),
                    2 => SessionMessage::Update(Update::decode(&mut reader)?),
                    _ => return Err(wrong_code),
                };
                return Ok(Self::Session { sequence: value, acknowledgement, message });
            }
            _ => return Err(DecodeError::Value { offset: 0, value: u32::from(kind) }),
        };
        Ok(Self::Error { kind: error, quote: reader.rest().to_vec() })
    }
}
