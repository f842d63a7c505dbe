//! TCP: one end by script, and two ends over a path.

mod closing;
mod handshake;
mod marks;
mod over_a_path;
mod path;
mod rack;
mod radio;
mod receiving;
mod reports;
mod sack;
mod script;
mod spurious;
mod timeouts;
mod windows;
mod without_sack;
