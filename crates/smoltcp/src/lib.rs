//! [smoltcp](https://docs.rs/smoltcp)'s TCP as hosts of simulated networks, with its defaults but for
//! the congestion controller and the buffers.
//!
//! What it sends are whole IP packets, and the same bytes in each run of a seed.

mod connection;
mod end;
mod ports;
mod wire;

use std::time::Duration;

use end::End;
use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

/// What controls the congestion window of smoltcp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmoltcpController {
    /// CUBIC.
    #[default]
    Cubic,
    /// Reno.
    Reno,
    /// Nothing does: the buffers alone limit what is in flight, as in a build of smoltcp by default.
    None,
}

impl SmoltcpController {
    /// The names of all; the first is the default.
    pub const NAMES: [&str; 3] = ["cubic", "reno", "none"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "reno" => Some(Self::Reno),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}

/// Makes ends.
#[derive(Clone, Debug)]
pub struct Smoltcp {
    controller: SmoltcpController,
    mtu: u16,
}

impl Smoltcp {
    /// With this controller.
    #[must_use]
    pub fn new(controller: SmoltcpController) -> Self {
        Self { controller, mtu: 1500 }
    }

    /// With packets of at most so many bytes.
    #[must_use]
    pub fn mtu(self, mtu: u16) -> Self {
        Self { mtu, ..self }
    }
}

impl MakeStack for Smoltcp {
    fn name(&self) -> &'static str {
        "smoltcp"
    }

    fn unit(&self) -> Unit {
        Unit::IpPacket
    }

    fn largest_datagram(&self) -> u16 {
        self.mtu
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        Ok(Box::new(End::new(self.controller, self.mtu, now, place)?))
    }
}
