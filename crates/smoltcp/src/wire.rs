//! The interface by which smoltcp receives and sends IP packets.

use std::collections::VecDeque;

use smoltcp::phy::{self, Device, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

/// The packet that has arrived, and those that leave.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    pub(crate) mtu: u16,
    pub(crate) arrived: Option<Vec<u8>>,
    pub(crate) leaving: VecDeque<Vec<u8>>,
}

/// A packet that has arrived.
pub(crate) struct Arrived(Vec<u8>);

/// Room for a packet that leaves.
pub(crate) struct Leaving<'a>(&'a mut VecDeque<Vec<u8>>);

impl Device for Wire {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Leaving<'a>;

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = usize::from(self.mtu);
        capabilities
    }

    fn receive(&mut self, _now: Instant) -> Option<(Arrived, Leaving<'_>)> {
        let packet = self.arrived.take()?;
        Some((Arrived(packet), Leaving(&mut self.leaving)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Leaving<'_>> {
        Some(Leaving(&mut self.leaving))
    }
}

impl phy::RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl phy::TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut packet = vec![0; length];
        let result = write(&mut packet);
        self.0.push_back(packet);
        result
    }
}
