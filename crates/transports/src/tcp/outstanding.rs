//! What a program can ask about a connection: what was agreed on, and the segments that are not
//! acknowledged in order.

/// What a sender is doing about congestion, in the order of Linux's `tcpi_ca_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CongestionState {
    /// Nothing.
    #[default]
    Open,
    /// It waits to see whether segments are late or lost.
    Disorder,
    /// The window comes down after a mark.
    Reducing,
    /// It repairs losses.
    Recovery,
    /// It repairs what a timeout left.
    Loss,
}

/// The segments that are not acknowledged in order, by what their sender knows of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outstanding {
    /// All that were sent.
    pub segments: u64,
    /// Those that arrived, by SACK or, without it, by duplicate acknowledgements.
    pub delivered: u64,
    /// Those that are considered lost, whether they were sent again since or not.
    pub lost: u64,
    /// Those that were sent again and may be under way.
    pub resent: u64,
    /// What the sender does about them.
    pub state: CongestionState,
}

/// What both ends have agreed on in the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Timestamps (RFC 7323, section 3).
    pub timestamps: bool,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Windows that are scaled (RFC 7323, section 2).
    pub window_scale: bool,
    /// ECN of any kind, in one direction at least.
    pub ecn: bool,
}
