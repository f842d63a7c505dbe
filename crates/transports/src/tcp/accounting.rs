//! How the sender of a subflow counts.

/// What windows, and what is in flight, delivered or lost, are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case"),
    schemars(rename = "CountedIn")
)]
pub enum WindowUnit {
    /// Packets, as in Linux: a segment that is not full is as much as a full one.
    #[default]
    Packets,
    /// Bytes (RFC 5681, section 2), given in full segments.
    Bytes,
}

/// How the sender of a subflow counts.
#[derive(Clone, Copy, Debug)]
pub struct Accounting {
    /// Whether a lack of data limits the samples of its delivery rate. In Linux it does not.
    pub application_limited: bool,
    /// What windows are counted in.
    pub unit: WindowUnit,
    /// The bytes by which a segment that rates are computed with is larger than the data of a
    /// full one.
    pub paced_excess: u16,
}
