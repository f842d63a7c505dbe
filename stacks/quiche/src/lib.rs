//! The QUIC of [quiche](https://docs.rs/quiche) as a stack of Windtunnel.
//!
//! quiche does no input or output, but it reads the machine's clock, and BoringSSL draws random numbers
//! from the system. When this library is linked, both are replaced ([`linked`], [`windtunnel_machine`]),
//! by those of the end of a connection that is at work; outside of calls, and for all other code of the
//! process, nothing is.

mod configuration;
mod controller;
mod end;
mod identity;
mod linked;
mod maker;
mod secrets;
mod streams;

use controller::Controller;
use maker::Maker;

windtunnel_stack::export!(
    "quiche",
    ["cubic", "reno", "bbr2", "cubic-without-idle-fix"],
    |controller: Option<&str>| {
        Maker(controller.map_or(Some(Controller::Cubic), Controller::named))
    }
);
