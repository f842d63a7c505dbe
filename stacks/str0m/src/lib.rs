//! Video in real time by [str0m](https://docs.rs/str0m), an implementation of WebRTC, as a stack of
//! Windtunnel: ICE, DTLS and SRTP, with its bandwidth estimation (GCC).
//!
//! The end that connects encodes video at the rate that str0m estimates, for as long as its flow lasts;
//! the other end receives it. What is received are the bytes of frames.

mod encoder;
mod end;
mod maker;
mod random;
mod session;

use maker::Maker;

windtunnel_stack::export!("str0m", [], |_controller: Option<&str>| Maker);
