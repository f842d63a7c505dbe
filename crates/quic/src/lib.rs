//! Implementations of QUIC as hosts of simulated networks: quinn, and noq, a
//! fork of it.

mod content;
mod identity;
mod noq;
mod quinn;

pub use noq::{Noq, NoqController};
pub use quinn::{Quinn, QuinnController};
