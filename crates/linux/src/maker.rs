//! Makes ends.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

use crate::end::{End, Settings};
use crate::installation::Installation;
use crate::name::NAME;

/// Makes ends, each a kernel of its own.
#[derive(Clone, Debug)]
pub struct Linux {
    installation: Installation,
    settings: Settings,
    mtu: u16,
}

impl Linux {
    /// This kernel, with its own defaults.
    #[must_use]
    pub fn new(installation: Installation) -> Self {
        Self { installation, settings: Settings::default(), mtu: 1500 }
    }

    /// With one of its congestion controllers.
    #[must_use]
    pub fn controller(mut self, name: &str) -> Self {
        self.settings.controller = Some(name.to_owned());
        self
    }

    /// With settings of the kernel (`sysctl`), as names and values.
    #[must_use]
    pub fn sysctl(mut self, settings: &[(String, String)]) -> Self {
        self.settings.sysctl.extend_from_slice(settings);
        self
    }

    /// With packets of at most so many bytes.
    #[must_use]
    pub fn mtu(self, mtu: u16) -> Self {
        Self { mtu, ..self }
    }
}

impl MakeStack for Linux {
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
        Ok(Box::new(End::new(&self.installation, &self.settings, self.mtu, now, place)?))
    }
}
