//! The states of an end of a connection.

use windtunnel_engine::Time;

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum State {
    /// Nothing was sent.
    Closed,
    /// The SYN, or the answer to it, was sent `attempts` times, first at `since`, and is
    /// due again at `again`.
    Opening {
        attempts: u32,
        since: Time,
        again: Time,
    },
    Established,
    Reset,
}
