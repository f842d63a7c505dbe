//! How applications use their sockets.

#[cfg(feature = "serde")]
use windtunnel_units::As;

#[cfg(feature = "serde")]
use super::buffers::BufferSize;

/// How applications use their sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Socket {
    /// What they write at a time: data that they have at once is written in pieces of
    /// that size, without a pause, each of which is sent if it can be; `bulk` with a `rate` writes
    /// a piece when it is made. Default: all that there is.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<BufferSize>>", skip_serializing_if = "Option::is_none")
    )]
    pub write_size: Option<u64>,
    /// Which data that does not fill a segment waits for more, by Nagle's algorithm. What is
    /// written last before a connection is closed does not. The default is as if applications
    /// had set `TCP_NODELAY`, which systems do not by default.
    pub nagle: Nagle,
    /// When the receiving application takes what arrived.
    pub reading: Reading,
}

/// Which data that does not fill a segment waits for more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Nagle {
    /// None.
    #[default]
    Off,
    /// All that is written while any data is not acknowledged (RFC 9293, section 3.7.4).
    Classic,
    /// What is written while a segment is not acknowledged that was not full either
    /// (draft-minshall-nagle, as in Linux).
    Minshall,
}

/// When the receiving application takes what arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Reading {
    /// At once.
    #[default]
    AtOnce,
    /// Never, unless a program calls `Endpoint::take`: the window closes.
    #[cfg_attr(feature = "serde", serde(rename = "never"))]
    AsTaken,
}
