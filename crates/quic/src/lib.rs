//! Implementations of QUIC as hosts of simulated networks: quinn, and noq, a
//! fork of it.

#![expect(clippy::duplicate_mod, reason = "quinn and noq, a fork of it, have the same methods")]

mod identity;
mod implementation;
mod noq;
mod quinn;
mod secrets;
mod sessions;

pub use implementation::{Implementation, Options};
pub use noq::{NOQ, Noq, NoqController};
pub use quinn::{QUINN, Quinn, QuinnController};
