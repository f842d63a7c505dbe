//! Implementations of QUIC as hosts of simulated networks: [`quinn`].

mod content;
mod identity;
mod quinn;

pub use quinn::{Quinn, QuinnController};
