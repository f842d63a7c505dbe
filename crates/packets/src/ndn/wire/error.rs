//! What can be wrong with bytes, and with packets that are to become bytes.

use thiserror::Error;

use super::element_type::ElementType;

/// The largest packet, in octets, type and length included; for network packets
/// and link packets alike. The specification sets no bound: this is the one
/// that NDN's implementations share.
pub const MAX_NDN_PACKET_SIZE: usize = 8800;

/// Why bytes are no packet. Offsets count octets from the start of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The input is larger than any packet may be.
    #[error("the input has {size} octets; a packet has at most {MAX_NDN_PACKET_SIZE}")]
    TooLarge {
        /// Octets in the input.
        size: usize,
    },
    /// Something ends before it is complete.
    #[error("byte {offset}: {needed} octets must follow here, but only {available} do")]
    Truncated {
        /// Where the octets should begin.
        offset: usize,
        /// How many should follow.
        needed: u64,
        /// How many do, within the enclosing element.
        available: usize,
    },
    /// Octets follow the packet.
    #[error(
        "byte {offset}: the packet ends here, but {count} octets follow; one input holds one packet"
    )]
    TrailingOctets {
        /// Where the packet ends.
        offset: usize,
        /// How many octets follow.
        count: usize,
    },
    /// A type or length is not in its shortest form.
    #[error(
        "byte {offset}: {value} is encoded in {found} octets; its shortest form has {shortest}"
    )]
    NotShortest {
        /// Where the number begins.
        offset: usize,
        /// The number.
        value: u64,
        /// Octets it has.
        found: u32,
        /// Octets it should have.
        shortest: u32,
    },
    /// A TLV-TYPE is out of range.
    #[error("byte {offset}: {found} is not a valid TLV-TYPE; it must be 1 to 4294967295")]
    InvalidType {
        /// Where the element begins.
        offset: usize,
        /// The number.
        found: u64,
    },
    /// Another element is due here.
    #[error("byte {offset}: found {found} instead of {expected}")]
    WrongElement {
        /// Where the element begins.
        offset: usize,
        /// What is there.
        found: ElementType,
        /// What should be there.
        expected: ElementType,
    },
    /// A critical element is unknown here, repeated or out of order.
    #[error(
        "byte {offset}: {found} is unknown, repeated or out of order in {within}, and may not be \
         ignored"
    )]
    Unexpected {
        /// Where the element begins.
        offset: usize,
        /// The element.
        found: ElementType,
        /// The element that encloses it.
        within: ElementType,
    },
    /// A required element is absent.
    #[error("byte {offset}: {within} ends without its {missing}")]
    Missing {
        /// Where the enclosing element ends.
        offset: usize,
        /// What is missing.
        missing: ElementType,
        /// The element that should hold it.
        within: ElementType,
    },
    /// An element's value has a length that it may not have.
    #[error("byte {offset}: the value of {element} has {found} octets; it must have {expected}")]
    Length {
        /// Where the element begins.
        offset: usize,
        /// The element.
        element: ElementType,
        /// Octets it has.
        found: usize,
        /// What it may have.
        expected: &'static str,
    },
    /// A name component's type is out of range.
    #[error(
        "byte {offset}: {found} is not a valid type of a name component; it must be 1 to 65535"
    )]
    ComponentType {
        /// Where the component begins.
        offset: usize,
        /// The number.
        found: u32,
    },
    /// A digest component has not the length of a SHA-256 digest.
    #[error("byte {offset}: a digest component has {found} octets; it must have 32")]
    DigestLength {
        /// Where the component begins.
        offset: usize,
        /// Octets it has.
        found: usize,
    },
    /// An Interest's name has no components.
    #[error("byte {offset}: an Interest's name must have at least one component")]
    EmptyName {
        /// Where the name begins.
        offset: usize,
    },
    /// An Interest with parameters does not carry their digest in its name.
    #[error("byte {offset}: ApplicationParameters require a params-sha256 component in the name")]
    MissingParametersDigest {
        /// Where `ApplicationParameters` begin.
        offset: usize,
    },
}

/// Why a packet cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The packet is larger than any packet may be.
    #[error("the packet would have {size} octets; a packet has at most {MAX_NDN_PACKET_SIZE}")]
    TooLarge {
        /// Octets it would have.
        size: usize,
    },
    /// An Interest's name has no components.
    #[error("an Interest's name must have at least one component")]
    EmptyName,
    /// An Interest with parameters does not carry their digest in its name.
    #[error("ApplicationParameters require a params-sha256 component in the name")]
    MissingParametersDigest,
    /// An element's value has a length that it may not have.
    #[error("the value of {element} has {found} octets; it must have {expected}")]
    Length {
        /// The element.
        element: ElementType,
        /// Octets it has.
        found: usize,
        /// What it may have.
        expected: &'static str,
    },
}
