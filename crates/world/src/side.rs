//! The two sides of a flow.

/// The two sides of a flow, by what they do with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(crate) enum Side {
    /// Where the data comes from.
    Sender,
    /// Where it goes.
    Receiver,
}

impl Side {
    /// The side at the other end.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}
