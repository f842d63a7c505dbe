//! Makes ends of smoltcp.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

use crate::controller::SmoltcpController;
use crate::end::End;

/// Its name.
pub(crate) const NAME: &str = "smoltcp";

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
        NAME
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
