//! Why an emulation ends early.

use std::io;

use nix::errno::Errno;
use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::interface::TunInterface;

/// Why an emulation in progress has ended.
#[derive(Debug, Error)]
pub enum Failure {
    /// An interface is not there any more, or was taken down by its owner.
    #[error(
        "the interface {0} has vanished: it was removed while packets went through it; leave it \
         until the emulation has ended"
    )]
    Vanished(String),
    /// An interface cannot be read.
    #[error("the interface {0}: {1}")]
    Interface(String, io::Error),
    /// It cannot be waited for packets.
    #[error("cannot wait for packets: {0}")]
    Waiting(io::Error),
}

impl Failure {
    /// What an error of an interface means.
    pub(super) fn of(interface: &TunInterface) -> impl FnOnce(io::Error) -> Self {
        let name = interface.name().to_owned();
        // EBADFD is what a TUN device that was removed answers (tun_do_read).
        |error| match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EBADFD | Errno::ENODEV) => Self::Vanished(name),
            _ => Self::Interface(name, error),
        }
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
