//! What a connection of quinn does with Windtunnel's controllers: two of its endpoints, which
//! are state machines, over a simulated bottleneck in virtual time.

mod agreement;
mod bottleneck;
mod comparison;
mod connection;
mod endpoints;
mod goodput;
mod quic;
mod registry;
