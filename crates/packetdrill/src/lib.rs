//! Scripts in the language of [packetdrill](https://github.com/google/packetdrill), played against
//! a `TcpHost` of `windtunnel-tcp` in virtual time.
//!
//! A [`Script`] is read by `reading`: a list of events, each at its time. An event is a segment
//! that the peer sends, one that the host must send, or a system call of the application. A
//! `player` lets them happen in their order: `application` makes the calls, `wire` writes and
//! reads packets, `numbers` maps the numbers of scripts to those on the wire, and `comparison`
//! says how a segment that was sent differs from the one that was expected. `notation` writes
//! segments as scripts have them. What is found is an [`Outcome`].

mod application;
mod comparison;
mod host;
mod notation;
mod numbers;
mod outcome;
mod player;
mod reading;
mod script;
mod settings;
mod wire;

pub use outcome::{Assertion, Difference, Failure, Moment, Outcome, Verdict};
pub use player::play;
pub use script::{
    Action, Argument, ByteCounter, Call, Ecn, Event, Script, ScriptOptions, Segment, SegmentFlags,
    TcpOption, TooBig, When,
};
