//! SCION's control message protocol (SCMP): errors, and echo.
//!
//! Of a packet that an error is about, as much is quoted as fits into 1,232 bytes of SCION
//! packet.

use super::error::{DecodeError, Reader};
use super::header::{ScionHeader, protocol};
use super::isd_as::IsdAs;

const UNREACHABLE: u8 = 1;
const TOO_BIG: u8 = 2;
const PARAMETER_PROBLEM: u8 = 4;
const EXTERNAL_INTERFACE_DOWN: u8 = 5;
const INTERNAL_CONNECTIVITY_DOWN: u8 = 6;
const ECHO_REQUEST: u8 = 128;
const ECHO_REPLY: u8 = 129;

/// The largest packet with an error message, from the SCION header on.
pub const LARGEST_SCMP: u16 = 1232;

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScmpError {
    /// No such host; the code says why.
    Unreachable(u8),
    /// It is larger than this many bytes, the underlay not counted.
    TooBig(u16),
    /// A field of its header is wrong.
    Parameter {
        /// Which kind of error: see the constants.
        code: u8,
        /// Where the field begins.
        pointer: u16,
    },
    /// The link behind an interface does not work.
    ExternalInterfaceDown {
        /// Whose interface.
        origin: IsdAs,
        /// Its number.
        interface: u16,
    },
    /// Two interfaces of an autonomous system do not reach each other inside it.
    InternalConnectivityDown {
        /// Whose interfaces.
        origin: IsdAs,
        /// Where the packet came in; 0: it began there.
        ingress: u16,
        /// Where it was to leave.
        egress: u16,
    },
}

impl ScmpError {
    /// The code of an address that nobody has.
    pub const UNKNOWN_ADDRESS: u8 = 3;
    /// The code of a path that is none.
    pub const INVALID_PATH: u8 = 48;
    /// The code of a hop field that leads to no interface.
    pub const UNKNOWN_INTERFACE: u8 = 50;
    /// The code of a hop field whose authenticator is wrong.
    pub const INVALID_MAC: u8 = 51;
    /// The code of a hop field that has expired.
    pub const EXPIRED: u8 = 52;

    /// The length of its message without the quote.
    #[must_use]
    pub const fn length(&self) -> u16 {
        4 + match self {
            Self::Unreachable(_) | Self::TooBig(_) | Self::Parameter { .. } => 4,
            Self::ExternalInterfaceDown { .. } => 16,
            Self::InternalConnectivityDown { .. } => 24,
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scmp {
    /// A packet was dropped.
    Error {
        /// Why.
        error: ScmpError,
        /// The packet, or the beginning of it.
        quote: Vec<u8>,
    },
    /// A request to answer, or the answer.
    Echo {
        /// Whether it is the answer.
        is_reply: bool,
        /// Who asks.
        identifier: u16,
        /// Which of its requests.
        sequence: u16,
        /// What comes back as it was sent.
        data: Vec<u8>,
    },
}

/// How much of a packet an error message quotes, whose own header and message are so long.
#[must_use]
pub fn quoted_at_most(header: u16, error: &ScmpError) -> u16 {
    LARGEST_SCMP.saturating_sub(header + error.length())
}

impl Scmp {
    /// The length of an echo message without data.
    pub const ECHO: u16 = 8;

    /// Its bytes under that header.
    #[must_use]
    pub fn encode(&self, header: &ScionHeader) -> Vec<u8> {
        let (kind, code) = self.kind();
        let mut output = vec![kind, code, 0, 0];
        match self {
            Self::Error { error, quote } => {
                match *error {
                    ScmpError::Unreachable(_) => output.extend([0; 4]),
                    ScmpError::TooBig(value) | ScmpError::Parameter { pointer: value, .. } => {
                        output.extend([0, 0]);
                        output.extend(value.to_be_bytes());
                    }
                    ScmpError::ExternalInterfaceDown { origin, interface } => {
                        let values = [origin.0, interface.into()];
                        values.iter().for_each(|it| output.extend(it.to_be_bytes()));
                    }
                    ScmpError::InternalConnectivityDown { origin, ingress, egress } => {
                        let values = [origin.0, ingress.into(), egress.into()];
                        values.iter().for_each(|it| output.extend(it.to_be_bytes()));
                    }
                }
                output.extend(quote);
            }
            Self::Echo { identifier, sequence, data, .. } => {
                output.extend(identifier.to_be_bytes());
                output.extend(sequence.to_be_bytes());
                output.extend(data);
            }
        }
        let checksum = header.checksum(&output).to_be_bytes();
        output[2..4].copy_from_slice(&checksum);
        output
    }

    fn kind(&self) -> (u8, u8) {
        match self {
            Self::Error { error, .. } => match error {
                ScmpError::Unreachable(code) => (UNREACHABLE, *code),
                ScmpError::TooBig(_) => (TOO_BIG, 0),
                ScmpError::Parameter { code, .. } => (PARAMETER_PROBLEM, *code),
                ScmpError::ExternalInterfaceDown { .. } => (EXTERNAL_INTERFACE_DOWN, 0),
                ScmpError::InternalConnectivityDown { .. } => (INTERNAL_CONNECTIVITY_DOWN, 0),
            },
            Self::Echo { is_reply: false, .. } => (ECHO_REQUEST, 0),
            Self::Echo { is_reply: true, .. } => (ECHO_REPLY, 0),
        }
    }

    /// The message of these bytes under that header.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8], header: &ScionHeader) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let [kind, code, ..] = reader.array::<4>()?;
        // With its checksum a message has the sum 0.
        if header.next != protocol::SCMP || header.checksum(bytes) != 0 {
            return Err(DecodeError::Checksum);
        }
        let error = match kind {
            UNREACHABLE => {
                reader.u32()?;
                ScmpError::Unreachable(code)
            }
            TOO_BIG | PARAMETER_PROBLEM => {
                let value = (reader.u32()? & 0xffff) as u16;
                if kind == TOO_BIG {
                    ScmpError::TooBig(value)
                } else {
                    ScmpError::Parameter { code, pointer: value }
                }
            }
            EXTERNAL_INTERFACE_DOWN => ScmpError::ExternalInterfaceDown {
                origin: IsdAs(reader.u64()?),
                interface: interface(&mut reader)?,
            },
            INTERNAL_CONNECTIVITY_DOWN => ScmpError::InternalConnectivityDown {
                origin: IsdAs(reader.u64()?),
                ingress: interface(&mut reader)?,
                egress: interface(&mut reader)?,
            },
            ECHO_REQUEST | ECHO_REPLY => {
                let is_reply = kind == ECHO_REPLY;
                let (identifier, sequence) = (reader.u16()?, reader.u16()?);
                let data = reader.rest().to_vec();
                return Ok(Self::Echo { is_reply, identifier, sequence, data });
            }
            _ => return Err(DecodeError::Value { offset: 0, value: u64::from(kind) }),
        };
        Ok(Self::Error { error, quote: reader.rest().to_vec() })
    }
}

/// The number of an interface, which has 64 bits in messages and 16 in hop fields.
fn interface(reader: &mut Reader<'_>) -> Result<u16, DecodeError> {
    let (offset, value) = (reader.offset(), reader.u64()?);
    u16::try_from(value).map_err(|_| DecodeError::Value { offset, value })
}
