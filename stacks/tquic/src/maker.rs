//! Makes ends of connections.

use std::time::Duration;

use tquic::CongestionControlAlgorithm as Algorithm;
use windtunnel_stack::{MakeStack, Place, StreamStack};

use crate::end::End;

/// What tquic searches for at most over IPv4.
const LARGEST_DATAGRAM: u16 = 1472;

/// Makes ends with one controller; none if it is of a name that there is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker(pub(crate) Option<Algorithm>);

impl MakeStack for Maker {
    fn name(&self) -> &'static str {
        "tquic"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// RFC 9000, section 14: every path carries that.
    fn first_datagram(&self) -> u16 {
        1200
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let controller = self.0.ok_or("it has no such controller")?;
        Ok(Box::new(End::new(now, controller, &place)?))
    }
}
