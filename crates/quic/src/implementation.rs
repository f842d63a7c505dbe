//! What there is to choose of an implementation.

use std::sync::Arc;

use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::MakeStack;

/// An implementation of QUIC.
#[derive(Clone, Copy, Debug)]
pub struct Implementation {
    /// Its name.
    pub name: &'static str,
    /// The names of its own controllers; the first is its default.
    pub controllers: &'static [&'static str],
    /// Whether it can use several paths at once.
    pub has_multipath: bool,
    /// Makes ends with its own controller of a name; none of any other name.
    pub with_own: fn(&str, Options) -> Option<Arc<dyn MakeStack>>,
    /// Makes ends with one of Windtunnel's controllers.
    pub with: fn(WindtunnelFactory, Options) -> Arc<dyn MakeStack>,
}

/// What connections do beyond the defaults of their implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// They use all of their paths at once
    /// ([draft-ietf-quic-multipath](https://datatracker.ietf.org/doc/draft-ietf-quic-multipath/)).
    pub multipath: bool,
    /// They resume an earlier one: what the client sends first leaves with 0-RTT (RFC 9001,
    /// section 4.6).
    pub zero_rtt: bool,
    /// They serve streams by their urgency, and those of one urgency each whole, in the order in which
    /// they are written (RFC 9218, section 10); else all in turn.
    pub priorities: bool,
}
