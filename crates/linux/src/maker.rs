//! Makes ends.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

use crate::device::Offer;
use crate::end::{End, Settings};
use crate::installation::Installation;
use crate::name::NAME;

/// Makes ends, each a kernel of its own.
#[derive(Clone, Debug)]
pub struct Linux {
    installation: Installation,
    settings: Settings,
}

impl Linux {
    /// This kernel, with its own defaults.
    #[must_use]
    pub fn new(installation: Installation) -> Self {
        let offer = Offer { mtu: 1500, cuts_segments: true };
        Self { installation, settings: Settings { controller: None, sysctl: Vec::new(), offer } }
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
    pub fn mtu(mut self, mtu: u16) -> Self {
        self.settings.offer.mtu = mtu;
        self
    }

    /// With or without segmentation offload: a device that cuts segments out of what is larger than a
    /// packet.
    #[must_use]
    pub fn segmentation_offload(mut self, cuts_segments: bool) -> Self {
        self.settings.offer.cuts_segments = cuts_segments;
        self
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
        self.settings.offer.mtu
    }

    /// As measured with 40 kernels that have a connection each: what they share is divided among them.
    fn memory(&self) -> u64 {
        6_000_000
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        Ok(Box::new(End::new(&self.installation, &self.settings, now, place)?))
    }
}
