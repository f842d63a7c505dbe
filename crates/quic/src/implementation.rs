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
    /// Makes ends with its own controller of a name; none of any other name.
    pub with_own: fn(&str) -> Option<Arc<dyn MakeStack>>,
    /// Makes ends with one of Windtunnel's controllers.
    pub with: fn(WindtunnelFactory) -> Arc<dyn MakeStack>,
}
