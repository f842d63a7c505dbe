//! The QUIC of [tquic](https://docs.rs/tquic) as a stack of Windtunnel.
//!
//! tquic does no input or output, but it reads the machine's clock, and it and BoringSSL draw random
//! numbers from the system. When this library is linked, both are replaced ([`linked`],
//! [`windtunnel_machine`]), by those of the end of a connection that is at work; outside of calls, and
//! for all other code of the process, nothing is.

mod controller;
mod end;
mod handler;
mod identity;
mod linked;
mod machinery;
mod maker;
mod streams;
mod tls;

use maker::Maker;
use tquic::CongestionControlAlgorithm as Algorithm;

windtunnel_stack::export!("tquic", ["bbr", "bbr3", "copa", "cubic"], |controller: Option<&str>| {
    Maker(controller.map_or(Some(Algorithm::Bbr), controller::named))
});
