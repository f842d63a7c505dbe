//! The options of Multipath TCP that a segment has: what they say, and their sizes (RFC 8684,
//! section 3; of version 0, RFC 6824).
//!
//! Data is numbered from 0. On the wire the numbers begin behind a hash of the sender's key,
//! which is known where packets are encoded.

mod wire;

pub use wire::Speaker;

/// The version of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// RFC 6824, as Linux's out-of-tree implementation speaks it: data numbers of 32 bits,
    /// checksums of data.
    V0,
    /// RFC 8684, as Linux speaks it: data numbers of 64 bits, no checksums.
    #[default]
    V1,
}

/// What a segment says about its multipath connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipath {
    /// MP_CAPABLE: on the SYN and its answer, the client's first acknowledgement, and, with
    /// data, on the client's first data.
    Capable,
    /// MP_JOIN: on the SYN and its answer, and the client's first acknowledgement.
    Join {
        /// The identifier of the address that its sender uses.
        address: u8,
        /// Whether the subflow is only for when no other works.
        backup: bool,
    },
    /// DSS with a data acknowledgement.
    Acknowledgement {
        /// The next data expected.
        acknowledgement: u64,
    },
    /// DSS with a data acknowledgement, and which data the segment has. One without data has
    /// the mapping of a DATA_FIN.
    Mapping {
        /// The number of its first byte.
        sequence: u64,
        /// The next data expected.
        acknowledgement: u64,
        /// Whether it is the last: a DATA_FIN, which counts as one byte.
        fin: bool,
    },
    /// ADD_ADDR: its sender has another address; or that was received.
    AddAddress {
        /// The address's identifier.
        address: u8,
        /// Whether it says that this was received.
        echo: bool,
        /// Whether the address is one of IPv6.
        wide: bool,
    },
    /// MP_PRIO: the subflow is a backup from now on, or is not.
    Priority {
        /// Whether it is.
        backup: bool,
    },
    /// REMOVE_ADDR: its sender has an address no more.
    RemoveAddress {
        /// The address's identifier.
        address: u8,
    },
    /// MP_TCPRST: why the subflow is reset, on the segment that does so. Version 0 has no such
    /// option.
    Reset,
}

impl Multipath {
    /// How many bytes the option takes, padded to four: on a SYN, on the answer to one, or on
    /// another segment, with data or without.
    #[must_use]
    pub const fn size(self, version: Version, syn: bool, answer: bool, data: bool) -> u16 {
        let is_old = matches!(version, Version::V0);
        match self {
            Self::Capable => match (syn, answer, data) {
                (true, false, _) if !is_old => 4,
                (true, ..) => 12,
                // The length of the data, and padding.
                (false, _, true) => 24,
                (false, _, false) => 20,
            },
            Self::Join { .. } => match (syn, answer) {
                (true, false) => 12,
                (true, true) => 16,
                (false, _) => 24,
            },
            Self::Acknowledgement { .. } => Self::acknowledgement_size(version),
            Self::Mapping { .. } => Self::mapping_size(version),
            Self::AddAddress { echo, wide, .. } => {
                // Version 1 authenticates a new address with 8 bytes.
                let authenticated = if echo || is_old { 0 } else { 8 };
                8 + authenticated + if wide { 12 } else { 0 }
            }
            Self::Reset if is_old => 0,
            // Three, and padding where there is no fourth.
            Self::Priority { .. } | Self::RemoveAddress { .. } | Self::Reset => 4,
        }
    }

    /// The bytes of a DSS option with a data acknowledgement alone.
    #[inline]
    #[must_use]
    pub const fn acknowledgement_size(version: Version) -> u16 {
        match version {
            Version::V0 => 8,
            Version::V1 => 12,
        }
    }

    /// The bytes of a DSS option with a mapping: what each segment with data has.
    #[inline]
    #[must_use]
    pub const fn mapping_size(version: Version) -> u16 {
        match version {
            // Four, a data acknowledgement of 4, and a mapping of 10 with a checksum of 2.
            Version::V0 => 20,
            // Four, a data acknowledgement of 8, and a mapping of 14, and padding.
            Version::V1 => 28,
        }
    }
}
