//! Makes ends of connections.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack};

use crate::end::End;

/// What str0m makes datagrams of at most: 1150 B of RTP, and what DTLS and STUN have is less.
const LARGEST_DATAGRAM: u16 = 1200;

/// Makes ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker;

impl MakeStack for Maker {
    fn name(&self) -> &'static str {
        "str0m"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// DTLS signs with random numbers whose seed cannot be set, and its signatures differ in size.
    fn is_deterministic(&self) -> bool {
        false
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        Ok(Box::new(End::new(now, &place)?))
    }
}
