//! TCP: one end by script, and two ends over any path.

mod closing;
mod handshake;
mod marks;
mod rack;
mod receiving;
mod sack;
mod script;
mod spurious;
mod timeouts;
mod windows;
mod without_sack;
