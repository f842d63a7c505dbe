//! The states of a connection (RFC 9293, section 3.3.2).

/// The state of a connection by the names of RFC 9293, section 3.3.2, with the numbers of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Data can go both ways.
    Established = 1,
    /// Its SYN waits for an answer.
    SynSent,
    /// A SYN came, whose answer is not acknowledged.
    SynReceived,
    /// It has closed, and its FIN is not acknowledged.
    FinWait1,
    /// It has closed, and the peer has not.
    FinWait2,
    /// Both have closed, and the last acknowledgement may have to be sent again.
    TimeWait,
    /// There is none, or none any more.
    Closed,
    /// The peer has closed.
    CloseWait,
    /// It has closed after the peer, and its FIN is not acknowledged.
    LastAck,
    /// It waits for a SYN.
    Listen,
    /// Both have closed, and its FIN is not acknowledged.
    Closing,
}
