//! TCP: one end by script, and two ends over a path.

mod accurate_ecn;
mod closing;
mod ecn_negotiation;
mod handshake;
mod idleness;
mod marks;
mod offload;
mod over_a_path;
mod path;
mod path_change;
mod rack;
mod radio;
mod receive_buffer;
mod receiver_control;
mod receiving;
mod reports;
mod sack;
mod script;
mod spurious;
mod spy;
mod timeouts;
mod windows;
mod without_sack;
mod writes;
