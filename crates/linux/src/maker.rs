//! Makes ends.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack, Unit};

use crate::agent::Paths;
use crate::device::Offer;
use crate::end::End;
use crate::installation::Installation;
use crate::name::NAME;
use crate::settings::Settings;

/// Makes ends: each a kernel of its own, or those at one node together.
#[derive(Clone, Debug)]
pub struct Linux {
    installation: Installation,
    settings: Settings,
    is_shared: bool,
}

impl Linux {
    /// This kernel, with its own defaults.
    #[must_use]
    pub fn new(installation: Installation) -> Self {
        let offer = Offer { mtu: 1500, cuts_segments: true };
        let (sysctl, run, paths) = (Vec::new(), Vec::new(), Paths::One);
        let settings = Settings { controller: None, sysctl, run, offer, paths };
        Self { installation, settings, is_shared: false }
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

    /// With commands that it runs when so much time of the run has passed: words with spaces between
    /// them, of which the first is a file of the kernel's.
    #[must_use]
    pub fn run(mut self, commands: &[(Duration, String)]) -> Self {
        self.settings.run.extend_from_slice(commands);
        self.settings.run.sort_by_key(|it| it.0);
        self
    }

    /// With connections of Multipath TCP (RFC 8684), which have a subflow on each of an end's paths.
    #[must_use]
    pub fn multipath(mut self) -> Self {
        self.settings.paths = Paths::Several;
        self
    }

    /// One kernel for all ends at a node.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { is_shared: true, ..self }
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

    fn shares_host(&self) -> bool {
        self.is_shared
    }

    fn begins_with_the_run(&self) -> bool {
        !self.settings.run.is_empty()
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let made = self.make_together(now, vec![place])?;
        made.into_iter().next().ok_or_else(|| "there is no end".to_owned())
    }

    fn make_together(
        &self,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Box<dyn StreamStack>>, String> {
        let ends = End::of_one_host(&self.installation, &self.settings, now, places)?;
        Ok(ends.into_iter().map(|it| Box::new(it) as Box<dyn StreamStack>).collect())
    }
}
