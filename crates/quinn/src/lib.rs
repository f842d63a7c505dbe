//! Windtunnel's congestion controllers in QUIC: any of them as the
//! [`ControllerFactory`](quinn_proto::congestion::ControllerFactory) of
//! [quinn](https://docs.rs/quinn), with the code that runs in simulations.
//!
//! ```
//! use std::sync::Arc;
//! use windtunnel_controllers::Value;
//! use windtunnel_quinn::WindtunnelFactory;
//!
//! # fn main() -> Result<(), windtunnel_quinn::FactoryError> {
//! let copa = WindtunnelFactory::named("copa", &[("delta", Value::Number(0.1))])?;
//! let mut transport = quinn::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(copa));
//! // … and `transport` into a `quinn::ClientConfig` or `quinn::ServerConfig`.
//!
//! // What quinn cannot tell is refused at once, with the reason.
//! let refused = WindtunnelFactory::named("dctcp", &[]).unwrap_err();
//! assert!(refused.to_string().contains("how many packets were marked"));
//! # Ok(())
//! # }
//! ```
//!
//! # What the controllers get
//! - **Acknowledgements**, one for each ACK frame, with delivery rate samples
//!   (draft-ietf-ccwg-bbr, section 4.1) that are rebuilt from when packets were sent. Every
//!   round trip measures: QUIC never sends a packet number again (RFC 9002, section 5.1).
//! - **Losses**: one signal for what was sent before the last one was answered (RFC 9002,
//!   section 7.3.2). Persistent congestion (section 7.6) is the timeout. quinn finds losses,
//!   probes and retransmits by its own rules, and does not say whether a loss was spurious.
//! - **Marks**: one signal a round trip, like that of RFC 3168. How many packets were marked,
//!   quinn does not say.
//! - **Segments**: the controllers count in segments, which are packets of the path's current
//!   MTU here. When that grows, the window keeps its bytes. A controller that works from
//!   delivery rates keeps the segment that it began with, because its model is in it.
//!
//! # How their decisions take effect
//! quinn asks for a window, and for nothing else: there is no place for a pacing rate. Its own
//! pacer sends at most 1.25 windows in a smoothed round trip, with bursts of ten packets or
//! 2 ms, whichever is more.
//!
//! - After a loss or a mark, what is in flight comes down by proportional rate reduction (RFC
//!   9937; RFC 9002, section 7.3.2 leaves that open), but not of controllers that work from
//!   delivery rates.
//! - A controller without a pacing rate gets its window. It is thereby paced, which TCP is not
//!   unless it is asked to.
//! - Of a controller with a pacing rate, quinn gets the window or *what is in flight and what
//!   the rate has earned since*, whichever is less. That is counted at each acknowledgement and
//!   each sending, so over more than the time between two acknowledgements the rate is exact;
//!   within it, packets go in bursts. After idleness one round trip's worth is lent, because
//!   no acknowledgements come. A rate above 1.25 windows in a round trip (BBR's startup, Copa's
//!   2) is not reached: there the window decides.
//!
//! The window is never less than two packets (RFC 9002, section 7.2).
//!
//! # In noq
//! With the feature `noq`, [`WindtunnelFactory`] is the `ControllerFactory` of
//! [noq](https://docs.rs/noq) 1.4 too, a fork of quinn that obeys a pacing rate and a send quantum: a
//! controller's rate is the rate at which packets are sent, one at a time. The window still is no
//! more than the rate has earned, which then limits nothing else. What quinn does not tell, noq
//! does not tell either.

mod allowance;
mod controller;
mod driver;
mod factory;
mod flights;
#[cfg(feature = "noq")]
mod noq;
mod provided;

pub use controller::WindtunnelController;
pub use factory::{FactoryError, WindtunnelFactory};
pub use provided::refusal;
