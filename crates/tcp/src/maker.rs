//! Makes ends of simulated connections.

use std::time::Duration;

use windtunnel_controllers::Settings;
use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

use crate::end::End;

/// Its name.
pub(crate) const NAME: &str = "windtunnel";

/// Makes ends.
#[derive(Clone, Debug)]
pub struct Tcp {
    controller: Settings,
    mtu: u16,
}

impl Tcp {
    /// With this controller.
    #[must_use]
    pub fn new(controller: Settings) -> Self {
        Self { controller, mtu: 1500 }
    }

    /// With packets of at most so many bytes.
    #[must_use]
    pub fn mtu(self, mtu: u16) -> Self {
        Self { mtu, ..self }
    }
}

impl MakeStack for Tcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn unit(&self) -> Unit {
        Unit::IpPacket
    }

    fn largest_datagram(&self) -> u16 {
        self.mtu
    }

    fn make(&self, _: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        Ok(Box::new(End::new(&self.controller, self.mtu, place)))
    }
}
