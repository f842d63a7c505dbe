//! The QUIC of [s2n-quic](https://docs.rs/s2n-quic) as a stack of Windtunnel, with its defaults, except
//! that neither an idle connection nor a handshake times out.
//!
//! s2n-quic is driven by a provider of input and output without a socket ([`endpoint`]), and used as by
//! any application, by futures that are polled when s2n-quic has woken them ([`application`]).

mod application;
mod configuration;
mod controller;
mod end;
mod endpoint;
mod identity;
mod maker;
mod observer;
mod protocol;
mod queues;
mod random;
mod secrets;
mod tasks;
mod tls;

use controller::Controller;
use maker::Maker;

windtunnel_stack::export!("s2n-quic", ["cubic", "bbr2"], |controller: Option<&str>| {
    Maker(controller.map_or(Some(Controller::Cubic), Controller::named))
});
