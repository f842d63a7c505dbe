//! [smoltcp](https://docs.rs/smoltcp)'s TCP as hosts of simulated networks, with its defaults but for
//! the congestion controller and the buffers.
//!
//! What it sends are whole IP packets, and the same bytes in each run of a seed.

mod connection;
mod controller;
mod end;
mod ports;
mod wire;

use std::time::Duration;

pub use controller::SmoltcpController;
use end::End;
use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

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
